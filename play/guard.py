"""Before and after every request of the server: limits, and headers that make the page safe."""

from __future__ import annotations

import asyncio
import ipaddress
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeAlias
from urllib.parse import urlsplit
from weakref import WeakValueDictionary

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_BODY = 16_384  # bytes of a request
OPENING = 10.0  # requests that opening a game counts for, and changing a memory
AT_ONCE = 4  # requests, or pieces of streams, of one address that are begun before others have their turn
REMEMBERED = 100_000  # addresses whose credit is known
MAX_STREAMS = 1000  # that one address may listen to at once
WAITING = 3600.0  # seconds that a game which has not begun counts for whoever opened it
READING = ("GET", "HEAD", "OPTIONS")
HEADERS = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'",
    "Referrer-Policy": "no-referrer",  # links are secrets
    "X-Content-Type-Options": "nosniff",
}

Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network


def error_answer(
    status: int,
    sentence: str,
    code: str | None = None,
    headers: dict[str, str] | None = None,
    facts: Mapping[str, Any] | None = None,
) -> JSONResponse:
    """What clients get when something can't be done; by its code, the page finds the words of its language."""
    more = {"code": code, "facts": facts}
    return JSONResponse({"error": sentence, **{key: value for key, value in more.items() if value}}, status, headers)


# ------------------------------------------------------------------------------------------------ addresses


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """An address, also with a port or in brackets."""
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        found = ipaddress.ip_address(text)
    except ValueError:
        return None
    return getattr(found, "ipv4_mapped", None) or found


def whose(host: str) -> str:
    """Whom an address belongs to: limits count these. With IPv6, everybody has 2**64 addresses."""
    found = _address(host)
    if isinstance(found, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((int(found), 64), strict=False))
    return host if found is None else str(found)


def parse_proxy(text: str) -> Network:
    """A proxy's address, or a network of them."""
    try:
        return ipaddress.ip_network(text, strict=False)
    except ValueError:
        raise ValueError(f"--proxy must be an IP address or a network like 10.0.0.0/8, not {text!r}") from None


def is_proxy(host: str, proxies: Sequence[Network]) -> bool:
    """Whether what this address says about others is believed."""
    found = _address(host)
    return found is not None and any(found in network for network in proxies)


def _client(scope: Scope, headers: Headers, proxies: Sequence[Network]) -> str:
    """Who asks: the last address on the way to us that is no proxy of ours. What stands before it may be invented."""
    host: str = scope["client"][0] if scope.get("client") else "?"
    way = [part.strip() for line in headers.getlist("x-forwarded-for") for part in line.split(",")]
    while way and is_proxy(host, proxies):
        last = _address(way.pop())
        if last is None:  # "unknown", or nonsense
            break
        host = str(last)
    return whose(host)


# ------------------------------------------------------------------------------------------------ limits


class Limiter:
    """So many requests per second and address, with a little credit."""

    def __init__(self, rate: float, burst: float) -> None:
        self.rate, self.burst = rate, burst
        self._credit: OrderedDict[str, tuple[float, float]] = OrderedDict()  # who has asked last comes last

    def allows(self, who: str, cost: float = 1.0) -> bool:
        """Whether this request may be answered."""
        now = time.monotonic()
        credit, last = self._credit.get(who, (self.burst, now))
        credit = min(self.burst, credit + (now - last) * self.rate)
        self._credit[who] = (credit - cost if credit >= cost else credit, now)
        self._credit.move_to_end(who)
        # Forget who has all credit back, or is one too many: two for one that comes, so nobody has to look at all.
        for _ in range(2):
            _, last = next(iter(self._credit.values()))
            if len(self._credit) > REMEMBERED or now - last >= self.burst / self.rate:
                self._credit.popitem(last=False)
        return credit >= cost


class Openers:
    """Who has opened which games: so many open ones per address. A restart forgets it, but nobody else can."""

    def __init__(self, most: int, stage: Callable[[str], tuple[bool, bool] | None], clock: Callable[[], float]) -> None:
        self.most, self._stage, self._clock = most, stage, clock
        self._opened: dict[str, dict[str, float]] = {}  # by address: names of rooms, and when
        self._opening: Counter[str] = Counter()  # by address: games that are not yet stored
        self._crowded = 1000  # addresses

    @contextmanager
    def opening(self, who: str) -> Iterator[bool]:
        """Whether this address may open another game; while it does, that one counts already."""
        room = self.most - self._opening[who]
        self._opening[who] += 1
        try:
            # Looking at the rooms costs something: only when there are many.
            yield len(self._opened.get(who, ())) < room or self._count(who) < room
        finally:
            self._opening[who] -= 1
            if not self._opening[who]:
                del self._opening[who]

    def note(self, who: str, name: str) -> None:
        """It has opened one."""
        if len(self._opened) > self._crowded:
            for other in list(self._opened):
                self._count(other)
            self._crowded = max(1000, 2 * len(self._opened))
        self._opened.setdefault(who, {})[name] = self._clock()

    def _count(self, who: str) -> int:
        """Games that are still open; others are forgotten."""
        now = self._clock()
        opened = self._opened.get(who, {})
        still = {name: since for name, since in opened.items() if self._counts(name, now - since)}
        if still:
            self._opened[who] = still
        else:
            self._opened.pop(who, None)
        return len(still)

    def _counts(self, name: str, seconds: float) -> bool:
        stage = self._stage(name)
        if stage is None:
            return False
        begun, over = stage
        return not over and (begun or seconds < WAITING)


class Turns:
    """A few things for each address, then everybody else's: whatever one asks for at once, others need not wait."""

    def __init__(self) -> None:
        self._turns: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()  # of those who wait

    async def take(self, who: str) -> None:
        """Wait until it is this address's turn, once more."""
        turn = self._turns.get(who)
        if turn is None:
            turn = self._turns[who] = asyncio.Semaphore(AT_ONCE)
        async with turn:
            await asyncio.sleep(0)  # the event loop goes round


class Guard:
    """Around the application (ASGI)."""

    def __init__(
        self, app: ASGIApp, limiter: Limiter, names: Collection[str] = (), proxies: Sequence[Network] = ()
    ) -> None:
        self.app, self.limiter, self.proxies = app, limiter, proxies
        self.names = {_plain(name) for name in names if _address(name) is None}
        self.streams: Counter[str] = Counter()  # by address
        self.turns = Turns()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on what is within the limits."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        who = _client(scope, headers, self.proxies)
        scope.setdefault("state", {})["who"] = who
        scope["state"]["turn"] = partial(self.turns.take, who)
        await self.turns.take(who)
        refused = self._refuse(scope, headers, who)
        stream = refused is None and scope["path"].endswith("/events")

        async def send_on(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for key, value in HEADERS.items():
                    headers.setdefault(key, value)
                # Files of the page are asked for again every time, so that an upgrade never mixes old and new ones.
                headers.setdefault("Cache-Control", "no-store" if scope["path"].startswith("/api/") else "no-cache")
            await send(message)

        self.streams[who] += stream
        try:
            await (refused or self.app)(scope, receive, send_on)
        finally:
            self.streams[who] -= stream
            if not self.streams[who]:
                del self.streams[who]

    def _refuse(self, scope: Scope, headers: Headers, who: str) -> JSONResponse | None:
        path, method = scope["path"], scope["method"]
        opening = method == "POST" and (path == "/api/rooms" or path.endswith("/rematch"))
        opening = opening or (method not in READING and path.startswith("/api/memory"))
        # A game's page has a preview, for which the game is loaded.
        if path.startswith(("/api/", "/game/")) and not self.limiter.allows(who, OPENING if opening else 1.0):
            return error_answer(429, "too many requests; please wait a moment", "too_fast")
        if path.endswith("/events") and self.streams[who] >= MAX_STREAMS:
            return error_answer(429, "too many listeners; please close other pages of this server", "too_fast")
        if not all(self._is_ours(host) for host in headers.getlist("host")):
            sentence = "this server is reached by its IP address, as localhost, or by a name given with --name"
            return error_answer(421, sentence)
        if path.startswith("/api/") and self._from_elsewhere(method, headers):
            return error_answer(403, "other sites' pages can't use this server")
        length = headers.get("content-length", "0")
        known = len(length) < 10 and length.isdecimal() and length.isascii() and "transfer-encoding" not in headers
        if not known or int(length) > MAX_BODY:
            return error_answer(413, f"a request may have up to {MAX_BODY:,} bytes, and must say how many")
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if int(length) and kind != "application/json":
            return error_answer(415, "the body of a request must be application/json, and say so")
        return None

    def _is_ours(self, host: str) -> bool:
        """Names that nobody has given us may be somebody's whose page wants to be taken for ours (DNS rebinding)."""
        return _address(host) is not None or _plain(host) in ("localhost", *self.names)

    def _from_elsewhere(self, method: str, headers: Headers) -> bool:
        """A page from elsewhere, in a browser that can reach us: it must not act, nor let the coach think."""
        site = headers.get("sec-fetch-site", "none")
        if method in READING:  # they may link to us
            return site not in ("same-origin", "none") and headers.get("sec-fetch-mode") != "navigate"
        origin = headers.get("origin")
        if origin is not None:
            try:
                found = urlsplit(origin)
                named = found.hostname is not None and _plain(found.hostname) in self.names - {
                    "localhost"
                }  # on which others may listen
            except ValueError:
                return True
            # Behind a proxy that speaks for a name, `Host` may be the proxy's word for us.
            if not named and found.netloc.lower() != headers.get("host", "").lower():
                return True
        return site not in ("same-origin", "none")


def _plain(host: str) -> str:
    """A name without its port."""
    return host.partition(":")[0].rstrip(".").lower()
