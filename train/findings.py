"""What perfect play looks like: `pechvogel findings` writes docs/solution.md with its plots, from a solved game.

Everything comes from the table and from games that perfect players play against each other; nothing is typed in.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.optimal import OptimalAgent
from agents.solution import Solution
from agents.turn import TurnSearch
from pechvogel_env import rules
from pechvogel_env.batch import Batch, Buffers
from pechvogel_env.files import replace_file
from pechvogel_env.rules import FIRST_VALUE, NUM_DICE, NUM_VALUES, RAVENS_LIMIT, TARGETS_NEEDED, Action, Phase, States
from train import exploit
from train.progress import bar

COLOURS = ("#1d4d4f", "#dd7530", "#7b9e3a", "#8a5aa8", "#4a7fc1")


@dataclass
class Games:
    """Games of perfect players: positions between turns, and every decision with the values of its actions."""

    turns: NDArray[np.int64]  # per game
    most: NDArray[np.int64]  # frustrations that anybody held, per game
    positions: States  # between turns
    decisions: States
    values: NDArray[np.float64]  # of every action, NaN: illegal
    shares: NDArray[np.float64]  # of the first player, per game


def play(table: Solution, games: int, seed: int) -> Games:
    """Let perfect players play, and note everything."""
    agent = OptimalAgent(str(table.path))
    buffers = Buffers.allocate(games, 2)
    batch = Batch(buffers, num_players=2, copies=table.copies, seed=seed, auto_reset=False)
    batch.reset(first_players=np.zeros(games, np.int64))
    search = agent.search(batch.states)
    turns, most, shares = np.zeros(games, np.int64), np.zeros(games, np.int64), np.zeros(games)
    actions = np.zeros(games, np.int64)
    positions, decisions, values = [], [], []
    seen = np.full(games, -1)
    while (live := np.flatnonzero(batch.bits)).size:
        states = batch.states[live].copy()
        new = states["turn"] > seen[live]
        seen[live] = states["turn"]
        positions.append(_between_turns(states[new]))
        worth = np.concatenate([search.action_values(states[at : at + 1000]) for at in range(0, len(states), 1000)])
        decisions.append(states)
        values.append(worth)
        actions[live] = np.nanargmax(worth, axis=1)
        batch.step(actions)
        most = np.maximum(most, batch.states["frustrations"][:, :2].max(axis=1))
        for i in np.flatnonzero(buffers.dones):
            turns[i] = buffers.turns[i]
            shares[i] = (1 + buffers.rewards[i, 0]) / 2
    return Games(turns, most, np.concatenate(positions), np.concatenate(decisions), np.concatenate(values), shares)


def _between_turns(states: States) -> States:
    """The positions in which these turns began, as far as their first decision still shows them."""
    fresh = states[(states["reduced"] == 0) & (states["num_frustraters"] == 0)].copy()
    for i in range(len(fresh)):
        s = fresh[i]
        s["phase"], s["to_act"], s["target"] = Phase.THROW, rules.NOBODY, rules.NO_TARGET
        s["targets"] = s["ravens"] = s["num_thrown"] = s["thrown"] = 0
        s["last_throw"][:] = rules.NO_DIE
    return fresh[fresh["middle"].sum(axis=1) > 0]


# ------------------------------------------------------------------------------------------------ what they show


def worth_of_a_frustration(table: Solution, positions: States) -> dict[int, tuple[float, float, int]]:
    """By markers left: what one frustration more is worth to the player at turn and to the other; positions."""
    left = positions["middle"].sum(axis=1)
    seats = positions["active"]
    rows = np.arange(len(positions))
    now = table.evaluate(positions)
    change = []
    for seat in (seats, 1 - seats):
        more = positions.copy()
        more["frustrations"][rows, seat] += 1
        change.append(table.evaluate(more)[rows, seat] - now[rows, seat])
    return {
        int(count): (
            float(change[0][left == count].mean()),
            float(change[1][left == count].mean()),
            int((left == count).sum()),
        )
        for count in np.unique(left)[::-1]
    }


def stealing(games: Games) -> dict[int, tuple[int, int, float]]:
    """By markers left: decisions with the choice to take or steal, how often stealing is best, and what it is worth."""
    asked = games.decisions["phase"] == Phase.TAKE
    take, steal = games.values[asked, Action.TAKE], games.values[asked, Action.STEAL_1]
    both = ~np.isnan(take) & ~np.isnan(steal)
    left = games.decisions["middle"][asked].sum(axis=1)
    found = {}
    for count in np.unique(left[both])[::-1]:
        here = both & (left == count)
        found[int(count)] = (int(here.sum()), int((steal > take)[here].sum()), float((steal - take)[here].mean()))
    return found


def first_targets(table: Solution) -> NDArray[np.float64]:
    """In the first turn: what it is worth to choose a value of which so many fell, [ravens, count, value]."""
    states = rules.new_states(1)
    worth = np.full((RAVENS_LIMIT, TARGETS_NEEDED + 1, NUM_VALUES), np.nan)
    search = TurnSearch(table.evaluate)
    for ravens in range(RAVENS_LIMIT):
        for count in range(1, TARGETS_NEEDED + 1):
            for value in range(NUM_VALUES):
                counts = np.zeros(NUM_VALUES + 1, np.int8)
                counts[0], counts[value + 1] = ravens, count
                counts[(value + 1) % NUM_VALUES + 1] = NUM_DICE - ravens - count
                rules.new_game(states, 0, 2, table.copies, False, 0)
                rules.apply_throw(states, 0, counts)
                worth[ravens, count, value] = search.action_values(states)[0, Action.TARGET_3 + value]
    return worth


def how_often(games: Games, phase: Phase, actions: Sequence[int]) -> tuple[int, int]:
    """[times, chances] of actions of a kind in perfect games."""
    asked = games.values[games.decisions["phase"] == phase]
    chosen = np.nanargmax(asked, axis=1) if len(asked) else np.zeros(0, np.int64)
    return int(np.isin(chosen, actions).sum()), len(chosen)


def agents_regret(table: Solution, specs: Sequence[str], games: int, seed: int) -> dict[str, Any]:
    """How far agents are from perfect."""
    return {spec: exploit.regret(spec, table.copies, games, seed, str(table.path)) for spec in specs}


# ------------------------------------------------------------------------------------------------ the page


def write(path: Path, table: Solution, games: int, agent_games: int, seed: int, specs: Sequence[str]) -> None:
    """Write the page and its plots (beside it, by its name)."""
    with bar() as progress:
        task = progress.add_task("perfect games", total=3)
        played = play(table, games, seed)
        progress.update(task, advance=1, description="what they show")
        frustrations = worth_of_a_frustration(table, played.positions)
        steals = stealing(played)
        targets = first_targets(table)
        progress.update(task, advance=1, description="agents")
        regrets = agents_regret(table, specs, agent_games, seed)
        progress.update(task, advance=1)
    pictures = {
        "frustration": lambda axis: _draw_frustrations(axis, frustrations),
        "length": lambda axis: _draw_lengths(axis, played.turns),
        "regret": lambda axis: _draw_regrets(axis, regrets),
    }
    for name, draw in pictures.items():
        _save(path.with_name(f"{path.stem}-{name}.png"), draw)
    text = _page(path, table, played, frustrations, steals, targets, regrets, games, agent_games, seed)
    replace_file(path, text.encode())


def _page(
    path: Path,
    table: Solution,
    played: Games,
    frustrations: dict[int, tuple[float, float, int]],
    steals: dict[int, tuple[int, int, float]],
    targets: NDArray[np.float64],
    regrets: dict[str, Any],
    games: int,
    agent_games: int,
    seed: int,
) -> str:
    half = 1.96 * played.shares.std(ddof=1) / np.sqrt(games)
    asset = [count for count, (mine, _, _) in frustrations.items() if mine > 0]
    lines = [
        "# Two-player Pechvogel, solved",
        "",
        _paragraph(
            f"This page is written by `pechvogel findings --copies {table.copies}` from the table {table.path.name}: "
            f"the exact value of every position between turns, for {table.copies} "
            f"cop{'y' if table.copies == 1 else 'ies'} of every marker. Values are rewards: 1 is a win, -1 a loss, 0 a "
            "tie; a value v is a win share of (1 + v) / 2. "
            f"Perfect games: {games:,} of them, seed {seed}, both players perfect."
        ),
        "",
        "## The first player's advantage",
        "",
        _paragraph(
            f"The game is worth {table.start_value:+.4f} to the player who starts: {50 * (1 + table.start_value):.2f}% "
            f"of the wins. (In the perfect games the first player won {played.shares.mean():.2%} ± {100 * half:.2f}.)"
        ),
        "",
        "## What a frustration is worth",
        "",
        _paragraph(
            "It costs 3 points in the end, 7 with Murphy, but it can be spent. What one frustration more changes, "
            "averaged over the positions between turns of the perfect games, by markers left in the middle:"
        ),
        "",
        f"![What a frustration is worth by markers left]({path.stem}-frustration.png)",
        "",
        "| markers left | to the player at turn | to the other | positions |",
        "|---:|---:|---:|---:|",
        *[f"| {count} | {mine:+.4f} | {other:+.4f} | {num:,} |" for count, (mine, other, num) in frustrations.items()],
        "",
        (
            f"To the player at turn it is an asset, on average, while {_range(asset)} markers are left."
            if asset
            else "To the player at turn it is never an asset on average."
        ),
        "",
        "## When to steal",
        "",
        "Decisions with the choice between the middle and the opponent's marker, by markers left:",
        "",
        "| markers left | decisions | stealing is best | stealing minus taking, on average |",
        "|---:|---:|---:|---:|",
        *[f"| {count} | {num:,} | {best / num:.1%} | {gain:+.4f} |" for count, (num, best, gain) in steals.items()],
        "",
        "## Which target from which first throw",
        "",
        "In the first turn of the game, what it is worth to choose a number of which so many fell:",
        "",
        "| ravens | dice | 3 | 4 | 5 | 6 | 7 |",
        "|---:|---:|---:|---:|---:|---:|---:|",
        *[
            f"| {ravens} | {count} | " + " | ".join(f"{worth:+.4f}" for worth in targets[ravens, count]) + " |"
            for ravens in range(RAVENS_LIMIT)
            for count in range(1, TARGETS_NEEDED + 1)
        ],
        "",
        *_target_rules(targets),
        "",
        "## What perfect players do",
        "",
        "| decision | how often, where there is a choice | chances per game |",
        "|---|---:|---:|",
        *[
            f"| {name} | {times / max(1, chances):.1%} | {chances / games:.1f} |"
            for name, (times, chances) in {
                "reduce": how_often(played, Phase.REDUCE, [Action.REDUCE]),
                "frustrate": how_often(played, Phase.FRUSTRATE, [Action.FRUSTRATE]),
                "steal rather than take": how_often(played, Phase.TAKE, [Action.STEAL_1]),
            }.items()
        ],
        "",
        _paragraph(
            f"Somebody held more than {table.cap} frustrations, up to which the table counts, in "
            f"{(played.most > table.cap).mean():.2%} of the games."
        ),
        "",
        "## How long perfect games last",
        "",
        _paragraph(
            f"{played.turns.mean():.1f} turns on average; half of them between "
            f"{np.quantile(played.turns, 0.25):.0f} and {np.quantile(played.turns, 0.75):.0f}, "
            f"the longest {played.turns.max()}."
        ),
        "",
        f"![Turns of perfect games]({path.stem}-length.png)",
        "",
        "## How far the agents are from perfect",
        "",
        _paragraph(
            f"Each against `optimal`, {agent_games:,} games on paired dice. Regret is the mean value lost per "
            "decision, in thousandths."
        ),
        "",
        f"![Regret by kind of decision]({path.stem}-regret.png)",
        "",
        "| agent | win share against perfect play | regret | target | reduce | frustrate | take | discard |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
        *[_regret_row(spec, row) for spec, row in regrets.items()],
        "",
    ]
    return "\n".join(lines)


def _paragraph(text: str) -> str:
    return textwrap.fill(text, 128, break_long_words=False, break_on_hyphens=False)


def _range(counts: Sequence[int]) -> str:
    low, high = min(counts), max(counts)
    if low == high:
        return str(low)
    return f"{low} to {high}" if list(range(low, high + 1)) == sorted(counts) else ", ".join(map(str, sorted(counts)))


def _target_rules(targets: NDArray[np.float64]) -> list[str]:
    """How many points one more die of a lower number is worth: what makes up for what."""
    rules_found = []
    for count in range(1, TARGETS_NEEDED):
        better = [
            f"{low + FIRST_VALUE} over {high + FIRST_VALUE}"
            for low in range(NUM_VALUES)
            for high in range(low + 1, NUM_VALUES)
            if targets[0, count + 1, low] > targets[0, count, high]
        ]
        rules_found.append(
            f"- {count + 1} dice of the lower number or {count} of the higher, no raven: choose the lower for "
            + (", ".join(better) if better else "no pair")
            + "."
        )
    return rules_found


def _regret_row(spec: str, row: dict[str, Any]) -> str:
    lost = row["regret"]
    half = 100 * (row["ci95"][1] - row["ci95"][0]) / 2
    kinds = [lost["by_kind"].get(kind) for kind in ("target", "reduce", "frustrate", "take", "discard")]
    cells = [f"{1000 * kind['mean']:.1f}" if kind else "" for kind in kinds]
    return f"| `{spec}` | {row['win_share']:.1%} ± {half:.1f} | {1000 * lost['mean']:.1f} | " + " | ".join(cells) + " |"


def _save(path: Path, draw: Callable[[Any], None]) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 3.6), layout="constrained")
    axis = figure.subplots()
    axis.grid(alpha=0.25)
    axis.spines[["top", "right"]].set_visible(False)
    draw(axis)
    figure.savefig(path, dpi=110)


def _draw_frustrations(axis: Any, worth: dict[int, tuple[float, float, int]]) -> None:
    counts = list(worth)
    axis.plot(counts, [worth[count][0] for count in counts], "o-", color=COLOURS[0], label="to the player at turn")
    axis.plot(counts, [worth[count][1] for count in counts], "o-", color=COLOURS[1], label="to the other")
    axis.axhline(0, color="grey", linestyle=":")
    axis.invert_xaxis()
    axis.set(xlabel="markers left in the middle", ylabel="value of one frustration more")
    axis.legend()


def _draw_lengths(axis: Any, turns: NDArray[np.int64]) -> None:
    counts = np.bincount(turns)
    axis.bar(np.arange(len(counts)), 100 * counts / counts.sum(), color=COLOURS[0])
    axis.set(xlabel="turns", ylabel="% of games", xlim=(0, np.quantile(turns, 0.998)))


def _draw_regrets(axis: Any, regrets: dict[str, Any]) -> None:
    kinds = ("target", "reduce", "frustrate", "take", "discard")
    width = 0.8 / len(regrets)
    for number, (spec, row) in enumerate(regrets.items()):
        by_kind = row["regret"]["by_kind"]
        heights = [1000 * by_kind[kind]["mean"] if kind in by_kind else 0.0 for kind in kinds]
        places = np.arange(len(kinds)) - 0.4 + width * (number + 0.5)
        axis.bar(places, heights, width, color=COLOURS[number % len(COLOURS)], label=spec)
    axis.set_xticks(range(len(kinds)), kinds)
    axis.set(ylabel="regret, thousandths")
    axis.legend()
