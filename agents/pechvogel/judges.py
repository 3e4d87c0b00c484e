"""Who price decisions: the exact values of the solved two-player game."""

from __future__ import annotations

import sys
from pathlib import Path

from pechvogel.agents.pechvogel import solution
from pechvogel.agents.pechvogel.turn.search import TurnSearch
from pechvogel.tabletop.kind import Variant
from pechvogel_env.kind import KIND


def find(variant: Variant, table: str | None) -> str | None:
    """A given table, or the one on this machine, if there is one."""
    if table is not None or variant != KIND.variant(2, copies=variant["copies"]):  # neither more players nor Q3
        return table
    try:
        return str(solution.Solution(solution.find(variant["copies"])).path)
    except solution.NoTableError:
        return None
    except ValueError as error:  # a damaged one is no reason not to play
        print(f"pechvogel: no regret: {error}", file=sys.stderr)
        return None


def make(table: str) -> TurnSearch:
    """A judge, from the file of its table."""
    return TurnSearch(solution.Solution(Path(table)).evaluate)
