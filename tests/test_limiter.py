"""How often one address may ask, and what it costs to know that of many addresses."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest

pytest.importorskip("fastapi")

from pechvogel.play import guard
from pechvogel.play.guard import Limiter


@pytest.fixture
def wait(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[float], None]]:
    """Let time pass."""
    now = [1000.0]

    def go_on(seconds: float) -> None:
        now[0] += seconds

    monkeypatch.setattr(guard.time, "monotonic", lambda: now[0])
    yield go_on


def test_credit_comes_back_with_time(wait: Callable[[float], None]) -> None:
    limiter = Limiter(rate=2.0, burst=4.0)
    assert [limiter.allows("a") for _ in range(6)] == [True] * 4 + [False] * 2
    wait(0.5)
    assert [limiter.allows("a") for _ in range(2)] == [True, False]
    assert limiter.allows("b", 4.0) and not limiter.allows("b", 0.5)
    wait(1)
    assert limiter.allows("a", 2.0) and not limiter.allows("a", 0.5), "who was refused has not paid"


def test_those_with_all_their_credit_are_forgotten(wait: Callable[[float], None]) -> None:
    limiter = Limiter(rate=2.0, burst=4.0)
    for number in range(1000):
        limiter.allows(f"{number}")
        wait(0.01)
    assert 190 < len(limiter._credit) < 210, "those of the last two seconds"
    limiter.allows("999", 2.5)
    wait(1.5)
    for number in range(200):
        limiter.allows(f"new {number}")
    assert not limiter.allows("999", 4.0), "who still owes something is remembered"


def test_there_is_an_end_to_those_who_are_remembered(
    wait: Callable[[float], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "REMEMBERED", 100)
    limiter = Limiter(rate=1.0, burst=2.0)
    for number in range(1000):
        limiter.allows(f"{number}")
        assert limiter.allows("busy", 0.0) and len(limiter._credit) <= 101
    assert list(limiter._credit)[-2:] == ["999", "busy"]


def test_many_addresses_cost_no_more_than_a_few() -> None:
    limiter = Limiter(rate=0.001, burst=2.0)

    def best(first: int) -> float:
        """Seconds of a thousand addresses, the best of five: other programs take their time, too."""
        times = []
        for run in range(5):
            start = time.perf_counter()
            for number in range(1000):
                limiter.allows(f"{first + 1000 * run + number}")
            times.append(time.perf_counter() - start)
        return min(times)

    few = best(0)
    for number in range(50_000):
        limiter.allows(f"more {number}")
    assert best(10**6) < 10 * few
