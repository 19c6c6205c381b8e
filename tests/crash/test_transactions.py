"""kill -9 under a consume-transform-produce loop: every input has exactly one output."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import confluent_kafka as ck

from tests.support.broker import BrokerProcess
from tests.support.kafka_clients.confluent import ConfluentClient
from tests.support.waiting import wait_for

MakeBroker = Callable[..., BrokerProcess]
KILLS = 6
INPUTS = 4000
PER_TRANSACTION = 25
PARTITIONS = 2
# Without the last one librdkafka 2.16 forgets the only broker of a cluster and never comes back.
QUICK = {
    "reconnect.backoff.ms": 10,
    "reconnect.backoff.max.ms": 100,
    "retry.backoff.ms": 10,
    "log_level": 0,
    "metadata.recovery.strategy": "none",
}


class Copier:
    """Copies ``source`` to ``target`` in transactions, with the offsets, until all is copied.

    Starts anew, from the committed offsets, after any error but those the client library handles.
    """

    def __init__(self, bootstrap: str, source: str, target: str) -> None:
        self.bootstrap, self.source, self.target = bootstrap, source, target
        self.commits = 0
        self.lives = 0
        self.problems: list[str] = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def start(self) -> Copier:
        self._thread.start()
        return self

    def finish(self) -> None:
        self._stop.set()
        self._thread.join(30)
        assert not self._thread.is_alive()

    def _run(self) -> None:
        while not self._stop.is_set():
            self.lives += 1
            try:
                self._live()
            except ck.KafkaException as error:
                self.problems.append(str(error))

    def _live(self) -> None:
        where = {"bootstrap.servers": self.bootstrap, **QUICK}
        consumer = ck.Consumer(
            {
                **where,
                "group.id": f"{self.source}-copier",
                "enable.auto.commit": False,
                "auto.offset.reset": "earliest",
                "isolation.level": "read_committed",
            }
        )
        producer = ck.Producer({**where, "transactional.id": f"{self.source}-copier"})
        try:
            producer.init_transactions(30)
            wanted = [ck.TopicPartition(self.source, n) for n in range(PARTITIONS)]
            starts = consumer.committed(wanted, 30)
            for start in starts:
                start.offset = max(start.offset, 0)
            consumer.assign(starts)
            while not self._stop.is_set():
                self._copy(consumer, producer)
        finally:
            consumer.close()

    def _copy(self, consumer: ck.Consumer, producer: ck.Producer) -> None:
        found = [m for m in consumer.consume(PER_TRANSACTION, 0.2) if not m.error()]
        if not found:
            return
        producer.begin_transaction()
        for message in found:
            producer.produce(self.target, message.value(), partition=message.partition())
        ends = {m.partition(): m.offset() + 1 for m in found}
        offsets = [ck.TopicPartition(self.source, n, end) for n, end in ends.items()]
        producer.send_offsets_to_transaction(offsets, consumer.consumer_group_metadata(), 30)
        producer.commit_transaction(30)
        self.commits += 1


def read_committed(bootstrap: str, topic: str, partition: int) -> list[bytes]:
    consumer = ck.Consumer(
        {
            "bootstrap.servers": bootstrap,
            "group.id": "reader",
            "isolation.level": "read_committed",
            "enable.partition.eof": True,
        }
    )
    consumer.assign([ck.TopicPartition(topic, partition, 0)])
    found: list[bytes] = []
    while True:
        message: Any = consumer.poll(30)
        assert message is not None, "no end of the partition"
        if message.error():
            assert message.error().code() == ck.KafkaError._PARTITION_EOF, message.error()
            consumer.close()
            return found
        found.append(message.value())


def test_every_input_is_copied_exactly_once(make_broker: MakeBroker, topic: str) -> None:
    broker = make_broker(transaction_abort_timed_out_transaction_cleanup_interval_ms=500).start()
    client = ConfluentClient(broker.bootstrap)
    source, target = f"{topic}-in", f"{topic}-out"
    client.create_topic(source, PARTITIONS)
    client.create_topic(target, PARTITIONS)
    producer = ck.Producer({"bootstrap.servers": broker.bootstrap})
    for n in range(INPUTS):
        producer.produce(source, b"%d" % n, partition=n % PARTITIONS)
    assert producer.flush(30) == 0
    copier = Copier(broker.bootstrap, source, target).start()
    try:
        for _ in range(KILLS):
            goal = copier.commits + 3
            wait_for(lambda goal=goal: copier.commits >= goal, seconds=60, what="transactions")
            broker.kill()
            broker.start()

        def left() -> int:
            done = [client.offsets(target, n)[1] for n in range(PARTITIONS)]
            return INPUTS - sum(done)

        wait_for(lambda: left() <= 0, seconds=60, what="the copies")
        wanted = [[b"%d" % n for n in range(p, INPUTS, PARTITIONS)] for p in range(PARTITIONS)]

        def copied() -> list[list[bytes]]:
            return [read_committed(broker.bootstrap, target, p) for p in range(PARTITIONS)]

        wait_for(lambda: sum(map(len, copied())) >= INPUTS, seconds=60, what="the committed copies")
        assert copied() == wanted, copier.problems
    finally:
        copier.finish()
    assert copied() == wanted
    assert broker.stop() == 0
