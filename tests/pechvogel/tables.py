"""Tables for the tests of the rules: games set up in a line, questions and answers in words, random games."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

from pechvogel.tabletop.bits import action_list
from pechvogel_env.game import Game
from pechvogel_env.position import Position
from pechvogel_env.rules import Action

VALUES = (3, 4, 5, 6, 7)
FACES = (0, *VALUES)  # 0: the raven
PASS, REDUCE, FRUSTRATE, TAKE = Action.PASS, Action.REDUCE, Action.FRUSTRATE, Action.TAKE
TARGET = {value: Action[f"TARGET_{value}"] for value in VALUES}
STEAL = {distance: Action[f"STEAL_{distance}"] for distance in (1, 2, 3, 4)}
DISCARD = {value: Action[f"DISCARD_{value}"] for value in VALUES}

PASS_ONLY = [(0, "reduce", {PASS}), (1, "frustrate", {PASS}), (2, "frustrate", {PASS})]
ALL_MAY_ANSWER = [
    (0, "reduce", {PASS, REDUCE}),
    (1, "frustrate", {PASS, FRUSTRATE}),
    (2, "frustrate", {PASS, FRUSTRATE}),
]
NEXT = "3344567"  # ends every script: the first throw of the next player, at which the game waits for a target

Table = Callable[..., Game]
Question = tuple[int, str, set[Action]]  # who is asked, in which phase, with which legal actions


def faces(dice: str) -> list[int]:
    return [int(face) for face in dice if face != " "]


def counts(markers: str) -> list[int]:
    return [markers.count(str(value)) for value in VALUES]


def written(markers: Sequence[int]) -> str:
    return "".join(str(value) * count for value, count in zip(VALUES, markers, strict=True))


def start(
    dice: str,
    *,
    skip_forced: bool,
    players: int = 3,
    copies: int = 3,
    italian_reading: bool = False,
    board: tuple[int, int, int] | None = None,
    frustrations: Sequence[int] = (),
    holdings: Sequence[str] = (),
    middle: str | None = None,
    **position: Any,
) -> Game:
    """A game with scripted dice, in which what is not said is as at the start.

    `board`: target, targets and ravens, and the dice are next; `holdings`: markers by seat, as in "377".
    """
    position["players"] = [
        {
            "markers": counts(holdings[seat] if seat < len(holdings) else ""),
            "frustrations": frustrations[seat] if seat < len(frustrations) else 0,
        }
        for seat in range(players)
    ]
    if board is not None:
        position.update(zip(("target", "targets", "ravens"), board, strict=True))
    if middle is not None:
        position["middle"] = counts(middle)
    game = Game(players, copies, italian_reading, skip_forced)
    game.reset(0, first_player=0, dice=faces(dice + NEXT), position=position)
    return game


ask_all = partial(start, skip_forced=False)


def legal(game: Game) -> set[Action]:
    return {Action(action) for action in action_list(game.bits)}


def play_forced(game: Game) -> None:
    """Answer whatever leaves no choice."""
    while len(legal(game)) == 1:
        assert not game.skip_forced, "a forced action was not skipped"
        game.step(legal(game).pop())


def choice(game: Game) -> tuple[int | None, set[Action]]:
    """Who has to choose next, and among what."""
    play_forced(game)
    return game.to_act, legal(game)


def play(game: Game, *moves: tuple[int, Action]) -> None:
    """Real choices by (seat, action); forced ones in between are made."""
    for seat, action in moves:
        asked, options = choice(game)
        assert asked == seat, f"seat {asked} is asked, not {seat}"
        assert action in options
        game.step(action)
    play_forced(game)


def asked(game: Game) -> Question:
    assert game.to_act is not None
    return game.to_act, game.position().phase, legal(game)


def interview(game: Game, *answers: Action) -> list[Question]:
    """Give these answers one after the other; returns the questions."""
    questions = []
    for answer in answers:
        questions.append(asked(game))
        game.step(answer)
    return questions


def turn_over(game: Game, seat: int) -> Position:
    """The script was thrown exactly, and it is `seat` now who looks at their first throw."""
    play_forced(game)
    p = game.position()
    assert (p.active, p.phase, p.last_throw) == (seat, "target", faces(NEXT))
    assert game.scripted == len(game.script)
    return p


def board(game: Game) -> tuple[int | None, int, int]:
    p = game.position()
    return p.target, p.targets, p.ravens


def frustrations(game: Game) -> list[int]:
    return [player.frustrations for player in game.position().players]


def held(game: Game) -> list[str]:
    return [written(player.markers) for player in game.position().players]


def middle(game: Game) -> str:
    return written(game.position().middle)


GAMES = [  # players, copies, seed, Italian reading
    (2, 3, 1, False),
    (2, 1, 2, True),
    (3, 3, 3, False),
    (3, 2, 4, True),
    (4, 3, 5, False),
    (4, 1, 6, False),
    (5, 3, 7, True),
    (5, 2, 8, False),
]


class Step(NamedTuple):
    before: Position
    options: set[Action]
    action: Action
    after: Position

    @property
    def ends_turn(self) -> bool:
        return self.after.turn > self.before.turn


@cache
def random_game(players: int, copies: int, seed: int, italian: bool) -> list[Step]:
    """A whole game of random choices, every question asked."""
    return list(random_steps(Game(players, copies, italian, skip_forced=False), seed))


def random_steps(game: Game, seed: int, first_player: int | None = None) -> Iterator[Step]:
    """Play random choices to the end; the same ones with and without forced questions."""
    rng = random.Random(seed)
    game.reset(seed, first_player)
    while game.bits:
        before, options = game.position(), action_list(game.bits)
        action = Action(rng.choice(options) if len(options) > 1 else options[0])
        game.step(action)
        yield Step(before, {Action(option) for option in options}, action, game.position())
    assert game.over


def greedy(p: Position) -> bool:
    return p.targets > 4 or p.ravens > 3
