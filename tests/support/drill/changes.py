"""What changes topics of a drill while they are mirrored: records and whole topics are deleted."""

from __future__ import annotations

import random
import time
from contextlib import suppress

import confluent_kafka as ck

from tests.support.drill.ledger import TopicLedger
from tests.support.drill.load import CODECS, PATIENT, send
from tests.support.drill.sites import PARTITIONS, QUIET, admin, drop, make
from tests.support.soak.job import Job
from tests.support.waiting import wait_for


class DrillTrims(Job):
    """DeleteRecords, up to anywhere, copied or not."""

    pause = 3.0

    def __init__(self, bootstrap: str, topic: str, seed: int) -> None:
        super().__init__(bootstrap)
        self.name = f"DeleteRecords {topic}"
        self._topic, self._chance = topic, random.Random(seed)
        self._admin = admin(bootstrap)
        self._offsets = ck.Consumer({**QUIET, "bootstrap.servers": bootstrap, "group.id": "none"})

    def step(self) -> None:
        with suppress(ck.KafkaException):  # its broker was killed
            place = ck.TopicPartition(self._topic, self._chance.randrange(PARTITIONS))
            low, high = self._offsets.get_watermark_offsets(place, 10)
            place.offset = low + int((high - low) * self._chance.random())
            for future in self._admin.delete_records([place]).values():
                future.result(60)
            self.done += 1

    def finish(self) -> None:
        self._offsets.close()


class DrillLives(Job):
    """Writes to a topic, deletes it and makes it anew. ``since``: from this time (ms) on the
    records are of its last life."""

    pause = 0.1

    def __init__(
        self, bootstrap: str, ledger: TopicLedger, seed: int, *, at_once: int, seconds: float
    ) -> None:
        super().__init__(bootstrap)
        self.name = f"made anew {ledger.topic}"
        self._ledger, self._at_once = ledger, at_once
        self._seconds = seconds
        self._chance = random.Random(seed)
        self._admin = admin(bootstrap)
        self._producer: ck.Producer | None = None
        self._until = 0.0
        self.lives = 0
        self.since = 0

    def step(self) -> None:
        if self._producer is None or time.monotonic() > self._until:
            self._begin()
        producer = self._producer
        assert producer is not None
        partition = self._chance.randrange(PARTITIONS)
        for _ in range(self._chance.randrange(1, 2 * self._at_once)):
            record = self._ledger.draw(f"life{self.lives}", self._chance)
            send(producer, self._ledger, record, partition)
            self.done += 1
        producer.poll(0)

    def _begin(self) -> None:
        """A new life, whose time begins with a full second."""
        if self._producer is not None:
            self._producer.flush(120)
            drop(self._admin, self._ledger.topic)
        make(self._admin, self._ledger.topic, {})
        self.lives += 1
        now = time.time()
        self.since = (int(now) + 1) * 1000
        wait_for(lambda: time.time() * 1000 >= self.since, what="a full second")
        self._until = time.monotonic() + self._chance.uniform(0.5, 1.5) * self._seconds
        self._producer = ck.Producer(
            {
                **QUIET,
                **PATIENT,
                "bootstrap.servers": self.bootstrap,
                "enable.idempotence": True,
                "compression.type": self._chance.choice(CODECS),
            }
        )

    def finish(self) -> None:
        if self._producer is None or self._producer.flush(120):
            self.trouble("records of its last life were not acknowledged")
