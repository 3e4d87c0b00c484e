"""Where the champion's strength comes from: `pechvogel ablation`.

Three things make a champion: an evaluation, whether it is learned, and the search of the turn. Agents that lack one or
the other play at tables of the same opponent, on the same dice; so do champions that were trained for a shorter time.
What has to be trained is trained into a folder, and goes on from there when it was stopped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pechvogel.agents import card
from pechvogel.agents.card import read_card
from pechvogel.agents.pechvogel.champion import FURTHER
from pechvogel.tabletop.files import replace_file
from pechvogel.tabletop.seeds import check_seed
from pechvogel.train import config as configs
from pechvogel.train import run
from pechvogel.train.arena import tournament
from pechvogel.train.config import WEIGHTS, ImitationConfig, ValueConfig
from pechvogel_env.kind import KIND

OPPONENT = "planner"
LENGTHS = (30_000, 100_000, 300_000)  # turns


def gather(players: Sequence[int], runs: Path, games: int, seed: int) -> dict[str, Any]:
    """Train what is missing, play, and return all figures."""
    check_seed(seed)
    tables = {}
    for num in players:
        rows = _agents(num, runs)
        opponent: dict[str, Any] = {}
        for row in rows:
            if row["agent"] == OPPONENT:
                row |= {"win_share": 1 / num, "ci95": [1 / num, 1 / num]}
                continue
            setup = tournament.Setup(
                [row["agent"], OPPONENT], KIND.variant(num), games=games, seed=seed, first_against_rest=True
            )
            found = {agent["name"]: agent for agent in tournament.run(setup)["agents"]}
            row |= {key: found[row["agent"]][key] for key in ("win_share", "ci95", "regret")}
            opponent = found[OPPONENT]
        for row in rows:
            row.setdefault("regret", opponent["regret"])
            del row["agent"]
        tables[str(num)] = rows
    return {"opponent": OPPONENT, "games": games, "seed": seed, "tables": tables}


def _agents(players: int, runs: Path) -> list[dict[str, Any]]:
    """Who is compared; what is not in the repository is trained first."""
    champion = configs.read(configs.find(f"champion-{players}", KIND.name))
    apprentice = configs.read(configs.find(f"apprentice-{players}", KIND.name))
    assert isinstance(champion, ValueConfig) and isinstance(apprentice, ImitationConfig)
    taught = _trained(apprentice, runs / f"apprentice-{players}")
    rows = [
        _row("hand-made", "none", "heuristic"),
        _row("hand-made", "the turn", OPPONENT),
        _row("learned from results", "none", "ppo"),
        _row("learned from the champion", "none", f"ppo:weights={taught}"),
    ]
    turns = read_card(card.in_repository(KIND.name, "champion")[champion.variant])["steps"]
    deepest = "the turn"
    if players <= FURTHER:
        rows.append(_row("learned", deepest, "champion:further=false", turns))
        deepest = "a turn further"
    for length in LENGTHS:
        weights = _trained(replace(champion, turns=length), runs / f"champion-{players}-turns-{length}")
        rows.append(_row("learned", deepest, f"champion:weights={weights}", read_card(weights)["steps"]))
    return [*rows, _row("learned", deepest, "champion", turns)]


def _row(evaluation: str, search: str, agent: str, turns: int | None = None) -> dict[str, Any]:
    return {"evaluation": evaluation, "search": search, "turns": turns, "agent": agent}


def _trained(config: configs.Config, folder: Path) -> Path:
    if not configs.ended(folder):
        run.start_or_resume(config, folder)
    weights = folder / WEIGHTS
    if read_card(weights).get("config") != configs.as_dict(config):
        raise ValueError(f"{folder} has a run with other settings; name another folder with --runs")
    return weights


# ------------------------------------------------------------------------------------------------ the page


def write(path: Path, data: dict[str, Any]) -> None:
    """Write the page, and its plot beside it."""
    games = f"{data['games']:,} games each, seed {data['seed']}"
    lines = [
        "# Where the champion's strength comes from",
        "",
        f"Written by `pechvogel ablation --players {' '.join(data['tables'])} --games {data['games']} --seed "
        f"{data['seed']}`. Win shares are",
        f"those of one agent at a table of `{data['opponent']}`, with 95% intervals, on paired dice ({games}).",
        "*Search* is what the agent looks at before it decides: nothing, the turn at hand exactly, or for takes and",
        "discards the next turn, too. *Regret* is the mean value that a decision loses against perfect play, in",
        "thousandths, where the game is solved.",
        "",
    ]
    for players, rows in data["tables"].items():
        solved = any(row["regret"] for row in rows)
        lines += [
            f"## {players} players (an even share is {1 / int(players):.1%})",
            "",
            "| evaluation | search | trained for | win share |" + " regret |" * solved,
            "|---|---|---:|---:|" + "---:|" * solved,
        ]
        for row in rows:
            regret = f" {1000 * row['regret']['mean']:.2f} |" if row["regret"] else " |" * solved
            lines.append(f"| {' | '.join(_cells(row, data['opponent']))} |{regret}")
        lines += [""]
    picture = path.with_suffix(".png")
    lines += [f"![Win share by length of training, with what lacks a part]({picture.name})"]
    _draw(picture, data)
    replace_file(path, ("\n".join(lines) + "\n").encode())


def _cells(row: dict[str, Any], opponent: str) -> list[str]:
    half = 50 * (row["ci95"][1] - row["ci95"][0])
    share = f"{row['win_share']:.1%}" + (f" ± {half:.1f}" if half else f" (`{opponent}` itself)")
    trained = f"{row['turns']:,} turns" if row["turns"] else ""
    return [row["evaluation"], row["search"], trained, share]


def _draw(path: Path, data: dict[str, Any]) -> None:
    try:
        from matplotlib.figure import Figure
        from matplotlib.ticker import MaxNLocator
    except ImportError:
        raise ValueError("the plot needs matplotlib: pip install 'pechvogel[train]'") from None
    figure = Figure(figsize=(5.4 * len(data["tables"]), 5), layout="constrained")
    colours = {"hand-made": "#dd7530", "learned from results": "#8a5aa8", "learned from the champion": "#7b9e3a"}
    for number, (players, rows) in enumerate(data["tables"].items()):
        axis = figure.add_subplot(1, len(data["tables"]), number + 1)
        curve = [row for row in rows if row["turns"] and row["search"] == rows[-1]["search"]]
        _points(axis, curve, "o-", "#1d4d4f", f"learned, search: {rows[-1]['search']}")
        for row in rows:
            text = f"{row['evaluation']}, search: {row['search']}"
            if row["turns"] and row not in curve:
                _points(axis, [row], "s", "#4a7fc1", text)
            elif not row["turns"]:
                style = ":" if row["search"] == "none" else "-"
                colour = colours[row["evaluation"]]
                axis.axhline(row["win_share"], color=colour, linestyle=style, label=text)
                axis.axhspan(*row["ci95"], color=colour, alpha=0.12, linewidth=0)
        axis.set_xscale("log")
        axis.set_title(f"{players} players")
        axis.set_xlabel("turns of self-play")
        axis.set_ylabel(f"win share at a table of {data['opponent']}")
        axis.yaxis.set_major_locator(MaxNLocator(8, steps=[1, 2, 5, 10]))
        axis.yaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
        axis.grid(alpha=0.3)
        axis.legend(loc="upper center", bbox_to_anchor=(0.5, -0.17), ncols=2, fontsize="x-small", frameon=False)
    temporary = path.with_name(f".{path.name}")
    figure.savefig(temporary, dpi=110, format="png")
    temporary.replace(path)


def _points(axis: Any, rows: list[dict[str, Any]], style: str, colour: str, label: str) -> None:
    shares = [row["win_share"] for row in rows]
    below = [row["win_share"] - row["ci95"][0] for row in rows]
    axis.errorbar([row["turns"] for row in rows], shares, yerr=below, fmt=style, capsize=4, color=colour, label=label)
