"""A policy for Pechvogel that learned by self-play."""

from __future__ import annotations

from pechvogel.agents.policy import PolicyAgent
from pechvogel_env.kind import KIND


class PpoAgent(PolicyAgent):
    """See `agents.policy`."""

    kind = KIND
