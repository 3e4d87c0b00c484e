"""Processes that play games."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from threading import Thread


@contextmanager
def worker_pool(workers: int) -> Iterator[ProcessPoolExecutor]:
    """Processes for games: each with one thread for its matrices, as small ones spend more time waiting than summing.

    Spawned, not forked: agents may hold threads (torch does) that a fork would lose.
    """
    names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
    before = {name: os.environ.get(name) for name in names}
    for name in names:
        os.environ.setdefault(name, "1")
    try:
        with ProcessPoolExecutor(workers, get_context("spawn"), initializer=_end_with_parent) as pool:
            yield pool
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]


def _end_with_parent() -> None:
    """Worker processes would wait for work for ever if the one that gives it were killed."""
    parent = parent_process()
    if parent is not None:
        Thread(target=lambda: os._exit(len(wait([parent.sentinel]))), daemon=True).start()
