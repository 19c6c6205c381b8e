"""``metrics.listen``: ``/metrics``, ``/healthz`` and ``/readyz`` over HTTP, beside the event loop.

The threads of the standard library's server read requests and write answers; the report is
made on the event loop, which waits for no client. It is imported only where it is asked for.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable, Coroutine
from concurrent.futures import TimeoutError as Late
from selectors import EVENT_READ, DefaultSelector
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

from pykafka_ops.metrics.text import Format
from pykafka_ops.small_http import TEXT, HttpAnswer, SmallHttp

log = logging.getLogger("kafka.server.KafkaServer")

ANSWER_S = 30
"""How long the loop may take to make a report."""
ALIVE_S = 5
"""How long the loop may take to show that it runs."""
INDEX = (
    "/metrics  metrics of this broker\n/healthz  is it alive?\n/readyz   does it serve clients?\n"
)


def said(status: int, text: str) -> HttpAnswer:
    """A line of text."""
    return HttpAnswer(status, TEXT, f"{text}\n".encode())


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
        self._http = SmallHttp((host, port), self.answer, log, "metrics.listen")
        self.port = self._http.port
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

    def answer(self, path: str, accept: str) -> HttpAnswer:
        """The answer for ``path``; ``accept`` are the formats that the client accepts."""
        match urlsplit(path).path:
            case "/metrics":
                return self._metrics(_wanted(accept))
            case "/healthz":
                return self._alive()
            case "/readyz":
                return self._ready()
            case "/":
                return HttpAnswer(200, TEXT, INDEX.encode())
        return said(404, "not found: try /metrics, /healthz or /readyz")

    def _metrics(self, form: Format) -> HttpAnswer:
        report = self.report
        if report is None:
            return said(503, f"the broker is {self._health.state}: no metrics now")
        body = self._on_loop(report(form), ANSWER_S)
        if body is None:
            return said(503, f"no report within {ANSWER_S} s")
        return HttpAnswer(200, form.value, body)

    def _alive(self) -> HttpAnswer:
        """During the start recovery of logs blocks the loop, so this asks it only afterwards."""
        state = self._health.state
        if state == "running" and self._on_loop(self._troubles(), ALIVE_S) is None:
            return said(503, f"the event loop does not answer within {ALIVE_S} s")
        return said(200, state)

    def _ready(self) -> HttpAnswer:
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
