"""A full disk: what can't be written is said in a sentence, what was there stays, and it goes on when there is room."""

from __future__ import annotations

import resource
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from pechvogel.train.config import WEIGHTS
from tests import wire
from tests.attack.children import Child, serving
from tests.attack.resumed import digest
from tests.attack.rows import Row, Setting, Tally
from tests.attack.training import CONFIGS, SMALL
from tests.disks import fill, small_disk

SECONDS = 120.0


def attack(given: Setting) -> Iterator[Row]:
    """The server, training, solving and results, on a disk of a few megabytes that is filled."""
    with small_disk(given.folder / "small", 4) as disk:
        if disk is None:
            yield from _limited(given)
            return
        for tried in (_server, _commands):
            given.say(tried.__name__.strip("_"))
            yield from tried(disk, given)


def _server(disk: Path, given: Setting) -> Iterator[Row]:
    tally = Tally("a game on a full disk (tmpfs of 4 MB): moves, new games, /healthz")
    filler = disk / "filler"
    with serving(disk) as server:
        _, me = wire.status(server, "/api/rooms", {"seats": [{"kind": "me"}, {"kind": "open"}]})
        room, token = f"/api/rooms/{me['room']}", {"Authorization": f"Bearer {me['token']}"}
        for _ in range(given.times(10, 2)):
            fill(filler)
            before, refused, on = wire.status(server, room)[1], 0, True
            for _ in range(60):  # some pages may find room in what the log has already
                on = not on
                code, _ = wire.status(server, f"{room}/wish", {"what": "coach", "on": on}, **token)
                refused = code
                if code != 200:
                    break
                before = wire.status(server, room)[1]
            tally.note(None if refused == 503 else f"a move on a full disk: {refused}")
            tally.note(None if wire.status(server, room)[1] == before else "what was not stored has happened")
            opened = wire.status(server, "/api/rooms", {"seats": [{"kind": "me"}, {"kind": "open"}]})[0]
            tally.note(None if opened == 503 else f"a new game on a full disk: {opened}")
            health, said = wire.status(server, "/healthz")
            tally.note(None if health == 503 and "full" in said["error"] else f"/healthz: {health} {said}")
            began, used = time.monotonic(), wire.cpu(server)
            time.sleep(1)
            busy = (wire.cpu(server) - used) / (time.monotonic() - began)
            tally.note(None if busy < 0.5 else f"the server is busy with it: {busy:.0%} of a core")
            filler.unlink()
            with suppress(AssertionError):
                wire.until(lambda: wire.status(server, "/healthz")[0] == 200, 20)
            code, _ = wire.status(server, f"{room}/wish", {"what": "take_back", "on": True}, **token)
            tally.note(None if code == 200 else f"a move after that: {code}")
            wire.status(server, f"{room}/wish", {"what": "take_back", "on": False}, **token)
            after = wire.status(server, room)[1]
            server.kill()
            server.start()
            tally.note(None if wire.status(server, room)[1] == after else "after a kill something is lost")
    yield tally.row("503 and a sentence, /healthz says why, no busy loop; with room again it goes on, nothing lost")


def _commands(disk: Path, given: Setting) -> Iterator[Row]:
    config = given.folder / "config.yaml"
    config.write_text(SMALL + CONFIGS["value"])
    whole, run = given.folder / "whole", disk / "run"
    log, filler = given.folder / "log", disk / "filler"
    first = _done(["train", str(config), "--out", str(whole)], given, log)
    tally = Tally("training, solving and --json on a full disk (tmpfs of 4 MB)")
    tally.note(None if first == 0 else f"training with room: exit code {first}")
    result = disk / "result.json"
    result.write_text("old")
    fill(filler)
    table = str(disk / "x.table")
    for words in (
        ["train", str(config), "--out", str(run)],
        ["solve", "--copies", "1", "--frustrations", "3", "--out", table],
        ["evaluate", "random", "random", "--games", "2", "--workers", "1", "--json", str(result)],
        ["watch", "--copies", "1", "--delay", "0", "--json", str(disk / "watch.json")],
    ):
        log.unlink(missing_ok=True)
        code = _done(words, given, log)
        text = log.read_text(encoding="utf-8")
        if code != 2 or "Traceback" in text:
            tally.note(f"{words[0]}: exit code {code}, {text[-200:]!r}")
        else:
            tally.note(None if "space" in text or "room" in text else f"{words[0]} does not say why: {text[-200:]!r}")
    tally.note(None if result.read_text() == "old" else "a result was lost")
    filler.unlink()
    # The same run, with room for some of its checkpoints only, then with room for all.
    child = Child(["train", str(config), "--out", str(run)], given.folder, log)
    wire.until(lambda: (run / "checkpoint.safetensors").exists() or child.poll() is not None, SECONDS)
    fill(filler)
    child.wait(SECONDS)
    child.kill()
    filler.unlink()
    ends = _done(["train", "--resume", str(run)], given, log)
    same = ends == 0 and digest(run / WEIGHTS) == digest(whole / WEIGHTS)
    tally.note(None if same else f"resumed with room again: exit code {ends}, other bits")
    yield tally.row(
        "one sentence and exit code 2 each, old results stay; resumed with room again, training has the same bits"
    )


def _done(words: list[str], given: Setting, log: Path) -> Any:
    child = Child(words, given.folder, log)
    code = child.wait(SECONDS)
    child.kill()
    return code


def _limited(given: Setting) -> Iterator[Row]:
    """Where no disk can be mounted: no file may become larger than a megabyte (RLIMIT_FSIZE)."""
    tally = Tally("results that may not be written (RLIMIT_FSIZE; no small disk can be mounted here)")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    path = given.folder / "file"
    path.write_text("old")
    from pechvogel.tabletop.files import replace_file

    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, hard))
    try:
        replace_file(path, bytes(1 << 21))
        tally.note("a file was written that may not be")
    except OSError:
        tally.note(
            None if path.read_text() == "old" and len(list(given.folder.glob(".*"))) == 0 else "something is lost"
        )
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    yield tally.row("refused, and the old file is still there")
