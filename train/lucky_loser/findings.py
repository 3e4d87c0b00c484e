"""What Lucky Loser is like, told by games: `python -m pechvogel.train.lucky_loser.findings --out docs`.

Tables of equals play whole games: how long they are, which rows pay, whether going first helps, what other
`row_lengths` change. In positions of champions' games every throw is priced by the search of the turn: what ones are
worth. A player who plays anything in some turns shows what decisions are worth. The figures are printed as the tables
of docs/lucky-loser.md, and drawn. Everything follows from the seed.
"""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import Progress

from lucky_loser_env import rules
from lucky_loser_env.batch import Batch, Buffers
from lucky_loser_env.kind import KIND
from lucky_loser_env.rules import (
    LUCKY_FACE,
    NO_THROW,
    NOBODY,
    NUM_ACTIONS,
    NUM_CARDS,
    NUM_DICE,
    NUM_ROWS,
    ROW_LENGTHS,
    SORTED_THROWS,
    SUMS,
    Phase,
    States,
)
from pechvogel.agents import registry
from pechvogel.agents.base import BatchAgent
from pechvogel.agents.lucky_loser.champion import ChampionAgent
from pechvogel.agents.lucky_loser.turn import CHANCES, TurnSearch, ends_of
from pechvogel.agents.random import RandomAgent
from pechvogel.tabletop.arrays import Floats, Ints, Ints8, Truths
from pechvogel.tabletop.bits import action_list
from pechvogel.tabletop.files import replace_file, to_json
from pechvogel.tabletop.kind import Variant
from pechvogel.tabletop.rewards import win_share
from pechvogel.tabletop.seeds import check_seed
from pechvogel.train.arena.statistics import mean_and_interval
from pechvogel.train.arena.tournament import against_table
from pechvogel.train.plots import COLOURS, share_text
from pechvogel.train.progress import bar
from pechvogel.train.turns import LONGEST

AGENTS = ("champion", "heuristic", "random")
OTHER_ROWS = ((3,) * NUM_ROWS, ROW_LENGTHS, (5,) * NUM_ROWS, (3, 3, 4, 4, 5, 5))
CARELESS = (0.05, 0.1, 0.25, 0.5)  # shares of turns
YARDSTICK = 0.25  # of them: the careless player by whom skill is measured in other rows
PRICED = 10  # throws are priced in every so many-th game
RARE = 0.2  # % of games: rarer lengths at either end are not drawn
AT_ONCE = 1000  # positions whose throws are priced together
LUCKY = 2  # L7: so many ones and more make a Lucky Loser throw
ONES = np.array([dice.count(LUCKY_FACE) for dice in SORTED_THROWS])


class Careless(BatchAgent):
    """Another agent that plays any legal action in a share of its turns."""

    def __init__(self, agent: BatchAgent, share: float) -> None:
        self.name = f"careless {agent.name}"
        self.agent, self.share = agent, share

    def act_batch(self, states: States, masks: Ints8, rngs: Sequence[np.random.Generator]) -> Ints:
        """One action per game."""
        anything = RandomAgent().act_batch(states, masks, rngs)
        careless = np.array([rng.random() < self.share for rng in rngs])
        return np.where(careless, anything, self.agent.act_batch(states, masks, rngs))


# ------------------------------------------------------------------------------------------------ games of equals


@dataclass
class Games:
    """Whole games of one agent in all seats; seat 0 went first."""

    turns: Ints  # per game, of all players together
    first: Floats  # the first player's share of the win
    ended: States
    reached: Ints  # per game: pieces that got onto an X
    sent_home: Ints  # ... and were sent home from there (L10)
    stalled: Truths  # per game: given up after LONGEST turns (L16)
    positions: States  # between turns, of every so many-th game that was not
    game: Ints  # which game a position is of


def play(agent: BatchAgent, variant: Variant, games: int, seed: int, priced: int = PRICED) -> Games:
    """Let it play against itself; `priced` says of which games positions are kept."""
    n, lengths = variant.num_players, np.array(variant["row_lengths"])
    buffers = Buffers.allocate(games, n)
    # Nothing is skipped, so that a step is a turn.
    batch = Batch(
        buffers, num_players=n, row_lengths=variant["row_lengths"], max_turns=LONGEST, seed=seed, auto_reset=False,
        skip_forced=False,
    )  # fmt: skip
    batch.reset(first_players=np.zeros(games, np.int64))
    rngs = [np.random.default_rng([seed, i]) for i in range(games)]
    turns, first = np.zeros(games, np.int64), np.zeros(games)
    reached, sent_home = np.zeros(games, np.int64), np.zeros(games, np.int64)
    actions = np.zeros(games, np.int64)
    stalled = np.zeros(games, bool)
    positions, game = [], []
    while (live := batch.live()).size:
        kept = live[live % priced == 0]
        positions.append(between_turns(batch.states[kept]))
        game.append(kept)
        actions[live] = agent.act_batch(batch.states[live], buffers.masks[live], [rngs[i] for i in live])
        before = batch.states[live]
        batch.step(actions)
        after = batch.states[live]
        on_x, now_on_x = before["places"] == lengths, after["places"] == lengths
        is_open = (after["stacks"] > 0)[:, None, :]
        mine = np.arange(rules.MAX_PLAYERS)[None, :, None] == before["active"][:, None, None]
        reached[live] += (now_on_x & ~on_x & mine).sum(axis=(1, 2))
        sent_home[live] += (on_x & ~now_on_x & is_open & ~mine).sum(axis=(1, 2))
        ended = np.flatnonzero(buffers.dones)
        turns[ended] = buffers.turns[ended]
        first[ended] = win_share(buffers.rewards[ended, 0], n)
        stalled[ended] = buffers.truncations[ended]
    of, seen = np.concatenate(game), np.concatenate(positions)
    whole = ~stalled[of]
    return Games(turns, first, batch.states.copy(), reached, sent_home, stalled, seen[whole], of[whole])


def between_turns(states: States) -> States:
    """The same games before the dice of this turn have fallen."""
    found = states.copy()
    found["phase"], found["to_act"], found["thrown"] = Phase.THROW, NOBODY, NO_THROW
    return found


def describe(games: Games, variant: Variant) -> dict[str, Any]:
    """All figures of games of equals; of those that ended, except how many did not."""
    n, whole = variant.num_players, ~games.stalled
    rounds, ended = games.turns[whole] // n, games.ended[whole]
    chips, bonus = ended["chips"][:, :n].sum(axis=1), ended["bonus"][:, :n].sum(axis=1)
    return {
        "games": len(games.turns),
        "stalled": _figure(games.stalled),
        "rounds": _figure(rounds)
        | {"middle": np.quantile(rounds, [0.05, 0.5, 0.95]).tolist(), "histogram": np.bincount(rounds).tolist()},
        "points": _figure((chips @ np.array(SUMS) + bonus) / n),
        "bonus_points": _figure(bonus / n),
        "all_cards": _figure(ended["cards"] == NUM_CARDS),
        "first": _figure(games.first[whole]),
        "reached": _figure(games.reached[whole]),
        "sent_home": float(games.sent_home[whole].sum() / max(1, games.reached[whole].sum())),
        "rows": [
            {
                "sum": sum_,
                "chips": _figure(chips[:, row] / n),
                "points": _figure(sum_ * chips[:, row] / n),
                "closed": _figure(ended["stacks"][:, row] == 0),
            }
            for row, sum_ in enumerate(SUMS)
        ],
    }


def _figure(values: Floats | Ints | Truths) -> dict[str, Any]:
    mean, interval = mean_and_interval(np.asarray(values, float))
    return {"mean": mean, "ci95": interval}


# ------------------------------------------------------------------------------------------------ what throws are worth


def allowed() -> Truths:
    """By sorted throw and action: what the dice allow on open rows (L7, L8)."""
    found = np.zeros((len(SORTED_THROWS), NUM_ACTIONS), bool)
    state = rules.new_states(1)
    for number, dice in enumerate(SORTED_THROWS):
        rules.new_game(state, 0, 2, ROW_LENGTHS, 0)
        rules.apply_dice(state, 0, np.array(dice, np.int8))
        found[number, action_list(int(rules.legal_bits(state, 0)))] = True
    return found


def price(search: TurnSearch, positions: States) -> tuple[Floats, Floats]:
    """By position between turns and sorted throw: the value for the player at turn, and points that the turn brings."""
    values = np.full((len(positions), NUM_ACTIONS), -np.inf)
    points = np.zeros((len(positions), NUM_ACTIONS))
    ends = ends_of(positions)
    at = np.repeat(np.arange(len(positions)), np.diff(ends.starts))
    actions = np.concatenate([action_list(int(bits)) for bits in ends.bits])
    seats = positions["active"][at]
    values[at, actions] = search.evaluate(ends.states)[np.arange(len(at)), seats]
    points[at, actions] = _points(ends.states, seats) - _points(positions, positions["active"])[at]
    by_throw = np.where(allowed()[None], values[:, None, :], -np.inf)
    best = by_throw.argmax(axis=2)
    rows = np.arange(len(positions))[:, None]
    return values[rows, best], points[rows, best]


def _points(states: States, seats: Ints8) -> Ints:
    rows = np.arange(len(states))
    found: Ints = states["chips"][rows, seats] @ np.array(SUMS) + states["bonus"][rows, seats]
    return found


def worth_of_ones(search: TurnSearch, positions: States, game: Ints, n: int) -> list[dict[str, Any]]:
    """By the number of ones: chance, and what a throw is worth more than one without Lucky Loser on average.

    Intervals come from games: positions of the same one are not independent.
    """
    shares: list[Floats] = []
    points: list[Floats] = []
    for at in range(0, len(positions), AT_ONCE):
        value, brought = price(search, positions[at : at + AT_ONCE])
        by_ones = [ones == ONES for ones in range(NUM_DICE + 1)] + [ONES < LUCKY, ONES >= LUCKY]
        for figures, wanted in ((shares, win_share(value, n)), (points, brought)):
            figures.append(np.stack([np.average(wanted[:, k], axis=1, weights=CHANCES[k]) for k in by_ones], axis=1))
    usual = NUM_DICE + 1  # the column of throws without Lucky Loser
    share, point = (_by_game(np.concatenate(figures), game) for figures in (shares, points))
    return [
        {
            "ones": ones if ones <= NUM_DICE else "two or more",
            "chance": float(CHANCES[ones == ONES].sum() if ones <= NUM_DICE else CHANCES[ONES >= LUCKY].sum()),
            "win_share": _figure(share[:, ones] - share[:, usual]),
            "points": _figure(point[:, ones]),
            "more_points": _figure(point[:, ones] - point[:, usual]),
        }
        for ones in (*range(NUM_DICE + 1), usual + 1)
    ]


def _by_game(figures: Floats, game: Ints) -> Floats:
    """Means over the positions of each game."""
    names, which = np.unique(game, return_inverse=True)
    total = np.zeros((len(names), figures.shape[1]))
    np.add.at(total, which, figures)
    return total / np.bincount(which)[:, None]


# ------------------------------------------------------------------------------------------------ all of it


def gather(games: int, seed: int, players: Sequence[int] = (2, 3, 4)) -> dict[str, Any]:
    """All figures, as JSON holds them."""
    check_seed(seed)
    if games < 2 * PRICED:
        raise ValueError(f"--games must be at least {2 * PRICED}, not {games}")
    data: dict[str, Any] = {"games": games, "seed": seed, "equals": {}, "ones": {}, "row_lengths": [], "careless": []}
    with bar() as progress:
        steps = _counted(progress, len(players) * len(AGENTS) + len(OTHER_ROWS) + len(CARELESS))
        for n in players:
            variant = KIND.variant(n)
            data["equals"][str(n)] = {}
            for spec in AGENTS:
                steps(f"{n} x {spec}")
                agent = registry.make(spec, KIND.name)
                assert isinstance(agent, BatchAgent)
                played = play(agent, variant, games, seed)
                data["equals"][str(n)][spec] = describe(played, variant)
                if isinstance(agent, ChampionAgent):
                    search = agent.search(played.positions)
                    data["ones"][str(n)] = worth_of_ones(search, played.positions, played.game, n)
        heuristic, champion = (registry.make(spec, KIND.name) for spec in ("heuristic", "champion"))
        assert isinstance(heuristic, BatchAgent) and isinstance(champion, BatchAgent)
        for lengths in OTHER_ROWS:
            variant = KIND.variant(2, row_lengths=lengths)
            steps(KIND.describe(variant))
            skill = against_table(heuristic, Careless(heuristic, YARDSTICK), variant, games, seed)
            of_equals = describe(play(heuristic, variant, games, seed), variant)
            data["row_lengths"].append({"lengths": list(lengths), "skill": skill, **of_equals})
        for share in CARELESS:
            steps(f"careless in {share:.0%}")
            found = against_table(Careless(champion, share), champion, KIND.variant(2), games, seed)
            data["careless"].append({"share": share, **found})
    return data


def _counted(progress: Progress, total: int) -> Callable[[str], None]:
    """Says what comes next; what came before it is done then."""
    task = progress.add_task("", total=total, completed=-1)
    return lambda name: progress.update(task, advance=1, description=name)


# ------------------------------------------------------------------------------------------------ tables


def tables(data: dict[str, Any]) -> Iterator[str]:
    """The figures as lines of Markdown."""
    yield "| players | all | rounds | nine of ten games | never end | points each | by cards | first player wins |"
    yield "|---|---|---:|---:|---:|---:|---:|---:|"
    for n, agents in data["equals"].items():
        for spec, row in agents.items():
            low, _, high = row["rounds"]["middle"]
            rounds = (_text(row["rounds"]), f"{low:.0f} to {high:.0f}", _percent(row["stalled"]))
            points = (_text(row["points"]), _text(row["bonus_points"]))
            yield _line(n, f"`{spec}`", *rounds, *points, _percent(row["first"]))
    yield from ("", "| ones | chance | " + " | ".join(f"{n} players" for n in data["ones"]) + " | points at once |")
    yield "|---:|---:|" + "---:|" * (len(data["ones"]) + 1)
    for k, row in enumerate(next(iter(data["ones"].values()))):
        gains = [_percent(rows[k]["win_share"], 2, "+") for rows in data["ones"].values()]
        yield _line(row["ones"], f"{row['chance']:.2%}", *gains, _text(row["points"]))
    yield from ("", "| row | " + " | ".join(f"{n}: points each | closed" for n in data["equals"]) + " |")
    yield "|---:|" + "---:|---:|" * len(data["equals"])
    for row, sum_ in enumerate(SUMS):
        of_row = [agents["champion"]["rows"][row] for agents in data["equals"].values()]
        yield _line(sum_, *(cell for r in of_row for cell in (_text(r["points"]), _percent(r["closed"]))))
    yield from ("", "| rows | rounds | points each | X reached | sent home | first player wins | skill |")
    yield "|---|---:|---:|---:|---:|---:|---:|"
    for r in data["row_lengths"]:
        figures = [_text(r[name]) for name in ("rounds", "points", "reached")]
        lengths = ",".join(map(str, r["lengths"]))
        yield _line(lengths, *figures, f"{r['sent_home']:.0%}", _percent(r["first"]), share_text(r["skill"]))
    yield from ("", "| careless turns | win share |", "|---:|---:|")
    for r in data["careless"]:
        yield _line(f"{r['share']:.0%}", share_text(r))


def _line(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def _text(figure: dict[str, Any]) -> str:
    return f"{figure['mean']:.1f} ± {figure['ci95'][1] - figure['mean']:.1f}"


def _percent(figure: dict[str, Any], digits: int = 1, sign: str = "") -> str:
    return f"{100 * figure['mean']:{sign}.{digits}f}% ± {100 * (figure['ci95'][1] - figure['mean']):.{digits}f}"


# ------------------------------------------------------------------------------------------------ plots


def draw(folder: Path, data: dict[str, Any]) -> list[Path]:
    """Write the plots; their files."""
    pairs = {
        "length": (_draw_players, _draw_lengths),
        "throws": (_draw_ones, _draw_careless),
        "rows": (_draw_points, _draw_closed),
    }
    return [_save(folder / f"lucky-loser-{name}.png", pair, data) for name, pair in pairs.items()]


def _save(path: Path, pair: Sequence[Callable[[Any, dict[str, Any]], None]], data: dict[str, Any]) -> Path:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.6, 3.4), layout="constrained")
    for axis, drawing in zip(figure.subplots(1, 2), pair, strict=True):
        axis.grid(alpha=0.25)
        axis.spines[["top", "right"]].set_visible(False)
        drawing(axis, data)
    target = io.BytesIO()
    figure.savefig(target, dpi=100, format="png", metadata={"Software": None})
    replace_file(path, target.getvalue())
    return path


def _curve(axis: Any, rounds: dict[str, Any], **look: Any) -> None:
    counts = np.array(rounds["histogram"])
    shares = 100 * counts / counts.sum()
    shown = np.flatnonzero(shares >= RARE)
    axis.plot(range(shown[0], shown[-1] + 1), shares[shown[0] : shown[-1] + 1], **look)


def _draw_players(axis: Any, data: dict[str, Any]) -> None:
    for colour, (n, agents) in zip(COLOURS, data["equals"].items(), strict=False):
        _curve(axis, agents["champion"]["rounds"], color=colour, label=f"{n} champions")
        _curve(axis, agents["heuristic"]["rounds"], color=colour, linestyle=":", label=f"{n} heuristic")
    _label_rounds(axis, "How long games are")


def _draw_lengths(axis: Any, data: dict[str, Any]) -> None:
    for colour, row in zip(COLOURS, data["row_lengths"], strict=False):
        _curve(axis, row["rounds"], color=colour, label="rows of " + ",".join(map(str, row["lengths"])))
    _label_rounds(axis, "... with other rows (2 heuristic)")


def _label_rounds(axis: Any, title: str) -> None:
    axis.set(title=title, xlabel="rounds", ylabel="% of games")
    axis.set_ylim(bottom=0)
    axis.legend(fontsize="small")


def _bars(axis: Any, places: Sequence[int], groups: dict[str, list[dict[str, Any]]], scale: float) -> None:
    """Bars side by side, with intervals."""
    width = 0.8 / len(groups)
    for number, (name, figures) in enumerate(groups.items()):
        at = np.arange(len(places)) - 0.4 + width * (number + 0.5)
        heights = [scale * figure["mean"] for figure in figures]
        spans = [scale * (figure["ci95"][1] - figure["mean"]) for figure in figures]
        axis.bar(at, heights, width, yerr=spans, color=COLOURS[number], ecolor="black", capsize=2, label=name)
    axis.set_xticks(range(len(places)), places)
    axis.legend(fontsize="small")


def _draw_ones(axis: Any, data: dict[str, Any]) -> None:
    counts = list(range(NUM_DICE + 1))
    groups = {f"{n} champions": [rows[k]["win_share"] for k in counts] for n, rows in data["ones"].items()}
    _bars(axis, counts, groups, 100)
    axis.axhline(0, color="grey", linewidth=0.8)
    axis.set(title="What ones are worth", xlabel="ones in the throw", ylabel="points of win share")


def _draw_careless(axis: Any, data: dict[str, Any]) -> None:
    rows = [{"share": 0.0, "win_share": 0.5, "ci95": [0.5, 0.5]}, *data["careless"]]
    shares = [100 * row["win_share"] for row in rows]
    spans = [100 * (row["ci95"][1] - row["win_share"]) for row in rows]
    axis.errorbar([100 * row["share"] for row in rows], shares, yerr=spans, fmt="o-", color=COLOURS[0], capsize=3)
    axis.set(title="A careless champion against a champion", xlabel="% of turns at random", ylabel="win share, %")
    axis.set_ylim(bottom=0)


def _draw_points(axis: Any, data: dict[str, Any]) -> None:
    _draw_rows(axis, data, "points", 1)
    axis.set(title="Points from a row's chips", xlabel="row", ylabel="points per player")


def _draw_closed(axis: Any, data: dict[str, Any]) -> None:
    _draw_rows(axis, data, "closed", 100)
    axis.set(title="How often a row closes", xlabel="row", ylabel="% of games")


def _draw_rows(axis: Any, data: dict[str, Any], name: str, scale: float) -> None:
    groups = {f"{n} champions": [r[name] for r in of["champion"]["rows"]] for n, of in data["equals"].items()}
    _bars(axis, SUMS, groups, scale)


def main(argv: list[str] | None = None) -> int:
    """Gather, print, draw; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m pechvogel.train.lucky_loser.findings", description=__doc__)
    parser.add_argument("--games", type=int, default=20_000, help="of every kind (default 20000)")
    parser.add_argument("--seed", type=int, default=1, help="of all games (default 1)")
    parser.add_argument("--out", type=Path, default=Path(), metavar="FOLDER", help="for the plots (default: here)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures into this file")
    arguments = parser.parse_args(argv)
    try:
        if not arguments.out.is_dir():
            raise ValueError(f"{arguments.out} is no folder")
        data = gather(arguments.games, arguments.seed)
        if arguments.json is not None:
            replace_file(arguments.json, to_json(data))
        print("\n".join(tables(data)))
        for path in draw(arguments.out, data):
            print(f"written: {path}", file=sys.stderr)
    except (ValueError, OSError) as error:
        print(f"findings: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
