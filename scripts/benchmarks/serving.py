"""Rows about a broker that serves: throughput, CPU, memory, latency."""

from __future__ import annotations

from scripts.benchmarks.context import WORK, Bench, delete_topic, load, new_topic, warm_memory
from scripts.benchmarks.results import Row
from scripts.benchmarks.targets import Target, targets, wait_idle

MB = 1e6
SIZES = {100: (3_000_000, 300_000), 1000: (600_000, 60_000)}
PRODUCE = {
    size: Row(f"produce {size} B, acks=1, 1 partition", "MB/s", 1.2, True, 0) for size in SIZES
}
CONSUME = {size: Row(f"consume {size} B, 1 partition", "MB/s", 1.2, True, 0) for size in SIZES}
CPU = {
    size: Row(f"broker CPU for both, {size} B", "s", goal)
    for size, goal in ((100, 0.4), (1000, 0.6))
}
IDLE = Row("memory, idle after start", "MB", 0.1, digits=0)
LOADED = Row("memory, after the load above", "MB", 0.1, digits=0)
LATENCY_MEAN = Row("end-to-end latency, 1 in flight: mean", "ms", 0.7)
LATENCY_99 = Row("end-to-end latency, 1 in flight: p99", "ms", 0.7)


def throughput(bench: Bench) -> None:
    """Produce and consume with librdkafka, one partition; CPU and memory of the broker."""
    with targets(bench.names, WORK, "serving") as pair:
        for target in pair:
            target.start()
        for target in pair:
            wait_idle(target)
            bench.add(IDLE, target, target.process.rss() / MB)
            _round(bench, target, 100, warm_up=True)
        for size in SIZES:
            for _ in range(bench.repeats):
                for target in pair:
                    _round(bench, target, size)
        for target in pair:
            bench.add(LOADED, target, target.process.rss() / MB)


def _round(bench: Bench, target: Target, size: int, *, warm_up: bool = False) -> None:
    count = bench.scaled(*SIZES[size]) // (3 if warm_up else 1)
    topic = new_topic(target)
    wait_idle(target)
    warm_memory(count * size)
    cpu = target.process.cpu_seconds()
    produced = load("produce", target, topic, count=count, size=size)
    consumed = load("consume", target, topic, count=count)
    cpu = target.process.cpu_seconds() - cpu
    delete_topic(target, topic)
    if not warm_up:
        bench.add(PRODUCE[size], target, produced["bytes"] / MB / produced["seconds"])
        bench.add(CONSUME[size], target, consumed["count"] * size / MB / consumed["seconds"])
        bench.add(CPU[size], target, cpu)


def latency(bench: Bench) -> None:
    """One record at a time through producer, broker and consumer."""
    with targets(bench.names, WORK, "latency") as pair:
        topics = {}
        for target in pair:
            target.start()
            topics[target.name] = new_topic(target)
            load("latency", target, topics[target.name], count=bench.scaled(2000, 200))
        for _ in range(bench.repeats):
            for target in pair:
                wait_idle(target)
                count = bench.scaled(3000, 500)
                found = load("latency", target, topics[target.name], count=count)
                bench.add(LATENCY_MEAN, target, found["mean"])
                bench.add(LATENCY_99, target, found["p99"])
