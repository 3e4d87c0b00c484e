"""Dice that nobody can have chosen: a secret that is promised first and shown at the end.

    promise      the SHA-256 of a secret of 32 bytes, shown before anybody sends anything
    number       one from every person's browser, chosen after the promise was seen; none from agents
    commitment   at a table of several people, of each of them before anybody shows a number: the SHA-256 of the text
                 "pechvogel-number-1/PROMISE/SEAT/NUMBER"
    seed(k)      of the dice after k take-backs, 64 bits: the first eight bytes of
                 SHA-256("pechvogel-dice-1" + secret + numbers by seat, each with its length (none: 0) + k)

Who runs the server can't choose the dice, as secret and commitments stand before the first number is shown; who sends
a number can't either, as the secret is unknown then; nor can they together. All that is left is not to show a number:
that costs the seat, all others begin a new round with a new promise, and the record lists the one that was abandoned.
At the end the secret is shown, and anybody can check promise, commitments, seed, who began and every die.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pechvogel.play.games import of_record
from pechvogel.play.table import Table
from pechvogel.tabletop.record import PROOF, RecordError
from pechvogel.tabletop.seeds import seeded_first_player

LABEL = b"pechvogel-dice-1"
SECRET_BYTES = 32
MAX_SECRET = 1024  # bytes, of somebody else's record
MAX_NUMBER = 64  # characters
HEXADECIMAL = frozenset("0123456789abcdef")


def new_secret() -> bytes:
    """256 random bits."""
    return secrets.token_bytes(SECRET_BYTES)


def promise(secret: bytes) -> str:
    """What is shown before the first throw."""
    return hashlib.sha256(secret).hexdigest()


def commitment(promised: str, seat: int, number: str) -> str:
    """What a person shows before the number itself; it holds for one promise, so it can't be older than that."""
    return hashlib.sha256(f"pechvogel-number-1/{promised}/{seat}/{number}".encode()).hexdigest()


def seed(secret: bytes, numbers: Sequence[str | None], taken_back: int = 0) -> int:
    """The seed of a game's dice, after so many take-backs."""
    text = b"".join(len(number or "").to_bytes(2, "big") + (number or "").encode("ascii") for number in numbers)
    digest = hashlib.sha256(LABEL + secret + text + taken_back.to_bytes(4, "big")).digest()
    return int.from_bytes(digest[:8], "big")


def check_number(number: Any) -> str:
    """A number from a browser: up to 64 hexadecimal digits."""
    if not isinstance(number, str) or not 1 <= len(number) <= MAX_NUMBER or set(number) - HEXADECIMAL:
        raise ValueError("a browser's number has 1 to 64 hexadecimal digits")
    return number


def _check_hash(text: Any) -> str:
    if not isinstance(text, str) or len(text) != 64 or set(text) - HEXADECIMAL:
        raise ValueError("a SHA-256 has 64 hexadecimal digits")
    return text


# ------------------------------------------------------------------------------ proofs


def shown_round(secret: bytes, commitments: Sequence[str | None], numbers: Sequence[str | None]) -> dict[str, Any]:
    """A round of secret, commitments and numbers, as a proof has it."""
    return {
        "promise": promise(secret),
        "secret": secret.hex(),
        "commitments": list(commitments),
        "numbers": list(numbers),
    }


def proof(
    table: Table,
    secret: bytes,
    numbers: Sequence[str | None],
    drawn: bool,
    commitments: Sequence[str | None] | None = None,
    abandoned: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """What goes into the record of a finished game; `drawn` says that the dice's seed also decided who began."""
    shown: dict[str, Any] = shown_round(secret, commitments or (), numbers)
    if commitments is None:  # nobody was asked for one
        del shown["commitments"]
    else:
        shown["abandoned"] = [dict(one) for one in abandoned]
    shown |= {"drawn": drawn, "taken_back": table.taken_back}
    if table.taken_back:  # which of its seeds every throw came from
        shown["seeded"] = [step.seeded for step in table.steps if step.kind == "throw"]
    return shown


def verify(record: Mapping[str, Any]) -> None:
    """Check the proof of a record that is right otherwise; RecordError says what is wrong."""
    found = record[PROOF]
    try:
        secret, numbers = _check_secret(found), _by_seat(found["numbers"], check_number)
        drawn, taken_back, seeded = found["drawn"], found["taken_back"], list(found.get("seeded", []))
        if type(drawn) is not bool or type(taken_back) is not int:
            raise ValueError
        if not all(type(number) is int and 0 <= number <= taken_back < 2**32 for number in (0, *seeded)):
            raise ValueError
    except RecordError:
        raise
    except (AttributeError, KeyError, TypeError, ValueError):
        raise RecordError("has no whole proof of its dice: promise, secret and numbers") from None
    if len(numbers) != record["num_players"] or not any(numbers):
        raise RecordError("must have a browser's number, or null, for every seat, and one at least")
    if "commitments" in found or "abandoned" in found:  # games of before had none
        _check_rounds(found, record["num_players"])
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


def _by_seat(values: Any, check: Any) -> list[str | None]:
    if not isinstance(values, list):
        raise TypeError
    return [None if value is None else check(value) for value in values]


def _check_secret(one: Mapping[str, Any]) -> bytes:
    """The secret of a round, if it is what was promised."""
    secret, promised = bytes.fromhex(one["secret"]), one["promise"].encode("ascii")
    if len(secret) > MAX_SECRET:
        raise ValueError
    if not hmac.compare_digest(promise(secret).encode(), promised):
        raise RecordError("shows another secret than was promised before the first throw")
    return secret


def _check_rounds(found: Mapping[str, Any], num_players: int) -> None:
    """Every number was committed to; and whoever did not show theirs has lost the seat."""
    lost: set[int] = set()
    promises: set[str] = set()
    try:
        rounds = [*found["abandoned"], found]
        if len(rounds) > num_players:
            raise ValueError
        for one in rounds:
            _check_secret(one)
            commitments, numbers = _by_seat(one["commitments"], _check_hash), _by_seat(one["numbers"], check_number)
            if len(commitments) != num_players or len(numbers) != num_players or one["promise"] in promises:
                raise ValueError
            promises.add(one["promise"])
            last = one is rounds[-1]
            _check_round(one["promise"], commitments, numbers, last)
            if any(commitments[seat] or numbers[seat] for seat in lost):
                raise RecordError("has dice to which somebody added who had lost their seat")
            lost |= {seat for seat in range(num_players) if commitments[seat] and not numbers[seat]}
    except RecordError:
        raise
    except (AttributeError, KeyError, TypeError, ValueError):
        raise RecordError("has no whole proof of its dice: rounds of promise, commitments and numbers") from None


def _check_round(promised: str, commitments: Sequence[str | None], numbers: Sequence[str | None], last: bool) -> None:
    for seat, (committed, number) in enumerate(zip(commitments, numbers, strict=True)):
        if number is None:
            continue
        alone = last and sum(map(bool, numbers)) == 1  # nobody else's number to wait for
        if committed is None and not alone:
            raise RecordError(f"has a number of player_{seat} that was not committed to before others were shown")
        if committed is not None and committed != commitment(promised, seat, number):
            raise RecordError(f"has another number of player_{seat} than was committed to")
    late = any(committed and not number for committed, number in zip(commitments, numbers, strict=True))
    if late == last or not any(numbers):
        raise RecordError("has dice that were fixed without a number, or not fixed with all of them")


def _follow(record: Mapping[str, Any], seeds: Sequence[int]) -> bool:
    """Whether every throw of a game in which something was taken back has the dice of its seed."""
    offer = of_record(record)
    start = {name: record[name] for name in ("first_player", "position", *offer.kind.settings)}
    game = offer.table(record["num_players"], None, **start)
    dice, actions, throws = list(record["dice"]), list(record["actions"]), list(seeds)
    while not game.over:
        if game.dice_due:
            due = game.dice_due
            if not throws or game.seeded(throws.pop(0)) != dice[:due]:
                return False
            game.throw(dice[:due])
            del dice[:due]
        else:
            assert game.to_act is not None
            game.act(game.to_act, actions.pop(0))
    return not throws
