"""Rows about starting, stopping and crashing, with one topic and with 10,000 partitions."""

from __future__ import annotations

import contextlib
import time

from scripts.benchmarks.context import WORK, Bench, create_topics, load, new_topic
from scripts.benchmarks.results import Row
from scripts.benchmarks.targets import Target, targets, wait_idle
from tests.support.wire import raw

TO_PORT = Row("start to open port, warm", "s", 0.1)
TO_ACK = Row("start to first ack, warm", "s", 0.1)
STOP = Row("stop", "s", 1.0)
MANY = "many partitions"
CREATE = Row(f"{MANY}: create them", "s", 0.2)
THROUGHPUT = Row(f"{MANY}: produce 100 B against 1 partition", "share", 0.9, True)
MANY_STOP = Row(f"{MANY}: stop", "s", 0.1)
MANY_START = Row(f"{MANY}: clean start to first ack", "s", 0.1)
MANY_CRASH = Row(f"{MANY}: start after kill -9 to first ack", "s", 0.1)
MANY_RSS = Row(f"{MANY}: memory", "MB", 0.1, digits=0)


def first_ack(target: Target, topic: str, partition: int = 0, seconds: float = 600) -> None:
    """Produce one record until it is acknowledged, trying every few milliseconds."""
    frame = raw.produce(topic, raw.batch([b"first"]), partition=partition)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with contextlib.suppress(OSError), raw.Connection(target.bootstrap) as connection:
            while time.monotonic() < end:
                if raw.produced(connection.ask(frame))[0] == 0:
                    return
                time.sleep(0.005)
        assert target.process.alive(), target.process.log_tail()
        time.sleep(0.005)
    raise AssertionError("no acknowledgement")


def start(bench: Bench) -> None:
    """Start of a broker with one topic, after a clean stop."""
    with targets(bench.names, WORK, "start") as pair:
        topics = {}
        for target in pair:
            target.start()
            topics[target.name] = new_topic(target)
            target.stop()
        for _ in range(max(bench.repeats, 3)):
            for target in pair:
                begin = time.monotonic()
                bench.add(TO_PORT, target, target.start_until_port())
                first_ack(target, topics[target.name])
                bench.add(TO_ACK, target, time.monotonic() - begin)
                wait_idle(target)
                bench.add(STOP, target, target.stop())


def partitions(bench: Bench) -> None:
    """1,000 topics of 10 partitions: create, serve, stop, start, crash."""
    names = [f"many-{i:04}" for i in range(bench.scaled(1000, 100))]
    bench.results.notes.append(f"many partitions: {len(names):,} topics of 10")
    with targets(bench.names, WORK, "many") as pair:
        for target in pair:
            _many(bench, target, names)
            target.close()


def _many(bench: Bench, target: Target, names: list[str]) -> None:
    target.start()
    alone = _rate(bench, target)
    begin = time.monotonic()
    create_topics(target, names, 10)
    bench.add(CREATE, target, time.monotonic() - begin)
    wait_idle(target, 60)
    bench.add(THROUGHPUT, target, _rate(bench, target) / alone)
    load("produce", target, names[-1], count=10_000, size=100, partitions=10)
    bench.add(MANY_RSS, target, target.process.rss() / 1e6)
    bench.add(MANY_STOP, target, target.stop())
    for row in (MANY_START, MANY_CRASH):
        begin = time.monotonic()
        target.start_until_port(600)
        first_ack(target, names[-1], 9)
        bench.add(row, target, time.monotonic() - begin)
        wait_idle(target, 60)
        if row is MANY_START:
            load("produce", target, names[0], count=10_000, size=100, partitions=10)
            target.kill()


def _rate(bench: Bench, target: Target) -> float:
    rates = []
    for _ in range(3):
        topic = new_topic(target)
        count = bench.scaled(1_500_000, 200_000)
        found = load("produce", target, topic, count=count, size=100)
        rates.append(found["count"] / found["seconds"])
        wait_idle(target)
    return sorted(rates)[1]
