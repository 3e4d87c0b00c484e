"""Speeds of contenders that are measured in turns: machines are noisy, so only ratios within a run mean something."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pechvogel.train.progress import bar

# Works for about so many seconds, or once; returns how much it did and the seconds that took.
Contender = Callable[[float], tuple[int, float]]


def measure(contenders: Mapping[str, Contender], seconds: float, rounds: int) -> dict[str, list[float]]:
    """What each does per second, round by round, over so many seconds in all."""
    speeds: dict[str, list[float]] = {name: [] for name in contenders}
    with bar() as progress:
        task = progress.add_task("measuring", total=rounds * len(contenders))
        for contender in contenders.values():
            contender(0.0)  # compile and warm up
        for _ in range(rounds):
            for name, contender in contenders.items():
                done, elapsed = contender(seconds / rounds)
                speeds[name].append(done / elapsed)
                progress.advance(task)
    return speeds
