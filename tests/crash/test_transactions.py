"""kill -9 of broker and client in a consume-transform-produce loop: each input once."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import confluent_kafka as ck

from tests.support.clients.confluent import ConfluentClient
from tests.support.process.broker import BrokerProcess
from tests.support.waiting import wait_for

MakeBroker = Callable[..., BrokerProcess]
KILLS = 8
INPUTS = 6000
PARTITIONS = 2


class Copier:
    """``tests.support.cluster.copier`` in a process; ``commits`` are those of all its lives."""

    def __init__(self, bootstrap: str, source: str, target: str) -> None:
        words = (bootstrap, source, target, str(PARTITIONS))
        self.argv = [sys.executable, "-m", "tests.support.cluster.copier", *words]
        self.commits = 0
        self.problems: list[str] = []
        self.process: subprocess.Popen[str] | None = None

    def start(self) -> Copier:
        self.process = subprocess.Popen(self.argv, stdout=subprocess.PIPE, text=True)
        threading.Thread(target=self._listen, args=(self.process,), daemon=True).start()
        return self

    def _listen(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            if line == "committed\n":
                self.commits += 1
            else:
                self.problems.append(line)

    def kill(self) -> None:
        """SIGKILL, whatever it is at."""
        assert self.process is not None
        self.process.kill()
        self.process.wait(120)


def read_committed(bootstrap: str, topic: str, partition: int) -> list[bytes]:
    consumer = ck.Consumer(
        {
            "bootstrap.servers": bootstrap,
            "group.id": "reader",
            "isolation.level": "read_committed",
            "enable.partition.eof": True,
            "fetch.wait.max.ms": 20,
        }
    )
    consumer.assign([ck.TopicPartition(topic, partition, 0)])
    found: list[bytes] = []
    while True:
        message: Any = consumer.poll(120)
        assert message is not None, "no end of the partition"
        if message.error():
            assert message.error().code() == ck.KafkaError._PARTITION_EOF, message.error()
            consumer.close()
            return found
        found.append(message.value())


def write(bootstrap: str, topic: str, first: int) -> int:
    """The next inputs; how many there are now."""
    producer = ck.Producer({"bootstrap.servers": bootstrap})
    for n in range(first, first + INPUTS):
        producer.produce(topic, b"%d" % n, partition=n % PARTITIONS)
    assert producer.flush(120) == 0
    return first + INPUTS


def test_every_input_is_copied_exactly_once(make_broker: MakeBroker, topic: str) -> None:
    broker = make_broker(transaction_abort_timed_out_transaction_cleanup_interval_ms=500).start()
    client = ConfluentClient(broker.bootstrap)
    source, target = f"{topic}-in", f"{topic}-out"
    client.create_topic(source, PARTITIONS)
    client.create_topic(target, PARTITIONS)
    written = write(broker.bootstrap, source, 0)

    def left() -> int:
        return written - sum(client.offsets(target, n)[1] for n in range(PARTITIONS))

    def going_on(goal: int) -> bool:
        """Whoever looked away until all was copied gives it more."""
        nonlocal written
        if left() <= 0:
            written = write(broker.bootstrap, source, written)
        return copier.commits >= goal

    copier = Copier(broker.bootstrap, source, target).start()
    try:
        for number in range(KILLS):
            goal = copier.commits + 3
            wait_for(lambda goal=goal: going_on(goal), what="transactions")
            if number % 4 != 1:
                broker.kill()
            if number % 2:
                copier.kill()
                copier.start()
            if number % 4 != 1:
                broker.start()

        wait_for(lambda: left() <= 0, what="the copies")
        wanted = [[b"%d" % n for n in range(p, written, PARTITIONS)] for p in range(PARTITIONS)]

        def copied() -> list[list[bytes]]:
            return [read_committed(broker.bootstrap, target, p) for p in range(PARTITIONS)]

        wait_for(lambda: sum(map(len, copied())) >= written, what="the committed copies")
        assert copied() == wanted, copier.problems
    finally:
        copier.kill()
    assert copied() == wanted
    assert broker.stop() == 0
