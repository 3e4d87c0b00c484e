"""Before and after every request of the server: limits, and headers that make the page safe."""

from __future__ import annotations

import time

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_BODY = 16_384  # bytes of a request
HEADERS = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'",
    "Referrer-Policy": "no-referrer",  # links are secrets
    "X-Content-Type-Options": "nosniff",
}


def error_answer(status: int, sentence: str) -> JSONResponse:
    """What clients get when something can't be done."""
    return JSONResponse({"error": sentence}, status)


class Limiter:
    """So many requests per second and address, with a little credit."""

    def __init__(self, rate: float, burst: float) -> None:
        self.rate, self.burst = rate, burst
        self._credit: dict[str, tuple[float, float]] = {}

    def allows(self, who: str) -> bool:
        """Whether this request may be answered."""
        now = time.monotonic()
        credit, last = self._credit.get(who, (self.burst, now))
        credit = min(self.burst, credit + (now - last) * self.rate)
        if len(self._credit) > 10_000:  # forget those who have all their credit back
            whole = self.burst / self.rate
            self._credit = {key: value for key, value in self._credit.items() if now - value[1] < whole}
        self._credit[who] = (credit - 1 if credit >= 1 else credit, now)
        return credit >= 1


class Guard:
    """Around the application (ASGI)."""

    def __init__(self, app: ASGIApp, limiter: Limiter) -> None:
        self.app, self.limiter = app, limiter

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on what is within the limits."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        refused = self._refuse(scope)

        async def send_on(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for key, value in HEADERS.items():
                    headers.setdefault(key, value)
                if scope["path"].startswith("/api/"):
                    headers.setdefault("Cache-Control", "no-store")
            await send(message)

        await (refused or self.app)(scope, receive, send_on)

    def _refuse(self, scope: Scope) -> JSONResponse | None:
        who = scope["client"][0] if scope.get("client") else "?"
        if scope["path"].startswith("/api/") and not self.limiter.allows(who):
            return error_answer(429, "too many requests; please wait a moment")
        headers = Headers(scope=scope)
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > MAX_BODY or "chunked" in headers.get("transfer-encoding", ""):
            return error_answer(413, f"a request may have up to {MAX_BODY:,} bytes, and must say how many")
        return None
