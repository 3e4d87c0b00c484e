"""Private links, what is remembered behind them, and ratings: guessed, forged, flooded, filled with nonsense."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import httpx2

from pechvogel.play.guard import MAX_BODY
from tests import wire
from tests.attack import waits
from tests.attack.children import USUAL, serving, stranger
from tests.attack.rows import Row, Setting, Tally
from tests.attack.tokens import wrong_tokens

GAME: dict[str, Any] = {
    "room": "example-00001", "at": 1_790_000_000, "game": "pechvogel", "players": 2, "opponents": ["champion:level=3"],
    "result": 1.0, "score": 30, "decisions": 40, "cost": 0.2, "luck": 0.1, "errors": {"target": 0.2},
    "judge": "champion", "counts": True,
}  # fmt: skip
RATED = ["champion:level=3", 1.0, 40, 0.2, "champion"]
WRONG = (None, "<script>", [[]], {"a": {}}, "💥", "x" * 9000, "\x00")  # whatever is asked for
ELSEWHERE = (
    {"Origin": "https://elsewhere.example"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Host": "rebound.example"},
)
ASKED = (("GET", "/api/memory"), ("POST", "/api/memory/games"), ("DELETE", "/api/memory"))


def attack(given: Setting) -> Iterator[Row]:
    """Somebody's link, and everybody else."""
    with serving(given.folder) as server, httpx2.Client(base_url=server.url, timeout=60, verify=False) as client:
        links = [f"Bearer {client.post('/api/memory').json()['token']}" for _ in range(2)]
        for link in links:
            client.post("/api/memory/games", json={"games": [GAME]}, headers={"Authorization": link})
        given.say("forged links")
        yield _forged(client, links, given)
        given.say("pages from elsewhere")
        yield _elsewhere(client, links[0])
        given.say("nonsense")
        yield _nonsense(client, links[0], given)
    with serving(given.folder, *USUAL) as server:
        given.say("links without end")
        yield _made(server.url, given)
    seconds = given.times(6, 3)
    given.say(f"floods, {seconds} s")
    with serving(given.folder, *USUAL) as server, stranger(flood, wire.Port(server.port), given.seed):
        tried = "links made, filled and read, and ratings asked for, without end, while somebody plays"
        yield waits.row(tried, 1, waits.moves(server, seconds, given.seed))


def _kept(client: httpx2.Client, link: str) -> Any:
    return client.get("/api/memory", headers={"Authorization": link}).json()["games"]


def _ask(client: httpx2.Client, method: str, path: str, headers: dict[str, str]) -> httpx2.Response:
    more = {"json": {"games": [{**GAME, "room": "forged-00001"}]}} if method == "POST" else {}
    return client.request(method, path, headers=headers, **more)


def _forged(client: httpx2.Client, links: list[str], given: Setting) -> Row:
    tally = Tally("reading, filling or deleting what is behind a private link without it, or with a forged one")
    token = links[0].split()[1]
    # The other's is right for the other: it is no forgery.
    for headers in wrong_tokens(token, "x" * len(token), given.rng("links"), given.times(200, 10)):
        for method, path in ASKED:
            done = _ask(client, method, path, headers)
            tally.note(None if done.status_code == 404 else f"{method} with {headers}: {done.status_code}")
    if any(_kept(client, link) != [GAME] for link in links):
        tally.note("something has changed")
    return tally.row("all refused with 404, nothing changed; the right links still open")


def _elsewhere(client: httpx2.Client, link: str) -> Row:
    tally = Tally("other sites' pages with somebody's private link")
    for headers in ELSEWHERE:
        for method, path in (*ASKED, ("POST", "/api/memory"), ("POST", "/api/rating")):
            if method == "GET" and "Origin" in headers:
                continue  # browsers say where such a request comes from in another way
            done = _ask(client, method, path, {"Authorization": link, **headers})
            tally.note(None if done.status_code in (403, 421) else f"{method} {path} {headers}: {done.status_code}")
    if _kept(client, link) != [GAME]:
        tally.note("something has changed")
    return tally.row("all refused, nothing changed")


def _nonsense(client: httpx2.Client, link: str, given: Setting) -> Row:
    tally = Tally("imports and ratings that are huge, broken or wrong in one place")
    rng = given.rng("nonsense")
    # On connections of their own: it hangs up after what is too much.
    headers = {"Authorization": link, "Content-Type": "application/json", "Connection": "close"}
    for _ in range(given.times(400, 40)):
        path, body = _odd(rng)
        try:
            status = client.post(path, content=body, headers=headers).status_code
        except httpx2.TransportError:  # ... or before it is all there
            status = 413 if len(body) > MAX_BODY else 0
        tally.note(None if 400 <= status < 500 else f"{path} {body[:80]!r}: {status}")
    if _kept(client, link) != [GAME]:
        tally.note("something has changed")
    right = client.post("/api/rating", json={"games": [RATED] * 300})
    if right.status_code != 200:
        tally.note(f"300 right games were refused: {right.status_code}")
    return tally.row("all refused with a sentence, nothing changed; right ones are taken")


def _odd(rng: random.Random) -> tuple[str, bytes]:
    """A request with one thing wrong."""
    kind = rng.randrange(6)
    if kind == 0:
        game = {**GAME, rng.choice([*GAME, "more"]): rng.choice(WRONG)}
        return "/api/memory/games", json.dumps({"games": [game]}).encode()
    if kind == 1:
        row: list[Any] = list(RATED)
        row[rng.randrange(len(row))] = rng.choice((*WRONG, -1, 1e300, float("nan")))
        return "/api/rating", json.dumps({"games": [row]}).encode()
    if kind == 2:
        return "/api/memory/games", json.dumps({"games": [GAME] * rng.randrange(41, 400)}).encode()
    if kind == 3:
        return rng.choice(("/api/memory/games", "/api/rating")), b"[" * rng.randrange(1, 30_000)
    if kind == 4:
        whole = json.dumps({"games": [GAME]}).encode()
        return "/api/memory/games", whole[: rng.randrange(1, len(whole) - 1)]
    return "/api/memory/games", bytes(rng.randrange(256) for _ in range(rng.randrange(1, 200)))


def _made(url: str, given: Setting) -> Row:
    tally = Tally("private links made by one address")
    made = 0
    with httpx2.Client(base_url=url, timeout=60, verify=False) as client:
        for _ in range(given.times(300, 40)):
            done = client.post("/api/memory")
            made += done.status_code == 201
            tally.note(None if done.status_code in (201, 429) else f"{done.status_code}")
    if not 1 <= made <= 5:
        tally.note(f"{made} were made")
    return tally.row(f"{made} were made, the others refused with 429")


def flood(server: wire.Port, seed: int) -> None:
    """From many addresses: make a link, fill it with as much as fits, read it, and ask for ratings."""
    games = {"games": [{**GAME, "room": f"flood-{number:08}"} for number in range(35)]}
    rated = {"games": [RATED] * 300}
    for number in itertools.count():
        with (
            suppress(OSError, ValueError, IndexError),
            wire.connect(server, f"127.0.7.{number % 200 + 1}") as connection,
        ):
            connection.settimeout(5)
            wire.ask(connection, "/api/memory", {})
            link = {"Authorization": f"Bearer {wire.answer(connection)[2].get('token')}"}
            for path, body in (("/api/memory/games", games), ("/api/memory", None), ("/api/rating", rated)):
                for _ in range(5):
                    wire.ask(connection, path, body, **link)
                    wire.answer(connection)
