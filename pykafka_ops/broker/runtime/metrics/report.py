"""A broker's whole report: gathered and written in short stretches, between which it serves."""

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
from pykafka_ops.broker.runtime.metrics.logs import LogTeller
from pykafka_ops.broker.runtime.metrics.zookeeper import SessionTeller
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
    """Of a broker that runs. Who asks while a report is made gets that one."""

    def __init__(self, parts: Parts, loop: asyncio.AbstractEventLoop) -> None:
        self._parts = parts
        self._logs = LogTeller(parts)
        self._session = SessionTeller(parts)
        self._controller_times = controller.ControllerTimes(parts)
        self._labels = PartitionLabels()
        self._watch = process.LoopWatch(loop)
        self._dialects: list[str] = parts.configs.value(METRICS_DIALECTS)
        self._making: dict[Format, asyncio.Task[bytes]] = {}

    def start(self) -> None:
        """Watch the loop from now on."""
        self._watch.start()

    def stop(self) -> None:
        """Watch it no more."""
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
        told = book if form is Format.JSON else translated(book, self._dialects)
        for piece in write(told, form):
            pieces.append(piece.encode())
            await time_slice.pause()
        return b"".join(pieces)

    def gather(self, book: Book) -> Steps[None]:
        """All that is known, into ``book``."""
        parts, labels = self._parts, self._labels
        book.bean("kafka.server:KafkaServer:BrokerState", "3: the broker is running").add(RUNNING)
        told = "Of which cluster, and which broker, this is; always 1"
        of = Labels(cluster_id=parts.membership.cluster_id, broker_id=parts.broker_id)
        book.plain("pko_broker_info", told).add(1, of)
        process.tell(book)
        self._watch.tell(book)
        sockets.tell(parts, book)
        requests.tell(parts, book)
        self._session.tell(book)
        self._controller_times.tell(book)
        cleaner.tell(parts, book)
        coordinators.tell(parts, book)
        yield from quotas.tell(parts, book)
        yield from topics.tell(parts, book)
        yield from controller.tell(parts, book)
        yield from followers.tell(parts, book)
        yield from groups.tell(parts, book)
        yield from replicas.tell(parts, labels, book)
        yield from self._logs.tell(labels, book)
