"""Starting the web server: `pechvogel serve`."""

from __future__ import annotations

import socket
from pathlib import Path

import platformdirs
import uvicorn

from play.hub import Hub
from play.server import create_app
from play.store import Store


def games_file(path: Path | None) -> Path:
    """Where games are kept, unless somebody says otherwise."""
    found = path or Path(platformdirs.user_data_dir("pechvogel")) / "games.sqlite"
    found.parent.mkdir(parents=True, exist_ok=True)
    return found


def run(host: str, port: int, path: Path | None, *, max_games: int, rate: float, keep_days: float, away: float) -> None:
    """Serve until interrupted."""
    if not 0 <= port <= 65535:
        raise ValueError(f"--port must be from 0 to 65535, not {port}")
    if max_games < 1 or rate <= 0 or keep_days <= 0 or away < 0:
        raise ValueError("--max-games, --rate and --keep-days must be above 0, and --away not negative")
    listening = _listen(host, port)
    hub = Hub(Store(games_file(path)), max_open=max_games, away_seconds=away, keep_days=keep_days)
    hub.warm_up()  # compile now, not at the first visitor's first throw
    where = f"[{host}]" if ":" in host else host
    print(f"Pechvogel: http://{where}:{listening.getsockname()[1]}  (stop with Ctrl+C)", flush=True)
    app = create_app(hub, rate=rate)
    config = uvicorn.Config(app, log_level="warning", server_header=False, timeout_graceful_shutdown=2)
    uvicorn.Server(config).run(sockets=[listening])


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
