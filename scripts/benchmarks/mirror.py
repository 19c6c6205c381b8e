"""Rows about ``pko mirror run``, beside MirrorMaker 2: between the same two clusters, of the same
settings file, one after the other."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from confluent_kafka import Consumer, TopicPartition

from scripts.benchmarks.context import WORK, Bench, load, new_topic
from scripts.benchmarks.results import APACHE, OURS, Row
from scripts.benchmarks.targets import Target, targets, wait_idle
from tests.support.java import java_kit
from tests.support.process.apache import SERVER_JVM
from tests.support.process.process import Process
from tests.support.waiting import wait_for

PARTITIONS = 12
RECORD = 512
MODULE = "mirror_loads"

SPEED = Row("mirror: catching up", "MB/s", 1.0, higher_is_better=True, digits=1)
CPU = Row("mirror: its CPU", "s/GB", 0.5)
MEMORY = Row("mirror: its memory at most", "MB", 0.15, digits=0)
LAG = Row("mirror: lag at 500 records/s, p99", "ms", 1.0, digits=0)
ONCE_SPEED = Row("mirror: catching up, exactly once", "MB/s", 1.0, higher_is_better=True, digits=1)
ONCE_CPU = Row("mirror: its CPU, exactly once", "s/GB", 0.5)
ONCE_LAG = Row("mirror: lag, exactly once, p99", "ms", float("inf"), digits=0)


@dataclass
class Side:
    """Who mirrors."""

    name: str
    exactly_once: bool = False

    @property
    def rows(self) -> tuple[Row, Row, Row]:
        return (ONCE_SPEED, ONCE_CPU, ONCE_LAG) if self.exactly_once else (SPEED, CPU, LAG)


def mirror(bench: Bench) -> None:
    """A topic of 12 partitions in batches of 16 kB: caught up with, then followed. The first
    quarter is not measured: Java compiles in it."""
    sides = [Side(name) for name in bench.names]
    if OURS in bench.names:
        sides.append(Side(OURS, exactly_once=True))
    with targets([OURS], WORK, "mirror-a") as (a,), targets([OURS], WORK, "mirror-b") as (b,):
        a.start()
        b.start()
        for turn in range(bench.repeats):
            for side in sides:
                _measure(bench, side, a, b, f"{side.name}-{int(side.exactly_once)}-{turn}")


def _measure(bench: Bench, side: Side, a: Target, b: Target, label: str) -> None:
    topic = new_topic(a, PARTITIONS)
    records = bench.scaled(1_500_000, 200_000)
    load("fill", a, topic, MODULE, records=records, size=RECORD)
    megabytes = records * RECORD / 1e6
    wait_idle(a)
    with _running(side, a, b, topic, label) as process:
        copy = f"a.{topic}"
        first, begun, spent = _until(b, copy, records // 4), time.monotonic(), process.cpu_seconds()
        last = _until(b, copy, records)
        seconds = time.monotonic() - begun
        done = (last - first) / records
        cpu = process.cpu_seconds() - spent
        speed, cost, lag = side.rows
        bench.add(speed, _named(b, side), megabytes * done / seconds)
        bench.add(cost, _named(b, side), cpu / (megabytes * done / 1e3))
        found = load("lag", a, topic, MODULE, seconds=bench.scaled(20, 8), rate=500,
                     port=b.broker.port)  # fmt: skip
        bench.add(lag, _named(b, side), found["p99_ms"])
        bench.say(f"  {label}: lag {found}")
        if not side.exactly_once:
            bench.add(MEMORY, _named(b, side), process.peak_rss() / 1e6)
        if side.exactly_once and APACHE in bench.names:  # what it is held against
            for row, other in zip(side.rows, Side(APACHE).rows, strict=True):
                known = bench.results.samples.get(other, {}).get(APACHE)
                if known:
                    bench.results.add(row, APACHE, known[-1])


@dataclass
class _Named:
    """The cluster that is written to, under the name of who writes."""

    name: str
    target: Target

    @property
    def bootstrap(self) -> str:
        return self.target.bootstrap

    @property
    def process(self) -> Process:
        return self.target.process

    @property
    def processes(self) -> list[Process]:
        return self.target.processes


def _named(target: Target, side: Side) -> _Named:
    return _Named(side.name, target)


def _until(target: Target, topic: str, records: int) -> int:
    """Until the topic holds so many records (markers of transactions count); how many then."""
    consumer = Consumer({"bootstrap.servers": target.bootstrap, "group.id": "-", "log_level": 0})

    def held() -> int:
        if topic not in consumer.list_topics(timeout=60).topics:
            return 0
        total = 0
        for n in range(PARTITIONS):
            place = TopicPartition(topic, n)
            low, high = consumer.get_watermark_offsets(place, timeout=60)
            total += high - low
        return total if total >= records else 0

    try:
        return wait_for(held, what=f"{records} records", seconds=900, poll=0.05)
    finally:
        consumer.close()


def _settings(side: Side, a: Target, b: Target, topic: str) -> str:
    support = "enabled" if side.exactly_once else "disabled"
    lines = [
        "clusters = a, b",
        f"a.bootstrap.servers = {a.bootstrap}",
        f"b.bootstrap.servers = {b.bootstrap}",
        "a->b.enabled = true",
        "b->a.enabled = false",
        f"a->b.topics = {topic}",
        "tasks.max = 4",
        f"b.exactly.once.source.support = {support}",
        "replication.factor = 1",
    ]
    if side.name == APACHE:
        kinds = ("offset-syncs.topic", "checkpoints.topic", "heartbeats.topic", "config.storage")
        more = (*kinds, "offset.storage", "status.storage")
        lines += [f"{kind}.replication.factor = 1" for kind in more]
    return "\n".join((*lines, ""))


@contextmanager
def _running(side: Side, a: Target, b: Target, topic: str, label: str) -> Iterator[Process]:
    work = WORK / "mirror"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    settings = work / "mm2.properties"
    settings.write_text(_settings(side, a, b, topic))
    if side.name == APACHE:
        classpath = java_kit.mirror_classpath()
        argv = ["java", "-Xms256M", "-Xmx2G", *SERVER_JVM, "-cp", classpath, _log4j(work),
                "org.apache.kafka.connect.mirror.MirrorMaker", str(settings)]  # fmt: skip
    else:
        argv = [sys.executable, "-m", "pykafka_ops", "mirror", "run", str(settings)]
        argv += ["--listen", "127.0.0.1:0"]
    process = Process(argv, work / f"{label}.log")
    try:
        yield process
        assert process.alive(), process.log_tail()
    finally:
        process.kill()


def _log4j(work: Path) -> str:
    path = work / "log4j.properties"
    path.write_text(
        "log4j.rootLogger=WARN, out\n"
        "log4j.appender.out=org.apache.log4j.ConsoleAppender\n"
        "log4j.appender.out.Target=System.err\n"
        "log4j.appender.out.layout=org.apache.log4j.PatternLayout\n"
    )
    return f"-Dlog4j.configuration=file:{path}"
