"""Acting and reading without being allowed to: no token, another's, a forged one; secrets in what anybody can read."""

from __future__ import annotations

import hashlib
import json
import random
import re
import sqlite3
import string
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx2

from tests.attack.children import serving
from tests.attack.rows import Row, Setting, Tally
from tests.load import Server
from tests.rooms import BOT, ME, OPEN, Player, join, sit_down

OPEN_TO_ALL = ("/api/rooms/{room}/join",)  # whoever has the link may sit down at an open place
PATHS = (
    "/", "/game/x", "/position", "/healthz", "/openapi.json", "/docs", "/api/agents", "/api/rooms", "/games.sqlite",
    "/web/../server.py", "/web/%2e%2e/%2e%2e/server.py", "/web//etc/passwd", "/web/..%2f..%2fserver.py", "/web/%00",
    "/.env", "/web/js/", "/web/js/../../../../store.py", "/api/rooms/%2e%2e", "/web/..\\..\\server.py",
)  # fmt: skip


def attack(given: Setting) -> Iterator[Row]:
    """Everything that the server's own description offers, with every wrong token."""
    with serving(given.folder) as server, httpx2.Client(base_url=server.url, timeout=60, verify=False) as client:
        offered = client.get("/openapi.json").json()
        victim = sit_down(client, ME, BOT, first_player=0, take_back=True, coach=True)
        other = sit_down(client, ME, BOT, first_player=0)
        given.say("wrong tokens")
        yield _acting(client, offered, victim, other, given)
        given.say("the other's turn")
        yield _out_of_turn(client, given)
        given.say("secrets")
        yield _reading(client, server, offered, victim, given)


def wrong_tokens(token: str, other: str, rng: random.Random, forged: int) -> list[dict[str, str]]:
    letters = string.ascii_letters + string.digits + "-_"
    values = [
        *("", "Bearer", "Bearer null", "Bearer undefined", "Bearer 0", f"Basic {token}", token),
        *(f"Bearer {wrong}" for wrong in (other, token[:-1], token + "x", token.swapcase(), token[::-1], token * 500)),
        f"Bearer {hashlib.sha256(token.encode()).hexdigest()}",  # what the file has
        *(f"Bearer {''.join(rng.choices(letters, k=len(token)))}" for _ in range(forged)),
    ]
    return [{}, {"Cookie": f"token={token}"}, {"X-Authorization": f"Bearer {token}"}] + [
        {"Authorization": value} for value in values
    ]


def _filled(path: str, name: str) -> str:
    """An address of the description, with a name at every place that wants one."""
    return re.sub(r"\{\w+\}", name, path)


def _body(offered: dict[str, Any], path: str, state: dict[str, Any]) -> dict[str, Any]:
    """What such a request needs, by the server's description: so it is refused for its token and nothing else."""
    content = offered["paths"][path].get("post", {}).get("requestBody", {}).get("content", {})
    schema = content.get("application/json", {}).get("schema", {})
    if "$ref" in schema:
        schema = offered["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    body: dict[str, Any] = {}
    for name in schema.get("required", ()):
        part = schema["properties"][name]
        plain = {"integer": part.get("minimum", 0), "boolean": True, "array": [0]}.get(part.get("type"), "0" * 64)
        body[name] = part["enum"][0] if "enum" in part else plain
    known = {"played": state["played"], "action": next(iter(state["legal"]), 0)}
    return body | {name: value for name, value in known.items() if name in body}


def _acting(client: httpx2.Client, offered: dict[str, Any], victim: Player, other: Player, given: Setting) -> Row:
    tally = Tally("acting in a game without a token, with another game's, or with a forged one")
    state = victim.asked()
    token, others = (player.headers["Authorization"].split()[1] for player in (victim, other))
    wrong = wrong_tokens(token, others, given.rng("forged"), given.times(20, 3))
    guarded = [
        (path, method)
        for path, methods in offered["paths"].items()
        for method in methods
        if "{room}" in path and path not in OPEN_TO_ALL and (method != "get" or path.endswith("/advice"))
    ]
    for path, method in guarded:
        body = _body(offered, path, state)
        for headers in wrong:
            more = {} if method in ("get", "delete") else {"json": body}
            done = client.request(method, _filled(path, victim.room), headers=headers, **more)
            tally.note(None if done.status_code == 403 else f"{method} {path} with {headers}: {done.status_code}")
        for where in (f"?token={token}", f"?authorization=Bearer%20{token}"):
            done = client.request(method, _filled(path, victim.room) + where, **more)
            tally.note(None if done.status_code == 403 else f"{method} {path}{where}: {done.status_code}")
    if victim.look() != state:
        tally.note("something has changed")
    if len(guarded) < 10:
        tally.note(f"only {len(guarded)} things to do were found")
    # With the right one it is done: so that was what was missing.
    if victim.post("act", action=state["legal"][0], played=state["played"]).status_code != 200:
        tally.note("the right token was refused, too")
    return tally.row(f"all refused with 403, at {len(guarded)} places; nothing changed; the right token is taken")


def _out_of_turn(client: httpx2.Client, given: Setting) -> Row:
    tally = Tally("acting with one's own token when it is another's turn, dice or seat")
    for _ in range(given.times(20, 2)):
        ann = sit_down(client, ME, OPEN, real_dice=True, first_player=0)
        bob = join(client, ann.room, "Bob")
        before = ann.look()
        for do, body in (
            ("throw", {"faces": [7, 7, 0, 0, 3, 4, 5], "played": 0}),
            ("act", {"action": 4, "played": 0}),
            ("take_back", {"played": 0}),
            ("hint", {}),
            ("stand_in", {"seat": 0}),
            ("return", {}),
            ("rematch", {}),
            ("number", {"number": "5"}),
        ):
            done = bob.post(do, **body)
            if do == "number":  # with real dice nobody needs it, and it does no harm
                continue
            tally.note(None if 400 <= done.status_code < 500 else f"{do}: {done.status_code}")
        gone = client.delete(f"/api/rooms/{ann.room}", headers=bob.headers)
        tally.note(None if gone.status_code in (403, 409) else f"delete: {gone.status_code}")
        if ann.look() != before:
            tally.note("something has changed")
    return tally.row("all refused, nothing changed")


def _secrets(path: Path) -> set[str]:
    """All that nobody may read, from the file of games."""
    with closing(sqlite3.connect(path)) as db:
        rows = [*db.execute("SELECT opening FROM rooms"), *db.execute("SELECT move FROM moves")]
    found: set[str] = set()

    def search(part: Any) -> None:
        if isinstance(part, dict):
            for key, value in part.items():
                if key in ("secret", "token") and isinstance(value, str) and value:
                    found.add(value)
                search(value)
        elif isinstance(part, list):
            for value in part:
                search(value)

    for (text,) in rows:
        search(json.loads(text))
    return found


def _reading(client: httpx2.Client, server: Server, offered: dict[str, Any], victim: Player, given: Setting) -> Row:
    tally = Tally("reading secrets of the dice, tokens, or files that are nobody's business")
    joined = sit_down(client, ME, OPEN, OPEN)
    join(client, joined.room, "Bob")
    secrets = _secrets(server.log.with_name("games.sqlite"))
    secrets |= {player.headers["Authorization"].split()[1] for player in (victim, joined)}
    if len(secrets) < 6:
        tally.note("no secrets were found to look for")
    rooms = (victim.room, joined.room)
    offers = [path for path, methods in offered["paths"].items() if "get" in methods]
    places = [_filled(path, room) for path in offers for room in rooms]
    for path in (*PATHS, *places):
        text = _text(client, path, victim)
        found = [secret for secret in secrets if secret in text]
        if "root:x:0" in text or "def create_app" in text or "SQLite format" in text:
            tally.note(f"{path} shows a file")
        tally.note(f"{path} shows a secret" if found else None)
    given.say("secrets, to the end of the game")
    state = victim.play_to_the_end()
    shown = victim.get("/record").text
    # At the end the game's secret is shown, and only then: so it would have been found.
    if not state["over"] or not any(secret in shown for secret in secrets):
        tally.note("the record of a finished game does not show its secret")
    return tally.row(f"{len(secrets)} secrets of the file looked for: none is shown before a game is over")


def _text(client: httpx2.Client, path: str, reader: Player) -> str:
    headers = reader.headers if path.endswith(("/advice", "/review")) else {}
    with client.stream("GET", path, headers=headers) as answer:
        text = str(answer.headers)
        for line in answer.iter_lines():
            text += line
            if line.startswith("data: ") and '"promise"' in line:
                break  # a stream: the state is its last word for now
    return text
