"""Before and after every request of the server: limits, and headers that make the page safe."""

from __future__ import annotations

import time
from collections import Counter

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_BODY = 16_384  # bytes of a request
OPENING = 10.0  # requests that opening a game counts for
MAX_STREAMS = 1000  # that one address may listen to at once
HEADERS = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'",
    "Referrer-Policy": "no-referrer",  # links are secrets
    "X-Content-Type-Options": "nosniff",
}


def error_answer(status: int, sentence: str, code: str | None = None) -> JSONResponse:
    """What clients get when something can't be done; by its code, the page finds the words of its language."""
    return JSONResponse({"error": sentence} | ({} if code is None else {"code": code}), status)


class Limiter:
    """So many requests per second and address, with a little credit."""

    def __init__(self, rate: float, burst: float) -> None:
        self.rate, self.burst = rate, burst
        self._credit: dict[str, tuple[float, float]] = {}

    def allows(self, who: str, cost: float = 1.0) -> bool:
        """Whether this request may be answered."""
        now = time.monotonic()
        credit, last = self._credit.get(who, (self.burst, now))
        credit = min(self.burst, credit + (now - last) * self.rate)
        if len(self._credit) > 10_000:  # forget those who have all their credit back
            whole = self.burst / self.rate
            self._credit = {key: value for key, value in self._credit.items() if now - value[1] < whole}
        self._credit[who] = (credit - cost if credit >= cost else credit, now)
        return credit >= cost


class Guard:
    """Around the application (ASGI)."""

    def __init__(self, app: ASGIApp, limiter: Limiter) -> None:
        self.app, self.limiter = app, limiter
        self.streams: Counter[str] = Counter()  # by address

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on what is within the limits."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        who = scope["client"][0] if scope.get("client") else "?"
        refused = self._refuse(scope, who)
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

    def _refuse(self, scope: Scope, who: str) -> JSONResponse | None:
        path = scope["path"]
        opening = scope["method"] == "POST" and (path == "/api/rooms" or path.endswith("/rematch"))
        if path.startswith("/api/") and not self.limiter.allows(who, OPENING if opening else 1.0):
            return error_answer(429, "too many requests; please wait a moment", "too_fast")
        if path.endswith("/events") and self.streams[who] >= MAX_STREAMS:
            return error_answer(429, "too many listeners; please close other pages of this server", "too_fast")
        headers = Headers(scope=scope)
        length = headers.get("content-length", "0")
        known = len(length) < 10 and length.isdecimal() and length.isascii() and "transfer-encoding" not in headers
        if not known or int(length) > MAX_BODY:
            return error_answer(413, f"a request may have up to {MAX_BODY:,} bytes, and must say how many")
        return None
