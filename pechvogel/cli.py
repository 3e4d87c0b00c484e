"""`pechvogel ...`: reads the command line and has it done. Bad input is one sentence and exit code 2."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from pechvogel import commands
from pechvogel.agents.games import DEFAULT, check_game
from pechvogel.arguments import parser
from pechvogel.tabletop.untrusted import shown

PICTURES = (".png", ".svg", ".pdf")
MAX_SENTENCE = 2000  # characters: file names may be long
ONLY_PECHVOGEL = ("solve", "exploit", "findings", "ablation", "puzzles", "explorer")


def main(argv: list[str] | None = None) -> int:
    """Run a command; returns the exit code."""
    if sys.stdout is None:  # closed by the caller
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115  open until we end
    if hasattr(sys.stdout, "reconfigure"):  # names may have letters that this terminal lacks
        sys.stdout.reconfigure(errors="replace")
    words = sys.argv[1:] if argv is None else argv
    _use_one_thread_for_matrices()  # first: the options of a game are told by code that imports NumPy
    arguments = parser(words).parse_args(words)
    try:
        _check_game(arguments)
        _check_targets(arguments)
        getattr(commands, arguments.command)(arguments)
    except (ValueError, OSError) as error:
        if isinstance(error, BrokenPipeError):  # the reader has seen enough (`pechvogel ... | head`)
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 1
        print(f"pechvogel: {_sentence(error)}", file=sys.stderr)
        return 2
    except MemoryError:
        print("pechvogel: this needs more memory than there is", file=sys.stderr)
        return 2
    except ImportError as error:  # of an optional package
        print(f"pechvogel: this needs another package ({error.name}): pip install '.[train]'", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


def _use_one_thread_for_matrices() -> None:
    """Ours are small: a second thread would mostly wait, and it waits by spinning on a core that games could use.

    Training against champions is twice as fast with one. NumPy reads this when it is first imported, which is later.
    """
    for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")


def _sentence(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return shown(f"{error.filename}: {error.strerror}" if error.filename else error.strerror, MAX_SENTENCE)
    return shown(error, MAX_SENTENCE)


def _check_game(arguments: argparse.Namespace) -> None:
    game = getattr(arguments, "game", None)
    if game is not None:
        check_game(game)
        if arguments.command in ONLY_PECHVOGEL and game != DEFAULT:
            raise ValueError(f"{arguments.command} is there for {DEFAULT} only, not for {game}")


def _check_targets(arguments: argparse.Namespace) -> None:
    """Say that a file can't be written before the work, not after it."""
    if getattr(arguments, "plot", None) is not None and Path(arguments.plot).suffix.lower() not in PICTURES:
        raise ValueError(f"--plot {arguments.plot}: a picture ends in {', '.join(PICTURES)}")
    for name in ("json", "record", "plot", "page"):
        target = getattr(arguments, name, None)
        if target is not None and target != "-":
            option = "out" if name == "page" else name
            if Path(target).is_dir():
                raise ValueError(f"--{option} {target}: that is a folder, not a file")
            if not Path(target).parent.is_dir():
                raise ValueError(f"--{option} {target}: there is no folder {Path(target).parent}")


if __name__ == "__main__":
    sys.exit(main())
