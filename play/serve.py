"""Starting the web server: `pechvogel serve`."""

from __future__ import annotations

import gc
import math
import socket
from pathlib import Path

import platformdirs
import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from pechvogel.play.hub import Hub
from pechvogel.play.server import create_app
from pechvogel.play.store import Store

MAX_REQUEST = 65_536  # bytes, head and all


def games_file(path: Path | None) -> Path:
    """Where games are kept, unless somebody says otherwise."""
    found = path or Path(platformdirs.user_data_dir("pechvogel")) / "games.sqlite"
    try:
        found.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ValueError(f"{found.parent} can't be used as a folder ({error.strerror})") from None
    return found


def run(host: str, port: int, path: Path | None, *, max_games: int, rate: float, keep_days: float, away: float) -> None:
    """Serve until interrupted."""
    if not 0 <= port <= 65535:
        raise ValueError(f"--port must be from 0 to 65535, not {port}")
    if max_games < 1 or not 1 <= rate < math.inf or not 0 < keep_days < math.inf or not 0 <= away < math.inf:
        raise ValueError("--max-games and --rate must be 1 or more, --keep-days above 0, and --away not negative")
    _many_connections()
    listening = _listen(host, port)
    hub = Hub(Store(games_file(path)), max_open=max_games, away_seconds=away, keep_days=keep_days)
    hub.warm_up()  # compile now, not at the first visitor's first throw
    gc.collect()
    gc.freeze()  # all that is there now stays: it need not be looked at again and again
    where = f"[{host}]" if ":" in host else host
    print(f"Pechvogel: http://{where}:{listening.getsockname()[1]}  (stop with Ctrl+C)", flush=True)
    app = create_app(hub, rate=rate)
    config = uvicorn.Config(
        app,
        http=_Protocol,
        log_level="warning",
        server_header=False,
        timeout_graceful_shutdown=2,
        timeout_keep_alive=30,
    )
    server = _Server(config)
    server.hub = hub
    server.run(sockets=[listening])


class _Server(uvicorn.Server):
    """It lets listeners go before it waits for them."""

    hub: Hub

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop."""
        self.hub.end_streams()
        await super().shutdown(sockets)


class _Protocol(HttpToolsProtocol):
    """It hangs up on endless requests: the parser would keep all of a head in memory."""

    unread = 0

    def data_received(self, data: bytes) -> None:
        """Some more of a request."""
        self.unread += len(data)
        if self.unread > MAX_REQUEST:
            self.transport.close()
        else:
            super().data_received(data)

    def on_message_complete(self) -> None:
        """A whole request."""
        self.unread = 0
        super().on_message_complete()


def _many_connections() -> None:
    """As many as the system allows: every game has a stream or two."""
    try:
        import resource
    except ImportError:  # Windows
        return
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _listen(host: str, port: int) -> socket.socket:
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(family, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(1024)
    except OSError as error:
        raise ValueError(f"can't listen on {host}, port {port}: {error.strerror or error}") from None
    return listening
