"""Requests as bytes on a socket, from any loopback address: what no well-behaved client would send can be sent."""

from __future__ import annotations

import json
import os
import resource
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from tests.load import Server


class Port(NamedTuple):
    """All that others know of a server."""

    port: int


def connect(server: Server | Port, source: str = "127.0.0.1", buffer: int | None = None) -> socket.socket:
    found = socket.socket()
    found.settimeout(20)
    if buffer is not None:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
    found.bind((source, 0))
    found.connect(("127.0.0.1", server.port))
    return found


def ask(connection: socket.socket, path: str, body: Any = None, method: str = "", **headers: str) -> None:
    content = b"" if body is None else json.dumps(body).encode()
    lines = [f"{method or ('GET' if body is None else 'POST')} {path} HTTP/1.1"]
    found = {"Host": "localhost", "Content-Length": str(len(content)), "Content-Type": "application/json"}
    found |= {key.replace("_", "-"): value for key, value in headers.items()}
    lines += [f"{key}: {value}" for key, value in found.items()]
    connection.sendall("\r\n".join([*lines, "", ""]).encode() + content)


def answer(connection: socket.socket) -> tuple[int, str, dict[str, Any]]:
    """Status, head, and what came."""
    got = b""
    while b"\r\n\r\n" not in got:
        got += more(connection)
    head, _, body = got.partition(b"\r\n\r\n")
    length = int(head.lower().split(b"content-length:")[1].split()[0])
    while len(body) < length:
        body += more(connection)
    return int(head.split()[1]), head.decode().lower(), json.loads(body)


def more(connection: socket.socket) -> bytes:
    found = connection.recv(65_536)
    if not found:
        raise ConnectionError("it hung up")
    return found


def status(server: Server, path: str, body: Any = None, source: str = "127.0.0.1", **more: str) -> tuple[int, Any]:
    with connect(server, source) as connection:
        ask(connection, path, body, **more)
        found, _, content = answer(connection)
        return found, content


def hung_up(connection: socket.socket, seconds: float = 15.0) -> bool:
    """Whether the server does so within some time; what it still sends is thrown away."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        connection.settimeout(max(0.01, deadline - time.monotonic()))
        try:
            if not connection.recv(65_536):
                return True
        except TimeoutError:
            return False
        except OSError:
            return True
    return False


def until(true: Callable[[], Any], seconds: float = 15.0) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "nothing came of it"
        time.sleep(0.02)


def many_files() -> None:
    """Let this process have as many connections as the system allows."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def established(server: Server | Port) -> set[tuple[str, int]]:
    """By the system's table, the clients' addresses and ports of connections that the server has not closed."""
    found: set[tuple[str, int]] = set()
    for row in (line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]):
        host, port = row[2].split(":")
        if row[3] == "01" and int(row[1].split(":")[1], 16) == server.port:
            found.add((socket.inet_ntoa(bytes.fromhex(host)[::-1]), int(port, 16)))
    return found


def memory(server: Server, which: str = "VmRSS") -> float:
    """What the server has in memory, in MB; `VmHWM`: the most that it ever had."""
    text = Path(f"/proc/{server.process.pid}/status").read_text()
    return int(text.split(f"{which}:")[1].split()[0]) / 1000


def cpu(server: Server) -> float:
    """Seconds of a core that the server has used."""
    fields = Path(f"/proc/{server.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
