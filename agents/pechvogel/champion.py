"""The champion: this turn exactly, what comes after it by a network that learned it in self-play (`value`).

At two players it looks one turn further where a decision ends the turn: a take or a discard leads to a handful of
positions, so there is time to search the next turn of each of them.

Levels 1 to 9 (`agents.levels`) were fitted so that they are evenly spaced in what they win against the champion at two
players (docs/champion.md).
"""

from __future__ import annotations

from pathlib import Path

from pechvogel.agents import card
from pechvogel.agents.levels import BOUND as BOUND
from pechvogel.agents.levels import TOP as TOP
from pechvogel.agents.levels import LevelledAgent
from pechvogel.agents.pechvogel import value
from pechvogel.agents.pechvogel.turn.search import Found, TurnSearch
from pechvogel.agents.pechvogel.value import ValueNet
from pechvogel.tabletop.arrays import Floats
from pechvogel.tabletop.kind import Variant
from pechvogel_env.kind import KIND
from pechvogel_env.rules import MAX_COPIES, Phase, States

# By level.
TEMPERATURES = (0.072, 0.062, 0.052, 0.043, 0.036, 0.029, 0.023, 0.0165, 0.01)
FURTHER = 2  # players, up to whom the next turn is searched, too; with more it would take too long


class FurtherSearch(TurnSearch):
    """Takes and discards lead to positions between turns: those are worth what their next turn is worth."""

    def look_ahead(self, states: States, everybody: bool = False) -> Found:
        """See `TurnSearch`."""
        last = (states["phase"] == Phase.TAKE) | (states["phase"] == Phase.DISCARD)
        further = TurnSearch(self.values)
        if last.all():
            return further.look_ahead(states, everybody)
        found = super().look_ahead(states, everybody)
        if last.any():
            better = further.look_ahead(states[last], everybody)
            found.of_actions[last], found.of_states[last] = better.of_actions, better.of_states
            if everybody:
                found.accounts[last] = better.accounts
        return found


class ChampionAgent(LevelledAgent):
    """The best action by the learned evaluation, or with `level` a weaker one.

    Without `weights`, those of the repository for the game at hand are taken; with `further=False` the turn at hand is
    all that it searches.
    """

    name = "champion"
    temperatures = TEMPERATURES

    def __init__(
        self, *, level: int = TOP, weights: str | None = None, temperature: float | None = None, further: bool = True
    ) -> None:
        super().__init__(level, temperature)
        if not isinstance(further, bool):
            raise ValueError(f"further must be true or false, not {further!r}")
        self.further = further
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
        """The search with the evaluation for these games."""
        variant = KIND.variant_of(states)
        if variant not in self._found:
            kind = FurtherSearch if self.further and variant.num_players <= FURTHER else TurnSearch
            self._found[variant] = kind(self._net(variant).evaluate)
        return self._found[variant]

    def _net(self, variant: Variant) -> ValueNet:
        players, copies, only = variant.num_players, variant["copies"], self._only
        if only is not None:
            if only.players != players or only.copies < copies:
                of = KIND.describe(KIND.variant(only.players, copies=only.copies))
                raise ValueError(f"these weights are for {of}, not for {KIND.describe(variant)}")
            return only
        # Without weights of its own, a small game is a whole one in which markers lie in the box.
        known = card.in_repository(KIND.name, "champion")
        for more in range(copies, MAX_COPIES + 1):
            path = known.get(KIND.variant(players, copies=more))
            if path is not None:
                return value.load(path)[0]
        raise ValueError(
            f"there are no weights for {KIND.describe(variant)}; train some with `pechvogel train`, "
            "and name them: champion:weights=FILE"
        )
