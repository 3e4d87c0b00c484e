"""What each game brings to the table: the same modules in every game's folder, and rooms from before."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from pechvogel.agents.games import GAMES
from pechvogel.play import games
from pechvogel.play.games import REMEMBERED, offer, offers
from pechvogel.play.room import Opening, Room
from pechvogel.play.store import Store

SEATS = ({"kind": "person", "name": "Ann", "token": "t"}, {"kind": "agent", "agent": "heuristic"})
OFFERED = {
    "table": ("Table",),
    "events": ("show_step", "show_choices"),
    "words": ("Words", "LANGUAGES", "usual_language"),
    "opponents": ("AGENTS", "STAND_IN", "CHANGING", "stand_in", "check_playable", "limited", "strengths"),
    "coach": ("advise", "analyse"),
    "review": ("Review",),
    "preview": ("words_of", "draw"),
    "terminal": ("TerminalGame",),
    "show": ("analysis",),
}


@pytest.mark.parametrize("game", [one.name for one in offers()])
def test_every_game_brings_the_same(game: str) -> None:
    one = offer(game)
    for module, names in OFFERED.items():
        for name in names:
            assert hasattr(one.part(module), name), f"{game} lacks {module}.{name}"
    assert one.table.kind is one.kind and one.part("terminal").TerminalGame.game is one
    if game in REMEMBERED:
        assert hasattr(one.part("summary"), "summarize")
    told = games.__doc__ or ""
    assert all(f"    {module} " in told for module in OFFERED if module != "show")


def test_games_are_found_by_name_and_record() -> None:
    assert [one.name for one in offers()] == ["pechvogel", "lucky-loser"], "Porca Miseria has no page"
    assert set(GAMES) - {"porca-miseria"} == {games.on_page(one.name) for one in offers()}
    with pytest.raises(ValueError, match="'porca-miseria' is not played on the page; there is pechvogel, lucky-loser"):
        games.on_page("porca-miseria")
    assert games.of_record({"format": "lucky-loser-game-1"}).name == "lucky-loser"
    assert games.of_record({"format": "chess"}).name == games.of_record([]).name == "pechvogel"  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="there is no game 'chess'"):
        offer("chess")


def test_what_is_shared_names_no_game() -> None:
    """But for the trainer, the rating and the page itself, which are Pechvogel's."""
    folder = Path(games.__file__).parent
    knowing = {
        path.name
        for path in folder.glob("*.py")
        if any(
            f"{word} {name}" in path.read_text(encoding="utf-8")
            for word in ("from", "import")
            for name in (
                "pechvogel_env",
                "lucky_loser_env",
                "porca_miseria_env",
                "pechvogel.play.pechvogel",
                "pechvogel.play.lucky_loser",
            )
        )
    }
    assert knowing == {"me.py", "pages.py", "server.py", "requests.py"}


def test_rooms_of_before_are_pechvogels(tmp_path: Path) -> None:
    """As they were stored when there was one game."""
    old = {
        "num_players": 2,
        "seats": list(SEATS),
        "secret": bytes(range(32)).hex(),
        "copies": 2,
        "italian_reading": True,
        "first_player": 0,
        "position": None,
        "wishes": ["coach"],
        "commit": True,
        "opener": None,
        "series": None,
        "pace": 0.0,
    }
    path = tmp_path / "games.sqlite"
    Store(path).close()
    with closing(sqlite3.connect(path)) as db:
        row = ("room", 1.0, 1.0, json.dumps(old))
        db.execute("INSERT INTO rooms (id, opened, touched, opening) VALUES (?, ?, ?, ?)", row)
        move = json.dumps({"do": "number", "seat": 0, "number": "ab"})
        db.execute("INSERT INTO moves (room, number, move) VALUES ('room', 0, ?)", (move,))
        db.commit()
    with closing(Store(path)) as store:
        loaded = store.load("room")
    assert loaded is not None
    shown = loaded.room.show()
    assert shown["game"] == "pechvogel" and shown["copies"] == 2 and shown["italian_reading"] is True
    assert shown["begun"] and "choices" not in shown and "row_lengths" not in shown
    same = Room(Opening(2, SEATS, old["secret"], copies=2, italian_reading=True, first_player=0, commit=True))  # type: ignore[arg-type]
    same.apply({"do": "number", "seat": 0, "number": "ab"})
    assert same.show()["position"] == shown["position"]


def test_rooms_keep_their_game(tmp_path: Path) -> None:
    lengths = [1, 2, 3, 4, 5, 6]
    opening = Opening(2, SEATS, "", game="lucky-loser", settings={"row_lengths": lengths})
    with closing(Store(tmp_path / "games.sqlite")) as store:
        store.open_room("room", opening, 1.0, (True, False))
        store.add_move("room", 0, {"do": "throw", "seat": 0, "faces": [2, 3, 5, 6]}, 1.0, None)
        loaded = store.load("room")
    assert loaded is not None
    shown = loaded.room.show()
    assert shown["game"] == "lucky-loser" and list(shown["row_lengths"]) == lengths and shown["choices"]
    again = loaded.room.opening
    assert again.variant["row_lengths"] == tuple(lengths)
