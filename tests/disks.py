"""Disks that can be filled."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def small_disk(path: Path, megabytes: int = 1) -> Iterator[Path | None]:
    """A file system of its own in a new folder; None where none can be mounted."""
    path.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(path)]
    if sys.platform != "linux" or os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode != 0:
        yield None
        return
    try:
        yield path
    finally:
        subprocess.run(["umount", "-l", str(path)], check=True)


def fill(path: Path) -> None:
    """Until nothing more can be written."""
    with open(path, "wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(4096))
