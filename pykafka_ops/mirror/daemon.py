"""The whole mirror: starts and stops its links and the HTTP server in order."""

from __future__ import annotations

import json
import threading

from pykafka_ops.metrics.text import Format, write
from pykafka_ops.mirror.report.metrics import families
from pykafka_ops.mirror.report.server import JSON, PageServer, listen_place
from pykafka_ops.mirror.report.status import status_document
from pykafka_ops.mirror.run.told import log
from pykafka_ops.mirror.run.worker import LinkWorker, Makers, now_ms
from pykafka_ops.mirror.settings.model import MirrorSettings
from pykafka_ops.small_http import TEXT, HttpAnswer


class Mirror:
    """All links of a configuration in this process. ``url`` is where it answers ("": nowhere).

    UsageError for a wrong ``listen``, ConnectError if it cannot listen.
    """

    def __init__(self, settings: MirrorSettings, make: Makers) -> None:
        self._workers = [
            LinkWorker(link, settings.clusters[link.source], settings.clusters[link.target], make)
            for link in settings.links
        ]
        self._server: PageServer | None = None
        if settings.listen is not None:
            pages = {
                "/metrics": self._metrics,
                "/status": self._status,
                "/healthz": lambda _: HttpAnswer(200, TEXT, b"alive\n"),
                "/readyz": self._ready,
            }
            self._server = PageServer(*listen_place(settings.listen), pages)
        self.url = self._server.url if self._server is not None else ""

    def start(self) -> None:
        """Begin to mirror and to answer."""
        if self._server is not None:
            self._server.start()
        for worker in self._workers:
            worker.start()

    def stop(self) -> None:
        """End the rounds that are under way, leave the groups."""
        stops = [threading.Thread(target=worker.stop) for worker in self._workers]
        for thread in stops:
            thread.start()
        for thread in stops:
            thread.join()
        if self._server is not None:
            self._server.stop()
        log.info("ended")

    def _metrics(self, accept: str) -> HttpAnswer:
        formats = (Format.OPEN, Format.JSON)
        form = next((f for f in formats if f.value.partition(";")[0] in accept), Format.TEXT)
        found = families([worker.view() for worker in self._workers], now_ms())
        return HttpAnswer(200, form.value, "".join(write(found, form)).encode())

    def _status(self, _: str) -> HttpAnswer:
        found = status_document([worker.view() for worker in self._workers], now_ms())
        return HttpAnswer(200, JSON, json.dumps(found).encode())

    def _ready(self, _: str) -> HttpAnswer:
        """Whether every link has begun, and none is in trouble."""
        views = [worker.view() for worker in self._workers]
        bad = [
            f"{v.link.name}: {v.trouble or v.state}"
            for v in views
            if v.state not in ("copying", "paused")
        ]
        return HttpAnswer(503 if bad else 200, TEXT, ("\n".join(bad) or "ready").encode() + b"\n")
