"""Files that are replaced as a whole, and what is no file."""

from __future__ import annotations

import errno
import json
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from pechvogel.cli import main
from pechvogel.tabletop.files import append_line, lock, replace_file

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="it has no such files")


def only(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_link_stays_and_its_file_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    real, link, second = tmp_path / "far" / "real", tmp_path / "link", tmp_path / "second"
    link.symlink_to("far/real")
    second.symlink_to(link)
    for content in (b"one", b"two"):  # a link to nothing, then to a file
        before = real.stat().st_ino if real.exists() else 0
        replace_file(second, content)
        assert link.is_symlink() and second.is_symlink() and not real.is_symlink()
        assert real.read_bytes() == content and real.stat().st_ino != before
    assert only(tmp_path) == ["far", "link", "second"] and only(tmp_path / "far") == ["real"]


def test_a_device_stays_one(tmp_path: Path) -> None:
    device = tmp_path / "null"
    try:
        os.mknod(device, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
        with open(device, "wb"):
            pass
    except OSError:  # not root, or a place without devices
        device.unlink(missing_ok=True)
        device = Path("/dev/null")
    link = tmp_path / "link"
    link.symlink_to(device)
    if device.parent == tmp_path or os.geteuid() != 0:  # never risk the machine's own
        replace_file(device, b"gone")
        replace_file(link, b"gone")
    assert stat.S_ISCHR(device.stat().st_mode) and link.is_symlink()


def test_a_pipe_is_written_to(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    reader.start()
    words = ["evaluate", "random", "random", "--games", "2", "--workers", "1", "--json", str(pipe)]
    assert main(words) == 0
    reader.join(30)
    capsys.readouterr()
    assert json.loads(read[0]) and stat.S_ISFIFO(pipe.stat().st_mode) and only(tmp_path) == ["pipe"]


def test_standard_output_by_its_name_is_not_replaced(tmp_path: Path) -> None:
    code = "import sys, pathlib; from pechvogel.tabletop.files import replace_file\n"
    code += "print('first', flush=True); replace_file(pathlib.Path('/dev/stdout'), b'second\\n'); print('third')"
    target = tmp_path / "out"
    with open(target, "ab") as file:
        subprocess.run([sys.executable, "-c", code], stdout=file, check=True, timeout=120)
    assert target.read_text() == "first\nsecond\nthird\n"
    piped = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, timeout=120)
    assert piped.stdout == b"first\nsecond\nthird\n"


def test_permissions_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "file"
    replace_file(path, b"one")
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~mask
    for mode in (0o600, 0o640, 0o755):
        path.chmod(mode)
        replace_file(path, b"two")
        assert stat.S_IMODE(path.stat().st_mode) == mode and path.read_bytes() == b"two"


def test_a_folder_is_no_place_for_a_file(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="directory"):
        replace_file(tmp_path, b"")
    assert only(tmp_path) == []


def test_what_could_not_be_written_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    replace_file(path, b"one")
    for step in ("fsync", "replace"):
        with monkeypatch.context() as broken:

            def fail(*_: object) -> None:
                raise OSError(errno.ENOSPC, "No space left on device")

            broken.setattr(os, "fsync" if step == "fsync" else "rename", fail)
            broken.setattr(os, "fsync" if step == "fsync" else "replace", fail)
            with pytest.raises(OSError, match="No space left"):
                replace_file(path, b"two")
        assert only(tmp_path) == ["file"] and path.read_bytes() == b"one"


def test_a_file_is_on_the_disk_before_it_takes_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    fsync, replace = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda file: (done.append("on the disk"), fsync(file)))
    monkeypatch.setattr(os, "replace", lambda *places: (done.append("in its place"), replace(*places)))
    replace_file(tmp_path / "file", b"one")
    assert done == ["on the disk", "in its place"]


# ------------------------------------------------------------------------------ lines


def test_lines_are_added_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, link = tmp_path / "lines", tmp_path / "link"
    link.symlink_to("lines")
    append_line(link, b"one")
    path.chmod(0o640)
    append_line(link, b"two")
    assert link.is_symlink() and path.read_bytes() == b"one\ntwo\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    with monkeypatch.context() as broken:

        def fail(*_: object) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        broken.setattr(os, "fsync", fail)
        with pytest.raises(OSError, match="No space left"):
            append_line(path, b"three")
    assert path.read_bytes() == b"one\ntwo\n"
    with open(path, "ab") as file:
        file.write(b"cut o")
    append_line(path, b"four")
    assert path.read_bytes() == b"one\ntwo\ncut o\nfour\n"


def pipes_and_files(folder: Path, words: list[str], capsys: pytest.CaptureFixture[str]) -> list[bytes]:
    """What a command writes into a file by its name, by a link to it, and into a pipe."""
    file, link, pipe = folder / "real.png", folder / "link.png", folder / "pipe.png"
    link.symlink_to("real.png")
    os.mkfifo(pipe)
    found: list[bytes] = []
    for place in (file, link):
        assert main([*words, str(place)]) == 0
        found.append(file.read_bytes())
    reader = threading.Thread(target=lambda: found.append(pipe.read_bytes()), daemon=True)
    reader.start()
    assert main([*words, str(pipe)]) == 0
    reader.join(30)
    for place in (folder / "no" / "such.png", folder):
        capsys.readouterr()
        assert main([*words, str(place)]) == 2 and capsys.readouterr().err.count("\n") == 1
    assert link.is_symlink() and stat.S_ISFIFO(pipe.stat().st_mode)
    assert only(folder) == ["link.png", "pipe.png", "real.png"]
    return found


def test_plots_into_pipes_and_links(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    words = ["evaluate", "random", "random", "--games", "2", "--workers", "1", "--plot"]
    found = pipes_and_files(tmp_path, words, capsys)
    assert all(data.startswith(b"\x89PNG") and data.rstrip().endswith(b"IEND\xaeB`\x82") for data in found)
    before = (tmp_path / "real.png").read_bytes()
    assert main([*words, str(tmp_path / "real.xyz")]) == 2 and not (tmp_path / "real.xyz").exists()
    assert (tmp_path / "real.png").read_bytes() == before


def test_records_into_pipes_and_links(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["watch", "--players", "2", "--seed", "1", "--delay", "0", "--record"]
    first, second, piped = pipes_and_files(tmp_path, words, capsys)
    assert first == piped and second == 2 * first and len(json.loads(first)["actions"]) > 10


HOLD = """
import sys, time
from pathlib import Path
from pechvogel.tabletop.files import lock
with lock(Path(sys.argv[1]), "taken"):
    print("mine", flush=True)
    time.sleep(120)
"""


def test_a_lock_goes_with_its_process(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with subprocess.Popen([sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE) as other:
        assert other.stdout is not None and other.stdout.readline() == b"mine\n"
        with pytest.raises(ValueError, match=r"^taken$"), lock(path, "taken"):
            pass
        other.kill()
    assert path.exists()
    with lock(path, "taken"):
        with pytest.raises(ValueError, match=r"^taken$"), lock(path, "taken"):
            pass
        assert path.exists(), "who was refused must not delete it"
    assert not path.exists()


def test_a_lock_on_a_file_that_was_deleted_meanwhile_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import fcntl

    path, flock, gone = tmp_path / "lock", fcntl.flock, []

    def late(file: int, how: int) -> None:
        if not gone:  # whoever had it before goes, between our two steps
            gone.append(path.unlink())
        flock(file, how)

    monkeypatch.setattr(fcntl, "flock", late)
    with lock(path, "taken"):
        assert gone and path.exists()
        with pytest.raises(ValueError, match=r"^taken$"), lock(path, "taken"):
            pass
