"""Producers and consumers of real libraries are held to their rates; others go at full speed."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import confluent_kafka as ck
import pytest

from tests.support.clients.quotas import create_topic, limit
from tests.support.process.broker import BrokerProcess
from tests.support.process.commands import KafkaTools

RATE = 400_000
"""Bytes per second."""
SIZE = 1000
COUNT = 2400
SECONDS = COUNT * SIZE / RATE
BURST = 1.0
"""Two windows of a second: so many seconds' worth is free."""


@pytest.fixture
def broker(make_broker: Callable[..., BrokerProcess]) -> Iterator[BrokerProcess]:
    """One that looks back for two seconds only, so that a test need not run for a minute."""
    yield make_broker(quota_window_num=2).start()


Outcome = tuple[float, list[int | None]]
"""Seconds, and offsets in order."""


def most_breaks(seconds: float) -> float:
    """The longest breaks in all that a rate calls for over so many seconds: a machine that is busy
    makes them shorter, since time passes anyway."""
    return 1.1 * seconds + 1


class Throttled:
    """What a client was told of its breaks (seconds)."""

    def __init__(self) -> None:
        self.breaks: list[float] = []

    def __call__(self, event: Any) -> None:
        self.breaks.append(event.throttle_time)


def produce(bootstrap: str, client_id: str, topic: str, heard: Throttled) -> Outcome:
    """Produce; how long it took, and the offsets in order."""
    producer = ck.Producer(
        {
            "bootstrap.servers": bootstrap,
            "client.id": client_id,
            "batch.size": 20_000,
            "linger.ms": 5,
            "throttle_cb": heard,
        }
    )
    offsets: list[int | None] = []
    began = time.monotonic()
    for _ in range(COUNT):
        producer.produce(
            topic, bytes(SIZE), partition=0, on_delivery=lambda e, m: offsets.append(m.offset())
        )
    assert producer.flush(300) == 0
    return time.monotonic() - began, offsets


def consume(bootstrap: str, client_id: str, topic: str, heard: Throttled) -> Outcome:
    """Consume it all; how long it took, and the offsets in order."""
    consumer = ck.Consumer(
        {
            "bootstrap.servers": bootstrap,
            "client.id": client_id,
            "group.id": client_id,
            "enable.auto.commit": False,
            "fetch.message.max.bytes": 20_000,
            "queued.max.messages.kbytes": 40,
            "throttle_cb": heard,
        }
    )
    consumer.assign([ck.TopicPartition(topic, 0, 0)])
    offsets: list[int | None] = []
    began = time.monotonic()
    until = began + 300
    while len(offsets) < COUNT and time.monotonic() < until:
        message = consumer.poll(1)
        if message is not None and message.error() is None:
            offsets.append(message.offset())
    took = time.monotonic() - began
    consumer.close()
    return took, offsets


def test_a_slow_producer_and_a_slow_consumer_beside_fast_ones(
    broker: BrokerProcess, topic: str
) -> None:
    bootstrap = broker.bootstrap
    create_topic(bootstrap, "setter", topic)
    create_topic(bootstrap, "setter", f"{topic}-p")
    limit(bootstrap, f"{topic}-p", "slow-producer", producer_byte_rate=RATE)
    limit(bootstrap, f"{topic}-p", "slow-consumer", consumer_byte_rate=RATE)
    took: dict[str, Outcome] = {}
    heard = {name: Throttled() for name in ("slow-producer", "slow-consumer", "fast")}
    took["fast producer"] = produce(bootstrap, "fast", topic, heard["fast"])

    def work(name: str, use: Callable[..., Outcome], where: str) -> None:
        took[name] = use(bootstrap, name, where, heard[name])

    slow = [
        threading.Thread(target=work, args=("slow-producer", produce, f"{topic}-p")),
        threading.Thread(target=work, args=("slow-consumer", consume, topic)),
    ]
    for thread in slow:
        thread.start()
    took["fast consumer"] = consume(bootstrap, "fast", topic, heard["fast"])
    for thread in slow:
        thread.join()
    for name, free in (("slow-producer", "fast producer"), ("slow-consumer", "fast consumer")):
        seconds, offsets = took[name]
        assert seconds > 0.9 * (SECONDS - BURST), name
        assert sum(heard[name].breaks) < most_breaks(SECONDS), name
        # A machine that is slower than the rate needs no break.
        assert max(heard[name].breaks) > 0 or took[free][0] > SECONDS - BURST, name
        first = offsets[0] or 0
        assert offsets == list(range(first, first + COUNT))
    for name in ("fast producer", "fast consumer"):
        assert len(set(took[name][1])) == COUNT
    assert [seconds for seconds in heard["fast"].breaks if seconds] == []


@pytest.mark.java
def test_kafkas_own_producer_is_held_to_its_rate(
    broker: BrokerProcess, topic: str, kafka_tools: KafkaTools
) -> None:
    count = 6000
    create_topic(broker.bootstrap, "setter", topic)
    limit(broker.bootstrap, topic, "perf", producer_byte_rate=RATE)
    said = kafka_tools(
        "kafka-producer-perf-test",
        *("--topic", topic, "--num-records", str(count), "--record-size", str(SIZE)),
        *("--throughput", "-1", "--print-metrics", "--producer-props"),
        *(f"bootstrap.servers={broker.bootstrap}", "client.id=perf", "batch.size=20000"),
    )
    assert said.code == 0, said.err
    per_second = [float(n) for n in re.findall(r" sent, ([0-9.]+) records/sec", said.out)]
    needed = count * SIZE / RATE
    assert count / per_second[-1] > 0.9 * (needed - BURST)

    def metric(name: str) -> float:
        line = next(x for x in said.out.splitlines() if f":{name}:{{client-id=perf}}" in x)
        return float(line.rpartition(":")[2])

    breaks = metric("produce-throttle-time-avg") * metric("request-total") / 1000
    assert 0 < breaks < most_breaks(needed)
