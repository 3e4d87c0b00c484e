"""Files that are whole or not there: written beside their place, then renamed into it. And lines, and locks."""

from __future__ import annotations

import errno
import json
import math
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
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
    """Write a file so that whoever reads it, or kills us, finds the old one or the new one.

    A link stays: what it points to is replaced. What is no file (a device, a pipe) is written to.
    """
    try:
        old = path.stat()
    except FileNotFoundError:  # a link to nothing may be among them
        old = None
    if old is not None and (not stat.S_ISREG(old.st_mode) or _is_open_file(path)):
        _write_to(path, content)
        return
    path = Path(os.path.realpath(path))
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
        temporary = Path(file.name)
        try:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        except BaseException:
            temporary.unlink()
            raise
    try:
        if old is not None and hasattr(os, "chown"):
            with suppress(PermissionError):
                os.chown(temporary, old.st_uid, old.st_gid)
        # Temporary files are private, ours need not be.
        temporary.chmod(0o666 & ~_umask() if old is None else stat.S_IMODE(old.st_mode))
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def append_line(path: Path, line: bytes) -> None:
    """Add a line to a file, the whole of it or nothing; others may add theirs. What is no file is written to."""
    line += b"\n"
    if path.exists() and (not path.is_file() or _is_open_file(path)):
        _write_to(path, line)
        return
    with open(path, "ab+", buffering=0) as file:
        size = file.seek(0, os.SEEK_END)
        if size:
            file.seek(-1, os.SEEK_END)
            if file.read(1) != b"\n":  # a line that was cut off (a killed program, say) must not swallow this one
                line = b"\n" + line
        try:
            if file.write(line) != len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(file.fileno())
        except BaseException:
            file.truncate(size)
            raise


def _write_to(path: Path, content: bytes) -> None:
    with open(os.open(path, os.O_WRONLY | os.O_APPEND), "wb") as place:
        place.write(content)


def _is_open_file(path: Path) -> bool:
    """Whether a name stands for a file that is open already, as /dev/stdout does."""
    while not str(path.absolute()).startswith(("/proc/", "/dev/fd/")):
        if not path.is_symlink():
            return False
        path = path.parent / path.readlink()
    return True


@contextmanager
def lock(path: Path, refusal: str) -> Iterator[None]:
    """Keep all others out who lock this file (ValueError); the lock goes with the process, however it ends."""
    while True:
        with open(path, "wb") as file:
            try:
                import fcntl

                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except ImportError:  # Windows
                pass
            except OSError:
                raise ValueError(refusal) from None
            # Whoever had it before may have deleted it between our two steps: then nobody else would see ours.
            if not _is_there(path, file.fileno()):
                continue
            try:
                yield
            finally:
                with suppress(OSError):
                    path.unlink()
            return


def _is_there(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
