"""`pechvogel ...`: reads the command line and calls the room that does the work.

Imports stand inside the commands, so that `--help` answers at once. Bad input is one sentence and exit code 2.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pechvogel.arguments import parser
from pechvogel.tabletop.files import replace_file, to_json

PICTURES = (".png", ".svg", ".pdf")
_NEEDS_TRAIN = "training needs more packages ({}): pip install '.[train]'"


def main(argv: list[str] | None = None) -> int:
    """Run a command; returns the exit code."""
    if sys.stdout is None:  # closed by the caller
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115  open until we end
    if hasattr(sys.stdout, "reconfigure"):  # names may have letters that this terminal lacks
        sys.stdout.reconfigure(errors="replace")
    arguments = parser().parse_args(argv)
    _use_one_thread_for_matrices()
    try:
        _check_targets(arguments)
        _COMMANDS[arguments.command](arguments)
    except (ValueError, OSError) as error:
        if isinstance(error, BrokenPipeError):  # the reader has seen enough (`pechvogel ... | head`)
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 1
        print(f"pechvogel: {_sentence(error)}", file=sys.stderr)
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
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error)


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


def _write_json(target: str | None, result: dict[str, Any]) -> None:
    """Write to a file by way of a temporary one, so that nothing is lost if we are killed."""
    if target is None:
        return
    text = to_json(result)
    if target == "-":
        sys.stdout.write(text.decode())
        return
    replace_file(Path(target), text)


def _bench(arguments: argparse.Namespace) -> None:
    from pechvogel import bench

    if arguments.training:
        _bench_training(arguments)
        return
    if not 0 < arguments.seconds <= 3600:
        raise ValueError(f"--seconds must be above 0 and at most 3600, not {arguments.seconds}")
    if arguments.agent is not None:
        result = bench.time_agent(arguments.agent, arguments.players, arguments.seconds)
        if arguments.json != "-":
            print(
                f"{arguments.agent}, {arguments.players} players: a decision takes {result['median_ms']:.2f} ms "
                f"(median of {result['decisions']:,}), at most {result['max_ms']:.1f} ms"
            )
        _write_json(arguments.json, result)
        return
    result = bench.run(arguments.players, arguments.seconds, arguments.peers)
    if arguments.json != "-":
        bench.show(result)
    _write_json(arguments.json, result)


def _bench_training(arguments: argparse.Namespace) -> None:
    try:
        from pechvogel.train import speed
    except ImportError as error:
        raise ValueError(_NEEDS_TRAIN.format(error.name)) from None
    result = speed.run(arguments.players, arguments.seconds)
    if arguments.json != "-":
        speed.show(result)
    _write_json(arguments.json, result)


def _evaluate(arguments: argparse.Namespace) -> None:
    from pechvogel.train.arena import tournament

    setup = tournament.Setup(
        specs=arguments.agents,
        players=arguments.players,
        copies=arguments.copies,
        games=arguments.games,
        seed=arguments.seed,
        one_against_rest=arguments.one_against_rest,
        time_limit=arguments.time_limit,
    )
    if arguments.workers is not None:
        if arguments.workers < 1:
            raise ValueError(f"--workers must be at least 1, not {arguments.workers}")
        setup.workers = arguments.workers
    result = tournament.run(setup)
    if arguments.json != "-":
        tournament.show(result)
    _write_json(arguments.json, result)
    if arguments.plot is not None:
        tournament.plot(result, arguments.plot)


def _train(arguments: argparse.Namespace) -> None:
    if (arguments.config is None) == (arguments.resume is None):
        raise ValueError("train needs either a config (and --out) or --resume")
    if arguments.config is not None and arguments.out is None:
        raise ValueError("train needs a folder for the run: --out runs/NAME")
    if arguments.finish and arguments.resume is None:
        raise ValueError("--finish ends a run that was stopped: train --resume runs/NAME --finish")
    try:
        from pechvogel.train import run
    except ImportError as error:
        raise ValueError(_NEEDS_TRAIN.format(error.name)) from None
    if arguments.resume is not None:
        run.resume(arguments.resume, arguments.finish)
    else:
        run.start(arguments.config, arguments.out)


def _report(arguments: argparse.Namespace) -> None:
    try:
        from pechvogel.train import report
    except ImportError as error:
        raise ValueError(_NEEDS_TRAIN.format(error.name)) from None
    result = report.make(arguments.folder, arguments.against, arguments.games, arguments.seed)
    if arguments.json != "-":
        report.show(result, arguments.folder)
    _write_json(arguments.json, result)


def _solve(arguments: argparse.Namespace) -> None:
    from pechvogel.agents.pechvogel import solution
    from pechvogel.train.pechvogel.solve import layers as solve
    from pechvogel_env.dice import check_seed

    if arguments.threads is not None and arguments.threads < 1:
        raise ValueError(f"--threads must be at least 1, not {arguments.threads}")
    cap = arguments.frustrations
    if cap is None:
        cap = solve.DEFAULT_CAPS.get(arguments.copies, solve.MIN_CAP)
    path = arguments.out or solution.folder() / solution.file_name(arguments.copies, cap)
    if arguments.check_games < 1:
        raise ValueError(f"--check-games must be at least 1, not {arguments.check_games}")
    check_seed(arguments.seed)
    if arguments.json not in (None, "-") and Path(arguments.json).resolve() == solve.note_of(path).resolve():
        raise ValueError(f"--json {arguments.json}: that is where the note on the table goes; choose another file")
    if arguments.check_cap and path.exists():
        result = solve.describe(path)
        asked = (arguments.copies, cap)
        if (result["copies"], result["frustrations"]) != asked:
            raise ValueError(
                f"{path} is the table of {result['copies']} copies and {result['frustrations']} frustrations; "
                f"say so, or choose another file"
            )
    else:
        result = solve.solve(arguments.copies, cap, path, arguments.threads)
    if arguments.check_cap:
        from pechvogel.train.pechvogel.solve import caps as check_cap

        games, seed, threads = arguments.check_games, arguments.seed, arguments.threads
        found = check_cap.check(solution.Solution(path), arguments.check_cap == "all", games, seed, threads)
        result["cap"] = result.get("cap", {}) | found  # what was found by another cap stays
        solve.add_to_note(path, {"cap": result["cap"]})
    if arguments.json != "-":
        solve.show(result)
    _write_json(arguments.json, result)


def _exploit(arguments: argparse.Namespace) -> None:
    from pechvogel.agents import registry
    from pechvogel.agents.pechvogel.solution import NoTableError
    from pechvogel.train.pechvogel.solve import exploit

    registry.make(arguments.agent)  # what is wrong is an error before the work
    cap = exploit.CAP if arguments.frustrations is None else arguments.frustrations
    exploit.check_cap(cap)
    result: dict[str, Any] = {"agent": arguments.agent, "copies": arguments.copies}
    try:
        against = exploit.regret(arguments.agent, arguments.copies, arguments.games, arguments.seed, arguments.table)
    except NoTableError as error:
        if arguments.copies != exploit.COPIES:
            raise
        print(f"pechvogel: no regret: {error}", file=sys.stderr)
        against = None
    if arguments.copies == exploit.COPIES:
        result |= exploit.exploit(arguments.agent, cap)
    else:
        result |= {"best_response_value": None, "exploitability": None}
    result |= {"regret": against and against["regret"]["mean"], "against_optimal": against}
    if arguments.json != "-":
        exploit.show(result)
    _write_json(arguments.json, result)


def _findings(arguments: argparse.Namespace) -> None:
    from pechvogel.agents import registry
    from pechvogel.agents.pechvogel import solution
    from pechvogel.train.pechvogel.solve import findings, findings_page

    if min(arguments.games, arguments.agent_games) < 1:
        raise ValueError("--games and --agent-games must be at least 1")
    if arguments.data is not None:
        _write_from_data(arguments, findings_page.write, "findings")
    else:
        for spec in arguments.agents:
            registry.make(spec)
        table = solution.Solution(arguments.table or solution.find(arguments.copies))
        data = findings.gather(
            table, arguments.agents, arguments.games, arguments.agent_games, arguments.seed, arguments.best_response
        )
        _write_json(arguments.json, data)
        findings_page.write(arguments.page, data)
    if arguments.json != "-":
        print(f"written: {arguments.page}")


def _write_from_data(arguments: argparse.Namespace, write: Callable[[Path, Any], None], command: str) -> None:
    """A page from the figures that its command has gathered before."""
    if arguments.json is not None:
        raise ValueError("--data and --json exclude each other: the figures are there already")
    refusal = ValueError(f"{arguments.data} is no file of `pechvogel {command} --json`")
    try:
        data = json.loads(arguments.data.read_bytes())
    except ValueError:
        raise refusal from None
    try:
        write(arguments.page, data)
    except (KeyError, TypeError, IndexError, AttributeError):
        raise refusal from None


def _levels(arguments: argparse.Namespace) -> None:
    from pechvogel.train.pechvogel import levels

    result = (levels.fit if arguments.fit else levels.measure)(arguments.games, arguments.seed)
    if arguments.json != "-":
        levels.show(result)
    _write_json(arguments.json, result)


def _ablation(arguments: argparse.Namespace) -> None:
    from pechvogel.train.pechvogel import ablation

    if arguments.data is not None:
        _write_from_data(arguments, ablation.write, "ablation")
    else:
        if arguments.games < 1:
            raise ValueError("--games must be at least 1")
        data = ablation.gather(arguments.players, arguments.runs, arguments.games, arguments.seed)
        _write_json(arguments.json, data)
        ablation.write(arguments.page, data)
    if arguments.json != "-":
        print(f"written: {arguments.page}")


def _play(arguments: argparse.Namespace) -> None:
    from pechvogel.play.pechvogel import words
    from pechvogel.play.pechvogel.terminal import PlayerQuitsError, TerminalGame
    from pechvogel_env.position import Position

    _check_delay(arguments.delay)
    if not 1 <= len(arguments.agents) <= 4:
        raise ValueError(f"there are 1 to 4 opponents, not {len(arguments.agents)}")
    if arguments.real_dice and arguments.seed is not None:
        raise ValueError("real dice have no seed: give --real-dice or --seed")
    position = None
    copies, italian_reading = arguments.copies, arguments.italian_reading
    if arguments.position is not None:
        position = Position.parse(arguments.position)
        copies, italian_reading = position.copies, position.italian_reading
        arguments.agents *= position.num_players - 1 if len(arguments.agents) == 1 else 1
    game = TerminalGame(
        arguments.agents,
        arguments.language or words.usual_language(),
        copies=copies,
        italian_reading=italian_reading,
        seed=arguments.seed,
        position=position,
        hints=arguments.hints,
        real_dice=arguments.real_dice,
        delay=arguments.delay,
    )
    try:
        game.play()
    except PlayerQuitsError:
        print()
        return
    if arguments.record is not None:
        game.save(arguments.record)


def _serve(arguments: argparse.Namespace) -> None:
    try:
        from pechvogel.play import serve
    except ImportError as error:
        raise ValueError(f"the server needs more packages ({error.name}): pip install '.[play]'") from None

    serve.run(
        arguments.host,
        arguments.port,
        arguments.games,
        max_games=arguments.max_games,
        rate=arguments.rate,
        keep_days=arguments.keep_days,
        away=arguments.away,
    )


def _analyse(arguments: argparse.Namespace) -> None:
    from pechvogel.agents.pechvogel.analysis import analyse
    from pechvogel.agents.pechvogel.solution import Solution
    from pechvogel.play.pechvogel import show
    from pechvogel_env.position import Position

    text = arguments.position
    if text == "-":
        text = sys.stdin.read()
    elif len(text) < 256 and Path(text).is_file():  # longer ones are no names of files, but a position as JSON
        try:
            text = Path(text).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            raise ValueError(f"{text} is not a text file") from None
    elif text.endswith(".json"):
        raise ValueError(f"there is no file {text}")
    position = Position.parse(text.strip())
    result = analyse(position, None if arguments.table is None else Solution(arguments.table))
    if arguments.json != "-":
        show.analysis(position, result)
    _write_json(arguments.json, result)


def _replay(arguments: argparse.Namespace) -> None:
    from pechvogel.play.pechvogel import show
    from pechvogel_env import record

    _check_delay(arguments.delay)
    games = record.read(arguments.file)
    quiet = arguments.json == "-"
    if arguments.verify:
        notes = _check_proofs(arguments.file, games)
        if not quiet:
            print(f"{arguments.file}: {len(games)} recorded game{'s' * (len(games) != 1)}, all verified")
            for note in notes:
                print(f"  {note}")
    else:
        if not 1 <= arguments.game <= len(games):
            raise ValueError(f"--game must be from 1 to {len(games)}, the games in the file, not {arguments.game}")
        chosen = games[arguments.game - 1]
        names = [f"player_{seat}" for seat in range(chosen["num_players"])]
        screen = show.Screen(arguments.delay, names)
        for game, action in record.steps(chosen):
            if not quiet:
                screen.draw(game, action)
            last = game
        if not quiet:
            print(show.result(last, names))
    _write_json(arguments.json, {"games": len(games), "scores": [game["scores"] for game in games]})


def _check_proofs(path: Path, games: list[dict[str, Any]]) -> list[str]:
    """What games prove about where their dice came from; RecordError if a proof is wrong."""
    from pechvogel.play import fair
    from pechvogel_env.record import PROOF, RecordError

    notes = []
    for number, game in enumerate(games, 1):
        if PROOF in game:
            try:
                fair.verify(game)
            except RecordError as error:
                raise RecordError(f"{path}: game {number} {error}") from None
            proof = game[PROOF]
            began = "the dice decided" if proof["drawn"] else "it was chosen"
            notes.append(
                f"game {number}: its dice follow from the promise {proof['promise'][:16]}... and the numbers "
                f"{', '.join(number for number in proof['numbers'] if number)}; who began: {began}; "
                f"decisions taken back: {proof['taken_back']}"
            )
    return notes


def _watch(arguments: argparse.Namespace) -> None:
    from pechvogel.play.pechvogel import show
    from pechvogel_env import record
    from pechvogel_env.game import check_settings

    _check_delay(arguments.delay)
    check_settings(arguments.players, arguments.copies, "win", None)
    quiet = arguments.json == "-"
    names = [f"player_{seat}" for seat in range(arguments.players)]
    screen = show.Screen(arguments.delay, names)
    game = show.watch(
        arguments.players,
        arguments.copies,
        arguments.italian_reading,
        arguments.seed,
        (lambda game, action: None) if quiet else screen.draw,
    )
    recorded = record.of_game(game)
    if not quiet:
        print(show.result(game, names))
    if arguments.record is not None:
        record.append(arguments.record, recorded)
    _write_json(arguments.json, recorded)


def _check_delay(delay: float) -> None:
    if not 0 <= delay <= 60:
        raise ValueError(f"--delay must be from 0 to 60 seconds, not {delay}")


# By name, as in `arguments`.
_COMMANDS: dict[str, Callable[[argparse.Namespace], None]] = {
    "bench": _bench,
    "evaluate": _evaluate,
    "train": _train,
    "report": _report,
    "solve": _solve,
    "exploit": _exploit,
    "analyse": _analyse,
    "findings": _findings,
    "levels": _levels,
    "ablation": _ablation,
    "play": _play,
    "serve": _serve,
    "replay": _replay,
    "watch": _watch,
}


if __name__ == "__main__":
    sys.exit(main())
