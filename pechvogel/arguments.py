"""What `pechvogel ...` understands: every command with its options. `cli` reads them, `commands` does what they say.

The settings of a game are options of the same names. They are read off the game once it is known which command and game
are meant, so `pechvogel --help` loads nothing.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from pechvogel import __version__
from pechvogel.agents.games import DEFAULT, GAMES, kind_of
from pechvogel.tabletop.untrusted import shown, shown_value

MAX_DIGITS = 100
MAX_GAMES = 100_000_000  # one after the other
MAX_GAMES_AT_ONCE = 1_000_000  # kept in memory
MAX_WORKERS = 1024
MAX_SECONDS = 1_000_000
WITH_SETTINGS = ("bench", "evaluate", "play", "watch")


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One sentence instead of the usage."""
        self.exit(2, f"{self.prog}: {shown(message, 1000)} (see {self.prog} --help)\n")


def _whole(text: str) -> int:
    """A whole number; what is done with it has a sentence for those that make no sense."""
    try:
        if len(text) > MAX_DIGITS:
            raise ValueError
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a whole number, not {shown_value(text)}") from None


def _up_to(most: int) -> Callable[[str], int]:
    """For a number that costs time or memory: more than anybody has is a slip."""

    def count(text: str) -> int:
        number = _whole(text)
        if number > most:
            raise argparse.ArgumentTypeError(f"must be at most {most:,}, not {shown_value(text)}")
        return number

    return count


def _seconds(text: str) -> float:
    """A time; as above."""
    try:
        number = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number, not {shown_value(text)}") from None
    if number > MAX_SECONDS and not math.isinf(number):  # which has a sentence of its own
        raise argparse.ArgumentTypeError(f"must be at most {MAX_SECONDS:,}, not {shown_value(text)}")
    return number


def parser(words: Sequence[str] = ()) -> argparse.ArgumentParser:
    """All commands; the one that the words name also has the settings of the game that they name."""
    found = _Parser(prog="pechvogel", description="Games of bad luck: environments, agents, arena, a table to spar at.")
    found.add_argument("--version", action="version", version=f"pechvogel {__version__}")
    commands = found.add_subparsers(title="commands", required=True, metavar="COMMAND", dest="command")
    _add_arena(commands)
    _add_training(commands)
    _add_solving(commands)
    _add_playing(commands)
    if words and words[0] in WITH_SETTINGS:
        first = _Parser(add_help=False, allow_abbrev=False)
        first.add_argument("--game")
        game = first.parse_known_args(words)[0].game or DEFAULT
        if game in GAMES:  # else there will be a sentence about it
            _add_settings(commands.choices[words[0]], game)
    return found


def _add_settings(command: argparse.ArgumentParser, game: str) -> None:
    from pechvogel.tabletop.kind import in_line  # loads NumPy

    for name, setting in kind_of(game).settings.items():
        option = "--" + name.replace("_", "-")
        if setting.switch:
            command.add_argument(option, action="store_true", help=setting.help)
        else:
            kind, default = type(setting.default), setting.default
            shown = f"{setting.help} (default {in_line(default)})"
            several = kind is tuple  # the game reads them
            words: dict[str, Any] = {"type": str, "metavar": "N,N,..."} if several else {"type": kind, "metavar": "N"}
            command.add_argument(option, default=default, help=shown, **words)


def _command(commands: Any, name: str, *, help: str, game: bool = True) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = commands.add_parser(name, help=help)
    if game:
        command.add_argument("--game", metavar="GAME", help=f"{', '.join(GAMES)} (default {DEFAULT})")
    return command


def _add_arena(commands: Any) -> None:
    bench = _command(commands, "bench", help="decisions per second, ours and others'")
    bench.add_argument("--peers", action="store_true", help="also measure PettingZoo's and OpenSpiel's games")
    bench.add_argument(
        "--training", action="store_true", help="measure self-play training instead, against solo tables"
    )
    bench.add_argument("--agent", metavar="AGENT", help="measure single decisions of an agent instead")
    _add_players(bench)
    bench.add_argument("--seconds", type=float, default=4.0, metavar="S", help="for each figure (default 4)")
    _add_json(bench)

    evaluate = _command(commands, "evaluate", help="tournament on paired dice with rotated seats")
    evaluate.add_argument(
        "agents",
        nargs="+",
        metavar="AGENT",
        help="random, heuristic, planner, ppo, champion, optimal, your own module:Factory",
    )
    _add_players(evaluate)
    evaluate.add_argument(
        "--games", type=_up_to(MAX_GAMES), default=1000, metavar="N", help="per line-up (default 1000)"
    )
    evaluate.add_argument("--seed", type=_whole, default=0, help="of dice and agents (default 0)")
    evaluate.add_argument("--one-against-rest", action="store_true", help="one A at a table of Bs, for every pair")
    evaluate.add_argument(
        "--time-limit", type=_seconds, default=5.0, metavar="S", help="seconds per decision (default 5)"
    )
    evaluate.add_argument("--workers", type=_up_to(MAX_WORKERS), metavar="N", help="processes (default: all cores)")
    evaluate.add_argument("--plot", metavar="FILE.png", help="draw win shares and ratings")
    _add_json(evaluate)

    levels = _command(commands, "levels", help="how strong the champion's levels are against the champion itself")
    levels.add_argument(
        "--games", type=_up_to(MAX_GAMES), default=4000, metavar="N", help="per level or pair (default 4000)"
    )
    levels.add_argument("--seed", type=_whole, default=1, help="of these games (default 1)")
    more = levels.add_mutually_exclusive_group()
    more.add_argument("--fit", action="store_true", help="find temperatures that space the levels evenly")
    more.add_argument(
        "--calibrate", action="store_true", help="measure what people's ratings rest on: strengths and losses of all"
    )
    _add_json(levels)


def _add_training(commands: Any) -> None:
    train = _command(commands, "train", help="self-play training")
    train.add_argument("config", nargs="?", metavar="CONFIG", help="a name in configs/GAME/, or a YAML file")
    train.add_argument("--out", type=Path, metavar="runs/NAME", help="folder of the new run")
    train.add_argument("--resume", type=Path, metavar="runs/NAME", help="go on with a run that was stopped or killed")
    train.add_argument("--finish", action="store_true", help="end the resumed run there, with the weights that it has")

    report = _command(commands, "report", help="evaluate a training run, and draw it all into its report.html")
    report.add_argument("folder", type=Path, metavar="runs/NAME", help="folder of a finished run")
    report.add_argument(
        "--against",
        nargs="+",
        default=["random", "heuristic", "planner", "ppo"],
        metavar="AGENT",
        help="who sits at the other places (default: random heuristic planner ppo)",
    )
    report.add_argument(
        "--games", type=_up_to(MAX_GAMES), default=10000, metavar="N", help="per table (default 10,000)"
    )
    report.add_argument("--seed", type=_whole, default=1, help="of dice and agents (default 1)")
    _add_json(report)

    ablation = _command(commands, "ablation", help="write a page on where the champion's strength comes from")
    ablation.add_argument("--players", type=_whole, nargs="+", default=[2, 3], choices=[2, 3], help="default 2 3")
    ablation.add_argument(
        "--games", type=_up_to(MAX_GAMES), default=12000, metavar="N", help="of each agent (default 12,000)"
    )
    ablation.add_argument("--seed", type=_whole, default=1, help="of these games (default 1)")
    ablation.add_argument(
        "--runs", type=Path, default=Path("runs"), metavar="FOLDER", help="what is trained for it (default runs)"
    )
    ablation.add_argument("--out", dest="page", type=Path, default=Path("ablation.md"), metavar="FILE.md")
    ablation.add_argument("--data", type=Path, metavar="FILE", help="write the page from an earlier --json")
    _add_json(ablation)


def _add_solving(commands: Any) -> None:
    solve = _command(commands, "solve", help="the exact solution of a two-player game")
    solve.add_argument("--copies", type=_whole, default=3, metavar="N", help="markers per value, 1 to 3 (default 3)")
    solve.add_argument(
        "--frustrations",
        type=_whole,
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
    solve.add_argument(
        "--check-games", type=_up_to(MAX_GAMES_AT_ONCE), default=10_000, metavar="N", help="for that (default 10,000)"
    )
    solve.add_argument("--seed", type=_whole, default=1, help="of these games (default 1)")
    solve.add_argument("--threads", type=_up_to(MAX_WORKERS), metavar="N", help="threads (default: all cores)")
    _add_json(solve)

    exploit = _command(commands, "exploit", help="how far an agent is from perfect: best response and regret")
    exploit.add_argument("agent", metavar="AGENT", help="as for evaluate")
    exploit.add_argument(
        "--copies", type=_whole, default=1, metavar="N", help="1; with a table 2 or 3, then regret only"
    )
    exploit.add_argument(
        "--frustrations", type=_whole, metavar="F", help="of the best response, counted up to so many (default 6)"
    )
    exploit.add_argument("--games", type=_up_to(MAX_GAMES), default=2000, metavar="N", help="for regret (default 2000)")
    exploit.add_argument("--seed", type=_whole, default=1, help="of these games (default 1)")
    exploit.add_argument(
        "--table", metavar="FILE", help="a table of `pechvogel solve` (default: the one on this machine)"
    )
    _add_json(exploit)

    analyse = _command(commands, "analyse", help="every legal action of a position with its value, best first")
    analyse.add_argument("position", metavar="POSITION", help="a file, '-' for standard input, or the one-line form")
    analyse.add_argument("--table", type=Path, metavar="FILE", help="a table of `pechvogel solve`")
    _add_json(analyse)

    findings = _command(commands, "findings", help="write a page on what perfect play looks like, from a solved game")
    findings.add_argument("--copies", type=_whole, default=3, metavar="N", help="markers per value, 1 to 3 (default 3)")
    findings.add_argument("--table", type=Path, metavar="FILE", help="a table of `pechvogel solve`")
    findings.add_argument(
        "--out", dest="page", type=Path, default=Path("solution.md"), metavar="FILE.md", help="default solution.md"
    )
    findings.add_argument(
        "--games", type=_up_to(MAX_GAMES_AT_ONCE), default=20000, metavar="N", help="perfect games (default 20,000)"
    )
    findings.add_argument(
        "--agent-games", type=_up_to(MAX_GAMES), default=2000, metavar="N", help="of each agent (default 2000)"
    )
    findings.add_argument("--agents", nargs="+", default=["random", "heuristic", "planner", "ppo"], metavar="AGENT")
    findings.add_argument("--seed", type=_whole, default=1, help="of all games (default 1)")
    findings.add_argument(
        "--best-response",
        type=_whole,
        default=6,
        metavar="F",
        help="best responses to the agents with one copy, frustrations up to so many (default 6; 0: none)",
    )
    findings.add_argument("--data", type=Path, metavar="FILE", help="write the page from an earlier --json")
    _add_json(findings)

    puzzles = _command(commands, "puzzles", help="decisions in which one action is clearly best, for the trainer")
    puzzles.add_argument("--out", dest="page", type=Path, required=True, metavar="FILE", help="where they go, as JSON")
    puzzles.add_argument("--count", type=_whole, default=500, metavar="N", help="how many (default 500)")
    puzzles.add_argument("--seed", type=_whole, default=1, help="of the games they come from (default 1)")
    puzzles.add_argument(
        "--players",
        type=_whole,
        nargs="+",
        default=[2, 3, 4, 5],
        metavar="N",
        help="how many play (default 2 3 4 5); the table judges those for two, the champion the others",
    )
    puzzles.add_argument(
        "--copies", type=_whole, default=3, metavar="N", help="markers per value at two players, 1 to 3 (default 3)"
    )
    puzzles.add_argument("--table", type=Path, metavar="FILE", help="a table of `pechvogel solve`")

    explorer = _command(commands, "explorer", help="figures of perfect play for the page's explorer")
    explorer.add_argument("--out", dest="page", type=Path, required=True, metavar="FILE", help="where they go, as JSON")
    explorer.add_argument(
        "--games", type=_up_to(MAX_GAMES_AT_ONCE), default=20000, metavar="N", help="perfect games (default 20,000)"
    )
    explorer.add_argument("--seed", type=_whole, default=1, help="of these games (default 1)")
    explorer.add_argument("--copies", type=_whole, default=3, metavar="N", help="markers per value, 1 to 3 (default 3)")
    explorer.add_argument("--table", type=Path, metavar="FILE", help="a table of `pechvogel solve`")


def _add_playing(commands: Any) -> None:
    play = _command(commands, "play", help="play against agents in the terminal")
    play.add_argument("agents", nargs="*", default=["champion:level=3"], metavar="AGENT", help="your opponents, 1 to 4")
    play.add_argument("--language", metavar="en|de|fr|it", help="default: that of this computer")
    play.add_argument("--hints", action="store_true", help="show what every action is worth, and why")
    play.add_argument("--real-dice", action="store_true", help="you throw, and type what the dice show")
    play.add_argument("--seed", type=_whole, help="of the dice and the agents (default: fair dice, with a proof)")
    play.add_argument("--position", metavar="POSITION", help="where to start: you are player_0")
    play.add_argument("--record", type=Path, metavar="FILE", help="add the game to a file of recorded games")
    _add_delay(play)

    serve = _command(commands, "serve", help="a page on which people play against agents and each other")
    serve.add_argument(
        "--host", default="127.0.0.1", help="address to listen on (default 127.0.0.1: this machine only)"
    )
    serve.add_argument("--port", type=_whole, default=8000, help="default 8000")
    serve.add_argument(
        "--games", type=Path, metavar="FILE", help="where games are kept (default: the user's data folder)"
    )
    serve.add_argument(
        "--max-games", type=_up_to(MAX_GAMES), default=5000, metavar="N", help="open at once (default 5000)"
    )
    serve.add_argument(
        "--rate", type=float, default=50.0, metavar="N", help="requests per second and address (default 50)"
    )
    serve.add_argument(
        "--games-per-address", type=_whole, default=50, metavar="N", help="open at once from one address (default 50)"
    )
    serve.add_argument(
        "--name",
        dest="names",
        action="append",
        default=[],
        metavar="NAME",
        help="under which the page is reached, besides IP addresses and localhost (may be repeated)",
    )
    serve.add_argument(
        "--proxy",
        dest="proxies",
        action="append",
        default=[],
        metavar="ADDRESS",
        help="whose X-Forwarded-For is believed (default: nobody's; may be repeated)",
    )
    serve.add_argument(
        "--keep-days", type=_seconds, default=30.0, metavar="N", help="then untouched games go (default 30)"
    )
    serve.add_argument(
        "--away", type=_seconds, default=120.0, metavar="S", help="then an agent may stand in (default 120)"
    )

    replay = _command(commands, "replay", help="watch or verify recorded games", game=False)
    replay.add_argument("file", type=Path, help="recorded games, one JSON line each")
    replay.add_argument("--number", type=_whole, default=1, metavar="N", help="which game to watch (default 1)")
    replay.add_argument("--verify", action="store_true", help="don't show anything: check every game of the file")
    _add_delay(replay)
    _add_json(replay)

    watch = _command(commands, "watch", help="watch random agents play a game")
    _add_players(watch)
    watch.add_argument("--seed", type=_whole, default=0, help="of the dice and the agents (default 0)")
    watch.add_argument("--record", type=Path, metavar="FILE", help="append the game to a file of recorded games")
    _add_delay(watch)
    _add_json(watch)


def _add_players(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--players", type=_whole, default=2, metavar="N", help="how many play (default 2)")


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
