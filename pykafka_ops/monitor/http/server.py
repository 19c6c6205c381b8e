"""Serves the application with uvicorn, from a thread of its own."""

from __future__ import annotations

import socket
import sys
import threading

import uvicorn
from starlette.types import ASGIApp

from pykafka_ops.errors import ConnectError, PkoError

START_SECONDS = 30
CLIENTS = 512
"""Connections at a time; further ones get 503."""
IDLE_SECONDS = 65
SWITCH_SECONDS = 0.001
"""How long a round that computes may keep the thread of a request from its turn: at 5 ms, which is
Python's own, a page that takes 20 ms alone takes 100."""


class HttpServer:
    """Listens from the start; ``port`` is where; ``tls``: the files of the certificate and its key.
    ConnectError if it cannot listen."""

    def __init__(
        self, app: ASGIApp, host: str, port: int, tls: tuple[str, str] | None = None
    ) -> None:
        self._socket = _listen(host, port)
        self.host = host
        self.port: int = self._socket.getsockname()[1]
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            lifespan="off",
            server_header=False,
            limit_concurrency=CLIENTS,
            timeout_keep_alive=IDLE_SECONDS,
            timeout_graceful_shutdown=2,
            h11_max_incomplete_event_size=16 << 10,
            proxy_headers=False,  # who is believed is for access/peers.py to say
            ssl_certfile=tls[0] if tls else None,
            ssl_keyfile=tls[1] if tls else None,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._run, name="http", daemon=True)

    def start(self) -> None:
        """Begin to answer."""
        sys.setswitchinterval(SWITCH_SECONDS)
        self._thread.start()

    def stop(self) -> None:
        """Answer no more."""
        self._server.should_exit = True
        if self._thread.is_alive():
            self._thread.join(START_SECONDS)
        self._socket.close()

    def _run(self) -> None:
        self._server.run(sockets=[self._socket])


def _listen(host: str, port: int) -> socket.socket:
    try:
        family, kind, proto, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, proto)
    except OSError as error:
        raise PkoError(f"cannot listen on {host}:{port}: {error.strerror}") from None
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(512)
    except OSError as error:
        listener.close()
        raise ConnectError(f"cannot listen on {host}:{port}: {error.strerror}") from None
    return listener
