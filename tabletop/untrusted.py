"""What somebody else may have written: read within limits; a ValueError says in one sentence what is wrong with it.

JSON and YAML come out as plain values: not nested deeply, no numbers that are none, no whole numbers beyond 64 bits.
YAML has neither anchors, which can make a few lines mean gigabytes, nor tags. Arrays come out finite.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_DEPTH = 32  # of lists in lists
MAX_TEXT = 1 << 24  # bytes of a file of text
MAX_YAML = 1 << 18  # the parser is slow
MAX_ARRAYS = 1 << 28
MAX_HEAD = 1 << 20  # of a file of arrays
MAX_WHOLE = 2**64 - 1
MAX_SHOWN = 300  # characters of a sentence about what is wrong
DTYPES = ("F16", "F32", "F64")  # as heads of safetensors call them


def shown(text: object, most: int = MAX_SHOWN) -> str:
    """A text for a sentence: one line, not endless, nothing that a terminal would obey."""
    whole = str(text)
    line = " ".join(whole[: 4 * most].split())
    line = "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in line)
    return line if len(line) <= most and len(whole) <= 4 * most else line[:most] + "..."


def shown_value(value: Any, most: int = 120) -> str:
    """A value for a sentence, as Python would write it, if it is not too long for that."""
    if isinstance(value, (str, bytes)):
        return shown(repr(value[:most]) + "..." if len(value) > most else repr(value), 2 * most)
    try:
        return shown(repr(value), most)
    except (ValueError, RecursionError):  # whole numbers without end are not written out; nor are lists in lists in ...
        return f"this {type(value).__name__}"


def read_bytes(path: Path, most: int = MAX_TEXT) -> bytes:
    """A file that is not too large; an endless one ends, too."""
    with open(path, "rb") as file:
        found = file.read(most + 1)
    if len(found) > most:
        raise ValueError(f"it has more than {most:,} bytes")
    return found


# ------------------------------------------------------------------------------------------------ text


def parse_json(text: str | bytes, most: int = MAX_TEXT) -> Any:
    """A value from JSON."""
    if len(text) > most:
        raise ValueError(f"it has more than {most:,} characters")
    try:
        value = json.loads(text, parse_int=_whole, parse_float=_number, parse_constant=_number)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except UnicodeDecodeError:
        raise ValueError("it is not text in UTF-8") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"it is not valid JSON: {error}") from None
    check_plain(value)
    return value


def read_json(path: Path, most: int = MAX_TEXT) -> Any:
    """The value of a JSON file; what it is like if it can't be read is an OSError."""
    return parse_json(read_bytes(path, most), most)


def read_yaml(path: Path) -> Any:
    """The value of a YAML file."""
    import yaml

    try:
        text = read_bytes(path, MAX_YAML).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError("it is not a text file") from None
    try:
        _check_events(yaml.parse(text, Loader=yaml.SafeLoader))
        value = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(f"it is not valid YAML: {shown(error)}") from None
    except _RefusedError as error:
        raise ValueError(str(error)) from None
    except Exception as error:  # of days that no calendar has, say
        raise ValueError(f"it is not valid YAML: {shown(error)}") from None
    check_plain(value, infinities=True)
    return value


class _RefusedError(ValueError):
    """Valid YAML, but not for us."""


def _check_events(events: Any) -> None:
    """Refuse what would make a long story of a short text, before it does."""
    import yaml

    depth = 0
    for event in events:
        if getattr(event, "anchor", None) is not None:  # of an alias, too
            raise _RefusedError("anchors and aliases (& and *) are not understood here")
        if getattr(event, "tag", None) is not None:
            raise _RefusedError("tags (!) are not understood here")
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > MAX_DEPTH:
                raise _RefusedError("it is nested too deeply")
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def check_plain(value: Any, infinities: bool = False) -> None:
    """ValueError if a value is nested too deeply, or has numbers that nothing here can mean."""
    level, depth = [value], 0
    while level:
        if depth > MAX_DEPTH:
            raise ValueError("it is nested too deeply")
        below: list[Any] = []
        for part in level:
            if isinstance(part, Mapping):
                below += part.keys()
                below += part.values()
            elif isinstance(part, (list, tuple, set)):
                below += part
            elif isinstance(part, int) and abs(part) > MAX_WHOLE:
                raise ValueError("it has a whole number beyond 64 bits")
            elif isinstance(part, float) and not infinities and not math.isfinite(part):
                raise ValueError("it has a number that is not finite")
        level, depth = below, depth + 1


def _whole(text: str) -> int:
    if len(text) > len(str(-MAX_WHOLE)):
        raise ValueError("it has a whole number beyond 64 bits")
    return int(text)


def _number(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError("it has a number that is not finite")
    return value


# ------------------------------------------------------------------------------------------------ arrays


def parse_arrays(data: bytes) -> dict[str, NDArray[np.floating[Any]]]:
    """Arrays of finite numbers, from the bytes of a file of safetensors."""
    import numpy as np
    from safetensors import SafetensorError
    from safetensors.numpy import load

    _check_head(data)
    try:
        arrays: dict[str, NDArray[np.floating[Any]]] = load(data)
    except (SafetensorError, ValueError, TypeError, LookupError, OverflowError) as error:
        raise ValueError(f"it is not in the format of safetensors ({shown(error)})") from None
    for name, array in arrays.items():
        if not np.isfinite(array).all():
            raise ValueError(f"{shown_value(name)} has numbers that are not finite")
    return arrays


def _check_head(data: bytes) -> None:
    size = int.from_bytes(data[:8], "little")
    if len(data) < 8 or size > len(data) - 8 or size > MAX_HEAD:
        raise ValueError("it is not in the format of safetensors (its head is not whole)")
    try:
        head = parse_json(data[8 : 8 + size])
    except ValueError as error:
        raise ValueError(f"it is not in the format of safetensors (its head: {error})") from None
    if not isinstance(head, dict):
        raise ValueError("it is not in the format of safetensors (its head names no arrays)")
    for name, entry in head.items():
        if name == "__metadata__":
            continue
        kind = entry.get("dtype") if isinstance(entry, dict) else None
        if kind not in DTYPES:
            raise ValueError(f"{shown_value(name)} has numbers of kind {shown_value(kind)}, not {', '.join(DTYPES)}")
