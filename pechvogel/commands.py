"""What the commands do: each calls the room that does the work, shows what it found, and writes it as JSON.

Imports stand inside the commands, so that none waits for what it does not need.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pechvogel.agents.games import DEFAULT, kind_of
from pechvogel.tabletop.files import replace_file, to_json
from pechvogel.tabletop.untrusted import MAX_TEXT, read_bytes, read_json

if TYPE_CHECKING:
    from pechvogel.tabletop.kind import Variant


MAX_DATA = 1 << 22  # bytes of an earlier --json
MAX_ENTRIES, MAX_FIGURE = 20_000, 1e20


def _write_json(target: str | None, result: dict[str, Any]) -> None:
    """Write to a file by way of a temporary one, so that nothing is lost if we are killed."""
    if target is None:
        return
    text = to_json(result)
    if target == "-":
        sys.stdout.write(text.decode())
        return
    replace_file(Path(target), text)


def _variant(arguments: argparse.Namespace, players: int) -> Variant:
    """What is to be played, by the options that are named like the game's settings."""
    kind = kind_of(arguments.game or DEFAULT)
    return kind.variant(players, **{name: getattr(arguments, name) for name in kind.settings})


def _present(arguments: argparse.Namespace, result: dict[str, Any], show: Callable[[], None]) -> None:
    """Show the result, unless standard output is for the JSON; and write that, if it is wanted."""
    if arguments.json != "-":
        show()
    _write_json(arguments.json, result)


@contextmanager
def _needing(what: str, extra: str) -> Iterator[None]:
    try:
        yield
    except ImportError as error:
        raise ValueError(f"{what} needs more packages ({error.name}): pip install '.[{extra}]'") from None


def bench(arguments: argparse.Namespace) -> None:
    """Decisions per second."""
    variant = _variant(arguments, arguments.players)
    if not 0 < arguments.seconds <= 3600:
        raise ValueError(f"--seconds must be above 0 and at most 3600, not {arguments.seconds}")
    if arguments.training:
        with _needing("training", "train"):
            from pechvogel.train import speed
        measured = speed.run(variant, arguments.seconds)
        _present(arguments, measured, lambda: speed.show(measured))
        return
    from pechvogel import bench

    if arguments.agent is not None:
        result = bench.time_agent(arguments.agent, variant, arguments.seconds)
        _present(arguments, result, lambda: bench.show_agent(result))
    else:
        result = bench.run(variant, arguments.seconds, arguments.peers)
        _present(arguments, result, lambda: bench.show(result))


def evaluate(arguments: argparse.Namespace) -> None:
    """A tournament."""
    from pechvogel.train.arena import show, tournament

    variant = _variant(arguments, arguments.players)
    setup = tournament.Setup(
        arguments.agents,
        variant,
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
    _present(arguments, result, lambda: show.show(result, kind_of(variant.game).describe(variant)))
    if arguments.plot is not None:
        show.plot(result, arguments.plot)


def train(arguments: argparse.Namespace) -> None:
    """A run, from its config or from where it was stopped."""
    if (arguments.config is None) == (arguments.resume is None):
        raise ValueError("train needs either a config (and --out) or --resume")
    if arguments.config is not None and arguments.out is None:
        raise ValueError("train needs a folder for the run: --out runs/NAME")
    if arguments.finish and arguments.resume is None:
        raise ValueError("--finish ends a run that was stopped: train --resume runs/NAME --finish")
    with _needing("training", "train"):
        from pechvogel.train import config, run
    if arguments.resume is not None:
        run.resume(arguments.resume, arguments.finish)
    else:
        path = config.find(arguments.config, arguments.game or DEFAULT)
        run.start(config.read(path, arguments.game), arguments.out)


def report(arguments: argparse.Namespace) -> None:
    """A run, evaluated and drawn."""
    with _needing("training", "train"):
        from pechvogel.train import report
    result = report.make(arguments.folder, arguments.against, arguments.games, arguments.seed, arguments.game)
    _present(arguments, result, lambda: report.show(result, arguments.folder))


def solve(arguments: argparse.Namespace) -> None:
    """The exact solution of a two-player game."""
    from pechvogel.train.pechvogel.solve import layers, solving

    if arguments.threads is not None and arguments.threads < 1:
        raise ValueError(f"--threads must be at least 1, not {arguments.threads}")
    if arguments.check_games < 1:
        raise ValueError(f"--check-games must be at least 1, not {arguments.check_games}")
    path, cap = solving.table_path(arguments.copies, arguments.frustrations, arguments.out)
    if arguments.json not in (None, "-") and Path(arguments.json).resolve() == layers.note_of(path).resolve():
        raise ValueError(f"--json {arguments.json}: that is where the note on the table goes; choose another file")
    result = solving.run(
        arguments.copies,
        cap,
        path,
        threads=arguments.threads,
        check=arguments.check_cap,
        check_games=arguments.check_games,
        seed=arguments.seed,
    )
    _present(arguments, result, lambda: solving.show(result))


def exploit(arguments: argparse.Namespace) -> None:
    """How far an agent is from perfect."""
    from pechvogel.train.pechvogel.solve import exploit

    result = exploit.measure(
        arguments.agent, arguments.copies, arguments.frustrations, arguments.games, arguments.seed, arguments.table
    )
    _present(arguments, result, lambda: exploit.show(result))


def findings(arguments: argparse.Namespace) -> None:
    """A page on what perfect play looks like."""
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


def puzzles(arguments: argparse.Namespace) -> None:
    """Decisions for the trainer."""
    from pechvogel.train.pechvogel import puzzles

    found = puzzles.make(arguments.count, arguments.seed, arguments.players, arguments.copies, arguments.table)
    puzzles.write(arguments.page, found)
    print(f"written: {arguments.page} ({puzzles.summary(found)})")


def explorer(arguments: argparse.Namespace) -> None:
    """Figures for the page's explorer."""
    from pechvogel.agents.pechvogel import solution
    from pechvogel.train.pechvogel.solve import explorer

    table = solution.Solution(arguments.table or solution.find(arguments.copies))
    explorer.write(arguments.page, explorer.gather(table, arguments.games, arguments.seed))
    print(f"written: {arguments.page}")


def _write_from_data(arguments: argparse.Namespace, write: Callable[[Path, Any], None], command: str) -> None:
    """A page from the figures that its command has gathered before."""
    if arguments.json is not None:
        raise ValueError("--data and --json exclude each other: the figures are there already")
    if importlib.util.find_spec("matplotlib") is None:
        raise ValueError("the page's plots need more packages (matplotlib): pip install '.[train]'")
    refusal = ValueError(f"{arguments.data} is no file of `pechvogel {command} --json`")
    try:
        data = read_json(arguments.data, MAX_DATA)
        _check_figures(data)
        write(arguments.page, data)
    except OSError:
        raise
    except Exception:  # figures that don't fit can go wrong anywhere on the page, and in its plots
        raise refusal from None


def _check_figures(data: Any) -> None:
    """ValueError if somebody's figures would fill pages or the memory."""
    level = [data]
    while level:
        below: list[Any] = []
        for part in level:
            if isinstance(part, (dict, list, str)) and len(part) > MAX_ENTRIES:
                raise ValueError("too many of something")
            if isinstance(part, (int, float)) and abs(part) > MAX_FIGURE:
                raise ValueError("too much of something")
            below += [*part, *part.values()] if isinstance(part, dict) else part if isinstance(part, list) else []
        level = below
    if isinstance(data, dict) and len(data.get("tables", ())) > len(kind_of(DEFAULT).players):
        raise ValueError("more tables than there are games")


def levels(arguments: argparse.Namespace) -> None:
    """How strong the champion's levels are."""
    if arguments.calibrate:
        from pechvogel.train.pechvogel import calibrate

        if (arguments.game or DEFAULT) != DEFAULT:
            raise ValueError(f"--calibrate is for {DEFAULT}: ratings of people rest on it alone")
        calibrated = calibrate.calibrate(arguments.games, arguments.seed)
        _present(arguments, calibrated, lambda: calibrate.show(calibrated))
        return
    from pechvogel.train import levels

    measure = levels.fit if arguments.fit else levels.measure
    result = measure(arguments.games, arguments.seed, arguments.game or DEFAULT)
    _present(arguments, result, lambda: levels.show(result))


def ablation(arguments: argparse.Namespace) -> None:
    """A page on where the champion's strength comes from."""
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


def play(arguments: argparse.Namespace) -> None:
    """A game against agents in the terminal."""
    from pechvogel.play.games import offer
    from pechvogel.play.terminal import PlayerQuitsError

    _check_delay(arguments.delay)
    if arguments.real_dice and arguments.seed is not None:
        raise ValueError("real dice have no seed: give --real-dice or --seed")
    played = offer(arguments.game or DEFAULT)
    position, most = None, played.kind.players[-1] - 1
    if arguments.position is not None:
        position = played.engine("position").Position.parse(arguments.position)
        for name in played.kind.settings:
            setattr(arguments, name, position[name])
        arguments.agents *= position.num_players - 1 if len(arguments.agents) == 1 else 1
    if not 1 <= len(arguments.agents) <= most:
        raise ValueError(f"there are 1 to {most} opponents, not {len(arguments.agents)}")
    game = played.part("terminal").TerminalGame(
        arguments.agents,
        arguments.language or played.part("words").usual_language(),
        **_variant(arguments, len(arguments.agents) + 1).settings,
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


def serve(arguments: argparse.Namespace) -> None:
    """The page, until interrupted."""
    with _needing("the server", "play"):
        from pechvogel.play import serve
    serve.run(
        arguments.host,
        arguments.port,
        arguments.games,
        max_games=arguments.max_games,
        rate=arguments.rate,
        keep_days=arguments.keep_days,
        away=arguments.away,
        games_per_address=arguments.games_per_address,
        names=arguments.names,
        proxies=arguments.proxies,
        game=arguments.game or DEFAULT,
    )


def analyse(arguments: argparse.Namespace) -> None:
    """What every action of a position is worth."""
    from pechvogel.play.games import offer

    game = offer(arguments.game or DEFAULT)
    analysis, show = game.agents("analysis"), game.part("show")
    text = arguments.position
    if text == "-":
        text = sys.stdin.read(MAX_TEXT)
    elif len(text) < 256 and Path(text).is_file():  # longer ones are no names of files, but a position as JSON
        try:
            text = read_bytes(Path(text)).decode()
        except UnicodeDecodeError:
            raise ValueError(f"{text} is not a text file") from None
    elif text.endswith(".json"):
        raise ValueError(f"there is no file {text}")
    position = game.engine("position").Position.parse(text.strip())
    table = None if arguments.table is None else analysis.open_table(arguments.table)
    result = analysis.analyse(position, table)
    _present(arguments, result, lambda: show.analysis(position, result))


def replay(arguments: argparse.Namespace) -> None:
    """Recorded games, watched or verified; a record says which game it is of."""
    from pechvogel.play import show
    from pechvogel.play.games import of_record, read_records

    _check_delay(arguments.delay)
    games = read_records(arguments.file)
    quiet = arguments.json == "-"
    if arguments.verify:
        notes = _check_proofs(arguments.file, games)
        if not quiet:
            print(f"{arguments.file}: {len(games)} recorded game{'s' * (len(games) != 1)}, all verified")
            for note in notes:
                print(f"  {note}")
    else:
        if not 1 <= arguments.number <= len(games):
            raise ValueError(f"--number must be from 1 to {len(games)}, the games in the file, not {arguments.number}")
        chosen = games[arguments.number - 1]
        names = [f"player_{seat}" for seat in range(chosen["num_players"])]
        screen = show.Screen(of_record(chosen), arguments.delay, names)
        for game, action in of_record(chosen).engine("record").steps(chosen):
            if not quiet:
                screen.draw(game, action)
            last = game
        if not quiet:
            print(show.result(last, names))
    _write_json(arguments.json, {"games": len(games), "scores": [game["scores"] for game in games]})


def _check_proofs(path: Path, games: list[dict[str, Any]]) -> list[str]:
    """What games prove about where their dice came from; RecordError if a proof is wrong."""
    from pechvogel.play import fair
    from pechvogel.tabletop.record import PROOF, RecordError

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
                f"{', '.join(number for number in proof['numbers'] if number)}; {_committed(proof)}; "
                f"who began: {began}; decisions taken back: {proof['taken_back']}"
            )
    return notes


def _committed(proof: dict[str, Any]) -> str:
    """Whether people committed to their numbers before one was shown, and who did not show theirs."""
    numbers = [number for number in proof["numbers"] if number]
    said = "before any number" if any(proof.get("commitments", ())) else "none"
    if said == "none" and len(numbers) == 1:
        said += ", as there was one number only"
    late = [
        f"player_{seat}"
        for one in proof.get("abandoned", ())
        for seat, number in enumerate(one["numbers"])
        if one["commitments"][seat] and not number
    ]
    return f"commitments: {said}; numbers not shown: {', '.join(late) or 'none'}"


def watch(arguments: argparse.Namespace) -> None:
    """A game of random agents."""
    from pechvogel.play import show
    from pechvogel.play.games import offer
    from pechvogel.tabletop import record

    _check_delay(arguments.delay)
    variant = _variant(arguments, arguments.players)
    quiet = arguments.json == "-"
    names = [f"player_{seat}" for seat in range(arguments.players)]
    watched = offer(variant.game)
    screen = show.Screen(watched, arguments.delay, names)
    game = show.watch(variant, arguments.seed, (lambda game, action: None) if quiet else screen.draw)
    recorded = watched.engine("record").of_game(game)
    if not quiet:
        print(show.result(game, names))
    if arguments.record is not None:
        record.append(arguments.record, recorded)
    _write_json(arguments.json, recorded)


def _check_delay(delay: float) -> None:
    if not 0 <= delay <= 60:
        raise ValueError(f"--delay must be from 0 to 60 seconds, not {delay}")
