"""Rows about the start after kill -9 with much that was not flushed yet."""

from __future__ import annotations

import time

from scripts.benchmarks.context import WORK, Bench, load, new_topic
from scripts.benchmarks.life import first_ack
from scripts.benchmarks.results import Row
from scripts.benchmarks.targets import Target, targets, wait_idle

UNCLEAN = Row("start after kill -9 to first ack", "s", 0.2)
READ = Row("start after kill -9: log checked per second of it", "MB/s", 1.0, True, digits=0)

PARTITIONS = 4
RECORD = 1000


def recovery(bench: Bench) -> None:
    """A log in the page cache that was never flushed, so that recovery reads all of it."""
    count = bench.scaled(1_200_000, 300_000)
    bench.results.notes.append(
        f"start after kill -9: {count * RECORD / 1e6:,.0f} MB in {PARTITIONS} partitions"
    )
    for _ in range(bench.repeats):
        with targets(bench.names, WORK, "recovery") as pair:
            for target in pair:
                _once(bench, target, count)
                target.close()


def _once(bench: Bench, target: Target, count: int) -> None:
    target.start()
    topic = new_topic(target, PARTITIONS)
    load("produce", target, topic, count=count, size=RECORD, partitions=PARTITIONS)
    wait_idle(target)
    target.kill()
    begin = time.monotonic()
    target.start_until_port(600)
    first_ack(target, topic)
    seconds = time.monotonic() - begin
    bench.add(UNCLEAN, target, seconds)
    bench.add(READ, target, count * RECORD / 1e6 / seconds)
