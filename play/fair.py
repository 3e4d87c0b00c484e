"""Dice that nobody can have chosen: a secret that is promised first and shown at the end.

    promise   the SHA-256 of a secret of 32 bytes, shown before the first throw
    numbers   by seat: one from every person's browser, chosen after the promise was seen; none for agents
    seed(k)   of the dice after k take-backs: the first eight bytes of
              SHA-256("pechvogel-dice-1" + secret + numbers, each with its length (none: 0) + k)

Who runs the server can't choose the dice, as the numbers come later; who sends a number can't either, as the secret is
unknown then. At the end the secret is shown, and anybody can check promise, seed, who began and every die. At a table
of several people this holds as long as nobody who knows the secret, that is who runs the server, sends the last number.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pechvogel.play.pechvogel.table import Table
from pechvogel.tabletop.seeds import seeded_first_player
from pechvogel_env.dice import throw_of
from pechvogel_env.record import PROOF, RecordError

LABEL = b"pechvogel-dice-1"
SECRET_BYTES = 32
MAX_SECRET = 1024  # bytes, of somebody else's record
MAX_NUMBER = 64  # characters


def new_secret() -> bytes:
    """256 random bits."""
    return secrets.token_bytes(SECRET_BYTES)


def promise(secret: bytes) -> str:
    """What is shown before the first throw."""
    return hashlib.sha256(secret).hexdigest()


def seed(secret: bytes, numbers: Sequence[str | None], taken_back: int = 0) -> int:
    """The seed of a game's dice, after so many take-backs."""
    text = b"".join(len(number or "").to_bytes(2, "big") + (number or "").encode("ascii") for number in numbers)
    digest = hashlib.sha256(LABEL + secret + text + taken_back.to_bytes(4, "big")).digest()
    return int.from_bytes(digest[:8], "big")


def check_number(number: Any) -> str:
    """A number from a browser: up to 64 hexadecimal digits."""
    if not isinstance(number, str) or not 1 <= len(number) <= MAX_NUMBER or set(number) - set("0123456789abcdef"):
        raise ValueError("a browser's number has 1 to 64 hexadecimal digits")
    return number


def proof(table: Table, secret: bytes, numbers: Sequence[str | None], drawn: bool) -> dict[str, Any]:
    """What goes into the record of a finished game; `drawn` says that the dice's seed also decided who began."""
    shown = {
        "promise": promise(secret),
        "secret": secret.hex(),
        "numbers": list(numbers),
        "drawn": drawn,
        "taken_back": table.taken_back,
    }
    if table.taken_back:  # which of its seeds every throw came from
        shown["seeded"] = [step.seeded for step in table.steps if step.kind == "throw"]
    return shown


def verify(record: Mapping[str, Any]) -> None:
    """Check the proof of a record that is right otherwise; RecordError says what is wrong."""
    found = record[PROOF]
    try:
        secret, promised = bytes.fromhex(found["secret"]), found["promise"].encode("ascii")
        numbers = [None if number is None else check_number(number) for number in found["numbers"]]
        drawn, taken_back, seeded = found["drawn"], found["taken_back"], list(found.get("seeded", []))
        if type(drawn) is not bool or type(taken_back) is not int or len(secret) > MAX_SECRET:
            raise ValueError
        if not all(type(number) is int and 0 <= number <= taken_back < 2**32 for number in (0, *seeded)):
            raise ValueError
    except (AttributeError, KeyError, TypeError, ValueError):
        raise RecordError("has no whole proof of its dice: promise, secret and numbers") from None
    if not hmac.compare_digest(promise(secret).encode(), promised):
        raise RecordError("shows another secret than was promised before the first throw")
    if len(numbers) != record["num_players"] or not any(numbers):
        raise RecordError("must have a browser's number, or null, for every seat, and one at least")
    first = seed(secret, numbers)
    if first != record["seed"]:
        raise RecordError("has a seed that does not follow from its secret and the browsers' numbers")
    if drawn and record["first_player"] != seeded_first_player(np.uint64(first), record["num_players"]):
        raise RecordError("has a first player that does not follow from its seed")
    if not taken_back:
        if record["scripted"]:
            raise RecordError("has dice that do not follow from its seed")
    elif seeded != sorted(seeded) or not _follow(record, [seed(secret, numbers, number) for number in seeded]):
        raise RecordError("has dice that do not follow from its secret and the browsers' numbers")


def _follow(record: Mapping[str, Any], seeds: Sequence[int]) -> bool:
    """Whether every throw of a game in which something was taken back has the dice of its seed."""
    game = Table(
        record["num_players"],
        None,
        copies=record["copies"],
        italian_reading=record["italian_reading"],
        first_player=record["first_player"],
        position=record["position"],
    )
    dice, actions, throws = list(record["dice"]), list(record["actions"]), list(seeds)
    while not game.over:
        if game.dice_due:
            due, turn, number = game.dice_due, int(game.states["turn"][0]), int(game.states["throws"][0])
            if not throws or throw_of(throws.pop(0), turn, number, due) != dice[:due]:
                return False
            game.throw(dice[:due])
            del dice[:due]
        else:
            assert game.to_act is not None
            game.act(game.to_act, actions.pop(0))
    return not throws
