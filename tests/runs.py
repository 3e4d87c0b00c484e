"""Training runs as a user starts them: in a process of their own, which can be killed."""

from __future__ import annotations

import hashlib
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent


def train(*words: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "pechvogel", "train", *words]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=ROOT)


def train_to_the_end(*words: str) -> None:
    process = train(*words)
    _, error = process.communicate(timeout=300)
    assert process.returncode == 0, error.decode()


def train_and_kill(config: Path, folder: Path, kills: int, longest: float) -> None:
    """Kill a run several times, at any moment up to `longest` seconds after it has got somewhere; then let it end."""
    rng = random.Random(1)
    checkpoint = folder / "checkpoint.safetensors"
    words: tuple[str, ...] = (str(config), "--out", str(folder))
    for _ in range(kills):
        before = checkpoint.stat().st_mtime_ns if checkpoint.exists() else 0
        process = train(*words)
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            if checkpoint.exists() and checkpoint.stat().st_mtime_ns != before:
                break
            time.sleep(0.02)
        time.sleep(rng.uniform(0.0, longest))
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        words = ("--resume", str(folder))
    train_to_the_end(*words)


def digest(folder: Path) -> str:
    """Of the weights at the end of a run."""
    return hashlib.sha256((folder / "policy.safetensors").read_bytes()).hexdigest()
