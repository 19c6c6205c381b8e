"""A broker's metrics from its start to its end, served over HTTP at ``metrics.listen``."""

from __future__ import annotations

import asyncio
import logging

from pykafka_ops.broker.runtime.metrics.report import BrokerReport
from pykafka_ops.broker.runtime.metrics.server import Health, MetricsServer
from pykafka_ops.broker.runtime.parts import Parts

log = logging.getLogger("kafka.server.KafkaServer")


class Metrics:
    """One per broker with ``metrics.listen``. Raises OSError where it cannot listen."""

    def __init__(self, host: str, port: int, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._health = Health()
        self._report: BrokerReport | None = None
        shown = f"[{host}]" if ":" in host else host
        try:
            self._server = MetricsServer(host, port, loop, self._health)
        except OSError as error:
            where = f"metrics.listen={shown}:{port}"
            raise OSError(error.errno, error.strerror, where) from None
        self.url = f"http://{shown}:{self._server.port}"
        log.info("serving metrics at %s/metrics", self.url)

    def running(self, parts: Parts) -> None:
        """The broker serves clients from now on. Call it on the loop."""
        self._report = report = BrokerReport(parts, self._loop)
        report.start()
        self._server.report = report.text
        self._health.troubles = lambda: _troubles(parts)
        self._health.state = "running"

    def stopping(self) -> None:
        """The broker stops and serves no new clients."""
        self._health.state = "stopping"
        self._server.report = None
        if self._report is not None:
            self._report.stop()

    async def close(self) -> None:
        """Stop answering."""
        await asyncio.to_thread(self._server.close)


def _troubles(parts: Parts) -> list[str]:
    """Why a running broker cannot serve everything, a line for each reason."""
    found = []
    if not parts.controller.connected:
        found.append("ZooKeeper cannot be reached")
    if not parts.image.alive(parts.broker_id):
        found.append("the controller has not announced this broker to the cluster")
    found += [f"log directory {path} has failed" for path in parts.logs.offline]
    return found
