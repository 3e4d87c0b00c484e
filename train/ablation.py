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

from pechvogel_env.files import replace_file
from train import config as configs
from train import run, tournament
from train.config import WEIGHTS, ImitationConfig, ValueConfig

OPPONENT = "planner"
LENGTHS = (30_000, 100_000, 300_000)  # turns
CONFIGS = Path(__file__).parent.parent / "configs"


def gather(players: Sequence[int], runs: Path, games: int, seed: int) -> dict[str, Any]:
    """Train what is missing, play, and return all figures."""
    tables = {}
    for num in players:
        lineup = _agents(num, runs)
        specs = [row["agent"] for row in lineup if row["agent"] != OPPONENT]
        shares = {OPPONENT: {"win_share": 1 / num, "ci95": [1 / num, 1 / num], "regret": None}}
        for spec in specs:
            setup = tournament.Setup([spec, OPPONENT], num, games=games, seed=seed, first_against_rest=True)
            result = tournament.run(setup)
            by_name = {row["name"]: row for row in result["agents"]}
            for name in (spec, OPPONENT):
                found = by_name[name]
                if name == spec or shares[OPPONENT]["regret"] is None:
                    share = found if name == spec else shares[OPPONENT]
                    shares[name] = {**{key: share[key] for key in ("win_share", "ci95")}, "regret": found["regret"]}
        tables[str(num)] = [row | shares[row.pop("agent")] for row in lineup]
    return {"opponent": OPPONENT, "games": games, "seed": seed, "tables": tables}


def _agents(players: int, runs: Path) -> list[dict[str, Any]]:
    """Who is compared; what is not in the repository is trained first."""
    champion = configs.read(CONFIGS / f"champion-{players}.yaml")
    apprentice = configs.read(CONFIGS / f"apprentice-{players}.yaml")
    assert isinstance(champion, ValueConfig) and isinstance(apprentice, ImitationConfig)
    rows: list[dict[str, Any]] = [
        {"evaluation": "hand-made", "search": False, "turns": None, "agent": "heuristic"},
        {"evaluation": "hand-made", "search": True, "turns": None, "agent": "planner"},
        {"evaluation": "learned from results", "search": False, "turns": None, "agent": "ppo"},
        {
            "evaluation": "learned from the champion",
            "search": False,
            "turns": None,
            "agent": f"ppo:weights={_trained(apprentice, runs / f'apprentice-{players}')}",
        },
    ]
    for turns in LENGTHS:
        weights = _trained(replace(champion, turns=turns), runs / f"champion-{players}-turns-{turns}")
        rows.append({"evaluation": "learned", "search": True, "turns": turns, "agent": f"champion:weights={weights}"})
    rows.append({"evaluation": "learned", "search": True, "turns": champion.turns, "agent": "champion"})
    return rows


def _trained(config: configs.AnyConfig, folder: Path) -> Path:
    if not (folder / WEIGHTS).exists():
        run.start_or_resume(config, folder)
    return folder / WEIGHTS


# ------------------------------------------------------------------------------------------------ the page


def write(path: Path, data: dict[str, Any]) -> None:
    """Write the page, and its plot beside it."""
    games = f"{data['games']:,} games each, seed {data['seed']}"
    lines = [
        "# Where the champion's strength comes from",
        "",
        f"Written by `pechvogel ablation --games {data['games']} --seed {data['seed']}`. Win shares are those of one",
        f"agent at a table of `{data['opponent']}`, with 95% intervals, on paired dice ({games}). *Regret* is the",
        "mean value that a decision loses against perfect play, in thousandths, where the game is solved.",
        "",
    ]
    for players, rows in data["tables"].items():
        solved = any(row["regret"] for row in rows)
        lines += [
            f"## {players} players (an even share is {1 / int(players):.1%})",
            "",
            "| evaluation | search of the turn | trained for | win share |" + " regret |" * solved,
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
    return [row["evaluation"], "yes" if row["search"] else "no", trained, share]


def _draw(path: Path, data: dict[str, Any]) -> None:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ValueError("the plot needs matplotlib: pip install 'pechvogel[train]'") from None
    figure = Figure(figsize=(5 * len(data["tables"]), 4.2), layout="constrained")
    colours = {"hand-made": "#dd7530", "learned from results": "#8a5aa8", "learned from the champion": "#7b9e3a"}
    for number, (players, rows) in enumerate(data["tables"].items()):
        axis = figure.add_subplot(1, len(data["tables"]), number + 1)
        learned = [row for row in rows if row["turns"]]
        turns, shares = [row["turns"] for row in learned], [row["win_share"] for row in learned]
        below = [row["win_share"] - row["ci95"][0] for row in learned]
        axis.errorbar(turns, shares, yerr=below, fmt="o-", capsize=4, color="#1d4d4f", label="learned, with search")
        for row in rows:
            if not row["turns"]:
                style = "-" if row["search"] else ":"
                text = f"{row['evaluation']}, {'with' if row['search'] else 'no'} search"
                axis.axhline(row["win_share"], color=colours[row["evaluation"]], linestyle=style, label=text)
        axis.set_xscale("log")
        axis.set_title(f"{players} players")
        axis.set_xlabel("turns of self-play")
        axis.set_ylabel(f"win share at a table of {data['opponent']}")
        axis.yaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
        axis.grid(alpha=0.3)
    axis.legend(loc="lower right", fontsize="small")
    temporary = path.with_name(f".{path.name}")
    figure.savefig(temporary, dpi=110, format="png")
    temporary.replace(path)
