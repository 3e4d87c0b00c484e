"""The champion: this turn exactly, what comes after it by a network that learned it in self-play (`value`).

Levels 1 to 9 (`agents.levels`) were fitted so that they are evenly spaced in what they win against the champion at two
players (docs/lucky-loser.md).
"""

from __future__ import annotations

from pathlib import Path

from lucky_loser_env.kind import KIND
from lucky_loser_env.rules import States
from pechvogel.agents import card
from pechvogel.agents.levels import TOP, LevelledAgent
from pechvogel.agents.lucky_loser import value
from pechvogel.agents.lucky_loser.turn import TurnSearch
from pechvogel.agents.lucky_loser.value import ValueNet
from pechvogel.tabletop.arrays import Floats
from pechvogel.tabletop.kind import Variant

# By level.
TEMPERATURES = (0.058, 0.053, 0.048, 0.043, 0.038, 0.033, 0.027, 0.019, 0.012)


class ChampionAgent(LevelledAgent):
    """The best action by the learned evaluation, or with `level` a weaker one.

    Without `weights`, those of the repository for the game at hand are taken.
    """

    name = "champion"
    temperatures = TEMPERATURES

    def __init__(self, *, level: int = TOP, weights: str | None = None, temperature: float | None = None) -> None:
        super().__init__(level, temperature)
        self._found: dict[Variant, TurnSearch] = {}
        self._only = None if weights is None else value.load(Path(weights))[0]

    @classmethod
    def of(cls, net: ValueNet) -> ChampionAgent:
        """An agent with an evaluation that is in no file."""
        agent = cls()
        agent._only = net
        return agent

    def action_values_batch(self, states: States) -> Floats:
        """The value of every legal action for whoever decides."""
        return self.search(states).action_values(states)

    def search(self, states: States) -> TurnSearch:
        """The search with the evaluation for these games, all of the same variant; ValueError if there is none."""
        variant = KIND.variant_of(states)
        if variant not in self._found:
            self._found[variant] = TurnSearch(self._net(variant).evaluate)
        return self._found[variant]

    def _net(self, variant: Variant) -> ValueNet:
        if self._only is not None:
            if self._only.variant != variant:
                of = KIND.describe(self._only.variant)
                raise ValueError(f"these weights are for {of}, not for {KIND.describe(variant)}")
            return self._only
        path = card.in_repository(KIND.name, "champion").get(variant)
        if path is None:
            raise ValueError(
                f"there are no weights for {KIND.describe(variant)}; train some with `pechvogel train`, "
                "and name them: champion:weights=FILE"
            )
        return value.load(path)[0]
