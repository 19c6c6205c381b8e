"""Rows about reading topics with Spark: its own ``kafka`` source through the broker, and ours from
the log directory."""

from __future__ import annotations

import json
import random
import subprocess
import sys

import confluent_kafka as ck

from scripts.benchmarks.context import ROOT, WORK, Bench, new_topic
from scripts.benchmarks.results import APACHE, OURS, Row
from scripts.benchmarks.targets import Target, targets
from tests.support.java import java_kit

CASES = ((100, "none"), (100, "lz4"), (1000, "none"), (1000, "lz4"))
PARTITIONS = 4
_BATCH = 1000


def spark(bench: Bench) -> None:
    """The same topics on our broker, read by both sources in one session, in turns."""
    try:
        jars = ",".join(map(str, java_kit.connector_jars()))
    except java_kit.JavaMissingError as error:
        bench.results.notes.append(f"spark: the official connector is missing: {error}")
        jars = ""
    with targets([OURS], WORK, "spark", {"log.segment.bytes": 64 << 20}) as (target,):
        target.start()
        counts = {}
        for size, codec in CASES:
            count = bench.scaled(3_000_000 if size == 100 else 600_000, 300_000 * 100 // size)
            topic = new_topic(target, PARTITIONS)
            fill(target, topic, count, size, codec)
            counts[topic] = (count, size, codec)
        for cores in (1, 2):
            _read(bench, target, jars, cores, counts)
        target.close()


def fill(target: Target, topic: str, count: int, size: int, codec: str) -> None:
    """Keyed records whose contents compress to about half, in batches of at most 16 KB."""
    producer = ck.Producer(
        {
            "bootstrap.servers": target.bootstrap,
            "linger.ms": 20,
            "batch.size": 16_384,
            "compression.type": codec,
            "queue.buffering.max.messages": 1_000_000,
            "queue.buffering.max.kbytes": 1_000_000,
        }
    )
    text = bytes(random.Random(1).choices(b"abcdefgh0123456789", k=100_000))
    values = [text[n * 37 % 50_000 :][: size - 11] for n in range(_BATCH)]
    for sent in range(0, count, _BATCH):
        while len(producer) > 200_000:
            producer.poll(0.01)
        batch = [
            {
                "key": b"key-%07d" % ((sent + n) % 100_000),
                "value": value,
                "partition": n % PARTITIONS,
            }
            for n, value in enumerate(values)
        ]
        producer.produce_batch(topic, batch)
    assert producer.flush(120) == 0, f"not all of {topic} was delivered"


def _read(
    bench: Bench, target: Target, jars: str, cores: int, counts: dict[str, tuple[int, int, str]]
) -> None:
    data = str(target.directory / "data")
    words = [target.bootstrap, data, str(cores), jars, str(bench.repeats), *counts]
    argv = [sys.executable, "-m", "scripts.benchmarks.spark_loads", *words]
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    for topic, ways in json.loads(done.stdout).items():
        count, size, codec = counts[topic]
        for way in ("records", "batches"):
            name = f"Spark local[{cores}], {size} B, {codec}, {way}"
            clock = Row(f"{name}: records", "1,000/s", 2.0, True, digits=0)
            work = Row(f"{name}: per second of CPU", "1,000", 2.0, True, digits=0)
            for side, seconds in ((APACHE, ways.get("kafka", ())), (OURS, ways[way])):
                for elapsed, busy in seconds:
                    bench.results.add(clock, side, count / elapsed / 1000)
                    bench.results.add(work, side, count / max(busy, 0.01) / 1000)
        bench.say(f"  local[{cores}] {size} B {codec}: {ways}")
