"""Files that somebody else wrote, damaged or made up: each is read or refused with a sentence, soon."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

from hypothesis import given, seed, settings
from hypothesis.database import InMemoryExampleDatabase

from tests import test_fuzz
from tests.attack.rows import Row, Setting, Tally


def attack(setting: Setting) -> Iterator[Row]:
    """Every format that has a fuzz test, with other examples than that test's, and more."""
    more = settings(test_fuzz.FUZZ, max_examples=setting.times(500, 15), database=InMemoryExampleDatabase())
    fuzzed = {name: test for name, test in vars(test_fuzz).items() if getattr(test, "is_hypothesis_test", False)}
    read = test_fuzz.refuses
    for name, test in fuzzed.items():
        what = name.removeprefix("test_").replace("_", " ")
        setting.say(what)
        tally, refused = Tally(what), 0

        def counted(work: Any, tally: Tally = tally) -> str:
            nonlocal refused
            sentence = read(work)
            tally.note(None)
            refused += bool(sentence)
            return sentence

        test_fuzz.refuses = counted
        try:
            place = {"tmp_path": setting.folder} if "tmp_path" in inspect.signature(test).parameters else {}
            seed(setting.seed)(more(_again(test)))(**place)
        except Exception as error:  # what a reader must not raise
            tally.note(f"{type(error).__name__}: {error}"[:300])
        finally:
            test_fuzz.refuses = read
        yield tally.row(f"refused with a sentence {refused} times, read {tally.times - refused} times; no other error")


def _again(test: Any) -> Any:
    """The same test, without the settings that it has: nothing can have two."""
    return given(**test.hypothesis._given_kwargs)(test.hypothesis.inner_test)
