"""Starting the web server: `pechvogel serve`."""

from __future__ import annotations

import asyncio
import gc
import math
import socket
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import platformdirs
import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from pechvogel.agents.games import DEFAULT
from pechvogel.play.guard import Network, is_proxy, parse_proxy, whose
from pechvogel.play.hub import Hub
from pechvogel.play.server import create_app
from pechvogel.play.store import Store

MAX_REQUEST = 65_536  # bytes, head and all
MAX_CONNECTIONS = 1500  # of one address
HEAD_SECONDS = 10.0  # for all of a request's head, from the first moment of a connection
BODY_SECONDS = 20.0  # for all of its body
IDLE_SECONDS = 30  # between requests
SLOW_SECONDS = 30.0  # in which somebody to whom much is being sent must have read some of it
BUFFER = 65_536  # bytes that the system keeps for a connection, each way: else it may be megabytes
SPARE = 100  # files that are no connections


def games_file(path: Path | None) -> Path:
    """Where games are kept, unless somebody says otherwise."""
    found = path or Path(platformdirs.user_data_dir("pechvogel")) / "games.sqlite"
    try:
        found.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ValueError(f"{found.parent} can't be used as a folder ({error.strerror})") from None
    return found


def run(
    host: str,
    port: int,
    path: Path | None,
    *,
    max_games: int,
    rate: float,
    keep_days: float,
    away: float,
    games_per_address: int = 50,
    names: Sequence[str] = (),
    proxies: Sequence[str] = (),
    game: str = DEFAULT,
) -> None:
    """Serve until interrupted."""
    if not 0 <= port <= 65535:
        raise ValueError(f"--port must be from 0 to 65535, not {port}")
    if max_games < 1 or not 1 <= rate < math.inf or not 0 < keep_days < math.inf or not 0 <= away < math.inf:
        raise ValueError("--max-games and --rate must be 1 or more, --keep-days above 0, and --away not negative")
    if games_per_address < 1:
        raise ValueError("--games-per-address must be 1 or more")
    trusted = [parse_proxy(proxy) for proxy in proxies]
    files = _many_connections()
    listening = _listen(host, port)
    hub = Hub(Store(games_file(path)), max_open=max_games, away_seconds=away, keep_days=keep_days)
    hub.warm_up()  # compile now, not at the first visitor's first throw
    gc.collect()
    gc.freeze()  # all that is there now stays: it need not be looked at again and again
    where = f"[{host}]" if ":" in host else host
    print(f"Pechvogel: http://{where}:{listening.getsockname()[1]}  (stop with Ctrl+C)", flush=True)
    app = create_app(
        hub,
        rate=rate,
        games_per_address=games_per_address,
        names=[host, *names],
        proxies=trusted,
        first_game=game,
    )
    config = uvicorn.Config(
        app,
        http=_Protocol,
        ws="none",
        log_level="warning",
        server_header=False,
        proxy_headers=False,  # the guard reads them, if a proxy was named
        timeout_graceful_shutdown=2,
        timeout_keep_alive=IDLE_SECONDS,
    )
    _Protocol.crowd = _Crowd(files, trusted)
    server = _Server(config)
    server.hub = hub
    server.run(sockets=[listening])


class _Server(uvicorn.Server):
    """It lets listeners go before it waits for them."""

    hub: Hub

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop."""
        self.hub.end_streams()
        for connection in list(self.server_state.connections):
            if isinstance(connection, _Protocol) and connection.flow.write_paused:
                connection.transport.abort()  # nobody reads there
        await super().shutdown(sockets)


class _Crowd:
    """How many connections there are: nobody gets so many that none are left for others."""

    def __init__(self, files: float, proxies: Sequence[Network]) -> None:
        self.most = files - SPARE
        self.each = min(MAX_CONNECTIONS, self.most / 3)
        self.proxies = proxies
        self.count = 0
        self.by_address: Counter[str] = Counter()

    def enter(self, host: str) -> str | None:
        """One more, if there is room; who it is, for `leave`."""
        who = whose(host)
        if self.count >= self.most or (self.by_address[who] >= self.each and not is_proxy(host, self.proxies)):
            return None
        self.count += 1
        self.by_address[who] += 1
        return who

    def leave(self, who: str) -> None:
        """One less."""
        self.count -= 1
        self.by_address[who] -= 1
        if not self.by_address[who]:
            del self.by_address[who]


class _Protocol(HttpToolsProtocol):
    """It hangs up on those who only keep it busy.

    These are endless requests, of which the parser would keep all of the head in memory; requests that never become
    whole; more connections than somebody needs; and those who don't read what they have asked for.
    """

    crowd = _Crowd(math.inf, ())
    who: str | None = None
    unread = 0
    whole = True  # the last request is
    _asking: asyncio.TimerHandle | None = None
    _reading: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody has come."""
        super().connection_made(transport)
        self.who = self.crowd.enter(self.client[0] if self.client else "?")
        if self.who is None:
            transport.abort()
        else:
            self._ask_within(HEAD_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:
        """Somebody has gone."""
        self._asked()
        self._read()
        if self.who is not None:
            self.crowd.leave(self.who)
            self.who = None
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Some more of a request."""
        if self.whole and self._asking is None:  # also for bytes that are no request yet: nothing else counts them
            self._ask_within(HEAD_SECONDS)
        self.unread += len(data)
        if self.unread > MAX_REQUEST:
            self.transport.close()
        else:
            super().data_received(data)

    def on_message_begin(self) -> None:
        """The first line of a request."""
        self.whole = False
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """All of its head."""
        self._asked()
        self._ask_within(BODY_SECONDS)
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """A whole request."""
        self._asked()
        self.unread = 0
        self.whole = True
        super().on_message_complete()

    def pause_writing(self) -> None:
        """They read slower than we write."""
        super().pause_writing()
        self._read_within(SLOW_SECONDS)

    def resume_writing(self) -> None:
        """They have read."""
        self._read()
        super().resume_writing()

    def on_response_complete(self) -> None:
        """All is written, but not all is sent: a transport that is closed waits for that, perhaps for ever."""
        super().on_response_complete()
        if self.transport.is_closing() and self.who is not None:
            self._read()
            self._read_within(SLOW_SECONDS)

    def timeout_keep_alive_handler(self) -> None:
        """Nothing was asked for a while; what they have not read by now is lost."""
        self.transport.abort()

    def _ask_within(self, seconds: float) -> None:
        self._asking = self.loop.call_later(seconds, self._abort)

    def _asked(self) -> None:
        if self._asking is not None:
            self._asking.cancel()
            self._asking = None

    def _read_within(self, seconds: float) -> None:
        self._reading = self.loop.call_later(seconds, self._abort)

    def _read(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            self._reading = None

    def _abort(self) -> None:
        self.transport.abort()


def _many_connections() -> float:
    """As many as the system allows: every game has a stream or two. How many files that are."""
    try:
        import resource
    except ImportError:  # Windows
        return math.inf
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    return math.inf if most == resource.RLIM_INFINITY else most


def _listen(host: str, port: int) -> socket.socket:
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(family, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        for direction in (socket.SO_SNDBUF, socket.SO_RCVBUF):  # connections inherit it
            listening.setsockopt(socket.SOL_SOCKET, direction, BUFFER)
        listening.bind(address)
        listening.listen(1024)
    except OSError as error:
        raise ValueError(f"can't listen on {host}, port {port}: {error.strerror or error}") from None
    return listening
