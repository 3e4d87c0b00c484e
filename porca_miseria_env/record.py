"""Recorded games: one JSON line each, with all chance and all actions, from which the game is rebuilt and verified.

    {"format": "porca-miseria-game-1", "num_players": 3,
     "settings": {"tap_cards": 9, "ticks": 6, "blur": 0.1, "moving_numbers": false, "max_cards": null},
     "seed": 7, "first_dealer": 0, "scripted": 0,
     "cards": [{"card": 17, "ticks": [{"glances": [[4, 2, 5], [4, 1, 6], [5, 2, 6]], "order": [2, 0, 1],
                                       "actions": [0, 3, 3], "loot": [40]}, ...]}, ...],
     "scores": [12, 30, 21], "sha256": "..."}

Cards are numbered as in P2: symbol cards first, then tap cards. A tick has the glances of every seat (none on a tap
card), the order in which hands took effect, the actions of all seats, also of those who could only wait, and the cards
that right hands drew as loot, in the order of the hands. The chance of the first `scripted` cards was given, as far as
it fitted; all other chance must be that of the seed. `sha256` is over the other fields as compact JSON with sorted
keys.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pechvogel.tabletop import record as tabletop
from pechvogel.tabletop.record import MAX_LINE as MAX_LINE
from pechvogel.tabletop.record import PROOF as PROOF
from pechvogel.tabletop.record import RecordError as RecordError
from pechvogel.tabletop.record import append as append
from pechvogel.tabletop.untrusted import shown_value
from porca_miseria_env.game import Game

FORMAT = "porca-miseria-game-1"


class Records(tabletop.Records[Game]):
    """The records of this game."""

    def _content(self, game: Game) -> dict[str, Any]:
        replayed = _start(game.num_players, game.own_settings, skip_forced=True)  # as `actions` are kept
        replayed.reset(game.seed, game.first_player, game.given)
        for action in game.actions:
            replayed.step(action)
        return {
            "num_players": game.num_players,
            "settings": dict(game.own_settings),
            "seed": game.seed,
            "first_dealer": game.first_player,
            "scripted": min(len(game.given), len(replayed.cards)),
            "cards": replayed.cards,
        }

    def steps(self, record: Mapping[str, Any]) -> Iterator[tuple[Game, list[int] | None]]:
        """Replay a verified record: the game before each tick with everybody's actions; at last, None."""
        game = _start(record["num_players"], record["settings"])
        game.reset(record["seed"], record["first_dealer"], record["cards"][: record["scripted"]])
        for card in record["cards"]:
            for tick in card["ticks"]:
                yield game, tick["actions"]
                game.step_all(tick["actions"], game.masks())
        yield game, None

    def _replayed(self, record: Mapping[str, Any]) -> Game:
        settings, scripted, cards = record["settings"], record["scripted"], record["cards"]
        if not isinstance(settings, dict) or not isinstance(cards, list):
            raise RecordError("must have an object of settings and a list of cards")
        if isinstance(scripted, bool) or not isinstance(scripted, int) or not 0 <= scripted <= len(cards):
            raise RecordError(f"can't have {shown_value(scripted)} cards with given chance among {len(cards)}")
        game = _start(record["num_players"], settings)
        game.reset(record["seed"], record["first_dealer"], cards[:scripted])
        for number, card in enumerate(cards, 1):
            for tick in card["ticks"]:
                if not game.bits:
                    raise RecordError(f"goes on after the end of the game (card {number})")
                if len(tick["actions"]) != game.num_players:
                    raise RecordError(f"must have an action for each of {game.num_players} seats (card {number})")
                game.step_all(tick["actions"], game.masks())
        return game

    def _check_chance(self, game: Game, record: Mapping[str, Any]) -> None:
        for number, (ours, theirs) in enumerate(zip(game.cards, record["cards"], strict=False), 1):
            if ours != theirs:
                raise RecordError(f"has chance that its seed does not give (card {number} of {len(game.cards)})")


def _start(num_players: int, settings: Mapping[str, Any], skip_forced: bool = False) -> Game:
    """A game that keeps its chance."""
    return Game(num_players, **settings, skip_forced=skip_forced, keep_chance=True)


RECORDS = Records(FORMAT, ("num_players", "settings", "seed", "first_dealer", "scripted", "cards"))
of_game, steps, verify, read = RECORDS.of_game, RECORDS.steps, RECORDS.verify, RECORDS.read
