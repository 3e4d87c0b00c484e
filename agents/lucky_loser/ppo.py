"""A policy for Lucky Loser that learned by self-play."""

from __future__ import annotations

from lucky_loser_env.kind import KIND
from pechvogel.agents.policy import PolicyAgent


class PpoAgent(PolicyAgent):
    """See `agents.policy`."""

    kind = KIND
