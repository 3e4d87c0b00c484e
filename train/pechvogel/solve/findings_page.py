"""The page on perfect play, with its plots, from the figures that `findings` gathers."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pechvogel.tabletop.files import replace_file
from pechvogel.train.pechvogel.solve.findings import lower_numbers
from pechvogel.train.plots import COLOURS, axes
from pechvogel_env.rules import NUM_VALUES, RAVENS_LIMIT, TARGETS_NEEDED

KINDS = ("target", "reduce", "frustrate", "take", "discard")


def write(path: Path, data: dict[str, Any]) -> None:
    """Write the page and its plots (beside it, by its name)."""
    pictures: dict[str, Callable[[Any], None]] = {
        "frustration": lambda axis: _draw_frustrations(axis, data["frustration"]),
        "length": lambda axis: _draw_lengths(axis, data["turns"]["histogram"]),
        "regret": lambda axis: _draw_regrets(axis, data["agents"][str(data["copies"])]),
    }
    sections = (_head, _solving, _cap, _first_player, _frustrations, _steals, _targets, _habits, _lengths, _agents)
    lines = [line for section in sections for line in section(data, path.stem)]
    for name, draw in pictures.items():
        _save(path.with_name(f"{path.stem}-{name}.png"), draw)
    replace_file(path, ("\n".join(lines).rstrip() + "\n").encode())


# ------------------------------------------------------------------------------------------------ sections


def _head(data: dict[str, Any], name: str) -> list[str]:
    copies = data["copies"]
    main = data["solved"][str(copies)]
    return [
        "# Two-player Pechvogel, solved",
        "",
        _paragraph(
            f"This page is written by `pechvogel findings --copies {copies} --games {data['games']} --agent-games "
            f"{data['agent_games']} --seed {data['seed']}`, all figures included. It rests on the exact "
            f"value of every position between turns of the game with {_copies(copies)} of every marker: "
            f"{_positions(main):,} of them. Values are rewards: 1 is a win, -1 a loss, 0 a tie; a value v is a win "
            f"share of (1 + v) / 2. *Perfect games* are {data['games']:,} games of two perfect players with the "
            f"engine's dice, seed {data['seed']}."
        ),
        "",
    ]


def _solving(data: dict[str, Any], name: str) -> list[str]:
    rows = []
    for copies, solved in data["solved"].items():
        took = solved["seconds"]
        rows.append(
            f"| `pechvogel solve --copies {copies} --frustrations {solved['frustrations']}` | {_positions(solved):,} | "
            f"{solved['start_value']:+.5f} | {solved['residual']:.0e} | {solved['sweeps']:.1f} | "
            + (f"{_duration(took)} | {_size(solved['memory'])}" if took is not None else "|")
            + f" | {_size(solved['bytes'])} |"
        )
    threads = sorted({solved["threads"] for solved in data["solved"].values() if solved["threads"]})
    told = f" Times are for {' or '.join(map(str, threads))} threads; memory includes the mapped table." * bool(threads)
    return [
        "## How it was solved",
        "",
        _paragraph(
            "Every marker that is won takes one out of the middle, so positions fall into layers, solved from the last "
            "marker back; within a turn everything is exact. A sweep computes the turns of an arrangement of the "
            f"markers, and of the one with the players exchanged, for all frustrations and places of Murphy.{told}"
        ),
        "",
        "| command | positions | value of the game | largest remaining change | sweeps | time | memory | table |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
        *rows,
        "",
    ]


def _cap(data: dict[str, Any], name: str) -> list[str]:
    checked = {copies: solved for copies, solved in data["solved"].items() if "cap" in solved}
    if not checked:
        return []
    rows, others = [], []
    for copies, solved in checked.items():
        play = solved["cap"]["by_play"]
        start = play["start"]
        rows.append(
            f"| {copies} | {solved['frustrations']} | {play['games_beyond']:,} of {play['games']:,} | "
            f"{start['table']:+.4f} | {start['play']:+.4f} ± {start['half']:.4f} | "
            f"{play['start_error']:+.0e} ± {play['start_error_half']:.0e} | "
            f"{play['mean_turn_error']:.0e} | {play['largest_turn_error']:.0e} |"
        )
        if "by_another_cap" in solved["cap"]:
            other = solved["cap"]["by_another_cap"]
            others.append(
                f"| {copies} | {solved['frustrations']} | {other['frustrations']} | "
                f"{other['start_value_change']:.0e} | {other['positions']:,} | {other['mean_change']:.0e} | "
                f"{other['largest_change']:.0e} |"
            )
    lines = [
        "## Does the cap on frustrations matter?",
        "",
        _paragraph(
            "Frustrations have no limit, a table has one; beyond it, values go on as they do near it. So perfect "
            "players played with the engine, which has no cap, and what they won is compared with the table: roughly "
            "by the results, and finely with the luck taken out. A *turn error* is what a turn is worth by the table "
            "at its ends, all dice considered, minus what the table says before it; within the cap it is rounding. "
            "Added up over a game they are, on average, what such play is worth more than the table says "
            "(`pechvogel solve --check-cap`)."
        ),
        "",
        "| copies | cap | games beyond it | start: table | results | luck taken out | turn error: mean | largest |",
        "|---:|---:|---:|---:|---:|---:|---:|---:|",
        *rows,
        "",
    ]
    main = checked.get(str(data["copies"]))
    if main:
        lines += [
            "The values of positions of these games to the player at turn, by the table and by how the games ended:",
            "",
            "| positions with | number | table | play |",
            "|---|---:|---:|---:|",
            *[
                f"| {stage} | {row['positions']:,} | {row['table']:+.4f} | {row['play']:+.4f} ± {row['half']:.4f} |"
                for stage, row in main["cap"]["by_play"]["stages"].items()
            ],
            "",
        ]
    if others:
        lines += [
            "What a cap that is two higher changes, at the start and at all positions of these games:",
            "",
            "| copies | cap | other cap | at the start | positions | mean | largest |",
            "|---:|---:|---:|---:|---:|---:|---:|",
            *others,
            "",
        ]
    return lines


def _first_player(data: dict[str, Any], name: str) -> list[str]:
    first = data["first_player"]
    return [
        "## The first player's advantage",
        "",
        _paragraph(
            f"The game is worth {first['value']:+.4f} to the player who starts: {50 * (1 + first['value']):.2f}% of "
            f"the wins. In the perfect games it was {50 * (1 + first['played']):.2f}% ± {50 * first['half']:.2f}."
        ),
        "",
    ]


def _frustrations(data: dict[str, Any], name: str) -> list[str]:
    rows = data["frustration"]
    asset = [row["left"] for row in rows if row["at_turn"] > 0]
    asset_other = [row["left"] for row in rows if row["other"] > 0]
    return [
        "## What a frustration is worth",
        "",
        _paragraph(
            "It costs 3 points in the end, 7 with Murphy, but it can be spent. What one frustration more changes, "
            "averaged over the positions between turns of the perfect games, by markers left in the middle:"
        ),
        "",
        f"![What a frustration is worth by markers left]({name}-frustration.png)",
        "",
        "| markers left | to the player at turn | to the other | positions |",
        "|---:|---:|---:|---:|",
        *[f"| {row['left']} | {row['at_turn']:+.4f} | {row['other']:+.4f} | {row['positions']:,} |" for row in rows],
        "",
        _paragraph(
            f"On average it is an asset to the player at turn {_while(asset)}, and to the other {_while(asset_other)}."
        ),
        "",
    ]


def _steals(data: dict[str, Any], name: str) -> list[str]:
    if not data["steals"]:
        return []

    def cells(row: dict[str, Any]) -> str:
        return f"{row['decisions']:,} | {row['best']:.1%} | {row['gain']:+.4f} |"

    return [
        "## When to steal",
        "",
        _paragraph(
            "Decisions with the choice between the middle and the opponent's marker, by markers left. (With one marker "
            "left the game ends either way, and most often so that it makes no difference.)"
        ),
        "",
        "| markers left | decisions | stealing is better | stealing minus taking, on average |",
        "|---:|---:|---:|---:|",
        *[f"| {row['left']} | {cells(row)}" for row in data["steals"]],
        "",
        "By the value of the marker:",
        "",
        "| value | decisions | stealing is better | stealing minus taking, on average |",
        "|---:|---:|---:|---:|",
        *[f"| {row['value']} | {cells(row)}" for row in data["steals_by_value"]],
        "",
    ]


def _targets(data: dict[str, Any], name: str) -> list[str]:
    targets = data["targets"]
    return [
        "## Which target from which first throw",
        "",
        "In the first turn of the game, what it is worth to choose a number of which so many fell:",
        "",
        "| ravens | dice | 3 | 4 | 5 | 6 | 7 |",
        "|---:|---:|---:|---:|---:|---:|---:|",
        *[
            f"| {ravens} | {count} | " + " | ".join(f"{worth:+.4f}" for worth in targets[ravens][count]) + " |"
            for ravens in range(RAVENS_LIMIT)
            for count in range(1, TARGETS_NEEDED + 1)
        ],
        "",
        "Of two numbers that were thrown, without a raven, the lower one is the better target",
        *[
            f"- with {count + 2} dice against {count + 1}: {pairs or 'in no pair'}"
            for count, pairs in enumerate(lower_numbers(targets))
        ],
        "",
    ]


def _habits(data: dict[str, Any], name: str) -> list[str]:
    def share(value: float | None) -> str:
        return "" if value is None else f"{value:.1%}"

    return [
        "## What perfect players do",
        "",
        "How often, where they have the choice; and by thirds of the game, by markers left:",
        "",
        "| decision | in all | first third | second | last | chances per game |",
        "|---|---:|---:|---:|---:|---:|",
        *[
            f"| {decision} | {row['times'] / max(1, row['chances']):.1%} | "
            + " | ".join(share(value) for value in row["thirds"])
            + f" | {row['chances'] / data['games']:.1f} |"
            for decision, row in data["habits"].items()
        ],
        "",
    ]


def _lengths(data: dict[str, Any], name: str) -> list[str]:
    turns = data["turns"]
    low, high = turns["quartiles"]
    return [
        "## How long perfect games last",
        "",
        f"{turns['mean']:.1f} turns on average; half of them {low:.0f} to {high:.0f}, the longest {turns['longest']}.",
        "",
        f"![Turns of perfect games]({name}-length.png)",
        "",
    ]


def _agents(data: dict[str, Any], name: str) -> list[str]:
    lines = [
        "## How far the agents are from perfect",
        "",
        _paragraph(
            f"Each against `optimal`, {data['agent_games']:,} games on paired dice, seed {data['seed']}. Regret is the "
            "mean value lost per decision, in thousandths, in all and by kind of decision."
        ),
        "",
        f"![Regret by kind of decision, {_copies(data['copies'])}]({name}-regret.png)",
        "",
        "| copies | agent | win share against perfect play | regret | " + " | ".join(KINDS) + " |",
        "|---:|---|---:|---:|" + "---:|" * len(KINDS),
    ]
    for copies, agents in data["agents"].items():
        lines += [f"| {copies} | `{spec}` | {_regret_cells(row)} |" for spec, row in agents.items()]
    found = {spec: row for spec, row in data["best_responses"].items() if row}
    if found:
        caps = {row["frustrations"] for row in found.values()}
        lines += [
            "",
            _paragraph(
                "*Exploitability*: what the best response to an agent wins in the game with one copy of every marker, "
                "as the mean of both seats; a perfect player's is 0. A value of 1 would be to win every game. It is "
                f"exact for frustrations counted up to {' or '.join(map(str, sorted(caps)))} "
                "(`pechvogel exploit AGENT`)."
            ),
            "",
            "| agent | exploitability | win share of the best response |",
            "|---|---:|---:|",
            *[
                f"| `{spec}` | {row['exploitability']:.3f} | {(1 + row['exploitability']) / 2:.1%} |"
                for spec, row in found.items()
            ],
        ]
    return lines


# ------------------------------------------------------------------------------------------------ words


def _paragraph(text: str) -> str:
    return textwrap.fill(text, 128, break_long_words=False, break_on_hyphens=False)


def _copies(copies: int) -> str:
    return f"{copies} cop{'y' if copies == 1 else 'ies'}"


def _positions(solved: dict[str, Any]) -> int:
    """Positions between turns in a table, those without a marker in the middle not counted."""
    copies = solved["copies"]
    ways = (copies + 1) * (copies + 2) * (copies + 3) // 6  # of the markers of one value
    without = (copies + 1) * (copies + 2) // 2  # ... none of them in the middle
    return int((ways**NUM_VALUES - without**NUM_VALUES) * 3 * (solved["frustrations"] + 1) ** 2)


def _while(counts: Sequence[int]) -> str:
    if not counts:
        return "never"
    low, high = min(counts), max(counts)
    if low == high:
        return f"while {low} {'is' if low == 1 else 'are'} left"
    together = list(range(low, high + 1)) == sorted(counts)
    return f"while {f'{low} to {high}' if together else ', '.join(map(str, sorted(counts)))} are left"


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _size(num: float) -> str:
    return f"{num / 1e6:.0f} MB" if num < 1e9 else f"{num / 1e9:.1f} GB"


def _regret_cells(row: dict[str, Any]) -> str:
    lost = row["regret"]
    half = 100 * (row["ci95"][1] - row["ci95"][0]) / 2
    kinds = [lost["by_kind"].get(kind) for kind in KINDS]
    cells = [f"{1000 * kind['mean']:.1f}" if kind else "" for kind in kinds]
    regret = f"{1000 * lost['mean']:.1f} ± {500 * (lost['ci95'][1] - lost['ci95'][0]):.1f}"
    return f"{row['win_share']:.1%} ± {half:.1f} | {regret} | " + " | ".join(cells)


# ------------------------------------------------------------------------------------------------ plots


def _save(path: Path, draw: Callable[[Any], None]) -> None:
    figure, axis = axes()
    draw(axis)
    figure.savefig(path, dpi=110)


def _draw_frustrations(axis: Any, rows: Sequence[dict[str, Any]]) -> None:
    counts = [row["left"] for row in rows]
    axis.plot(counts, [row["at_turn"] for row in rows], "o-", color=COLOURS[0], label="to the player at turn")
    axis.plot(counts, [row["other"] for row in rows], "o-", color=COLOURS[1], label="to the other")
    axis.axhline(0, color="grey", linestyle=":")
    axis.invert_xaxis()
    axis.set(xlabel="markers left in the middle", ylabel="value of one frustration more")
    axis.legend()


def _draw_lengths(axis: Any, histogram: Sequence[int]) -> None:
    counts = np.array(histogram)
    shown = int(np.searchsorted(counts.cumsum(), 0.998 * counts.sum()))
    axis.bar(np.arange(len(counts)), 100 * counts / counts.sum(), color=COLOURS[0])
    axis.set(xlabel="turns", ylabel="% of games", xlim=(0, shown))


def _draw_regrets(axis: Any, rows: dict[str, Any]) -> None:
    width = 0.8 / max(1, len(rows))
    for number, (spec, row) in enumerate(rows.items()):
        by_kind = row["regret"]["by_kind"]
        heights = [1000 * by_kind[kind]["mean"] if kind in by_kind else 0.0 for kind in KINDS]
        places = np.arange(len(KINDS)) - 0.4 + width * (number + 0.5)
        axis.bar(places, heights, width, color=COLOURS[number % len(COLOURS)], label=spec)
    axis.set_xticks(range(len(KINDS)), KINDS)
    axis.set(ylabel="regret, thousandths")
    axis.legend()
