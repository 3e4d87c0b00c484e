"""The champion: this turn exactly, what comes after it by a network that learned it in self-play (`value`).

At two players it looks one turn further where a decision ends the turn: a take or a discard leads to a handful of
positions, so there is time to search the next turn of each of them.

Levels 1 to 9 are weaker, for people: they choose among the good actions by a softmax over values. None of them ever
loses more than a few of its temperatures at one decision: a level errs a little all the time, as people do, and does
not play perfectly for a while to throw the game away then. The temperatures were fitted so that levels are evenly
spaced in what they win against the champion at two players (docs/champion.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from pechvogel.agents import card
from pechvogel.agents.pechvogel import value
from pechvogel.agents.pechvogel.turn.agent import SearchAgent
from pechvogel.agents.pechvogel.turn.search import Found, TurnSearch
from pechvogel.agents.pechvogel.value import ValueNet
from pechvogel.tabletop.arrays import Floats, Ints, Ints8
from pechvogel.tabletop.kind import Variant
from pechvogel_env.kind import KIND
from pechvogel_env.position import Position
from pechvogel_env.rules import MAX_COPIES, Phase, States

# By level; the champion itself is level 10.
TEMPERATURES = (0.072, 0.062, 0.052, 0.043, 0.036, 0.029, 0.023, 0.0165, 0.01)
TOP = len(TEMPERATURES) + 1
BOUND = 4.0  # temperatures: actions that lose more are not considered
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


class ChampionAgent(SearchAgent):
    """The best action by the learned evaluation, or with `level` a weaker one.

    Without `weights`, those of the repository for the game at hand are taken; with `further=False` the turn at hand is
    all that it searches.
    """

    name = "champion"

    def __init__(
        self, *, level: int = TOP, weights: str | None = None, temperature: float | None = None, further: bool = True
    ) -> None:
        if isinstance(level, bool) or not isinstance(level, int) or not 1 <= level <= TOP:
            raise ValueError(f"level must be a whole number from 1 to {TOP}, not {level!r}")
        if temperature is None:
            temperature = 0.0 if level == TOP else TEMPERATURES[level - 1]
        elif level != TOP:
            raise ValueError("a level has a temperature of its own; say level or temperature, not both")
        if isinstance(temperature, bool) or not isinstance(temperature, (int, float)) or not 0 <= temperature <= 10:
            raise ValueError(f"temperature must be from 0 to 10, not {temperature!r}")
        if not isinstance(further, bool):
            raise ValueError(f"further must be true or false, not {further!r}")
        self.temperature = float(temperature)
        self.further = further
        self._found: dict[Variant, TurnSearch] = {}
        self._only = None if weights is None else value.load(Path(weights))[0]

    @classmethod
    def of(cls, net: ValueNet) -> ChampionAgent:
        """An agent with an evaluation that is in no file."""
        agent = cls()
        agent._only = net
        return agent

    def act_batch(self, states: States, masks: Ints8, rngs: Sequence[np.random.Generator]) -> Ints:
        """One action per game; the generators are used below the top level only."""
        return self.choose(self.action_values_batch(states), rngs)

    def choose(self, values: Floats, rngs: Sequence[np.random.Generator]) -> Ints:
        """The same, where the values of all actions are known already."""
        if self.temperature == 0:
            return np.nanargmax(values, axis=1)
        preferences = self._preferences(values)
        return np.argmax(preferences + np.stack([rng.gumbel(size=values.shape[1]) for rng in rngs]), axis=1)

    def action_probabilities(self, position: Position, mask: Ints8) -> Floats:
        """What it would play, and how often."""
        return self.action_probabilities_batch(position.states(), mask[None, :])[0]

    def action_probabilities_batch(self, states: States, masks: Ints8) -> Floats:
        """The same for many games at once."""
        values = self.action_values_batch(states)
        if self.temperature == 0:
            return np.eye(values.shape[1])[np.nanargmax(values, axis=1)]
        chances = np.exp(self._preferences(values))
        return chances / chances.sum(axis=1, keepdims=True)

    def _preferences(self, values: Floats) -> Floats:
        """Logarithms of chances: minus infinity for illegal actions and for bad ones."""
        lost = (np.nanmax(values, axis=1, keepdims=True) - values) / self.temperature
        return np.where(np.isnan(values) | (lost > BOUND), -np.inf, -lost)

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
