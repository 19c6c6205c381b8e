"""A small HTTP server that only answers: metrics, health, a status; for few clients, in threads.

It stands on the standard library's, and is imported only where something is to be served.
"""

from __future__ import annotations

import gzip
import logging
import socket
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from threading import BoundedSemaphore
from typing import Any, Final, NamedTuple

CLIENTS: Final = 16
"""Connections at a time; further ones are closed."""
CLIENT_S: Final = 10
"""How long a client may take to send its request, and to read on."""
TEXT: Final = "text/plain; charset=utf-8"
_LARGE: Final = 1024
"""Bytes from which on an answer is packed."""


class HttpAnswer(NamedTuple):
    """A status, the content's type, and the content."""

    status: int
    kind: str
    body: bytes


Answering = Callable[[str, str], HttpAnswer]
"""Gets the path as it was sent, and what formats the client accepts; called in a client's thread,
raises nothing."""


class SmallHttp(ThreadingHTTPServer):
    """Threads for a few clients; none of them keeps the process alive. OSError if it cannot listen.

    ``log`` gets, at DEBUG, that a client has gone; ``name`` is what it calls this server.
    """

    daemon_threads = True
    request_queue_size = 64
    timeout = 0
    """A client that hung up before it was accepted is not waited for."""

    def __init__(
        self, address: tuple[str, int], answer: Answering, log: logging.Logger, name: str
    ) -> None:
        self.address_family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        self.answer, self._log, self._name = answer, log, name
        self._room = BoundedSemaphore(CLIENTS)
        super().__init__(address, _HttpRequest)

    @property
    def port(self) -> int:
        """Where it listens."""
        port: int = self.server_address[1]
        return port

    def server_bind(self) -> None:
        """Without the look-up of this host's name that ``HTTPServer`` does."""
        TCPServer.server_bind(self)

    def verify_request(self, request: Any, client_address: Any) -> bool:
        """Whether there is a thread for one more."""
        return self._room.acquire(blocking=False)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Serve a client, then free its thread."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._room.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Log a client that has gone at DEBUG only."""
        self._log.debug("a client of %s at %s has gone", self._name, client_address[0])


class _HttpRequest(BaseHTTPRequestHandler):
    """Answers GET and HEAD, one request after the other."""

    protocol_version = "HTTP/1.1"
    server_version = "pko"
    sys_version = ""
    timeout = CLIENT_S
    server: SmallHttp

    def do_GET(self) -> None:
        """Answer."""
        self._send(body=True)

    def do_HEAD(self) -> None:
        """Answer without the body."""
        self._send(body=False)

    def _send(self, *, body: bool) -> None:
        answer = self.server.answer(self.path, self.headers.get("Accept", ""))
        data = answer.body
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.kind)
        self.send_header("X-Content-Type-Options", "nosniff")
        if len(data) > _LARGE and "gzip" in self.headers.get("Accept-Encoding", ""):
            data = gzip.compress(data, 1)
            self.send_header("Content-Encoding", "gzip")
            self.send_header("Vary", "Accept-Encoding")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if body:
            self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        """Log nothing for single requests."""
