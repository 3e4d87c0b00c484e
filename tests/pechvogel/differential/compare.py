"""The engine against the model in C: the same dice and actions, every position compared, as often as one likes.

    make differential                                        # a thousand million decisions
    python -m tests.pechvogel.differential.compare --decisions 1e7 --jobs 2 --out build/differential
    python -m tests.pechvogel.differential.compare --speed   # random play: the engine's kernel and the model, in turns

The engine plays random games inside compiled code and writes down every position that it passes, the forced steps
included. The model (model.c) gets the dice and the actions alone, and says where it sees another position, other legal
actions or another result. A *decision* is a point where somebody has two or more legal actions.

Games are a function of the seed and their number. Work comes in parts, one small file each: stopped or killed, the
same command goes on. Parts that were made with other sources are made again.
"""

from __future__ import annotations

import argparse
import ctypes
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import TextColumn
from rich.table import Table

from pechvogel.tabletop.bits import lowest_action, random_action
from pechvogel.tabletop.files import replace_file, to_json
from pechvogel.tabletop.seeds import game_seed, mix, seeded_first_player
from pechvogel.train.progress import bar
from pechvogel_env import rules
from pechvogel_env.dice import fill_throw, word
from pechvogel_env.game import CHANCE_NEXT, MAX_LEGAL, go_on, random_games
from pechvogel_env.rules import FACES, MAX_COPIES, MAX_PLAYERS, MIN_PLAYERS, NUM_ACTIONS, NUM_DICE, STATE, Action, Phase

MODEL = Path(__file__).parent / "model.c"
ROWS = 1 << 14  # positions at a time: few enough to stay in the processor's cache
GAMES = 256  # at a time
MAX_TURNS = 200  # then a game is left as it stands (Q7)
PART_DECISIONS = 10_000_000
PART_GAMES = 10_000_000  # numbers that a part may use: far more than it needs
MAX_SHOWN = 10  # differences of a part that are told; all are counted
DICE_FELL, STARTED = -1, -2  # steps that are no actions
READINGS = ("german", "italian")  # Q3

PLAYED = np.dtype([(name, np.int32) for name in ("players", "copies", "italian", "first_player", "skips", "rows")])
RESULTS = np.dtype(
    [
        ("win_rewards", np.float64, MAX_PLAYERS),
        ("score_rewards", np.float64, MAX_PLAYERS),
        ("scores", np.int32, MAX_PLAYERS),
        ("winners", np.int32),
    ],
    align=True,
)
DIFFERENCE = np.dtype(
    [(name, np.int64) for name in ("game", "step", "field", "index")] + [("engine", float), ("model", float)]
)
COUNTED = ("decisions", "throws", "games", "positions")
CELLS = (MAX_PLAYERS - 1, MAX_COPIES, len(READINGS))  # counts by players - 2, copies - 1, reading

# ------------------------------------------------------------------------------------------- the games

# Loaded dice bring about what is rare: sixteen faces each, drawn by four bits of the engine's own random words.
LOADED = np.array(
    [
        [0] * 6 + [3, 3, 4, 4, 5, 5, 6, 6, 7, 7],  # frustrations for everybody
        [0] * 5 + [3] + [6] * 5 + [7] * 5,  # crowded boards: greed, four alike, values that are gone
        [0] * 5 + [3, 4, 5] + [7] * 8,  # everybody wants the same markers
        [0] + [3] * 3 + [4] * 3 + [5] * 3 + [6] * 3 + [7] * 3,  # long turns with few ravens
    ],
    np.int8,
)
FAIR = -1

FIERCE = sum(1 << action for action in Action if action.name.startswith(("REDUCE", "FRUSTRATE", "STEAL")))
ALL_ACTIONS = (1 << NUM_ACTIONS) - 1

# How the engine is driven: by what its own kernels use, by what it offers to others, or skipping forced steps.
INSIDE, BY_DICE, BY_COUNTS, SKIPPING = range(4)
STYLES = (INSIDE,) * 8 + (BY_DICE,) * 3 + (BY_COUNTS,) + (SKIPPING,) * 4  # the slow one least often


@numba.njit(nogil=True, error_model="numpy")  # no cache on disk: numba would not see that a rule was changed
def play(
    seed: Any,
    first_game: int,
    states: Any,
    played: Any,
    trace: Any,
    steps: Any,
    legal: Any,
    dice: Any,
    results: Any,
) -> int:
    """Play games from a number on, writing down every step, while there is room; returns how many are complete."""
    s = states[0]
    row = 0
    num_throws = 0
    counts = np.zeros(len(FACES), np.int8)
    for k in range(len(played)):
        game = first_game + k
        dice_seed = game_seed(seed, game, 0)
        key = game_seed(seed, game, 1)  # the choices must not depend on the dice
        kind = np.int64(key >> np.uint64(1))
        load = max(FAIR, kind % 8 - len(LOADED))  # one half of the games is fair
        style = STYLES[(kind >> 8) % len(STYLES)]
        taste = (kind >> 16) % 4
        # What players like: nothing, to attack each other, or, in each game, any set of actions.
        liked = 0 if taste == 0 else FIERCE if taste == 1 else np.int64(mix(key)) & ALL_ACTIONS
        g = played[k]
        g.players = MIN_PLAYERS + game % 4
        g.copies = 1 + game // 4 % 3
        g.italian = game // 12 % 2
        g.first_player = seeded_first_player(dice_seed, g.players)
        g.skips = style == SKIPPING
        rules.start_game(s, g.players, g.copies, g.italian == 1, g.first_player)
        start = row
        step = STARTED
        bits = 0
        while True:
            if row >= len(trace):
                return k
            trace[row] = s
            steps[row] = step
            legal[row] = bits
            row += 1
            if s.phase == Phase.THROW:
                if s.throws == 0 and s.turn >= MAX_TURNS:
                    break
                step = DICE_FELL
                thrown = dice[num_throws]
                num_throws += 1
                number = rules.dice_left(s)
                if load == FAIR:
                    fill_throw(thrown, NUM_DICE, dice_seed, s.turn, s.throws)
                else:
                    bits_of_dice = word(dice_seed, s.turn, s.throws)
                    for die in range(NUM_DICE):
                        thrown[die] = LOADED[load, np.int64(bits_of_dice >> np.uint64(4 * die)) & 15]
                if style == BY_DICE or (load != FAIR and style != BY_COUNTS):
                    rules.apply_dice(states, 0, thrown[:number])
                elif style == BY_COUNTS:
                    for index in range(len(FACES)):
                        counts[index] = 0
                    for die in range(number):
                        counts[rules.face_index(thrown[die])] += 1
                    die = 0  # counts have no order: the engine shows such dice sorted
                    for index in range(len(FACES)):
                        for _ in range(counts[index]):
                            thrown[die] = FACES[index]
                            die += 1
                    rules.apply_throw(states, 0, counts)
                else:
                    rules.land(s, number, fill_throw(s.last_throw, number, dice_seed, s.turn, s.throws))
            elif bits == 0:
                break
            else:
                step = lowest_action(bits)
                if bits & (bits - 1) != 0:
                    choice = mix(key + np.uint64(row - start))
                    wanted = bits & liked
                    if wanted == 0 or choice % np.uint64(8) == 0:
                        wanted = bits
                    step = random_action(wanted, choice, MAX_LEGAL)
                if style in (INSIDE, SKIPPING):
                    rules.act(s, step)
                else:
                    rules.apply(states, 0, step)
            bits = go_on(s, dice_seed, True, MAX_TURNS, False) if style == SKIPPING else rules.legal_of(s)
            if bits == CHANCE_NEXT:
                bits = 0
        g.rows = row - start
        r = results[k : k + 1]
        rules.write_win_rewards(states, 0, r["win_rewards"], 0)
        rules.write_score_rewards(states, 0, r["score_rewards"], 0)
        for seat in range(g.players):
            r["scores"][0, seat] = rules.score(states, 0, seat)
        r["winners"][0] = rules.winners(states, 0)
    return len(played)


# ------------------------------------------------------------------------------------------- the model


def compiler() -> str | None:
    """The C compiler: what CC names, or the first that is there."""
    return next(filter(None, map(shutil.which, (os.environ.get("CC", ""), "cc", "gcc", "clang"))), None)


def mistakes() -> list[str]:
    """The wrong rules that can be planted in the model."""
    names = re.search(r"enum planted \{(.*?)\}", MODEL.read_text(encoding="utf-8"), re.S)
    assert names is not None
    return re.findall(r"\w+", names[1])[1:]


class Model:
    """The model, built into a folder and loaded; with a planted mistake if one is named."""

    def __init__(self, folder: Path, planted: str = "NOTHING", optimise: str = "-O2") -> None:
        cc = compiler()
        if cc is None:
            raise FileNotFoundError("there is no C compiler: install one (Debian: apt install gcc), or name it in CC")
        path = folder / f"model_{planted}.so"
        options = ["-std=c99", optimise, "-Wall", "-Wextra", "-pedantic", "-shared", "-fPIC", f"-DPLANTED={planted}"]
        done = subprocess.run([cc, *options, "-o", path, MODEL, "-lm"], capture_output=True, text=True, check=False)
        if done.returncode or done.stderr:
            raise RuntimeError(f"{cc} complains about {MODEL}:\n{done.stderr}")
        self.library = library = ctypes.CDLL(str(path))
        number, pointer = ctypes.c_int64, ctypes.c_void_p
        library.compare.argtypes = [number, *[pointer] * 9, number]
        library.random_play.argtypes = [number, *[ctypes.c_int] * 3, ctypes.c_uint64]
        for name in ("compare", "random_play", "size_shown", "size_results", "num_shown", "num_rare"):
            getattr(library, name).restype = number
        for name in ("field_offset", "field_size", "field_name", "rare_name"):
            getattr(library, name).argtypes = [number]
            getattr(library, name).restype = ctypes.c_char_p if name.endswith("name") else number
        self._check_layout()
        self.rare = [library.rare_name(k).decode() for k in range(library.num_rare())]

    def _check_layout(self) -> None:
        """Every field of the engine's positions must be compared: the model has to know just these."""
        library = self.library
        known = {
            library.field_name(k).decode(): (library.field_offset(k), library.field_size(k))
            for k in range(library.num_shown())
        }
        assert STATE.fields is not None
        shown = {name: (place[1], place[0].itemsize) for name, place in STATE.fields.items()}
        if known != shown or library.size_shown() != STATE.itemsize or library.size_results() != RESULTS.itemsize:
            raise ValueError(f"model.c knows the fields {known}, the engine shows {shown}")

    def random_play(self, num_games: int, players: int, copies: int, italian: bool, seed: int) -> int:
        """Whole games of random decisions by the model alone; returns the number of decisions."""
        return int(self.library.random_play(num_games, players, copies, italian, seed))


# ------------------------------------------------------------------------------------------- the comparison


class Comparison:
    """Room for games, and what comparing them has come to so far."""

    def __init__(self, model: Model, seed: int) -> None:
        self.model = model
        self.seed = seed
        self.counts = np.zeros((*CELLS, len(COUNTED)), np.int64)
        self.rare = np.zeros(len(model.rare), np.int64)
        self.differences = 0
        self.told: list[str] = []
        self._states = rules.new_states(1)
        self._played = np.zeros(GAMES, PLAYED)
        self._trace = rules.new_states(ROWS)
        self._steps = np.zeros(ROWS, np.int8)
        self._legal = np.zeros(ROWS, np.int32)
        self._dice = np.zeros((ROWS, NUM_DICE), np.int8)
        self._results = np.zeros(GAMES, RESULTS)
        self._found = np.zeros(MAX_SHOWN, DIFFERENCE)

    @property
    def decisions(self) -> int:
        """Decisions compared so far."""
        return int(self.counts[..., 0].sum())

    def games(self, first_game: int) -> int:
        """Play and compare some games from a number on; returns the number of the next one."""
        arrays = (self._played, self._trace, self._steps, self._legal, self._dice, self._results)
        complete = play(np.uint64(self.seed), first_game, self._states, *arrays)
        if complete == 0:
            raise RuntimeError(f"game {first_game} of seed {self.seed} has more than {ROWS} steps")
        found = self.model.library.compare(
            complete, *(array.ctypes.data for array in (*arrays, self.counts, self.rare, self._found)), MAX_SHOWN
        )
        for difference in self._found[: min(found, MAX_SHOWN - len(self.told))]:
            self.told.append(self._tell(first_game, difference))
        self.differences += found
        return first_game + complete

    def _tell(self, first_game: int, difference: Any) -> str:
        game, step, name, index = (int(difference[key]) for key in ("game", "step", "field", "index"))
        played = self._played[game]
        start = int(self._played["rows"][:game].sum())
        field_name = self.model.library.field_name(name).decode()
        width = np.prod(STATE[field_name].shape, dtype=int) if field_name in (STATE.names or ()) else 1
        if width > 1 or field_name in (RESULTS.names or ()):
            field_name += f"[{index}]"
        before = ", ".join(_step_name(int(s)) for s in self._steps[start + max(1, step - 5) : start + step + 1])
        return (
            f"seed {self.seed}, game {first_game + game} (players {played['players']}, copies {played['copies']}, "
            f"{READINGS[played['italian']]} reading), step {step}: {field_name}: engine {difference['engine']:g}, "
            f"model {difference['model']:g}, after {before or 'the start'}"
        )


def _step_name(step: int) -> str:
    return "throw" if step == DICE_FELL else Action(step).name.lower()


def compare_games(model: Model, decisions: int, seed: int = 1, most_differences: int = 1 << 62) -> Comparison:
    """Compare until so many decisions were compared, or so many games found that differ."""
    comparison = Comparison(model, seed)
    game = 0
    while comparison.decisions < decisions and comparison.differences < most_differences:
        game = comparison.games(game)
    return comparison


# ------------------------------------------------------------------------------------------- parts


def sources() -> str:
    """A hash of all that a part depends on: the files whose code is compiled into the games, and our own."""
    engine = [f"pechvogel_env.{name}" for name in ("rules", "dice", "game")]
    tabletop = [f"pechvogel.tabletop.{name}" for name in ("bits", "compile", "rewards", "seeds")]
    paths = [MODEL, Path(__file__), *(Path(sys.modules[name].__file__ or "") for name in engine + tabletop)]
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in paths)).hexdigest()[:16]


@dataclass
class Part:
    """What one part came to: the file in which it is kept has just this."""

    seed: int
    first_game: int
    next_game: int
    goal: int  # decisions asked for; games are finished, so there are some more
    decisions: int
    throws: int
    games: int
    differences: int
    seconds: float  # of processor time
    sources: str
    told: list[str] = field(default_factory=list)
    counts: list[Any] = field(default_factory=list)  # by players, copies, reading: see COUNTED
    rare: dict[str, int] = field(default_factory=dict)


@dataclass
class Run:
    """A comparison in parts."""

    model: Model
    out: Path
    seed: int
    decisions: int
    part_decisions: int = PART_DECISIONS
    stop: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self.out.mkdir(parents=True, exist_ok=True)
        self.sources = sources()
        self.goals = [self.part_decisions] * (self.decisions // self.part_decisions)
        rest = self.decisions - sum(self.goals)
        self.goals += [rest] * (rest > 0)

    def path(self, number: int) -> Path:
        """The file of a part."""
        return self.out / f"seed{self.seed}-part{number:05}.json"

    def finished(self, number: int) -> Part | None:
        """A part that was made before, by the same sources."""
        try:
            part = Part(**json.loads(self.path(number).read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return None
        made = (part.seed, part.first_game, part.goal, part.sources)
        return part if made == (self.seed, number * PART_GAMES, self.goals[number], self.sources) else None

    def make(self, number: int, advance: Any) -> Part | None:
        """Make a part, unless it is there or the run is stopped; `advance` hears how many decisions were added."""
        part = self.finished(number)
        if part is not None:
            advance(part.goal)
            return part
        comparison = Comparison(self.model, self.seed)
        game = first_game = number * PART_GAMES
        goal = self.goals[number]
        start = time.thread_time()
        told = 0
        while comparison.decisions < goal:
            if self.stop.is_set():
                return None
            game = comparison.games(game)
            if game - first_game > PART_GAMES:
                raise RuntimeError("a part has run out of numbers for its games")
            done = min(comparison.decisions, goal)
            if done - told > 100_000 or done == goal:
                advance(done - told)
                told = done
        totals = dict(zip(COUNTED, comparison.counts.sum(axis=(0, 1, 2)).tolist(), strict=True))
        part = Part(
            seed=self.seed,
            first_game=first_game,
            next_game=game,
            goal=goal,
            decisions=totals["decisions"],
            throws=totals["throws"],
            games=totals["games"],
            differences=comparison.differences,
            seconds=round(time.thread_time() - start, 3),
            sources=self.sources,
            told=comparison.told,
            counts=comparison.counts.tolist(),
            rare=dict(zip(self.model.rare, comparison.rare.tolist(), strict=True)),
        )
        replace_file(self.path(number), to_json(asdict(part)))
        return part

    def all(self, jobs: int) -> list[Part]:
        """Make all parts that are missing, `jobs` at a time; compiled code and the model leave Python's lock alone."""
        rate = TextColumn("{task.fields[compared]}")
        with bar(rate) as progress, ThreadPoolExecutor(jobs) as pool:
            task = progress.add_task("comparing", total=self.decisions, compared="")

            def advance(count: int) -> None:
                progress.advance(task, count)
                progress.update(task, compared=f"{progress.tasks[0].completed / 1e6:.1f} million decisions")

            try:
                parts = list(pool.map(lambda number: self.make(number, advance), range(len(self.goals))))
            finally:
                self.stop.set()  # whatever went wrong: the others end soon, too
        return [part for part in parts if part is not None]


def report(parts: list[Part], console: Console) -> None:
    """Two tables: what was compared and how fast, and how often rare things happened in it."""
    counts: NDArray[np.int64] = np.sum([part.counts for part in parts], axis=0, dtype=np.int64)
    differences = sum(part.differences for part in parts)
    table = Table(title="The engine against the model in C", show_footer=True)
    total = counts.sum(axis=(0, 1, 2))
    table.add_column("players", footer="all")
    table.add_column("copies")
    table.add_column("reading")
    for name, number in zip(COUNTED, total.tolist(), strict=True):
        table.add_column(name, footer=f"{number:,}", justify="right")
    for players, copies, reading in np.ndindex(CELLS):
        cell = counts[players, copies, reading].tolist()
        table.add_row(str(players + 2), str(copies + 1), READINGS[reading], *(f"{number:,}" for number in cell))
    rate = total[0] / max(1e-9, sum(part.seconds for part in parts)) / 1e6
    table.caption = f"{differences} differences; {rate:.1f} million decisions per second of one core"
    console.print(table)
    rare = Table(title="Rare things in these games")
    rare.add_column("what")
    rare.add_column("times", justify="right")
    for name in parts[0].rare:
        rare.add_row(name.replace("_", " "), f"{sum(part.rare[name] for part in parts):,}")
    console.print(rare)
    for line in [line for part in parts for line in part.told][:MAX_SHOWN]:
        console.print(line, highlight=False, soft_wrap=True)


# ------------------------------------------------------------------------------------------- speed


def speed(model: Model, seconds: float, console: Console) -> None:
    """Random play by the engine's kernel and by the model, in turns; the median of the rounds.

    By processor time: others may use the machine as well. (They still get in the way, of both alike.)
    """
    states = rules.new_states(1000)
    table = Table(title="Random play, million decisions per second of one core")
    for name in ("players", "kernel", "model in C", "kernel / C", "rounds"):
        table.add_column(name, justify="right")
    for players in (2, 3, 5):
        rates: tuple[list[float], list[float]] = ([], [])
        random_games(states[:1], players, MAX_COPIES, False, np.uint64(0))  # compiled before it is measured
        end = time.perf_counter() + seconds
        while time.perf_counter() < end or not rates[0]:
            seed = len(rates[0]) + 1
            times = [time.thread_time()]
            decisions = [random_games(states, players, MAX_COPIES, False, np.uint64(seed))]
            times.append(time.thread_time())
            decisions.append(model.random_play(len(states), players, MAX_COPIES, False, seed))
            times.append(time.thread_time())
            for k in range(2):
                rates[k].append(decisions[k] / (times[k + 1] - times[k]) / 1e6)
        kernel, in_c = median(rates[0]), median(rates[1])
        ratio = median(ours / theirs for ours, theirs in zip(*rates, strict=True))
        table.add_row(str(players), f"{kernel:.1f}", f"{in_c:.1f}", f"{ratio:.2f}", str(len(rates[0])))
    console.print(table)


def main(arguments: list[str] | None = None) -> int:
    """Returns 1 if the engine and the model differ."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--decisions", type=float, default=1e7, help="how many to compare in all")
    parser.add_argument("--jobs", type=int, default=1, help="parts at a time, one core each")
    parser.add_argument("--out", type=Path, default=Path("build/differential"), help="where finished parts are kept")
    parser.add_argument("--seed", type=int, default=1, help="other seeds, other games")
    parser.add_argument("--speed", action="store_true", help="measure random play instead")
    parser.add_argument("--seconds", type=float, default=3, help="with --speed: how long, per number of players")
    options = parser.parse_args(arguments)
    console = Console(width=max(100, Console().width))  # a thousand million has many digits
    with TemporaryDirectory() as folder:
        model = Model(Path(folder))
        if options.speed:
            speed(model, options.seconds, console)
            return 0
        run = Run(model, options.out, options.seed, int(options.decisions))
        compare_games(model, 1)  # compiled before the clock runs
        try:
            parts = run.all(options.jobs)
        except KeyboardInterrupt:
            print("stopped: the same command goes on", file=sys.stderr)
            return 130
    report(parts, console)
    return int(any(part.differences for part in parts))


if __name__ == "__main__":
    sys.exit(main())
