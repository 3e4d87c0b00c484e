"""Training is killed at any moment, also while a checkpoint is written: it ends with the same bits as undisturbed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pechvogel.train.config import CHECKPOINT, WEIGHTS
from tests.attack.resumed import Work, digest, killed, undisturbed
from tests.attack.rows import Row, Setting
from tests.runs import train_to_the_end

SMALL = """
settings: {copies: 1}
tables: 16
rollout: 8
hidden: [8]
evaluate_every: 8
evaluate_against: [random]
evaluation_games: 10
checkpoint_minutes: 0
"""
CONFIGS = {
    "ppo": "learner: ppo\nsteps: 768\nminibatch: 64\nsnapshot_every: 2\nleague: {current: 0.5, past: 0.5}",
    "value": "learner: value\nturns: 768",
    "imitate": "learner: imitate\nteacher: planner\ndecisions: 768",
}


def attack(given: Setting) -> Iterator[Row]:
    """Every learner."""
    for number, (learner, more) in enumerate(CONFIGS.items()):
        if given.quick and number:
            break
        kills = given.times(34 - bool(number), 3)  # a hundred in all
        root = given.folder / learner
        root.mkdir()
        config = root / "config.yaml"
        config.write_text(SMALL + more)
        given.say(f"{learner}, undisturbed")
        train_to_the_end(str(config), "--out", str(root / "reference"))  # as a user starts it

        def begin(folder: Path, config: Path = config) -> list[str]:
            return ["train", str(config), "--out", str(folder)]

        def go_on(folder: Path) -> list[str]:
            return ["train", "--resume", str(folder)]

        work = Work(begin, go_on, CHECKPOINT, WEIGHTS)
        expected, seconds = undisturbed(work, root)
        same = expected == digest(root / "reference" / WEIGHTS)
        found = killed(
            work,
            root,
            kills,
            seconds,
            given.rng(learner),
            expected,
            lambda what, of=learner: given.say(f"{of}, {what}"),
        )
        happened = found.wrong or (
            f"runs that came to their end: {found.ends}, each with the same bits as undisturbed;"
            f" kills while something was written: {found.writing}"
        )
        yield Row(f"training killed ({learner})", found.kills, happened, same and not found.wrong and found.ends > 0)
