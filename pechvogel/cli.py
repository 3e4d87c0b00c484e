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
from typing import Any, NoReturn

from pechvogel_env import __version__
from pechvogel_env.files import replace_file, to_json

PICTURES = (".png", ".svg", ".pdf")
_NEEDS_TRAIN = "training needs more packages ({}): pip install '.[train]'"


def main(argv: list[str] | None = None) -> int:
    """Run a command; returns the exit code."""
    if sys.stdout is None:  # closed by the caller
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115  open until we end
    if hasattr(sys.stdout, "reconfigure"):  # names may have letters that this terminal lacks
        sys.stdout.reconfigure(errors="replace")
    arguments = _parser().parse_args(argv)
    try:
        _check_targets(arguments)
        arguments.run(arguments)
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


def _sentence(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One sentence instead of the usage."""
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="pechvogel", description="The dice game Pechvogel: environment, agents, benchmark.")
    parser.add_argument("--version", action="version", version=f"pechvogel {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    bench = commands.add_parser("bench", help="decisions per second, ours and others'")
    bench.set_defaults(run=_bench)
    bench.add_argument("--peers", action="store_true", help="also measure PettingZoo's and OpenSpiel's games")
    bench.add_argument(
        "--training", action="store_true", help="measure self-play training instead, against solo tables"
    )
    bench.add_argument("--players", type=int, default=2, metavar="N", help="players in our game (default 2)")
    bench.add_argument("--seconds", type=float, default=4.0, metavar="S", help="for each figure (default 4)")
    _add_json(bench)

    evaluate = commands.add_parser("evaluate", help="tournament on paired dice with rotated seats")
    evaluate.set_defaults(run=_evaluate)
    evaluate.add_argument(
        "agents", nargs="+", metavar="AGENT", help="random, heuristic, planner, ppo, optimal, your own module:Factory"
    )
    evaluate.add_argument("--players", type=int, default=2, metavar="N", help="2 to 5 (default 2)")
    evaluate.add_argument("--copies", type=int, default=3, metavar="N", help="markers per value, 1 to 3 (default 3)")
    evaluate.add_argument("--games", type=int, default=1000, metavar="N", help="per line-up (default 1000)")
    evaluate.add_argument("--seed", type=int, default=0, help="of dice and agents (default 0)")
    evaluate.add_argument("--one-against-rest", action="store_true", help="one A at a table of Bs, for every pair")
    evaluate.add_argument("--time-limit", type=float, default=5.0, metavar="S", help="seconds per decision (default 5)")
    evaluate.add_argument("--workers", type=int, metavar="N", help="processes (default: all cores)")
    evaluate.add_argument("--plot", metavar="FILE.png", help="draw win shares and ratings")
    _add_json(evaluate)

    train = commands.add_parser("train", help="self-play training")
    train.set_defaults(run=_train)
    train.add_argument("config", type=Path, nargs="?", metavar="CONFIG", help="a YAML file, as in configs/")
    train.add_argument("--out", type=Path, metavar="runs/NAME", help="folder of the new run")
    train.add_argument("--resume", type=Path, metavar="runs/NAME", help="go on with a run that was stopped or killed")

    report = commands.add_parser("report", help="evaluate a training run, and draw it all into its report.html")
    report.set_defaults(run=_report)
    report.add_argument("folder", type=Path, metavar="runs/NAME", help="folder of a finished run")
    report.add_argument(
        "--against",
        nargs="+",
        default=["random", "heuristic", "planner", "ppo"],
        metavar="AGENT",
        help="who sits at the other places (default: random heuristic planner ppo)",
    )
    report.add_argument("--games", type=int, default=10000, metavar="N", help="per table (default 10,000)")
    report.add_argument("--seed", type=int, default=1, help="of dice and agents (default 1)")
    _add_json(report)

    solve = commands.add_parser("solve", help="the exact solution of a two-player game")
    solve.set_defaults(run=_solve)
    solve.add_argument("--copies", type=int, default=3, metavar="N", help="markers per value, 1 to 3 (default 3)")
    solve.add_argument(
        "--frustrations",
        type=int,
        metavar="F",
        help="counted up to so many each (default 12; 8 for three copies)",
    )
    solve.add_argument("--out", type=Path, metavar="FILE", help="the table (default: where `optimal` looks for it)")
    solve.add_argument(
        "--check-cap",
        nargs="?",
        choices=["all", "play"],
        const="all",
        help="also tell how much --frustrations matters; 'play': only by play, without solving with another cap",
    )
    solve.add_argument("--check-games", type=int, default=10_000, metavar="N", help="for that (default 10,000)")
    solve.add_argument("--seed", type=int, default=1, help="of these games (default 1)")
    solve.add_argument("--threads", type=int, metavar="N", help="threads (default: all cores)")
    _add_json(solve)

    exploit = commands.add_parser("exploit", help="how far an agent is from perfect: best response and regret")
    exploit.set_defaults(run=_exploit)
    exploit.add_argument("agent", metavar="AGENT", help="as for evaluate")
    exploit.add_argument("--copies", type=int, default=1, metavar="N", help="1; with a table 2 or 3, then regret only")
    exploit.add_argument(
        "--frustrations", type=int, metavar="F", help="of the best response, counted up to so many (default 6)"
    )
    exploit.add_argument("--games", type=int, default=2000, metavar="N", help="for regret (default 2000)")
    exploit.add_argument("--seed", type=int, default=1, help="of these games (default 1)")
    exploit.add_argument(
        "--table", metavar="FILE", help="a table of `pechvogel solve` (default: the one on this machine)"
    )
    _add_json(exploit)

    analyse = commands.add_parser("analyse", help="every legal action of a position with its value, best first")
    analyse.set_defaults(run=_analyse)
    analyse.add_argument("position", metavar="POSITION", help="a file, '-' for standard input, or the one-line form")
    analyse.add_argument("--table", type=Path, metavar="FILE", help="a table of `pechvogel solve`")
    _add_json(analyse)

    findings = commands.add_parser("findings", help="write a page on what perfect play looks like, from a solved game")
    findings.set_defaults(run=_findings)
    findings.add_argument("--copies", type=int, default=3, metavar="N", help="markers per value, 1 to 3 (default 3)")
    findings.add_argument("--table", type=Path, metavar="FILE", help="a table of `pechvogel solve`")
    findings.add_argument(
        "--out", dest="page", type=Path, default=Path("solution.md"), metavar="FILE.md", help="default solution.md"
    )
    findings.add_argument("--games", type=int, default=20000, metavar="N", help="perfect games (default 20,000)")
    findings.add_argument("--agent-games", type=int, default=2000, metavar="N", help="of each agent (default 2000)")
    findings.add_argument("--agents", nargs="+", default=["random", "heuristic", "planner", "ppo"], metavar="AGENT")
    findings.add_argument("--seed", type=int, default=1, help="of all games (default 1)")
    findings.add_argument(
        "--best-response",
        type=int,
        default=6,
        metavar="F",
        help="best responses to the agents with one copy, frustrations up to so many (default 6; 0: none)",
    )
    findings.add_argument("--data", type=Path, metavar="FILE", help="write the page from an earlier --json")
    _add_json(findings)

    levels = commands.add_parser("levels", help="how strong the champion's levels are against the champion itself")
    levels.set_defaults(run=_levels)
    levels.add_argument("--games", type=int, default=4000, metavar="N", help="per level (default 4000)")
    levels.add_argument("--seed", type=int, default=1, help="of these games (default 1)")
    levels.add_argument("--fit", action="store_true", help="find temperatures that space the levels evenly")
    _add_json(levels)

    ablation = commands.add_parser("ablation", help="write a page on where the champion's strength comes from")
    ablation.set_defaults(run=_ablation)
    ablation.add_argument("--players", type=int, nargs="+", default=[2, 3], choices=[2, 3], help="default 2 3")
    ablation.add_argument("--games", type=int, default=12000, metavar="N", help="of each agent (default 12,000)")
    ablation.add_argument("--seed", type=int, default=1, help="of these games (default 1)")
    ablation.add_argument(
        "--runs", type=Path, default=Path("runs"), metavar="FOLDER", help="what is trained for it (default runs)"
    )
    ablation.add_argument("--out", dest="page", type=Path, default=Path("ablation.md"), metavar="FILE.md")
    ablation.add_argument("--data", type=Path, metavar="FILE", help="write the page from an earlier --json")
    _add_json(ablation)

    play = commands.add_parser("play", help="play against agents in the terminal")
    play.set_defaults(run=_play)
    play.add_argument("agents", nargs="*", default=["champion:level=3"], metavar="AGENT", help="your opponents, 1 to 4")
    play.add_argument("--language", metavar="en|de|fr|it", help="default: that of this computer")
    play.add_argument("--copies", type=int, default=3, metavar="N", help="markers per value, 1 to 3 (default 3)")
    play.add_argument("--italian-reading", action="store_true", help="the Italian booklet's rule Q3")
    play.add_argument("--hints", action="store_true", help="show what every action is worth, and why")
    play.add_argument("--real-dice", action="store_true", help="you throw, and type what the dice show")
    play.add_argument("--seed", type=int, help="of the dice and the agents (default: fair dice, with a proof)")
    play.add_argument("--position", metavar="POSITION", help="where to start: you are player_0")
    play.add_argument("--record", type=Path, metavar="FILE", help="add the game to a file of recorded games")
    _add_delay(play)

    serve = commands.add_parser("serve", help="a page on which people play against agents and each other")
    serve.set_defaults(run=_serve)
    serve.add_argument(
        "--host", default="127.0.0.1", help="address to listen on (default 127.0.0.1: this machine only)"
    )
    serve.add_argument("--port", type=int, default=8000, help="default 8000")
    serve.add_argument(
        "--games", type=Path, metavar="FILE", help="where games are kept (default: the user's data folder)"
    )
    serve.add_argument("--max-games", type=int, default=5000, metavar="N", help="open at once (default 5000)")
    serve.add_argument(
        "--rate", type=float, default=50.0, metavar="N", help="requests per second and address (default 50)"
    )
    serve.add_argument(
        "--keep-days", type=float, default=30.0, metavar="N", help="then untouched games go (default 30)"
    )
    serve.add_argument(
        "--away", type=float, default=120.0, metavar="S", help="then an agent may stand in (default 120)"
    )

    replay = commands.add_parser("replay", help="watch or verify recorded games")
    replay.set_defaults(run=_replay)
    replay.add_argument("file", type=Path, help="recorded games, one JSON line each")
    replay.add_argument("--game", type=int, default=1, metavar="N", help="which game to watch (default 1)")
    replay.add_argument("--verify", action="store_true", help="don't show anything: check every game of the file")
    _add_delay(replay)
    _add_json(replay)

    watch = commands.add_parser("watch", help="watch random agents play a game")
    watch.set_defaults(run=_watch)
    watch.add_argument("--players", type=int, default=2, metavar="N", help="2 to 5 (default 2)")
    watch.add_argument("--copies", type=int, default=3, metavar="N", help="markers per value, 1 to 3 (default 3)")
    watch.add_argument("--italian-reading", action="store_true", help="the Italian booklet's rule Q3")
    watch.add_argument("--seed", type=int, default=0, help="of the dice and the agents (default 0)")
    watch.add_argument("--record", type=Path, metavar="FILE", help="append the game to a file of recorded games")
    _add_delay(watch)
    _add_json(watch)
    return parser


def _add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", metavar="FILE", help="write the result as JSON ('-': to standard output)")


def _add_delay(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--delay",
        type=float,
        default=0.25 if sys.stdout.isatty() else 0.0,
        metavar="S",
        help="seconds to look at each decision (default 0.25 on a terminal)",
    )


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
    result = bench.run(arguments.players, arguments.seconds, arguments.peers)
    if arguments.json != "-":
        bench.show(result)
    _write_json(arguments.json, result)


def _bench_training(arguments: argparse.Namespace) -> None:
    try:
        from train import speed
    except ImportError as error:
        raise ValueError(_NEEDS_TRAIN.format(error.name)) from None
    result = speed.run(arguments.players, arguments.seconds)
    if arguments.json != "-":
        speed.show(result)
    _write_json(arguments.json, result)


def _evaluate(arguments: argparse.Namespace) -> None:
    from train import tournament

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
    try:
        from train import run
    except ImportError as error:
        raise ValueError(_NEEDS_TRAIN.format(error.name)) from None
    if arguments.resume is not None:
        run.resume(arguments.resume)
    else:
        run.start(arguments.config, arguments.out)


def _report(arguments: argparse.Namespace) -> None:
    try:
        from train import report
    except ImportError as error:
        raise ValueError(_NEEDS_TRAIN.format(error.name)) from None
    result = report.make(arguments.folder, arguments.against, arguments.games, arguments.seed)
    if arguments.json != "-":
        report.show(result, arguments.folder)
    _write_json(arguments.json, result)


def _solve(arguments: argparse.Namespace) -> None:
    from agents import solution
    from pechvogel_env.dice import check_seed
    from train import solve

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
        from train import check_cap

        games, seed, threads = arguments.check_games, arguments.seed, arguments.threads
        found = check_cap.check(solution.Solution(path), arguments.check_cap == "all", games, seed, threads)
        result["cap"] = result.get("cap", {}) | found  # what was found by another cap stays
        solve.add_to_note(path, {"cap": result["cap"]})
    if arguments.json != "-":
        solve.show(result)
    _write_json(arguments.json, result)


def _exploit(arguments: argparse.Namespace) -> None:
    from agents import registry
    from agents.solution import NoTableError
    from train import exploit

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
    from agents import registry, solution
    from train import findings, findings_page

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
    from train import levels

    result = (levels.fit if arguments.fit else levels.measure)(arguments.games, arguments.seed)
    if arguments.json != "-":
        levels.show(result)
    _write_json(arguments.json, result)


def _ablation(arguments: argparse.Namespace) -> None:
    from train import ablation

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
    from pechvogel_env.position import Position
    from play import words
    from play.terminal import PlayerQuitsError, TerminalGame

    _check_delay(arguments.delay)
    if not 1 <= len(arguments.agents) <= 4:
        raise ValueError(f"there are 1 to 4 opponents, not {len(arguments.agents)}")
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
        from play import serve
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
    from agents.analysis import analyse
    from agents.solution import Solution
    from pechvogel_env.position import Position
    from play import show

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
    from pechvogel_env import record
    from play import show

    _check_delay(arguments.delay)
    games = record.read(arguments.file)
    quiet = arguments.json == "-"
    if arguments.verify:
        proven = _check_proofs(arguments.file, games)
        if not quiet:
            fair_dice = f"; {proven} with the proof that nobody chose the dice" * (proven > 0)
            print(f"{arguments.file}: {len(games)} recorded game{'s' * (len(games) != 1)}, all verified{fair_dice}")
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


def _check_proofs(path: Path, games: list[dict[str, Any]]) -> int:
    """How many of the games prove where their dice came from; RecordError if a proof is wrong."""
    from pechvogel_env.record import PROOF, RecordError
    from play import fair

    for number, game in enumerate(games, 1):
        if PROOF in game:
            try:
                fair.verify(game)
            except RecordError as error:
                raise RecordError(f"{path}: game {number} {error}") from None
    return sum(PROOF in game for game in games)


def _watch(arguments: argparse.Namespace) -> None:
    from pechvogel_env import record
    from pechvogel_env.game import check_settings
    from play import show

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


if __name__ == "__main__":
    sys.exit(main())
