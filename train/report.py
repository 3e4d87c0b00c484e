"""A report on a training run: `pechvogel report runs/mine`.

Plays the trained agent against others (one of it at a table of each), prints the results, notes them on the card of its
weights, and draws everything into `report.html`: one file, without scripts, that opens without a network.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from pechvogel.agents import registry
from pechvogel.agents.card import read_card, variant_of, write_card
from pechvogel.agents.games import kind_of
from pechvogel.tabletop.files import replace_file
from pechvogel.tabletop.untrusted import read_json
from pechvogel.train import plots
from pechvogel.train.arena import tournament
from pechvogel.train.config import HISTORY, WEIGHTS
from pechvogel.train.plots import share_text

REPORT = "report.html"
# By the format of a card: the agent that plays with such weights, and what training counts.
KINDS = {"pechvogel-policy-1": ("ppo", "decisions of the learner"), "pechvogel-value-1": ("champion", "turns")}


AGAINST = ("random", "heuristic", "planner", "ppo")  # who sits at the other places, as far as a game has them


def make(folder: Path, against: Sequence[str] | None, games: int, seed: int, game: str | None = None) -> dict[str, Any]:
    """Evaluate the run's agent and write the report; the result is what `--json` writes."""
    weights = folder / WEIGHTS
    if not weights.is_file():
        raise ValueError(
            f"{folder} has no trained weights ({WEIGHTS}); train, or go on with `pechvogel train --resume`"
        )
    card = read_card(weights)
    if card.get("format") not in KINDS:
        raise ValueError(f"{weights.with_suffix('.json')} is not the card of a training run")
    agent, _ = KINDS[card["format"]]
    history = _history(folder / HISTORY)
    for key in ("config", "steps", "seconds", "version"):
        if key not in card:
            raise ValueError(f"{weights.with_suffix('.json')} has no {key!r}: it is not the card of a training run")
    variant = variant_of(card)
    if game not in (None, variant.game):
        raise ValueError(f"{folder} has weights for {variant.game}, not for {game}")
    if against is None:
        against = [name for name in AGAINST if name in registry.names(variant.game)]
    setup = tournament.Setup(
        [f"{agent}:weights={weights}", *against], variant, games=games, seed=seed, first_against_rest=True
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
    write_card(weights, card)
    replace_file(folder / REPORT, page.encode())
    return result


def _verbs(card: dict[str, Any]) -> dict[str, str]:
    return {name: habit.verb for name, habit in kind_of(variant_of(card).game).habits.items()}


def _history(path: Path) -> list[dict[str, Any]]:
    try:
        history = read_json(path)
        if not history or not all(_is_evaluation(row) for row in history):
            raise ValueError
    except FileNotFoundError:
        raise ValueError(f"{path} is missing: the evaluations during training") from None
    except (ValueError, LookupError, TypeError):
        raise ValueError(f"{path} is not the history of a training run") from None
    return list(history)


def _is_evaluation(row: Any) -> bool:
    low, high = row["ci95"]
    numbers = (row["steps"], row["win_share"], low, high)
    return isinstance(row["against"], str) and all(type(number) in (int, float) for number in numbers)


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
    verbs = _verbs(read_card(folder / WEIGHTS))
    for column in verbs.values():
        habits.add_column(column, justify="right", no_wrap=True)
    for row in result["lineups"]:
        mine = row["agents"][0]
        table.add_row(*_results_row(row))
        habits.add_row(row["against"], *[_often(mine["habits"][name]) for name in verbs])
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
        share_text(mine),
        f"{mine['mean_score']:.1f} : {theirs['mean_score']:.1f}",
        f"{row['mean_turns']:.1f}",
    ]


def _often(habit: list[int]) -> str:
    times, chances = habit
    return f"{times / chances:.0%}" if chances else "-"


# ------------------------------------------------------------------------------------------------ the page


def _page(name: str, card: dict[str, Any], history: list[dict[str, Any]], result: dict[str, Any]) -> str:
    variant = variant_of(card)
    unit = KINDS[card["format"]][1]
    facts = {
        "game": kind_of(variant.game).describe(variant),
        "trained for": f"{card['steps']:,} {unit}, {card['seconds'] / 60:.1f} minutes",
        "seed": card["config"]["seed"],
        "network": ", ".join(map(str, card["config"]["hidden"])),
        "evaluated": f"{result['lineups'][0]['games']:,} games per table, seed {result['seed']}, "
        "the same dice for every rotation of the seats",
        "version": f"pechvogel {card['version']}, {card['environment']}",
        "weights": f"SHA-256 {card['sha256'][:16]}…",
    }
    drawings = {
        "Learning curve": (
            plots.learning_curve(history, variant.num_players, unit),
            "Win share in evaluations during training, one of it at a table of each, with 95% intervals.",
        ),
        "Win shares": (
            plots.win_shares(result),
            f"After training. The dotted line is an even share, {1 / result['players']:.1%}.",
        ),
        "What it does": (
            plots.habits(result, _verbs(card)),
            f"How often it {', '.join(_verbs(card).values())} where it has the choice, by whom it plays, "
            "and (paler) what the others do in the same games.",
        ),
        "Length of games": (plots.lengths(result), "Turns per game, by whom it plays."),
    }
    sections = "".join(
        f"<figure><h2>{html.escape(title)}</h2>{picture}<figcaption>{html.escape(text)}</figcaption></figure>"
        for title, (picture, text) in drawings.items()
    )
    rows = "".join(f"<tr><th>{html.escape(k)}</th><td>{html.escape(str(v))}</td></tr>" for k, v in facts.items())
    config = html.escape("\n".join(f"{key}: {value}" for key, value in card["config"].items()))
    return _FRAME.format(
        name=html.escape(name),
        game=variant.game,
        facts=rows,
        results=_results_table(result, _verbs(card)),
        plots=sections,
        config=config,
    )


def _results_table(result: dict[str, Any], verbs: dict[str, str]) -> str:
    head = ["against", "games", "win share", "score", "turns", *verbs.values()]
    lines = []
    for row in result["lineups"]:
        habits = row["agents"][0]["habits"]
        cells = [*_results_row(row), *[_often(habits[habit]) for habit in verbs]]
        lines.append("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in cells) + "</tr>")
    return "<tr>" + "".join(f"<th>{html.escape(cell)}</th>" for cell in head) + "</tr>" + "".join(lines)


_FRAME = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{name}: a trained agent for {game}</title>
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
