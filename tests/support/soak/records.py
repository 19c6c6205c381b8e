"""Records that are counted: written, acknowledged, read once and in order; in transactions too."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import confluent_kafka as ck

from tests.support.soak.job import Job

QUIET = {"log_level": 0, "socket.timeout.ms": 30_000}
PARTITIONS = 3
DRAIN_SECONDS = 60.0


def producer(bootstrap: str, **more: object) -> ck.Producer:
    """One that retries, and never writes a record twice."""
    servers = {"bootstrap.servers": bootstrap}
    return ck.Producer({**QUIET, **servers, "enable.idempotence": True, "linger.ms": 5, **more})


def reader(bootstrap: str, topic: str, **more: object) -> ck.Consumer:
    """One that reads all partitions from their first record on."""
    consumer = ck.Consumer(
        {
            **QUIET,
            "bootstrap.servers": bootstrap,
            "group.id": f"along-{topic}",
            "enable.auto.commit": False,
            "auto.offset.reset": "earliest",
            "queued.max.messages.kbytes": 2048,
            **more,
        }
    )
    consumer.assign([ck.TopicPartition(topic, p, 0) for p in range(PARTITIONS)])
    return consumer


class Writer(Job):
    """Writes numbered records; ``acked`` has the next number for each partition."""

    name = "produce"
    pause = 0.05
    at_once = 40

    def __init__(self, bootstrap: str, topic: str) -> None:
        super().__init__(bootstrap)
        self.topic = topic
        self.acked = [0] * PARTITIONS
        self._next = [0] * PARTITIONS
        self._producer = producer(bootstrap)
        self._chance = random.Random(1)

    def step(self) -> None:
        partition = self._chance.randrange(PARTITIONS)
        for _ in range(self.at_once):
            number = self._next[partition]
            value = b"%d %s" % (number, bytes(self._chance.randrange(10, 2000)))
            self._producer.produce(
                self.topic, value, partition=partition, on_delivery=self._told(partition, number)
            )
            self._next[partition] += 1
        self._producer.poll(0)

    def _told(self, partition: int, number: int) -> Callable[[Any, Any], None]:
        def said(error: Any, message: Any) -> None:
            if error is not None:
                self.trouble(f"record {number} of partition {partition}: {error}")
            elif self.acked[partition] != number:
                self.trouble(f"{number} acknowledged when {self.acked[partition]} was expected")
            else:
                self.acked[partition] += 1
                self.done += 1

        return said

    def finish(self) -> None:
        left = self._producer.flush(DRAIN_SECONDS)
        if left:
            self.trouble(f"{left} records were not acknowledged")


class Reader(Job):
    """Reads along what a :class:`Writer` writes: each number once, none left out."""

    name = "consume"

    def __init__(self, bootstrap: str, writer: Writer) -> None:
        super().__init__(bootstrap)
        self.seen = [0] * PARTITIONS
        self._writer = writer
        self._consumer = reader(bootstrap, writer.topic)

    def step(self) -> None:
        for message in self._consumer.consume(500, 0.1):
            if message.error() is not None:
                self.trouble(str(message.error()))
                continue
            partition, number = message.partition(), int(message.value().split(b" ", 1)[0])
            if number != self.seen[partition]:
                self.trouble(f"{number} came when {self.seen[partition]} was expected")
            self.seen[partition] = number + 1
            self.done += 1

    def finish(self) -> None:
        """The writer has ended: whatever it was told is there must come."""

        def all_read() -> bool:
            self.step()
            return self.seen == self._writer.acked

        if not self.until(all_read, DRAIN_SECONDS):
            self.trouble(f"acknowledged {self._writer.acked}, read {self.seen}")
        self._consumer.close()


class Transactions(Job):
    """Writes transactions, each third of which is aborted, and reads what is committed."""

    name = "transactions"
    pause = 0.2
    size = 20

    def __init__(self, bootstrap: str, topic: str) -> None:
        super().__init__(bootstrap)
        self.topic = topic
        self.committed: list[bytes] = []
        self._read = 0
        self._number = 0
        self._producer = producer(bootstrap, **{"transactional.id": f"soak-{topic}"})
        self._consumer = reader(bootstrap, topic, **{"isolation.level": "read_committed"})
        self._is_begun = False

    def step(self) -> None:
        if not self._is_begun:
            self._producer.init_transactions(60)
            self._is_begun = True
        self._number += 1
        values = [b"%d-%d" % (self._number, n) for n in range(self.size)]
        self._producer.begin_transaction()
        for value in values:
            self._producer.produce(self.topic, value, partition=0)
        if self._number % 3:
            self._producer.commit_transaction(60)
            self.committed += values
            self.done += 1
        else:
            self._producer.flush(30)
            self._producer.abort_transaction(60)
        self._take()

    def _take(self) -> None:
        for message in self._consumer.consume(500, 0.05):
            if message.error() is not None:
                self.trouble(str(message.error()))
                continue
            expected = self.committed[self._read : self._read + 1]
            if [message.value()] != expected:
                self.trouble(f"{message.value()!r} came when {expected} was expected")
            self._read += 1

    def finish(self) -> None:
        def all_read() -> bool:
            self._take()
            return self._read == len(self.committed)

        if not self.until(all_read, DRAIN_SECONDS):
            self.trouble(f"{len(self.committed)} records committed, {self._read} read")
        self._consumer.close()
