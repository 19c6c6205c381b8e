"""``metrics.listen``: ``/metrics``, ``/healthz`` and ``/readyz`` over HTTP, beside the event loop.

The threads of the standard library's server read requests and write answers; the report is
made on the event loop, which waits for no client. It is imported only where it is asked for.
"""

from __future__ import annotations

import asyncio
import gzip
import logging
import socket
from collections.abc import Callable, Coroutine
from concurrent.futures import TimeoutError as Late
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from selectors import EVENT_READ, DefaultSelector
from socketserver import TCPServer
from threading import BoundedSemaphore, Thread
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from pykafka_ops.metrics.text import Format

log = logging.getLogger("kafka.server.KafkaServer")

CLIENTS = 16
"""Connections at a time; further ones are closed."""
CLIENT_S = 10
"""How long a client may take to send its request, and to read on."""
ANSWER_S = 30
"""How long the loop may take to make a report."""
ALIVE_S = 5
"""How long the loop may take to show that it runs."""
TEXT = "text/plain; charset=utf-8"
INDEX = (
    "/metrics  metrics of this broker\n/healthz  is it alive?\n/readyz   does it serve clients?\n"
)


class Answer(NamedTuple):
    """An answer; ``body`` goes out as UTF-8."""

    status: int
    kind: str
    body: bytes


def said(status: int, text: str) -> Answer:
    """A line of text."""
    return Answer(status, TEXT, f"{text}\n".encode())


def _wanted(accept: str) -> Format:
    for form in (Format.OPEN, Format.JSON):
        if form.value.partition(";")[0] in accept:
            return form
    return Format.TEXT


class Health:
    """The state of the broker. ``troubles()`` says, on the loop, why it cannot serve."""

    def __init__(self) -> None:
        self.state = "starting"
        self.troubles: Callable[[], list[str]] = list


class MetricsServer:
    """One per broker; it answers from the moment it is made. Raises OSError if it cannot listen."""

    def __init__(
        self, host: str, port: int, loop: asyncio.AbstractEventLoop, health: Health
    ) -> None:
        self._loop = loop
        self._health = health
        self.report: Callable[[Format], Coroutine[Any, Any, bytes]] | None = None
        """Makes a report; None while the broker starts or stops."""
        self._http = _Http((host, port), self)
        self.port: int = self._http.server_address[1]
        self._stopping, self._stop = socket.socketpair()
        self._thread = Thread(target=self._serve, name="metrics", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop answering, at once."""
        self._stop.close()
        self._thread.join()
        self._stopping.close()
        self._http.server_close()

    def _serve(self) -> None:
        """Accept clients; unlike ``serve_forever`` this wakes up for nothing else."""
        with DefaultSelector() as selector:
            selector.register(self._http, EVENT_READ)
            selector.register(self._stopping, EVENT_READ)
            while all(key.fileobj is not self._stopping for key, _ in selector.select()):
                self._http.handle_request()

    # -- in the threads of clients

    def answer(self, path: str, accept: str) -> Answer:
        """The answer for ``path``; ``accept`` are the formats that the client accepts."""
        match urlsplit(path).path:
            case "/metrics":
                return self._metrics(_wanted(accept))
            case "/healthz":
                return self._alive()
            case "/readyz":
                return self._ready()
            case "/":
                return Answer(200, TEXT, INDEX.encode())
        return said(404, "not found: try /metrics, /healthz or /readyz")

    def _metrics(self, form: Format) -> Answer:
        report = self.report
        if report is None:
            return said(503, f"the broker is {self._health.state}: no metrics now")
        body = self._on_loop(report(form), ANSWER_S)
        if body is None:
            return said(503, f"no report within {ANSWER_S} s")
        return Answer(200, form.value, body)

    def _alive(self) -> Answer:
        """During the start recovery of logs blocks the loop, so this asks it only afterwards."""
        state = self._health.state
        if state == "running" and self._on_loop(self._troubles(), ALIVE_S) is None:
            return said(503, f"the event loop does not answer within {ALIVE_S} s")
        return said(200, state)

    def _ready(self) -> Answer:
        if self._health.state != "running":
            return said(503, self._health.state)
        troubles = self._on_loop(self._troubles(), ALIVE_S)
        if troubles is None:
            return said(503, f"the event loop does not answer within {ALIVE_S} s")
        return said(503, "\n".join(troubles)) if troubles else said(200, "ready")

    async def _troubles(self) -> list[str]:
        return self._health.troubles()

    def _on_loop(self, work: Coroutine[Any, Any, Any], seconds: float) -> Any:
        """Its result; None if that takes longer."""
        try:
            future = asyncio.run_coroutine_threadsafe(work, self._loop)
        except RuntimeError:  # the loop is closed
            work.close()
            return None
        try:
            return future.result(seconds)
        except Late:
            future.cancel()
            return None


class _Http(ThreadingHTTPServer):
    """Threads for a few clients; none of them keeps the process alive."""

    daemon_threads = True
    request_queue_size = 64
    timeout = 0
    """A client that hung up before it was accepted is not waited for."""

    def __init__(self, address: tuple[str, int], server: MetricsServer) -> None:
        self.address_family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        self.metrics = server
        self._room = BoundedSemaphore(CLIENTS)
        super().__init__(address, _Request)

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
        log.debug("a client of metrics.listen at %s has gone", client_address[0])


class _Request(BaseHTTPRequestHandler):
    """Answers GET and HEAD, one request after the other."""

    protocol_version = "HTTP/1.1"
    server_version = "pko"
    sys_version = ""
    timeout = CLIENT_S
    server: _Http

    def do_GET(self) -> None:
        """Answer."""
        self._send(body=True)

    def do_HEAD(self) -> None:
        """Answer without the body."""
        self._send(body=False)

    def _send(self, *, body: bool) -> None:
        answer = self.server.metrics.answer(self.path, self.headers.get("Accept", ""))
        data = answer.body
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.kind)
        self.send_header("X-Content-Type-Options", "nosniff")
        if len(data) > 1024 and "gzip" in self.headers.get("Accept-Encoding", ""):
            data = gzip.compress(data, 1)
            self.send_header("Content-Encoding", "gzip")
            self.send_header("Vary", "Accept-Encoding")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if body:
            self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        """Log nothing for single requests."""
