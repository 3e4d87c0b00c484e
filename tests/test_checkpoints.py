"""Checkpoints: what is damaged is noticed, the one before is taken, and a folder has one run at a time."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

from safetensors import safe_open
from safetensors.numpy import save

from pechvogel.cli import main
from pechvogel.train import loop, run
from pechvogel.train.config import CHECKPOINT
from pechvogel.train.loop import BEFORE
from tests.runs import digest, train, train_to_the_end

CONFIG = """
settings: {copies: 1}
steps: 1024
tables: 16
rollout: 8
minibatch: 64
hidden: [8]
snapshot_every: 2
snapshots: 2
evaluate_every: 4
evaluate_against: [random]
evaluation_games: 10
checkpoint_minutes: 0
league: {current: 0.5, past: 0.5}
"""


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("configs") / "smallest.yaml"
    path.write_text(CONFIG)
    return path


@pytest.fixture(scope="module")
def whole(config: Path) -> Path:
    folder = config.parent / "whole"
    assert main(["train", str(config), "--out", str(folder)]) == 0
    return folder


@pytest.fixture
def stopped(whole: Path, tmp_path: Path) -> Path:
    """A run of which the last checkpoint and the one before are there, and not its end."""
    folder = tmp_path / "run"
    folder.mkdir()
    for name in (CHECKPOINT, BEFORE):
        shutil.copy(whole / name, folder)
    return folder


def flip(path: Path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)


def resume(folder: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    capsys.readouterr()
    code = main(["train", "--resume", str(folder)])
    return code, capsys.readouterr().err


def refused(folder: Path, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, said = resume(folder, capsys)
    assert code == 2 and message in said and said.count("\n") == 1 and len(said) < 600, said


def test_the_last_two_are_kept(whole: Path) -> None:
    done = [run._read(whole / name)[1]["done"] for name in (BEFORE, CHECKPOINT)]
    assert done == [1024 - 16 * 8, 1024]
    assert not [path for path in whole.iterdir() if path.name.startswith(".")]


def places(path: Path) -> list[int]:
    """In the length of the header, in names and notes, in the checksum, in tensors, at the end."""
    data = path.read_bytes()
    header = 8 + int.from_bytes(data[:8], "little")
    rng = np.random.default_rng(1)
    found = [0, 3, 8, data.index(b"sha256"), data.index(b"sha256") + 12, data.index(b'\\"done\\": ') + 11]
    found += [int(at) for at in rng.integers(header, len(data), 6)]
    return [*found, header, header - 1, len(data) - 1]


def test_one_flipped_bit_anywhere_is_noticed(stopped: Path) -> None:
    path = stopped / CHECKPOINT
    right = path.read_bytes()
    for at in places(path):
        path.write_bytes(right)
        flip(path, at)
        with pytest.raises(ValueError, match="is damaged or is no checkpoint"):
            run._read(path)
    for data in (b"", right[:7], right[:1000], right[:-1], right + b"0"):
        path.write_bytes(data)
        with pytest.raises(ValueError, match="is damaged or is no checkpoint"):
            run._read(path)


def test_a_damaged_one_is_named_and_the_one_before_taken(
    stopped: Path, whole: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flip(stopped / CHECKPOINT, -100)
    code, said = resume(stopped, capsys)
    assert code == 0 and f"{CHECKPOINT} is damaged" in said and BEFORE in said
    assert digest(stopped) == digest(whole)
    assert [run._read(stopped / name)[1]["done"] for name in (BEFORE, CHECKPOINT)] == [896, 1024]


def test_the_damaged_one_does_not_drive_out_the_good_one(stopped: Path) -> None:
    flip(stopped / CHECKPOINT, -100)
    run._read_last(stopped)
    assert (stopped / CHECKPOINT).read_bytes() == (stopped / BEFORE).read_bytes()
    (stopped / CHECKPOINT).unlink()
    assert run._read_last(stopped)[1]["done"] == 896


def test_both_damaged(stopped: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in (CHECKPOINT, BEFORE):
        flip(stopped / name, -100)
    before = [(stopped / name).read_bytes() for name in (CHECKPOINT, BEFORE)]
    refused(stopped, f"{BEFORE} is damaged", capsys)
    assert [(stopped / name).read_bytes() for name in (CHECKPOINT, BEFORE)] == before
    (stopped / BEFORE).unlink()
    refused(stopped, f"{CHECKPOINT} is damaged", capsys)


def test_one_without_a_checksum_is_still_read(stopped: Path, whole: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (stopped / CHECKPOINT).unlink()
    tensors, notes = run._read(stopped / BEFORE)
    (stopped / BEFORE).unlink()
    (stopped / CHECKPOINT).write_bytes(save(tensors, {"notes": json.dumps(notes)}))
    assert resume(stopped, capsys)[0] == 0
    assert digest(stopped) == digest(whole)


def rewrite(folder: Path, tensors: dict[str, Any], notes: str) -> None:
    """A checkpoint by another hand, with the checksum that belongs to it."""
    (folder / BEFORE).unlink(missing_ok=True)
    (folder / CHECKPOINT).write_bytes(save(tensors, {"notes": notes, "sha256": loop.digest(tensors, notes)}))


WRONG_NOTES: list[tuple[str, Any]] = [
    *[(key, value) for key in ("done", "updates", "taken") for value in ([1], -1, 1.5, True, 10**400, None)],
    *[("seconds", value) for value in ("long", float("nan"), float("inf"), -1, [])],
    *[("snapshots", value) for value in (10**15, 3, "2")],
    *[("history", value) for value in ({}, 3, [3], [[]], [{"steps": 1}], [None])],
    ("history", [{"steps": 1, "against": "random", "win_share": float("nan")}]),
    *[("generators", value) for value in (3, {}, {"env": 3}, {"env": {"bit_generator": "PCG64", "state": [1]}})],
    *[("numpy_rng", value) for value in (3, [], ["MT19937", "a", 0, 0.0], ["other", 0, 0, 0.0])],
    *[("config", value) for value in (3, [], {}, {"learner": "ppo", "colour": 1}, {"learner": ["ppo"]})],
    ("model_updates", [[]]),
]


def test_notes_of_wrong_types(stopped: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tensors, notes = run._read(stopped / CHECKPOINT)
    for key, value in WRONG_NOTES:
        rewrite(stopped, tensors, json.dumps({**notes, key: value}))
        refused(stopped, "is no checkpoint of this version", capsys)
    for key in notes:
        rewrite(stopped, tensors, json.dumps({name: value for name, value in notes.items() if name != key}))
        refused(stopped, f"is no checkpoint of this version ('{key}')", capsys)
    for text in ("[" * 100_000 + "]" * 100_000, "[]", "3", "null", "{", '{"done": ' + "9" * 5000 + "}"):
        rewrite(stopped, tensors, text)
        refused(stopped, f"{CHECKPOINT} is ", capsys)
    assert not (stopped / "policy.safetensors").exists()


def test_tensors_of_wrong_shapes(stopped: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tensors, notes = run._read(stopped / CHECKPOINT)
    names = [
        "policy.action_net.weight",
        "optimizer.0.exp_avg",
        "optimizer.0.step",
        "env.states",
        "env.bits",
        "env.seats",
        "snapshot.1.bias_0",
        "episode_starts",
        "torch_rng",
        "numpy_rng",
    ]
    for name in names:
        right = tensors[name]
        for wrong in (right.reshape(-1)[:1].repeat(3), right.astype(np.float64), None):
            some = {**tensors, name: wrong}
            if wrong is None:
                del some[name]
            rewrite(stopped, some, json.dumps(notes))
            refused(stopped, "is no checkpoint of this version", capsys)
    rewrite(stopped, {**tensors, "optimizer.x.step": np.zeros(1, np.float32)}, json.dumps(notes))
    refused(stopped, "the optimizer has other parameters", capsys)


def test_killed_while_it_writes(stopped: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After each step of writing a checkpoint, one that is whole can be found under the usual name."""
    tensors, notes = run._read(stopped / CHECKPOINT)
    learner = run._learner(run.configs.from_dict(notes["config"]), stopped)
    learner.restore(tensors, notes)
    seen = []

    def step(function: Any) -> Any:
        def call(*words: Any) -> Any:
            result = function(*words)
            seen.append(run._read(stopped / CHECKPOINT)[1]["done"])
            return result

        return call

    for name in ("link", "replace", "rename", "unlink"):
        monkeypatch.setattr(os, name, step(getattr(os, name)))
    learner.checkpoint()
    assert len(seen) >= 4 and set(seen) == {1024}
    with safe_open(stopped / BEFORE, "np") as file:
        assert json.loads(file.metadata()["notes"])["done"] == 1024


def test_two_runs_in_one_folder(config: Path, tmp_path: Path) -> None:
    longer = tmp_path / "longer.yaml"
    longer.write_text(CONFIG.replace("steps: 1024", "steps: 100000000"))
    folder = tmp_path / "run"
    first = train(str(longer), "--out", str(folder))
    try:
        deadline = time.monotonic() + 120
        while not (folder / CHECKPOINT).exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        for words in ((str(longer), "--out", str(folder)), ("--resume", str(folder))):
            second = train(*words)
            _, error = second.communicate(timeout=120)
            assert second.returncode == 2 and error.count(b"\n") == 1, error
            assert f"another run is training into {folder}" in error.decode()
        with pytest.raises(ValueError, match="another run is training into"):
            run.start_or_resume(run.configs.read(longer), folder)
        assert first.poll() is None
    finally:
        os.kill(first.pid, signal.SIGKILL)
        first.communicate()
    train_to_the_end("--resume", str(folder), "--finish")  # the lock went with its process
    assert (folder / "policy.safetensors").exists()


def test_a_full_disk_is_told_once(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """TensorBoard writes in a thread of its own, whose traceback would come before our sentence."""

    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    printed: list[Any] = []
    monkeypatch.setattr(threading, "excepthook", printed.append)
    monkeypatch.setattr("tensorboard.summary.writer.record_writer.RecordWriter.write", full)
    assert main(["train", str(config), "--out", str(tmp_path / "run")]) == 2
    told = capsys.readouterr().err
    assert not printed and told.count("No space left") == 1 and "Traceback" not in told
