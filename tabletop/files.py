"""Files that are whole or not there: written beside their place, then renamed into it."""

from __future__ import annotations

import json
import math
import os
import tempfile
from pathlib import Path
from typing import Any


def to_json(value: Any) -> bytes:
    """A value as a JSON file; what is not a number is null, as JSON has no word for it."""

    def clean(part: Any) -> Any:
        if isinstance(part, dict):
            return {key: clean(inner) for key, inner in part.items()}
        if isinstance(part, (list, tuple)):
            return [clean(inner) for inner in part]
        return None if isinstance(part, float) and not math.isfinite(part) else part

    return json.dumps(clean(value), indent=2).encode() + b"\n"


def replace_file(path: Path, content: bytes) -> None:
    """Write a file so that whoever reads it, or kills us, finds the old one or the new one."""
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
        temporary = Path(file.name)
        try:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        except BaseException:
            temporary.unlink()
            raise
    temporary.chmod(0o666 & ~_umask())  # temporary files are private, ours need not be
    temporary.replace(path)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
