"""Rows about ``pko monitor``: what a round costs it and the broker, beside one request for each,
and beside the fewer things that Burrow asks."""

from __future__ import annotations

import time

from scripts.benchmarks.context import WORK, Bench, create_topics, load, new_topic
from scripts.benchmarks.results import OURS, Row
from scripts.benchmarks.targets import Target, targets, wait_idle
from tests.support.monitor.scraped import samples
from tests.support.process.monitor import MonitorProcess
from tests.support.waiting import wait_for

MODULE = "monitor_loads"
EVERY = "5s"


def _row(name: str, unit: str, goal: float, digits: int = 2) -> Row:
    return Row(f"monitor: {name}", unit, goal, digits=digits, absolute=True)


REQUESTS = _row("requests of a round", "requests", 20, 1)
CPU = _row("its CPU of a round", "s", 0.5)
BROKER = _row("the broker's CPU of a round", "s", 0.5)
MEMORY = _row("its memory", "MB", 150, 0)
THEIR_REQUESTS = _row("asked one by one: requests", "requests", float("inf"), 0)
THEIR_CPU = _row("asked one by one: CPU", "s", float("inf"))
THEIR_BROKER = _row("asked one by one: the broker's CPU", "s", float("inf"))
BURROW_REQUESTS = _row("asked as Burrow asks: requests of a round", "requests", float("inf"), 1)
BURROW_CPU = _row("asked as Burrow asks: CPU of a round", "s", float("inf"))
BURROW_BROKER = _row("asked as Burrow asks: the broker's CPU of a round", "s", float("inf"))
SHARE = Row("monitor: CPU against one by one, both sides", "share", 0.1, absolute=True)
HUGE_MEMORY = _row("memory of a million partitions of groups", "MB", 250, 0)
HUGE_TAKE = _row("a round of a million partitions judged", "s", 5)
HUGE_TEXT = _row("a million partitions of groups as /metrics", "s", 10)
HUGE_PACKED = _row("the same, packed", "MB", 20, 1)


def monitor(bench: Bench) -> None:
    """10,000 partitions and 1,000 groups on our broker; then 10,000 groups of 100 partitions."""
    if OURS not in bench.names:
        return
    topics, groups = bench.scaled(999, 49), bench.scaled(1000, 50)
    with targets([OURS], WORK, "monitor") as (target,):
        target.start()
        topic = new_topic(target, 10)
        create_topics(target, [f"{topic}-{n}" for n in range(topics)], 10)
        load("crowd", target, topic, "group_loads", groups=1, rounds=1)  # makes the offsets topic
        load("fill", target, topic, "group_loads", groups=groups, partitions=10)
        for _ in range(bench.repeats):
            wait_idle(target)
            ours = _watched(bench, target, rounds=bench.scaled(12, 4))
            wait_idle(target)
            theirs = _one_by_one(bench, target)
            wait_idle(target)
            _as_burrow(bench, target, rounds=bench.scaled(12, 6))
            bench.add(SHARE, target, ours / theirs)
        found = load("memory", target, topic, MODULE, groups=bench.scaled(10_000, 500),
                     partitions=100)  # fmt: skip
        bench.add(HUGE_MEMORY, target, found["rss_mb"])
        bench.add(HUGE_TAKE, target, found["take"])
        bench.add(HUGE_TEXT, target, found["metrics"])
        bench.add(HUGE_PACKED, target, found["packed_mb"])
        bench.say(f"  {found}")


def _watched(bench: Bench, target: Target, rounds: int) -> float:
    """Rounds of a monitor that runs, its start left out; CPU of both sides for one."""
    with MonitorProcess("-b", target.bootstrap, "--every", EVERY) as running:

        def metrics() -> dict[str, float]:
            sums: dict[str, float] = {}
            for (name, *_), value in samples(running.get("/metrics?collect[]=monitor")[1]).items():
                sums[name] = sums.get(name, 0) + value
            return sums

        def after(number: float) -> dict[str, float]:
            return wait_for(
                lambda: (now := metrics())["pko_monitor_rounds_total"] >= number and now,
                what="rounds", seconds=600, poll=0.2,
            )  # fmt: skip

        first = after(3)
        broker, begun = target.process.cpu_seconds(), time.monotonic()
        last = after(first["pko_monitor_rounds_total"] + rounds)
        broker = target.process.cpu_seconds() - broker
        bench.say(f"  {time.monotonic() - begun:.0f} s watched")
        count = last["pko_monitor_rounds_total"] - first["pko_monitor_rounds_total"]

        def each(name: str) -> float:
            return (last[name] - first[name]) / count

        cpu = each("process_cpu_seconds_total")
        bench.add(REQUESTS, target, each("pko_monitor_requests_total"))
        bench.add(CPU, target, cpu)
        bench.add(BROKER, target, broker / count)
        bench.add(MEMORY, target, last["process_resident_memory_bytes"] / 1e6)
        return cpu + broker / count


def _one_by_one(bench: Bench, target: Target) -> float:
    """A round for which everything is asked by itself; CPU of both sides. One more is not
    measured."""
    found, broker = _asked(target, "one_by_one", 1, beside=1)
    bench.add(THEIR_REQUESTS, target, found["requests"])
    bench.add(THEIR_CPU, target, found["cpu"])
    bench.add(THEIR_BROKER, target, broker)
    return found["cpu"] + broker


def _as_burrow(bench: Bench, target: Target, rounds: int) -> None:
    """What Burrow asks of a broker, once in its ten seconds."""
    found, broker = _asked(target, "as_burrow", rounds, beside=0)
    bench.add(BURROW_REQUESTS, target, found["requests"])
    bench.add(BURROW_CPU, target, found["cpu"])
    bench.add(BURROW_BROKER, target, broker)


def _asked(
    target: Target, name: str, rounds: int, *, beside: int
) -> tuple[dict[str, float], float]:
    """What a load of MODULE found, and the broker's CPU of a round; ``beside``: rounds more that
    it makes."""
    broker = target.process.cpu_seconds()
    found = load(name, target, "-", MODULE, rounds=rounds)
    return found, (target.process.cpu_seconds() - broker) / (rounds + beside)
