"""The load of a cluster: plain, idempotent and transactional producers in every codec."""

from __future__ import annotations

import random
import time
from typing import Any

import confluent_kafka as ck

from tests.support.drill.ledger import ABORTED, COMMITTED, UNKNOWN, DrillRecord, TopicLedger
from tests.support.drill.sites import PARTITIONS, QUIET
from tests.support.soak.job import Job

CODECS = ("none", "gzip", "snappy", "lz4", "zstd")
PATIENT = {"message.timeout.ms": 300_000, "acks": "all", "linger.ms": 5}
END_SECONDS = 180.0
"""For what was sent to be acknowledged, though brokers were killed."""
LONGEST_TRANSACTION = 8
"""Batches."""


class DrillWriter(Job):
    """Writes to a topic by a producer for each codec."""

    pause = 0.1

    def __init__(
        self, bootstrap: str, ledger: TopicLedger, seed: int, *, at_once: int, idempotent: bool
    ) -> None:
        super().__init__(bootstrap)
        self.name = f"{'idempotent' if idempotent else 'plain'} {ledger.topic}"
        self._ledger, self._at_once = ledger, at_once
        self._chance = random.Random(seed)
        self._idempotent = idempotent
        self._producers = {codec: self._producer(codec) for codec in CODECS}
        self._lives = dict.fromkeys(CODECS, 0)

    def _producer(self, codec: str) -> ck.Producer:
        return ck.Producer(
            {
                **QUIET,
                **PATIENT,
                "bootstrap.servers": self.bootstrap,
                "enable.idempotence": self._idempotent,
                "compression.type": codec,
            }
        )

    def step(self) -> None:
        codec, partition = self._chance.choice(CODECS), self._chance.randrange(PARTITIONS)
        writer = f"{codec}{self._lives[codec]}"
        try:
            for _ in range(self._chance.randrange(1, 2 * self._at_once)):
                record = self._ledger.draw(writer, self._chance)
                send(self._producers[codec], self._ledger, record, partition)
                self.done += 1
        except ck.KafkaException:
            # Its error is fatal. What it had queued fails, and was never acknowledged.
            self._producers[codec] = self._producer(codec)
            self._lives[codec] += 1
        for producer in self._producers.values():
            producer.poll(0)

    def finish(self) -> None:
        end = time.monotonic() + END_SECONDS
        for codec, producer in self._producers.items():
            if left := producer.flush(max(1.0, end - time.monotonic())):
                self.trouble(f"{left} records in {codec} were not acknowledged")


class DrillTransactions(Job):
    """Several transactions at once, each over batches of both partitions; a third are aborted."""

    pause = 0.1

    def __init__(
        self, bootstrap: str, alias: str, ledger: TopicLedger, seed: int, *, at_once: int
    ) -> None:
        super().__init__(bootstrap)
        self.name = f"transactions {ledger.topic}"
        self._ledger, self._at_once = ledger, at_once
        self._chance = random.Random(seed)
        self._alias = alias
        self._lines = {codec: _Line(codec) for codec in CODECS}

    def step(self) -> None:
        self._on(self._lines[self._chance.choice(CODECS)])

    def _on(self, line: _Line) -> None:
        if line.producer is None:
            line.begin_life(self._producer(line.codec))
        producer = line.producer
        assert producer is not None
        try:
            if not line.names:
                producer.begin_transaction()
            partition = self._chance.randrange(PARTITIONS)
            for _ in range(self._chance.randrange(1, 2 * self._at_once)):
                record = self._ledger.draw(f"t-{line.codec}{line.life}", self._chance)
                line.names.append(record.id)
                send(producer, self._ledger, record, partition)
            producer.poll(0)
        except ck.KafkaException:
            self._end(line, commit=False)
            return
        line.batches += 1
        if self._chance.random() < 0.4 or line.batches >= LONGEST_TRANSACTION:
            self._end(line, commit=self._chance.random() < 0.67)

    def _producer(self, codec: str) -> ck.Producer:
        made = ck.Producer(
            {
                **QUIET,
                "bootstrap.servers": self.bootstrap,
                "transactional.id": f"{self._alias}-{self._ledger.topic}-{codec}",
                "compression.type": codec,
                "linger.ms": 5,
            }
        )
        _until_done(made.init_transactions)
        return made

    def _end(self, line: _Line, *, commit: bool) -> None:
        """End its transaction, and its producer where that is not clear."""
        names, how, producer = line.take(), UNKNOWN, line.producer
        assert producer is not None
        try:
            if commit:
                try:
                    _until_done(producer.commit_transaction)
                    how = COMMITTED
                except ck.KafkaException as error:
                    if not error.args[0].txn_requires_abort():
                        raise
                    commit = False
            if not commit:
                producer.flush(END_SECONDS)
                _until_done(producer.abort_transaction)
                how = ABORTED
        except ck.KafkaException:
            line.producer = None
        self._ledger.ended(names, how)
        self.done += 1

    def finish(self) -> None:
        for line in self._lines.values():
            if line.names:
                self._end(line, commit=True)


class _Line:
    """A transactional producer, life after life."""

    def __init__(self, codec: str) -> None:
        self.codec = codec
        self.producer: ck.Producer | None = None
        self.life = 0
        self.names: list[str] = []
        self.batches = 0

    def begin_life(self, producer: ck.Producer) -> None:
        self.producer = producer
        self.life += 1

    def take(self) -> list[str]:
        """The records of its transaction, which ends."""
        names, self.names, self.batches = self.names, [], 0
        return names


def send(producer: ck.Producer, ledger: TopicLedger, record: DrillRecord, partition: int) -> None:
    """Give it to the producer. KafkaException."""
    while True:
        try:
            producer.produce(
                ledger.topic, record.value, record.key, partition,
                timestamp=record.timestamp, headers=list(record.headers),
                on_delivery=ledger.told(record.id),
            )  # fmt: skip
        except BufferError:
            producer.poll(0.5)
        else:
            return


def _until_done(call: Any) -> None:
    """Call it until it has come to its end. KafkaException."""
    end = time.monotonic() + END_SECONDS
    while True:
        try:
            call(30)
        except ck.KafkaException as error:
            if not error.args[0].retriable() or time.monotonic() > end:
                raise
        else:
            return
