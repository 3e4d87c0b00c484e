"""Processes that begin at once, as they are forked from one that has everything loaded: so they can be killed often."""

from __future__ import annotations

import multiprocessing
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from pechvogel.cli import main
from tests.load import Server

CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(["tests.attack.preload"])


WRITE = os.O_WRONLY | os.O_CREAT | os.O_APPEND


class Child:
    """`pechvogel ...` in a folder, with nobody at the keyboard; it writes into a log, or complaints into another."""

    def __init__(self, words: list[str], folder: Path, log: Path, complaints: Path | None = None) -> None:
        self._process = CONTEXT.Process(target=_obey, args=(words, str(folder), str(log), str(complaints or log)))
        self._process.start()
        assert self._process.pid is not None
        self.pid = self._process.pid

    def poll(self) -> int | None:
        """Its exit code, if it has ended."""
        return self._process.exitcode

    def wait(self, seconds: float) -> int | None:
        """The same, after some time at most."""
        self._process.join(seconds)
        return self._process.exitcode

    def kill(self) -> None:
        """As the machine would; nothing happens if it has ended."""
        self._process.kill()
        self._process.join()


def _obey(words: list[str], folder: str, log: str, complaints: str) -> None:
    for number, (name, flags) in enumerate(((os.devnull, os.O_RDONLY), (log, WRITE), (complaints, WRITE))):
        os.dup2(os.open(name, flags, 0o600), number)
    # Multiprocessing has replaced the first, and the others may look like a terminal still.
    sys.stdin, sys.stdout, sys.stderr = os.fdopen(0), os.fdopen(1, "w", 1), os.fdopen(2, "w", 1)
    os.chdir(folder)
    os.environ["PECHVOGEL_TABLES"] = folder
    sys.exit(main(words))


class Forked(Server):
    """The server as such a child: it starts in a fraction of a second, and can be killed often."""

    child: Child

    def start(self) -> None:
        """Returns when it answers."""
        words = self.command[self.command.index("pechvogel") + 1 :]
        self.child = self.process = Child(words, self.log.parent, self.log)  # type: ignore[assignment]
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and self.child.poll() is None:
            with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 60) as connection:
                connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                if connection.recv(12):
                    return
            time.sleep(0.01)
        raise RuntimeError(f"the server did not start: {self.log.read_text(encoding='utf-8')[-500:]}")

    def kill(self) -> None:
        """As the machine would."""
        self.child.kill()


# What a server does that nobody gave other limits; `load.Server` sets them so high that nobody meets them.
USUAL = ("--rate", "50", "--games-per-address", "50")


@contextmanager
def serving(folder: Path, *options: str, forked: bool = True) -> Iterator[Server]:
    """A server, until it is no longer needed; its port and log are what a stranger and the attack know of it."""
    server = (Forked if forked else Server)(folder / "games.sqlite", *options)
    try:
        yield server
    finally:
        server.kill()


@contextmanager
def stranger(work: Callable[..., None], *arguments: Any) -> Iterator[None]:
    """Work in a process of its own, until it is stopped; it does not compete with the server for the two cores."""
    process = CONTEXT.Process(target=_work, args=(work, *arguments))
    process.start()
    try:
        yield
    finally:
        process.kill()
        process.join()


def _work(work: Callable[..., None], *arguments: Any) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(19)
    work(*arguments)
