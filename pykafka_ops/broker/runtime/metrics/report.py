"""A broker's whole report, collected and written in short steps: clients are served in between."""

from __future__ import annotations

import asyncio

from pykafka_ops.broker import jobs
from pykafka_ops.broker.runtime.metrics import (
    cleaner,
    controller,
    coordinators,
    followers,
    groups,
    process,
    quotas,
    replicas,
    requests,
    sockets,
    topics,
)
from pykafka_ops.broker.runtime.metrics.labels import PartitionLabels
from pykafka_ops.broker.runtime.metrics.logs import LogCollector
from pykafka_ops.broker.runtime.metrics.zookeeper import SessionCollector
from pykafka_ops.broker.runtime.parts import Parts
from pykafka_ops.broker.runtime.time_slice import TimeSlice
from pykafka_ops.broker.state.steps import Steps
from pykafka_ops.metrics.dialects import translated
from pykafka_ops.metrics.family import Book, Labels
from pykafka_ops.metrics.text import Format, write
from pykafka_ops.settings.broker_own import METRICS_DIALECTS

RUNNING = 3
"""``BrokerState.RUNNING``."""


class BrokerReport:
    """The report of a running broker. A request during the making of a report gets that report."""

    def __init__(self, parts: Parts, loop: asyncio.AbstractEventLoop) -> None:
        self._parts = parts
        self._logs = LogCollector(parts)
        self._session = SessionCollector(parts)
        self._controller_times = controller.ControllerTimes(parts)
        self._labels = PartitionLabels()
        self._watch = process.LoopWatch(loop)
        self._dialects: list[str] = parts.configs.value(METRICS_DIALECTS)
        self._making: dict[Format, asyncio.Task[bytes]] = {}

    def start(self) -> None:
        """Measure the event loop from now on."""
        self._watch.start()

    def stop(self) -> None:
        """Stop measuring it."""
        self._watch.stop()
        self._session.stop()

    async def text(self, form: Format) -> bytes:
        """The report."""
        making = self._making.get(form)
        if making is None or making.done():
            making = self._making[form] = jobs.start("report of metrics", self._make(form))
        return await asyncio.shield(making)

    async def _make(self, form: Format) -> bytes:
        time_slice = TimeSlice()
        book = Book()
        await time_slice.drive(self.gather(book))
        pieces = []
        named = book if form is Format.JSON else translated(book, self._dialects)
        for piece in write(named, form):
            pieces.append(piece.encode())
            await time_slice.pause()
        return b"".join(pieces)

    def gather(self, book: Book) -> Steps[None]:
        """Collect all metrics into ``book``."""
        parts, labels = self._parts, self._labels
        book.bean("kafka.server:KafkaServer:BrokerState", "3: the broker is running").add(RUNNING)
        text = "The cluster and the broker, as labels; always 1"
        of = Labels(cluster_id=parts.membership.cluster_id, broker_id=parts.broker_id)
        book.plain("pko_broker_info", text).add(1, of)
        process.collect(book)
        self._watch.collect(book)
        sockets.collect(parts, book)
        requests.collect(parts, book)
        self._session.collect(book)
        self._controller_times.collect(book)
        cleaner.collect(parts, book)
        coordinators.collect(parts, book)
        yield from quotas.collect(parts, book)
        yield from topics.collect(parts, book)
        yield from controller.collect(parts, book)
        yield from followers.collect(parts, book)
        yield from groups.collect(parts, book)
        yield from replicas.collect(parts, labels, book)
        yield from self._logs.collect(labels, book)
