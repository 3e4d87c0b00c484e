"""A game in progress: the rules, chance, and whose decision comes next.

`go_on` is the compiled heart that single games, batches and replays share: it draws what chance decides and waits for
those who can do nothing else, until somebody has to decide. `Game` is the Python view of one game, on which the
environments stand.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pechvogel.tabletop.bits import random_action
from pechvogel.tabletop.compile import compiled, inlined
from pechvogel.tabletop.guards import check_array, check_writeable, checked
from pechvogel.tabletop.seeds import game_seed, mix, seeded_first_player
from porca_miseria_env import rules
from porca_miseria_env.chance import draw_glances, seat_in, seeded_card, seeded_loot, seeded_order, tick_key
from porca_miseria_env.rules import Action, Phase, States, act

MAX_LEGAL = 4  # nobody ever has more legal actions: wait, and three lucky cards
CHANCE_NEXT = -1  # instead of legal actions as bits
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
