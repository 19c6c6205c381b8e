"""Kafka Streams counts words exactly once, although it and the broker are killed meanwhile."""

from __future__ import annotations

import random
import subprocess
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import confluent_kafka as ck
import pytest

from tests.support.clients.confluent import ConfluentClient
from tests.support.java import java_kit
from tests.support.process.broker import BrokerProcess
from tests.support.waiting import wait_for

PARTITIONS = 2
LINES = 6000
WORDS_A_LINE = 5
VOCABULARY = [f"word{n}" for n in range(50)]


class Streams:
    """The word count in a process of its own; started again, it finds its state directory."""

    def __init__(self, version: str, *arguments: str, log: Path) -> None:
        classpath = java_kit.compiled("StreamsDriver", version, streams=True)
        jvm = ["java", "-Xmx256M", *java_kit.BRIEF_JVM]
        self.argv = [*jvm, "-cp", classpath, "StreamsDriver", *arguments]
        self.log = log
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.argv, stdin=subprocess.PIPE, stdout=log, stderr=log
            )

    def running(self) -> bool:
        assert self.process is not None
        assert self.process.poll() is None, self.log.read_text()[-3000:]
        return True

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait(120)

    def close(self) -> int:
        assert self.process is not None
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(120)


def write_lines(bootstrap: str, topic: str, seed: int = 5) -> Counter[str]:
    """Write into the topic; how often each word is in it."""
    chance, words = random.Random(seed), Counter[str]()
    producer = ck.Producer({"bootstrap.servers": bootstrap, "acks": "all"})
    for n in range(LINES):
        line = chance.choices(VOCABULARY, k=WORDS_A_LINE)
        words.update(line)
        producer.produce(topic, " ".join(line), partition=n % PARTITIONS)
        producer.poll(0)
    assert producer.flush(120) == 0
    return words


class Reader:
    """Follows the committed counts: for each word, those found so far, in order."""

    def __init__(self, bootstrap: str, topic: str) -> None:
        self.consumer = ck.Consumer(
            {
                "bootstrap.servers": bootstrap,
                "group.id": "reader",
                "isolation.level": "read_committed",
                "reconnect.backoff.max.ms": 200,
                "metadata.recovery.strategy": "none",
                "log_level": 0,
            }
        )
        self.consumer.assign([ck.TopicPartition(topic, p, 0) for p in range(PARTITIONS)])
        self.counts: dict[str, list[int]] = defaultdict(list)

    def total(self) -> int:
        """Read what is there; how many counts have been found since the beginning."""
        for message in self.consumer.consume(5000, 0.1):
            if message.error() is None:
                key: Any = message.key()
                value: Any = message.value()
                self.counts[key.decode()].append(int(value))
        return sum(map(len, self.counts.values()))


@pytest.mark.java
@pytest.mark.slow
@pytest.mark.parametrize("version", java_kit.STREAMS)
def test_words_are_counted_exactly_once_over_kills(
    make_broker: Callable[..., BrokerProcess], topic: str, tmp_path: Path, version: str
) -> None:
    broker = make_broker(group_initial_rebalance_delay_ms=0).start()
    client = ConfluentClient(broker.bootstrap)
    source, target = f"{topic}-lines", f"{topic}-counts"
    for name in (source, target):
        client.create_topic(name, PARTITIONS)
    words = write_lines(broker.bootstrap, source)
    arguments = (broker.bootstrap, f"{topic}-app", source, target, str(tmp_path / "state"))
    streams = Streams(version, *arguments, log=tmp_path / "streams.log")
    reader = Reader(broker.bootstrap, target)

    def wait_counts(wanted: int) -> int:
        return wait_for(
            lambda: streams.running() and (found := reader.total()) >= wanted and found,
            what=f"{wanted} counts",
        )

    def wait_in_the_middle() -> None:
        """Until some more is counted and much is not; whoever looked away so long that all was
        counted gives it more."""
        for seed in range(6, 11):
            everything = sum(words.values())
            if wait_counts(min(reader.total() + everything // 20, everything)) < everything:
                return
            words.update(write_lines(broker.bootstrap, source, seed))
        raise AssertionError("it was too fast to be disturbed")

    try:
        streams.start()
        wait_in_the_middle()
        streams.kill()
        streams.start()
        wait_in_the_middle()
        broker.kill()
        broker.start()
        everything = sum(words.values())
        wait_counts(everything)
        assert streams.close() == 0, streams.log.read_text()[-3000:]
        assert reader.total() == everything
    finally:
        streams.kill()
        reader.consumer.close()
    wanted = {word: list(range(1, count + 1)) for word, count in words.items()}
    assert dict(reader.counts) == wanted
