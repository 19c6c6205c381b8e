"""Rows about many small requests: one record each, no waiting for company."""

from __future__ import annotations

import time
from collections.abc import Mapping

from scripts.benchmarks.context import WORK, Bench, Measured, load, new_topic
from scripts.benchmarks.results import OURS, Row
from scripts.benchmarks.targets import Target, targets, wait_idle

CONNECTIONS = (1, 64, 100, 1000)
KINDS = {"acks=1": {"acks": 1}, "acks=all": {"acks": -1}, "idempotent": {"acks": -1, "sequence": 1}}
METRICS = Row(
    "broker CPU of a 1-record request: with metrics.listen / without", "", 1.02, absolute=True
)


def small(bench: Bench) -> None:
    """What hurts Python most. A quick run asks by acks=1 and from 100 and 1,000 connections."""
    seconds = bench.scaled(4, 2)
    kinds = list(KINDS)[: bench.scaled(3, 1)]
    busiest = 0.0
    with targets(bench.names, WORK, "small") as pair:
        topics = {}
        for target in pair:
            target.start()
            topics[target.name] = new_topic(target, 10)
            warm = bench.scaled(20, 2)  # a JVM compiles what it runs often
            load("small", target, topics[target.name], connections=100, seconds=warm)
        for connections in CONNECTIONS[bench.scaled(0, 2) :]:
            for kind in kinds:
                for _ in range(bench.repeats):
                    for target in pair:
                        options = KINDS[kind] | {"connections": connections, "seconds": seconds}
                        found = _ask(bench, target, topics[target.name], kind, options)
                        busiest = max(busiest, found["client_cpu"])
    if OURS in bench.names:
        cost_of(bench, METRICS, {"metrics.listen": "127.0.0.1:0"}, seconds)
    bench.results.notes.append(
        f"1-record requests: the generator is one Python process, at most {busiest:.0%} of a core"
    )


def _ask(
    bench: Bench, target: Target, topic: str, kind: str, options: dict[str, int]
) -> dict[str, float]:
    wait_idle(target)
    found = load("small", target, topic, **options)
    what = f"1-record requests, {kind}, {options['connections']} connections"
    add_requests(bench, target, what, found)
    time.sleep(0.1)
    return found


def add_requests(
    bench: Bench, target: Measured, what: str, found: Mapping[str, float], cpu: float = 0.35
) -> None:
    """Rows of what ``ask_all`` has found; ``cpu`` is the goal of the brokers' CPU."""
    each = found["broker_cpu"] / found["count"] * 1e6
    bench.add(Row(what, "req/s", 1.2, True, 0), target, found["count"] / found["seconds"])
    bench.add(Row(f"{what}: p99", "ms", 1.0), target, found["p99"])
    bench.add(Row(f"{what}: broker CPU", "us", cpu, digits=1), target, each)


def cost_of(bench: Bench, row: Row, settings: Mapping[str, object], seconds: int) -> None:
    """CPU of a small request with some settings, as a multiple of that without: two brokers of ours
    in turns."""
    with (
        targets([OURS], WORK, "without") as (without,),
        targets([OURS], WORK, "with", settings) as (with_them,),
    ):
        topics = {}
        for target in (without, with_them):
            target.start()
            topics[target] = new_topic(target, 10)
            _cpu_each(target, topics[target], seconds)
        for turn in range(2 * bench.repeats):
            pair = (without, with_them) if turn % 2 else (with_them, without)
            found = {target: _cpu_each(target, topics[target], seconds) for target in pair}
            bench.add(row, with_them, found[with_them] / found[without])


def _cpu_each(target: Target, topic: str, seconds: int) -> float:
    """Seconds of CPU for one request."""
    wait_idle(target)
    found = load("small", target, topic, connections=100, seconds=seconds)
    return found["broker_cpu"] / found["count"]
