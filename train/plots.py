"""Drawings of a training run, as parts of an HTML page."""

from __future__ import annotations

import html
import io
from collections.abc import Mapping
from typing import Any

import numpy as np

COLOURS = ("#1d4d4f", "#dd7530", "#7b9e3a", "#8a5aa8", "#4a7fc1", "#b0413e")


def share_text(agent: dict[str, Any]) -> str:
    """A win share with its interval."""
    return f"{agent['win_share']:.1%} ± {50 * (agent['ci95'][1] - agent['ci95'][0]):.1f}"


def learning_curve(history: list[dict[str, Any]], players: int, unit: str) -> str:
    """Win shares in evaluations during training."""
    figure, axis = axes()
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


def win_shares(result: dict[str, Any]) -> str:
    """Win shares after training."""
    figure, axis = axes()
    names = [row["against"] for row in result["lineups"]]
    mine = [row["agents"][0] for row in result["lineups"]]
    middle = np.array([100 * agent["win_share"] for agent in mine])
    spans = np.abs(np.array([agent["ci95"] for agent in mine]).T * 100 - middle)
    # Lists: matplotlib takes an array of one bar for a number, about which NumPy warns.
    axis.barh(names, middle, xerr=spans.tolist(), color=COLOURS[0], ecolor=COLOURS[1], capsize=4)
    for place, agent in enumerate(mine):
        axis.text(2, place, share_text(agent), color="white", va="center")
    axis.axvline(100 / result["players"], color="grey", linestyle=":")
    axis.invert_yaxis()
    axis.set(xlabel="win share, %", xlim=(0, 100))
    return _svg(figure, "Win shares with 95% intervals")


def habits(result: dict[str, Any], verbs: Mapping[str, str]) -> str:
    """How often it does what it could; paler, the others in the same games."""
    figure, axis = axes()
    tables = result["lineups"]
    shown = [name for name in verbs if any(row["agents"][0]["habits"][name][1] for row in tables)]
    width = 0.8 / (2 * len(tables))
    for number, row in enumerate(tables):
        for pale, agent in enumerate(row["agents"]):
            chances = [agent["habits"][name] for name in shown]
            often = [100 * times / total if total else 0.0 for times, total in chances]
            places = np.arange(len(shown)) - 0.4 + width * (2 * number + pale + 0.5)
            label = None if pale else f"against {row['against']}"
            axis.bar(places, often, width, color=COLOURS[number % len(COLOURS)], alpha=0.4 if pale else 1, label=label)
    axis.set_xticks(range(len(shown)), [verbs[name] for name in shown])
    axis.set(ylabel="% of its chances")
    axis.legend()
    return _svg(figure, "How often it does what it could")


def lengths(result: dict[str, Any]) -> str:
    """How many turns games took."""
    figure, axis = axes()
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


def axes() -> tuple[Any, Any]:
    """A figure of one drawing, in our look."""
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
