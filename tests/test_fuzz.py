"""What somebody else may have written: a ValueError says what is wrong with it, soon, and nothing else happens."""

from __future__ import annotations

import argparse
import copy
import hashlib
import json
import math
import time
import zlib
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors.numpy import save as to_bytes

from pechvogel import commands
from pechvogel.agents import card
from pechvogel.agents.pechvogel import analysis, solution, value
from pechvogel.agents.pechvogel.solution import HEADER, MAGIC, DamagedTableError, Solution
from pechvogel.agents.pechvogel.value import ValueNet
from pechvogel.play import fair
from pechvogel.play.pechvogel import opponents
from pechvogel.tabletop import untrusted
from pechvogel.train import config as configs
from pechvogel.train.pechvogel import ablation
from pechvogel.train.pechvogel.solve import findings_page
from pechvogel_env import record
from pechvogel_env.game import Game
from pechvogel_env.position import Position

FUZZ = settings(
    max_examples=200,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)
SOON = 5.0  # seconds, on a busy machine

NUMBERS = st.one_of(
    st.integers(-3, 300),
    st.sampled_from([2**31, 2**63, 2**64, -(2**64), 10**15, 10**30, 10**400]),
    st.floats(allow_nan=True, allow_infinity=True),
)
LEAVES = st.one_of(st.none(), st.booleans(), NUMBERS, st.text(max_size=8), st.sampled_from(["٣", "ß", "\ud800", "$x$"]))
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=5), inner, max_size=4)),
    max_leaves=10,
)
DEEP = "[" * 100_000
HOSTILE = [
    b"", b"\0", b"\xff\xfe", b"null", b"[]", b"{}", b"1", b'"x"', b"NaN", b"Infinity", b"1e999", b"9" * 5000,
    DEEP.encode(), DEEP.encode() + b"]" * 100_000, b'{"a":' * 100_000, b'{"a": 1e999}', b'{"a": ' + b"9" * 5000 + b"}",
]  # fmt: skip


def refuses(read: Callable[[], Any]) -> str:
    """The sentence of a ValueError, if there is one; any other error fails the test, and so does a long wait."""
    start = time.monotonic()
    try:
        read()
        sentence = ""
    except ValueError as error:
        sentence = str(error)
    assert time.monotonic() - start < SOON
    assert len(sentence) < 3000
    return sentence


@st.composite
def changed(draw: st.DrawFn, whole: Any) -> Any:
    """A value of JSON with something else in some place, or with something missing."""
    found = copy.deepcopy(whole)
    part, at = found, draw(st.sampled_from(list(found)))
    while isinstance(part[at], (dict, list)) and part[at] and draw(st.integers(0, 3)):
        part = part[at]
        at = draw(st.sampled_from(list(part) if isinstance(part, dict) else range(len(part))))
    if isinstance(part, dict) and not draw(st.integers(0, 5)):
        del part[at]
    else:
        part[at] = draw(VALUES)
    return found


@st.composite
def spoilt(draw: st.DrawFn, whole: bytes) -> bytes:
    """Bytes, some of them flipped, and perhaps cut off."""
    data = bytearray(whole)
    for _ in range(draw(st.integers(0, 3))):
        data[draw(st.integers(0, min(len(data), 3000) - 1))] = draw(st.integers(0, 255))
    return bytes(data[: draw(st.sampled_from([len(data), len(data) - 1, len(data) // 2, 7]))])


# ------------------------------------------------------------------------------------------------ the reader itself


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (DEEP, "nested too deeply"),
        ("[" * 40 + "]" * 40, "nested too deeply"),
        ('{"a": 1e999}', "not finite"),
        ("NaN", "not finite"),
        ("9" * 5000, "beyond 64 bits"),
        (str(2**64), "beyond 64 bits"),
        ("{", "not valid JSON"),
        (b"\xff", "not text in UTF-8"),
        (" " * 100, "more than 50 characters"),
    ],
)
def test_json_within_limits(text: str | bytes, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        untrusted.parse_json(text, 50 if text == " " * 100 else untrusted.MAX_TEXT)
    assert untrusted.parse_json(f'{{"a": [{2**64 - 1}, -1.5, "x"]}}') == {"a": [2**64 - 1, -1.5, "x"]}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (DEEP, "nested too deeply"),
        ("a: " * 3, "not valid YAML"),
        ("a: &a [x]\nb: *a", "anchors and aliases"),
        ("a: !!int ''", "tags"),
        ("a: 2026-99-99", "not valid YAML"),
        ("a: 1" + ":59" * 2000 + ".0", "not valid YAML"),
        ("a: 0x" + "f" * 9000, "beyond 64 bits"),
        ("a: " + "x" * untrusted.MAX_YAML, "more than 262,144 bytes"),
        ("\0", "not valid YAML"),
    ],
)
def test_yaml_within_limits(text: str, sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "c.yaml"
    path.write_text(text)
    with pytest.raises(ValueError, match=sentence) as refusal:
        untrusted.read_yaml(path)
    assert len(str(refusal.value)) < 500


def test_endless_files_end() -> None:
    for read in (untrusted.read_json, untrusted.read_yaml, record.read):
        with pytest.raises(ValueError, match=r"more than|not whole JSON"):
            read(Path("/dev/zero"))


def test_sentences_are_one_short_line() -> None:
    assert untrusted.shown("a\n b\0\x1b[31m") == "a b\\x00\\x1b[31m"
    assert len(untrusted.shown("x" * 10**6)) < 400 and len(untrusted.shown_value("x" * 10**6)) < 400
    assert untrusted.shown_value([1, "a"]) == "[1, 'a']" and untrusted.shown_value(10**5000) == "this int"


# ------------------------------------------------------------------------------------------------ positions

POSITION = {
    "num_players": 2, "copies": 3, "italian_reading": False, "middle": [3, 3, 3, 3, 2],
    "players": [{"markers": [0, 0, 0, 0, 1], "frustrations": 2}, {"markers": [0] * 5, "frustrations": 1}],
    "murphy": None, "active": 0, "target": 6, "targets": 4, "ravens": 2, "reduced": False, "frustraters": [],
    "last_throw": [6, 6, 3], "after_reduction": False, "phase": "frustrate", "to_act": 1, "turn": 9,
}  # fmt: skip
LINE = Position.parse(POSITION).to_text()


@FUZZ
@given(st.one_of(changed(POSITION), st.dictionaries(st.text(max_size=5), VALUES)))
def test_positions_as_objects_and_json(source: dict[str, Any]) -> None:
    refuses(lambda: Position.parse(source))
    refuses(lambda: Position.complete(source, num_players=2, copies=3))
    refuses(lambda: Position.parse(json.dumps(source)))


@FUZZ
@given(
    st.one_of(
        st.text(max_size=80),
        st.tuples(st.integers(0, len(LINE)), st.integers(0, 9), st.text(max_size=9)).map(
            lambda cut: LINE[: cut[0]] + cut[2] + LINE[cut[0] + cut[1] :]
        ),
    )
)
def test_positions_in_one_line(text: str) -> None:
    refuses(lambda: Position.parse(text))


def test_hostile_positions() -> None:
    for text in HOSTILE:
        assert refuses(lambda text=text: Position.parse(text.decode("latin-1")))  # type: ignore[misc]
    assert "phase" in refuses(lambda: Position.parse({**POSITION, "phase": "x" * 10**7}))
    assert "turn" in refuses(lambda: Position.parse({**POSITION, "turn": 10**5000}))


# ------------------------------------------------------------------------------------------------ records


def finished(seed: int) -> dict[str, Any]:
    game = Game(2, 1)
    game.reset(seed)
    rng = np.random.default_rng(seed)
    while game.bits:
        game.step(int(rng.choice([action for action in range(18) if game.bits >> action & 1])))
    return record.of_game(game)


def sealed(source: dict[str, Any]) -> dict[str, Any]:
    """With a checksum that fits: who damages a file can make one."""
    fields = {name: part for name, part in source.items() if name not in ("sha256", record.PROOF)}
    text = json.dumps(fields, separators=(",", ":"), sort_keys=True)
    return {**source, "sha256": hashlib.sha256(text.encode()).hexdigest()}


RECORD = finished(5)


@FUZZ
@given(changed(RECORD), st.booleans())
def test_records(source: dict[str, Any], seal: bool) -> None:
    refuses(lambda: record.verify(sealed(source) if seal else source))


@FUZZ
@given(st.one_of(spoilt(json.dumps(RECORD).encode()), st.binary(max_size=100), st.sampled_from(HOSTILE)))
def test_files_of_records(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "games.jsonl"
    path.write_bytes(data)
    refuses(lambda: record.read(path))


# ------------------------------------------------------------------------------------------------ proofs

SECRET = bytes(range(32))
SEEDED = finished(fair.seed(SECRET, ["ab", None]))
PROOF = {"promise": fair.promise(SECRET), "secret": SECRET.hex(), "numbers": ["ab", None], "drawn": False}
PROOF |= {"taken_back": 0, "seeded": []}
OTHER = bytes(32)
HASHES = [fair.commitment(fair.promise(OTHER), seat, "cd") for seat in range(2)]
ROUNDS = {**PROOF, "commitments": [fair.commitment(fair.promise(SECRET), 0, "ab"), None]}
ROUNDS |= {"abandoned": [fair.shown_round(OTHER, HASHES, ["cd", None])]}


def test_the_proof_that_is_fuzzed_is_right() -> None:
    for proof in (PROOF, ROUNDS):
        fair.verify(record.verify({**SEEDED, record.PROOF: proof}))


@FUZZ
@given(st.one_of(changed(PROOF), changed(ROUNDS), changed(ROUNDS), VALUES))
def test_proofs(proof: Any) -> None:
    refuses(lambda: fair.verify({**SEEDED, record.PROOF: proof}))


@pytest.mark.parametrize(
    "change", [{"promise": "ß" * 64}, {"taken_back": math.inf}, {"secret": "é"}, {"seeded": math.nan}, {"drawn": []}]
)
def test_proofs_of_strange_things(change: dict[str, Any]) -> None:
    with pytest.raises(record.RecordError, match="has no whole proof of its dice"):
        fair.verify({**SEEDED, record.PROOF: PROOF | change})


# ------------------------------------------------------------------------------------------------ cards and weights


def net() -> ValueNet:
    rng = np.random.default_rng(1)
    sizes = [value.num_features(2, 1), 8, 4]
    layers = [(rng.normal(size=(b, a)).astype(np.float32), np.zeros(b, np.float32)) for a, b in pairwise(sizes)]
    return ValueNet(layers, 2, 1)


ABOUT = {"game": "pechvogel", "players": 2, "settings": {"copies": 1}, "environment": "pechvogel_v0"}
TENSORS = card.named(net().layers)
WEIGHTS = to_bytes(TENSORS)


def put(path: Path, data: bytes, about: Any = ABOUT) -> Path:
    """Weights with a card that vouches for them."""
    path.write_bytes(data)
    if isinstance(about, dict):
        about = {"format": value.CARD_FORMAT, "sha256": hashlib.sha256(data).hexdigest(), **about}
    path.with_suffix(".json").write_text(json.dumps(about))
    return path


@FUZZ
@given(st.one_of(changed(ABOUT), VALUES))
def test_cards(tmp_path: Path, about: Any) -> None:
    refuses(lambda: value.load(put(tmp_path / "w.safetensors", WEIGHTS, about)))


def test_hostile_cards(tmp_path: Path) -> None:
    path = put(tmp_path / "w.safetensors", WEIGHTS)
    assert not refuses(lambda: value.load(path))
    for data in HOSTILE:
        path.with_suffix(".json").write_bytes(data)
        assert str(path) in refuses(lambda: value.load(path))


@FUZZ
@given(spoilt(WEIGHTS))
def test_weights(tmp_path: Path, data: bytes) -> None:
    refuses(lambda: value.load(put(tmp_path / "w.safetensors", data)))


def with_head(head: bytes) -> bytes:
    return len(head).to_bytes(8, "little") + head


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (to_bytes({**TENSORS, "bias_1": np.full(4, np.nan, np.float32)}), "'bias_1' has numbers that are not finite"),
        (to_bytes({**TENSORS, "bias_1": np.full(4, np.inf, np.float32)}), "'bias_1' has numbers that are not finite"),
        (to_bytes({**TENSORS, "bias_1": np.full(4, 1e30, np.float32)}), "'bias_1' .* has numbers beyond 1,000,000"),
        (to_bytes({**TENSORS, "bias_1": np.zeros(4, np.int64)}), "'bias_1' has numbers of kind 'I64', not F16, F32"),
        (WEIGHTS.replace(b'"F32"', b'"F99"'), "has numbers of kind 'F99'"),
        (WEIGHTS.replace(b'"F32"', b'"BF1"'), "has numbers of kind 'BF1'"),
        (with_head(DEEP.encode()), "nested too deeply"),
        (with_head(b"[]"), "names no arrays"),
        ((2**63).to_bytes(8, "little") + b"{}", "its head is not whole"),
        (b"", "its head is not whole"),
    ],
)
def test_weights_that_nobody_could_play_with(data: bytes, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=sentence):
        value.load(put(tmp_path / "w.safetensors", data))


# ------------------------------------------------------------------------------------------------ configs

CONFIG = configs.as_dict(configs.PpoConfig())


@FUZZ
@given(st.one_of(changed(CONFIG), st.dictionaries(st.sampled_from(sorted(CONFIG)), VALUES)))
def test_configs(source: dict[str, Any]) -> None:
    refuses(lambda: configs.from_dict(source))


@FUZZ
@given(
    st.one_of(
        st.binary(max_size=60),
        st.text("ab:-[]{}&*!|>'\"#%@?,.0x_~ \n\t<=", max_size=60).map(str.encode),
        st.sampled_from(HOSTILE),
        changed(CONFIG).map(lambda source: json.dumps(source).encode()),
    )
)
def test_files_of_configs(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "c.yaml"
    path.write_bytes(data)
    refuses(lambda: configs.read(path))


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ({"hidden": [10**12]}, "hidden must be at most 16 numbers of at most 4096"),
        ({"hidden": [8] * 1000}, "hidden must be at most 16 numbers"),
        ({"tables": 10**15}, "tables must be at most"),
        ({"tables": 2**19, "rollout": 2**19}, "tables x rollout must be at most"),
        ({"minibatch": 10**15}, "minibatch must be at most"),
        ({"steps": 10**5000}, "steps must be at most 1000000000000, not this int"),
        ({"league": {"current": 1e300}}, "shares of the league"),
        ({"league": {str(k): 1 for k in range(1000)}}, "the league must have at most 100 names"),
        ({"evaluate_against": ["random"] * 1000}, "evaluate_against must be at most 100 names"),
        ({"settings": {"self": 1}}, "settings can't be"),
        ({"settings": {"num_players": 1}}, "settings can't be"),
    ],
)
def test_absurd_sizes_are_refused(source: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        configs.from_dict(source)


def test_anchors_do_not_explode_in_a_sentence(tmp_path: Path) -> None:
    lines = ["a0: &a0 [x, x]", *[f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 9)}]" for k in range(1, 30)]]
    path = tmp_path / "c.yaml"
    path.write_text("\n".join([*lines, "hidden: *a29"]))
    assert "anchors and aliases" in refuses(lambda: configs.read(path))


# ------------------------------------------------------------------------------------------------ tables

CAP = 2
SIZE = solution.data_bytes(1, CAP)
HEAD = {
    "format": 1, "game": "pechvogel_v0", "chunk": solution.CHUNK, "copies": 1, "frustrations": CAP, "start_value": 0.25,
    "residual": 1e-7, "sweeps": 9.5,
}  # fmt: skip


def table(path: Path, head: Any = HEAD, values: bytes = bytes(SIZE)) -> Path:
    """A file with a head of somebody's own, whose checksums are right."""
    blocks = [values[at : at + solution.CHUNK] for at in range(0, len(values), solution.CHUNK)]
    sums = b"".join(zlib.crc32(block).to_bytes(4, "little") for block in blocks)
    if isinstance(head, dict) and head.get("checksums", 1):
        head = {"checksums": hashlib.sha256(sums).hexdigest(), **head}
    text = head if isinstance(head, bytes) else json.dumps(head).encode()
    whole = (MAGIC + text).ljust(HEADER - 4)[: HEADER - 4]
    path.write_bytes(whole + zlib.crc32(whole).to_bytes(4, "little") + values + sums)
    return path


@FUZZ
@given(st.one_of(changed(HEAD), VALUES, st.sampled_from(HOSTILE), st.binary(max_size=50)))
def test_heads_of_tables(tmp_path: Path, head: Any) -> None:
    refuses(lambda: Solution(table(tmp_path / "t.table", head)))


@pytest.mark.parametrize(
    ("head", "sentence"),
    [
        (DEEP.encode(), "its head is damaged: it is n"),
        (b"null", "its head is damaged: it has no names"),
        ({"format": 1}, "its head is damaged: it lacks game, copies, frustrations"),
        ({**HEAD, "copies": None}, "copies must be a whole number"),
        ({**HEAD, "copies": 10**9}, "copies must be from 1 to 3"),
        ({**HEAD, "frustrations": 10**15}, "frustrations must be from 1 to 255"),
        ({**HEAD, "frustrations": math.inf}, "not finite"),
        ({**HEAD, "start_value": None}, "start_value must be a number"),
        ({**HEAD, "sweeps": []}, "sweeps must be a number"),
        ({**HEAD, "chunk": 1}, "chunk must be 65536"),
        ({**HEAD, "checksums": 5}, "its checksums are damaged"),
        ({**HEAD, "frustrations": 3}, "it is incomplete"),
    ],
)
def test_heads_that_make_no_sense(head: Any, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=sentence):
        Solution(table(tmp_path / "t.table", head))
    Solution(table(tmp_path / "t.table")).verify()


SMALL = "2x1_11111_00000f{}.00000f0_-_0_000_-_-_throw_0"


def test_a_damaged_table_is_not_offered_and_advice_does_without_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PECHVOGEL_TABLES", str(tmp_path))
    path = table(tmp_path / solution.file_name(1, CAP))
    position = Position.parse(SMALL.format(0))
    assert opponents.limited()["optimal"] == [(2, 1)]
    assert analysis.analyse(position)["source"] == f"exact: table {path.name}"
    for at in (3, HEADER + SIZE // 2, None):
        whole = table(path).read_bytes()
        path.write_bytes(whole[:-9] if at is None else whole[:at] + bytes([whole[at] ^ 64]) + whole[at + 1 :])
        assert opponents.limited()["optimal"] == []
        found = analysis.analyse(position)
        assert found["source"].startswith("estimated: ") and found["source"].endswith(f"table {path.name} is damaged")
        assert abs(found["value"]) < 1
    table(path)
    assert opponents.limited()["optimal"] == [(2, 1)], "made anew, it is there again"


def test_damage_that_is_met_late_is_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A large table is not checked at once: what is damaged shows when it is used."""
    monkeypatch.setenv("PECHVOGEL_TABLES", str(tmp_path))
    monkeypatch.setattr(solution, "AT_ONCE", 0)
    path = table(tmp_path / solution.file_name(1, CAP))
    whole = bytearray(path.read_bytes())
    for at in range(HEADER + solution.CHUNK, HEADER + SIZE, solution.CHUNK):  # all but the first chunk
        whole[at] ^= 64
    path.write_bytes(whole)
    over = Position.parse("2x1_00000_11111f0.00000f0_-_0_000_-_-_over_9")
    search, source = analysis.evaluation(over)
    assert source.startswith("exact"), "a game that is over needs no table"
    assert opponents.limited()["optimal"] == [(2, 1)]
    position = Position.parse(SMALL.format(0))
    assert abs(search.values(position.states())[0, 0]) < 1, "it goes on with something else"
    assert capsys.readouterr().err.count("is damaged") == 1
    assert opponents.limited()["optimal"] == []
    with pytest.raises(DamagedTableError):
        Solution(path)
    assert analysis.evaluation(position)[1].endswith("is damaged")


def test_values_beyond_the_cap(tmp_path: Path) -> None:
    """As frustration by frustration, and as fast for a hundred million of them."""
    rng = np.random.default_rng(3)
    values = rng.uniform(-1, 1, SIZE // 4).astype(np.float32)
    solved = Solution(table(tmp_path / "t.table", values=values.tobytes()))
    codes = solution.make_codes(1)
    rows = solved.values[solution.start(codes, 1), 0]
    for beyond in (1, 2, 3, 10, 100, 1000):
        for seat in (0, 1):
            last, before = (rows[CAP, 0], rows[CAP - 1, 0]) if seat == 0 else (rows[0, CAP], rows[0, CAP - 1])
            expected, change = float(last), float(last - before)  # of numbers with 32 bits
            for _ in range(beyond):
                change *= solution.BEND
                expected += change
            states = Position.parse(SMALL.format(0)).states()
            states["frustrations"][0, seat] = CAP + beyond
            assert solved.evaluate(states)[0, 0] == pytest.approx(min(1, max(-1, expected)), abs=1e-12, rel=0)
    many = np.repeat(Position.parse(SMALL.format(10**8)).states(), 1000)
    start = time.monotonic()
    solved.evaluate(many)
    assert time.monotonic() - start < SOON


# ------------------------------------------------------------------------------------------------ figures of pages

ROW = {"evaluation": "hand-made", "search": "none", "turns": None, "win_share": 0.5, "ci95": [0.4, 0.6], "regret": None}
FIGURES = {
    "opponent": "planner", "games": 10, "seed": 1,
    "tables": {"2": [ROW, {**ROW, "evaluation": "learned", "turns": 1000, "regret": {"mean": 0.1}}]},
}  # fmt: skip


def from_data(command: str, write: Any, tmp_path: Path, data: bytes) -> str:
    path = tmp_path / "data.json"
    path.write_bytes(data)
    arguments = argparse.Namespace(data=path, json=None, page=tmp_path / "page.md")
    return refuses(lambda: commands._write_from_data(arguments, write, command))


@FUZZ
@given(st.one_of(changed(FIGURES), VALUES).map(lambda data: json.dumps(data).encode()))
def test_figures_of_the_ablation(tmp_path: Path, data: bytes) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ablation, "_draw", lambda path, data: None)  # it takes half a second
        sentence = from_data("ablation", ablation.write, tmp_path, data)
    assert not sentence or "is no file of `pechvogel ablation --json`" in sentence


@FUZZ
@given(st.one_of(st.dictionaries(st.sampled_from(["copies", "solved", "games", "turns", "agents"]), VALUES), VALUES))
def test_figures_of_findings(tmp_path: Path, data: Any) -> None:
    sentence = from_data("findings", findings_page.write, tmp_path, json.dumps(data).encode())
    assert "is no file of `pechvogel findings --json`" in sentence


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"opponent": "$x_$"},
        {"opponent": "x" * 10**6},
        {"games": 1e300},
        {"tables": {}},
        {"tables": {"0": []}},
        {"tables": {str(k): FIGURES["tables"]["2"] for k in range(1, 500)}},  # type: ignore[index]
        {"tables": {"2": [{**ROW, "evaluation": "learned", "turns": 1e18, "win_share": -1e19}]}},
    ],
)
def test_pages_from_hostile_figures(change: dict[str, Any], tmp_path: Path) -> None:
    sentence = from_data("ablation", ablation.write, tmp_path, json.dumps({**FIGURES, **change}).encode())
    assert bool(sentence) == bool(change) or "1e+18" in str(change)


def test_hostile_figures(tmp_path: Path) -> None:
    for data in HOSTILE:
        for command, write in (("ablation", ablation.write), ("findings", findings_page.write)):
            assert f"is no file of `pechvogel {command} --json`" in from_data(command, write, tmp_path, data)
