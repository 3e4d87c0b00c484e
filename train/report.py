"""A report on a training run: `pechvogel report runs/mine`.

Plays the trained agent against others (one of it at a table of each), prints the results, notes them on the card of its
weights, and draws everything into `report.html`: one file, without scripts, that opens without a network.
"""

from __future__ import annotations

import html
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

from pechvogel.agents import policy as ppo
from pechvogel.agents.card import read_card
from pechvogel.agents.pechvogel import value
from pechvogel.tabletop.files import replace_file
from pechvogel.train.arena import tournament
from pechvogel.train.config import HISTORY, WEIGHTS

REPORT = "report.html"
# By the format of a card: the agent that plays with such weights, their module, and what training counts.
KINDS: dict[Any, tuple[str, Any, str]] = {
    ppo.CARD_FORMAT: ("ppo", ppo, "decisions of the learner"),
    value.CARD_FORMAT: ("champion", value, "turns"),
}
COLOURS = ("#1d4d4f", "#dd7530", "#7b9e3a", "#8a5aa8", "#4a7fc1", "#b0413e")
HABITS = {
    "reduce": "reduces",
    "frustrate": "frustrates",
    "join": "joins",
    "steal": "steals",
}


def make(folder: Path, against: Sequence[str], games: int, seed: int) -> dict[str, Any]:
    """Evaluate the run's agent and write the report; the result is what `--json` writes."""
    weights = folder / WEIGHTS
    if not weights.is_file():
        raise ValueError(
            f"{folder} has no trained weights ({WEIGHTS}); train, or go on with `pechvogel train --resume`"
        )
    kind = KINDS.get(read_card(weights).get("format"))
    if kind is None:
        raise ValueError(f"{weights.with_suffix('.json')} is not the card of a training run")
    agent, module, _ = kind
    trained, card = module.load(weights)
    history = _history(folder / HISTORY)
    for key in ("config", "steps", "seconds", "version"):
        if key not in card:
            raise ValueError(f"{weights.with_suffix('.json')} has no {key!r}: it is not the card of a training run")
    setup = tournament.Setup(
        specs=[f"{agent}:weights={weights}", *against],
        players=card["players"],
        copies=card["copies"],
        games=games,
        seed=seed,
        first_against_rest=True,
    )
    result = tournament.run(setup)
    for table in result["lineups"]:
        table["against"] = table["lineup"][-1]
    card["results"] = [
        {
            "against": table["against"],
            "games": table["games"],
            "seed": seed,
            "win_share": table["agents"][0]["win_share"],
            "ci95": table["agents"][0]["ci95"],
        }
        for table in result["lineups"]
    ]
    page = _page(folder.name, card, history, result)
    module.save(trained, weights, card)
    replace_file(folder / REPORT, page.encode())
    return result


def _history(path: Path) -> list[dict[str, Any]]:
    try:
        history = json.loads(path.read_text(encoding="utf-8"))
        if not history or not all({"steps", "against", "win_share", "ci95"} <= row.keys() for row in history):
            raise ValueError
    except FileNotFoundError:
        raise ValueError(f"{path} is missing: the evaluations during training") from None
    except (ValueError, AttributeError, TypeError):
        raise ValueError(f"{path} is not the history of a training run") from None
    return list(history)


def show(result: dict[str, Any], folder: Path) -> None:
    """Print the result as a table."""
    console = Console()
    even = 1 / result["players"]
    table = Table(
        title=f"{folder.name}: one of it at a table of each (an even share is {even:.1%})",
        box=box.SIMPLE_HEAD,
        caption="win share with its 95% interval; mean scores, its own first",
    )
    table.add_column("against", overflow="fold")
    for column in ("games", "win share", "score", "turns"):
        table.add_column(column, justify="right", no_wrap=True)
    habits = Table(title="How often it does so where it could", box=box.SIMPLE_HEAD)
    habits.add_column("against", overflow="fold")
    for column in HABITS.values():
        habits.add_column(column, justify="right", no_wrap=True)
    for row in result["lineups"]:
        mine = row["agents"][0]
        table.add_row(*_results_row(row))
        habits.add_row(row["against"], *[_often(mine["habits"][name]) for name in HABITS])
    console.print(table)
    console.print(habits)
    for message in result["messages"]:
        console.print(f"forfeited: {message}", style="red", markup=False)
    console.print(f"The report with all plots: {folder / REPORT}", markup=False, soft_wrap=True)


def _results_row(row: dict[str, Any]) -> list[str]:
    mine, theirs = row["agents"]
    return [
        row["against"],
        f"{row['games']:,}",
        _share(mine),
        f"{mine['mean_score']:.1f} : {theirs['mean_score']:.1f}",
        f"{row['mean_turns']:.1f}",
    ]


def _share(agent: dict[str, Any]) -> str:
    return f"{agent['win_share']:.1%} ± {50 * (agent['ci95'][1] - agent['ci95'][0]):.1f}"


def _often(habit: list[int]) -> str:
    times, chances = habit
    return f"{times / chances:.0%}" if chances else "-"


# ------------------------------------------------------------------------------------------------ the page


def _page(name: str, card: dict[str, Any], history: list[dict[str, Any]], result: dict[str, Any]) -> str:
    game = f"{card['players']} players, {card['copies']} copies of each marker"
    facts = {
        "game": game,
        "trained for": f"{card['steps']:,} {KINDS[card['format']][2]}, {card['seconds'] / 60:.1f} minutes",
        "seed": card["config"]["seed"],
        "network": ", ".join(map(str, card["config"]["hidden"])),
        "evaluated": f"{result['lineups'][0]['games']:,} games per table, seed {result['seed']}, "
        "the same dice for every rotation of the seats",
        "version": f"pechvogel {card['version']}, {card['environment']}",
        "weights": f"SHA-256 {card['sha256'][:16]}…",
    }
    plots = {
        "Learning curve": (
            _learning_curve(history, card["players"], KINDS[card["format"]][2]),
            "Win share in evaluations during training, one of it at a table of each, with 95% intervals.",
        ),
        "Win shares": (
            _win_shares(result),
            f"After training. The dotted line is an even share, {1 / result['players']:.1%}.",
        ),
        "What it does with frustrations": (
            _habits(result),
            "How often it reduces, frustrates, joins and steals where it has the choice, by whom it plays, "
            "and (paler) what the others do in the same games.",
        ),
        "Length of games": (_lengths(result), "Turns per game, by whom it plays."),
    }
    sections = "".join(
        f"<figure><h2>{html.escape(title)}</h2>{picture}<figcaption>{html.escape(text)}</figcaption></figure>"
        for title, (picture, text) in plots.items()
    )
    rows = "".join(f"<tr><th>{html.escape(k)}</th><td>{html.escape(str(v))}</td></tr>" for k, v in facts.items())
    config = html.escape("\n".join(f"{key}: {value}" for key, value in card["config"].items()))
    return _FRAME.format(
        name=html.escape(name), facts=rows, results=_results_table(result), plots=sections, config=config
    )


def _results_table(result: dict[str, Any]) -> str:
    head = ["against", "games", "win share", "score", "turns", *HABITS.values()]
    lines = []
    for row in result["lineups"]:
        habits = row["agents"][0]["habits"]
        cells = [*_results_row(row), *[_often(habits[habit]) for habit in HABITS]]
        lines.append("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in cells) + "</tr>")
    return "<tr>" + "".join(f"<th>{html.escape(cell)}</th>" for cell in head) + "</tr>" + "".join(lines)


def _learning_curve(history: list[dict[str, Any]], players: int, unit: str) -> str:
    figure, axis = _axes()
    for colour, opponent in zip(COLOURS, dict.fromkeys(row["against"] for row in history), strict=False):
        rows = [row for row in history if row["against"] == opponent]
        steps = [row["steps"] / 1e6 for row in rows]
        low, high = np.array([row["ci95"] for row in rows]).T * 100
        axis.plot(
            steps, [100 * row["win_share"] for row in rows], "o-", color=colour, label=f"against {opponent}", ms=3
        )
        axis.fill_between(steps, low, high, color=colour, alpha=0.2, linewidth=0)
    axis.axhline(100 / players, color="grey", linestyle=":")
    axis.set(xlabel=f"million {unit}", ylabel="win share, %")
    axis.legend()
    return _svg(figure, "Learning curve: win share against training steps")


def _win_shares(result: dict[str, Any]) -> str:
    figure, axis = _axes()
    names = [row["against"] for row in result["lineups"]]
    mine = [row["agents"][0] for row in result["lineups"]]
    middle = np.array([100 * agent["win_share"] for agent in mine])
    spans = np.abs(np.array([agent["ci95"] for agent in mine]).T * 100 - middle)
    axis.barh(names, middle, xerr=spans, color=COLOURS[0], ecolor=COLOURS[1], capsize=4)
    for place, agent in enumerate(mine):
        axis.text(2, place, _share(agent), color="white", va="center")
    axis.axvline(100 / result["players"], color="grey", linestyle=":")
    axis.invert_yaxis()
    axis.set(xlabel="win share, %", xlim=(0, 100))
    return _svg(figure, "Win shares with 95% intervals")


def _habits(result: dict[str, Any]) -> str:
    figure, axis = _axes()
    tables = result["lineups"]
    habits = [name for name in HABITS if any(row["agents"][0]["habits"][name][1] for row in tables)]
    width = 0.8 / (2 * len(tables))
    for number, row in enumerate(tables):
        for pale, agent in enumerate(row["agents"]):
            chances = [agent["habits"][name] for name in habits]
            often = [100 * times / total if total else 0.0 for times, total in chances]
            places = np.arange(len(habits)) - 0.4 + width * (2 * number + pale + 0.5)
            label = None if pale else f"against {row['against']}"
            axis.bar(places, often, width, color=COLOURS[number % len(COLOURS)], alpha=0.4 if pale else 1, label=label)
    axis.set_xticks(range(len(habits)), [HABITS[name] for name in habits])
    axis.set(ylabel="% of its chances")
    axis.legend()
    return _svg(figure, "How often it reduces, frustrates, joins and steals")


def _lengths(result: dict[str, Any]) -> str:
    figure, axis = _axes()
    for colour, row in zip(COLOURS, result["lineups"], strict=False):
        counts = np.array(row["turns"])
        shares = 100 * counts / counts.sum()
        last = int(np.searchsorted(np.cumsum(shares), 99.5)) + 1
        label = f"against {row['against']}: {row['mean_turns']:.1f} on average"
        axis.plot(np.arange(last), shares[:last], color=colour, label=label)
    axis.set(xlabel="turns", ylabel="% of games")
    axis.set_ylim(bottom=0)
    axis.legend()
    return _svg(figure, "Distribution of turns per game")


def _axes() -> tuple[Any, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 3.6), layout="constrained")
    axis = figure.subplots()
    axis.grid(alpha=0.25)
    axis.spines[["top", "right"]].set_visible(False)
    return figure, axis


def _svg(figure: Any, label: str) -> str:
    """The drawing as a part of the page; text stays text, so that it can be read aloud and searched."""
    import matplotlib

    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": label, "font.family": "sans-serif"}):
        target = io.StringIO()
        figure.savefig(target, format="svg", metadata={"Date": None})
    drawing = target.getvalue()
    return drawing[drawing.index("<svg") :].replace("<svg", f'<svg role="img" aria-label="{html.escape(label)}"', 1)


_FRAME = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{name}: a trained Pechvogel agent</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; color: #1c2b2b; background: #f4f1ea; }}
body {{ margin: 0 auto; max-width: 78rem; padding: 1.5rem; }}
h1 {{ font-size: 1.6rem; }} h2 {{ font-size: 1.1rem; margin: 0 0 .5rem; }}
table {{ border-collapse: collapse; background: #fff; }}
th, td {{ text-align: left; padding: .35rem .8rem; border-bottom: 1px solid #e4dfd3; }}
td {{ font-variant-numeric: tabular-nums; }}
.wide {{ overflow-x: auto; margin: 1.5rem 0; }}
.plots {{ display: grid; grid-template-columns: repeat(auto-fit, minmax(min(32rem, 100%), 1fr)); gap: 1.5rem; }}
figure {{ margin: 0; background: #fff; padding: 1rem; border-radius: .5rem; }}
figure svg {{ width: 100%; height: auto; }}
figcaption {{ color: #4d5c5c; font-size: .9rem; }}
pre {{ background: #fff; padding: 1rem; overflow-x: auto; }}
</style>
</head>
<body>
<h1>{name}</h1>
<div class="wide"><table>{facts}</table></div>
<div class="wide"><table>{results}</table></div>
<div class="plots">{plots}</div>
<details><summary>The config of this run</summary><pre>{config}</pre></details>
</body>
</html>
"""
