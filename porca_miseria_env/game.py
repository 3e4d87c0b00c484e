"""A game in progress: the rules, chance, and whose decision comes next.

`go_on` is the compiled heart that single games, batches and replays share: it draws what chance decides and waits for
those who can do nothing else, until somebody has to decide. `Game` is the Python view of one game, on which the
environments stand.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as np

from pechvogel.tabletop import game as tabletop
from pechvogel.tabletop.arrays import Floats32, Ints8
from pechvogel.tabletop.bits import random_action
from pechvogel.tabletop.checks import check_one_of, check_whole
from pechvogel.tabletop.compile import compiled, inlined
from pechvogel.tabletop.game import CHANCE_NEXT, NEVER, NO_ACTION
from pechvogel.tabletop.guards import check_array, check_writeable, checked
from pechvogel.tabletop.rewards import REWARDS
from pechvogel.tabletop.seeds import check_seed, game_seed, mix, seeded_first_player
from porca_miseria_env import chance, observation, rules
from porca_miseria_env.chance import draw_glances, seat_in, seeded_card, seeded_loot, seeded_order, tick_key
from porca_miseria_env.rules import BLUR, NUM_ACTIONS, TAP_CARDS, TICKS, Action, Phase, States, act
from porca_miseria_env.view import View, view_of

MAX_LEGAL = 4  # nobody ever has more legal actions: wait, and three lucky cards
RANDOM_CARDS = 100  # games of random actions would hardly ever end: nobody keeps loot


@compiled
def go_on(s: Any, seed: Any, skip_forced: bool, stop_turn: int, draw: bool) -> int:
    """Draw what chance decides from the seed, and wait for who must if `skip_forced`, until somebody is asked.

    Returns the legal actions as bits; 0 when the game is over or `stop_turn` cards were turned. With `draw` False it
    returns CHANCE_NEXT where chance is next, for callers who have it from elsewhere.
    """
    while True:
        if s.phase <= Phase.TAP:
            bits = rules.legal_of(s)
            if not skip_forced or bits & (bits - 1) != 0:  # two or more legal actions
                return bits
            act(s, Action.WAIT)
        elif s.phase == Phase.OVER or (s.phase == Phase.CARD and s.turn >= stop_turn):
            return 0
        elif not draw:
            return CHANCE_NEXT
        elif s.phase == Phase.HANDS:
            _settle(s, tick_key(seed, s.turn, s.tick))
        else:
            if s.phase == Phase.CARD:
                rules.turn_card(s, seeded_card(s, seed))
            if s.phase == Phase.GLANCES:
                draw_glances(s, tick_key(seed, s.turn, s.tick))
                rules.look(s)


@inlined
def _settle(s: Any, key: Any) -> None:
    """Hands take effect in their seeded order, and right ones win seeded loot."""
    order = seeded_order(key, s.num_players)
    for place in range(s.num_players):
        seat = seat_in(order, place)
        if rules.lay_hand(s, seat):
            if s.pile == 0:
                rules.keep_lucky_card(s, seat)
            else:
                rules.win_loot(s, seat, seeded_loot(s, key, seat))
    rules.end_tick(s)


@compiled
def _advance(states: States, i: int, action: int, seed: Any, skip_forced: bool, stop_turn: int, draw: bool) -> int:
    """Carry out a legal action (none if it is negative) and go on to the next decision of game `i`."""
    s = states[i]
    if action >= 0:
        act(s, action)
    return go_on(s, seed, skip_forced, stop_turn, draw)


@compiled
def _advance_tick(states: States, i: int, actions: Ints8, seed: Any, stop_turn: int) -> int:
    """Carry out legal actions of all seats, and go on to the next decision of game `i`."""
    s = states[i]
    for seat in range(s.num_players):
        act(s, actions[seat])
    return go_on(s, seed, False, stop_turn, True)


@compiled
def _put_masks(states: States, i: int, masks: Ints8) -> None:
    """The legal actions of every seat in the tick of game `i`, a row each; zeros where nobody is asked."""
    s = states[i]
    to_act = s.to_act
    for seat in range(s.num_players):
        s.to_act = seat
        bits = rules.legal_of(s)
        for action in range(NUM_ACTIONS):
            masks[seat, action] = (bits >> action) & 1
    s.to_act = to_act


def _check_random_games(states: Any, max_cards: Any, seed: Any) -> None:
    check_array("states", states, rules.STATE)
    check_writeable("states", states)
    if type(max_cards) is not int:
        raise ValueError(f"max_cards must be a whole number, not {max_cards!r}")
    if type(seed) is not np.uint64:  # others would be compiled for anew, and wrap around elsewhere
        raise ValueError(f"seed must be a number of uint64, not {type(seed).__name__}")


@checked(_check_random_games)
@compiled
def random_games(states: States, max_cards: int, seed: Any) -> int:
    """Play a game of random actions in every state, to its end or up to so many cards, all a function of the seed.

    Returns the number of decisions.
    """
    decisions = 0
    for i in range(len(states)):
        s = states[i]
        own_seed = game_seed(seed, i, 0)
        key = game_seed(seed, i, 1)  # the choices must not depend on what else is drawn
        rules.begin(s, seeded_first_player(own_seed, s.num_players))
        bits = go_on(s, own_seed, True, max_cards, True)
        while bits:
            decisions += 1
            act(s, random_action(bits, mix(key + np.uint64(decisions)), MAX_LEGAL))
            bits = go_on(s, own_seed, True, max_cards, True)
    return decisions


def check_settings(
    num_players: int, tap_cards: int, ticks: int, blur: float, moving_numbers: bool, reward: str, max_cards: int | None
) -> None:
    """Refuse settings that no game can have, with a sentence that names the one that is wrong."""
    rules.check_rules(num_players, tap_cards, ticks, blur, moving_numbers)
    check_one_of("reward", reward, REWARDS)
    if max_cards is not None:
        check_whole("max_cards", max_cards, 1, NEVER)


class Game(tabletop.Game):
    """One game that waits for a decision, is over (P11), or was truncated by `max_cards`."""

    kernels = tabletop.Kernels(_advance, observation.put_observations, rules.RESULTS)
    action_names = rules.ACTION_NAMES
    over_phase = Phase.OVER

    def __init__(
        self,
        num_players: int = 3,
        tap_cards: int = TAP_CARDS,
        ticks: int = TICKS,
        blur: float = BLUR,
        moving_numbers: bool = False,
        skip_forced: bool = True,
        max_cards: int | None = None,
        keep_chance: bool = False,
    ) -> None:
        check_settings(num_players, tap_cards, ticks, blur, moving_numbers, REWARDS[0], max_cards)
        states = rules.new_states(1, num_players, tap_cards, ticks, blur, moving_numbers)
        super().__init__(states, observation.size(num_players), num_players, skip_forced, max_cards)
        self.own_settings: dict[str, Any] = {
            "tap_cards": int(tap_cards),
            "ticks": int(ticks),
            "blur": float(blur),
            "moving_numbers": bool(moving_numbers),
            "max_cards": max_cards,
        }
        self.given: list[Any] = []  # chance that was given, as it was
        self.script: list[chance.Card] = []  # ... and as it was understood
        self.keep_chance = keep_chance  # slower: for records and replays
        self.cards: list[dict[str, Any]] = []  # with `keep_chance`: all chance and actions so far, as in a record

    def reset(self, seed: int, first_dealer: int | None = None, cards: Sequence[Any] = ()) -> None:
        """Start anew, with given chance while it lasts. Nothing changes if an argument is wrong (ValueError)."""
        seed = check_seed(seed)
        script = chance.script(cards, self.num_players)
        first_dealer = self._checked_first_player(seed, first_dealer, "first_dealer")
        self._begin_with(seed, first_dealer)
        self.given, self.script, self.cards = list(cards), script, []
        rules.new_game(self.states, 0, first_dealer)
        self._set_stop()
        self._go_on(NO_ACTION)

    def _go_on(self, action: int) -> None:
        """To the next decision: with given chance while it lasts, then with the seeded one."""
        seed, skip_forced, stop_turn = self._seed, self.skip_forced, self._stop_turn
        while self._by_hand:
            bits = _advance(self.states, 0, action, seed, skip_forced, stop_turn, False)
            if bits != CHANCE_NEXT:
                self.bits = bits
                return
            action = NO_ACTION
            self._draw()
        self.bits = _advance(self.states, 0, action, seed, skip_forced, stop_turn, True)

    @property
    def _by_hand(self) -> bool:
        """Whether chance is drawn here, piece by piece, and not in compiled code."""
        return self.keep_chance or (len(self.script) > 0 and bool(self.states["turn"][0] < len(self.script)))

    def _draw(self) -> None:
        """What chance decides next: as the script has it, if that can be, else as the seed has it."""
        states, turn, tick = self.states, int(self.states["turn"][0]), int(self.states["tick"][0])
        card = self.script[turn] if turn < len(self.script) else chance.NOTHING
        phase = states["phase"][0]
        if phase == Phase.CARD:
            number = chance.drawn_card(states, 0, self._seed, card)
            rules.apply_card(states, 0, number)
            if self.keep_chance:
                self.cards.append({"card": number, "ticks": []})
                self._keep_tick([])
            return
        given = card.tick(tick)
        if phase == Phase.GLANCES:
            glances = chance.drawn_glances(states, 0, self._seed, given)
            rules.apply_glances(states, 0, glances)
            if self.keep_chance:
                self._keep_tick(glances.tolist())
            return
        order, loot = chance.drawn_hands(states, 0, self._seed, given)
        actions = states["choices"][0, : self.num_players].tolist()
        rules.apply_hands(states, 0, order, loot)
        if self.keep_chance:
            self.cards[-1]["ticks"][-1].update(order=order.tolist(), actions=actions, loot=loot.tolist())
            if states["phase"][0] == Phase.TAP:
                self._keep_tick([])

    def _keep_tick(self, glances: list[list[int]]) -> None:
        ticks = self.cards[-1]["ticks"]
        if glances or self.states["phase"][0] == Phase.TAP:
            ticks.append({"glances": glances})

    def step_all(self, actions: Sequence[Any], masks: Ints8) -> None:
        """Carry out an action of every seat in this tick; ValueError, and nothing changed, if one of them is illegal.

        `masks` are the legal actions of this tick, as `masks()` gave them.
        """
        numbers = []
        for seat, action in enumerate(actions):
            try:
                number = index(action)
            except TypeError:
                number = NO_ACTION
            if not 0 <= number < NUM_ACTIONS or not masks[seat, number]:
                raise ValueError(self._illegal_of(seat, action, masks))
            numbers.append(number)
        if self._by_hand:
            for number in numbers:
                self.step(number)
            return
        if self.states["phase"][0] == Phase.SYMBOLS:
            self.actions += numbers
        else:  # forced ones are not kept
            self.actions += [number for seat, number in enumerate(numbers) if masks[seat, Action.TAP]]
        self.bits = _advance_tick(self.states, 0, np.array(numbers, np.int8), self._seed, self._stop_turn)

    def _illegal_of(self, seat: int, action: Any, masks: Ints8) -> str:
        if not self.bits:
            return self._illegal(action)
        legal = ", ".join(f"{a} ({self.action_names[a]})" for a in np.flatnonzero(masks[seat]).tolist())
        return f"action {action!r} is illegal for player_{seat}; legal are {legal}"

    def masks(self) -> Ints8:
        """The legal actions of every seat in this tick, a row each; zeros once the game has ended."""
        masks = np.zeros((self.num_players, NUM_ACTIONS), np.int8)
        if self.bits:
            _put_masks(self.states, 0, masks)
        return masks

    def observe_all(self) -> Floats32:
        """What every seat sees, a row each, in a fresh array."""
        out = np.empty((self.num_players, self._size), np.float32)
        observation.put_all(self.states, 0, out)
        return out

    def view(self, seat: int) -> View:
        """What a seat may know (P16, P17)."""
        self._check_started()
        check_whole("seat", seat, 0, self.num_players - 1)
        return view_of(self.states, 0, seat)
