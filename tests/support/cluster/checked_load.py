"""Producers with acks=all, and a consumer that reads along: nothing acknowledged may be missing,
no offset may ever hold two records."""

from __future__ import annotations

import threading
from collections.abc import Mapping

import confluent_kafka as ck

from tests.support.clients.base import Fetched, Message
from tests.support.clients.load import IDEMPOTENT, Load, check_ledger
from tests.support.cluster.faulty_cluster import FaultyCluster, read_all
from tests.support.waiting import PATIENCE, wait_for

BROKEN = {
    "message.timeout.ms": 300_000,
    "socket.timeout.ms": 5000,
    "request.timeout.ms": 3000,
    # A leader that does not know it was deposed lets requests time out, and librdkafka asks for
    # the new one only at this interval.
    "topic.metadata.refresh.interval.ms": 1000,
}


class Reader:
    """Reads all partitions from the first record on, and keeps what it saw at which offset."""

    def __init__(self, client: Mapping[str, str], topic: str, partitions: int) -> None:
        self.seen: dict[int, list[bytes | None]] = {p: [] for p in range(partitions)}
        self.wrong: list[str] = []
        self._topic = topic
        self._stop = threading.Event()
        self._consumer = ck.Consumer(
            {
                **client,
                "group.id": f"along-{topic}",
                "enable.auto.commit": False,
                "auto.offset.reset": "error",
                "socket.timeout.ms": 5000,
                "reconnect.backoff.max.ms": 100,
                "topic.metadata.refresh.interval.ms": 1000,
                "log_level": 0,
            }
        )
        self._consumer.assign([ck.TopicPartition(topic, p, 0) for p in range(partitions)])
        self._thread = threading.Thread(target=self._run)

    def start(self) -> Reader:
        self._thread.start()
        return self

    def _run(self) -> None:
        while not self._stop.is_set():
            for message in self._consumer.consume(2000, 0.1):
                error = message.error()
                if error is not None:
                    if error.code() == ck.KafkaError._AUTO_OFFSET_RESET:
                        self.wrong.append(error.str())
                    continue
                seen = self.seen[message.partition()]
                if message.offset() != len(seen):
                    at = f"{message.partition()}@{message.offset()}"
                    self.wrong.append(f"{at} came after {len(seen) - 1}")
                seen.append(message.value())
        self._consumer.close()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join(120)

    def count(self) -> int:
        return sum(len(seen) for seen in self.seen.values())


class CheckedLoad:
    """A topic with a producer for each partition, and a reader of all."""

    def __init__(self, cluster: FaultyCluster, topic: str, partitions: int = 3) -> None:
        self.cluster, self.topic = cluster, topic
        cluster.create_topic(topic, partitions)
        self.loads = [
            Load(cluster.bootstrap, topic, number, {**IDEMPOTENT, **BROKEN, **cluster.login})
            for number in range(partitions)
        ]
        self.reader = Reader(cluster.client, topic, partitions)
        self._running = False

    def start(self) -> CheckedLoad:
        self._running = True
        self.reader.start()
        for load in self.loads:
            load.start()
        self.wait_progress(100)
        return self

    def wait_progress(self, records: int, seconds: float = PATIENCE) -> None:
        """Until so many more are acknowledged in each partition, and as many more are read."""
        before = self.reader.count()
        for load in self.loads:
            load.wait_acked(records, seconds)
        wait_for(
            lambda: self.reader.count() >= before + records,
            seconds=seconds,
            what="the reader goes on",
            about=self.reader.wrong,
        )

    def wait_acked_somewhere(self, records: int, seconds: float = PATIENCE) -> None:
        """Until so many more are acknowledged in one partition or another."""
        before = sum(len(load.acked) for load in self.loads)
        wait_for(
            lambda: sum(len(load.acked) for load in self.loads) >= before + records,
            seconds=seconds,
            what=f"{records} more records acknowledged",
        )

    def check(self) -> dict[int, int]:
        """All that was sent is there once, in order; consumers, replicas and files agree. How
        many records each partition has."""
        self._running = False
        for load in self.loads:
            load.finish(120)
        ends = {load.partition: load.sent for load in self.loads}
        try:
            wait_for(
                lambda: {p: len(seen) for p, seen in self.reader.seen.items()} == ends,
                what=f"the reader at {ends}",
                about=self.reader.wrong,
            )
        finally:
            self.reader.stop()
        assert not self.reader.wrong, self.reader.wrong[:5]
        again = read_all(self.cluster.bootstrap, self.topic, ends, self.cluster.login)
        for load in self.loads:
            values = again[load.partition]
            assert values == self.reader.seen[load.partition], "an offset held two records"
            found = [Fetched(n, Message(value), 0) for n, value in enumerate(values)]
            check_ledger(load, found, exactly=True)
        self._check_replicas()
        return ends

    def _check_replicas(self) -> None:
        self.cluster.wait_in_sync(self.topic)
        numbers = range(len(self.cluster.brokers))
        for load in self.loads:
            wait_for(
                lambda number=load.partition: (
                    len({self.cluster.bytes_of(b, self.topic, number) for b in numbers}) == 1
                ),
                what=f"the same bytes on all replicas of {self.topic}-{load.partition}",
                poll=0.2,
            )

    def close(self) -> None:
        """End it whatever its state."""
        if self._running:
            for load in self.loads:
                load.abandon()
            self.reader.stop()
