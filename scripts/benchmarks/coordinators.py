"""Rows about what members of groups ask for all the time: commits, heartbeats, joins."""

from __future__ import annotations

from scripts.benchmarks.context import WORK, Bench, load, new_topic
from scripts.benchmarks.results import Row
from scripts.benchmarks.small import add_requests
from scripts.benchmarks.targets import Target, targets, wait_idle

MODULE = "coordinator_loads"
SETTINGS = {"group.initial.rebalance.delay.ms": 0, "offsets.topic.num.partitions": 10}
COMMITS = "groups: commits, 50 connections"
HEARTBEATS = Row("groups: heartbeats of 1,000 members: broker CPU of each", "us", 0.4, digits=1)
JOINS = {
    members: Row(
        f"groups: {members:,} members rebalance: broker CPU for each member", "us", 0.4, digits=0
    )
    for members in (100, 1000)
}


def coordinators(bench: Bench) -> None:
    """CPU of coordinators. A quick run lets 100 members rebalance, not 1,000."""
    with targets(bench.names, WORK, "coordinators", SETTINGS) as pair:
        topics = {}
        for target in pair:
            target.start()
            topics[target.name] = new_topic(target, 10)
            _commits(target, topics[target.name], bench.scaled(15, 3))
            _heartbeats(target, "warm", bench.scaled(8, 2))
        for number in range(bench.repeats):
            for target in pair:
                found = _commits(target, topics[target.name], bench.scaled(6, 2))
                add_requests(bench, target, COMMITS, found, 0.4)
                found = _heartbeats(target, f"beats-{number}", bench.scaled(4, 2))
                bench.add(HEARTBEATS, target, found["broker_cpu"] / found["count"] * 1e6)
        for members in list(JOINS)[: bench.scaled(2, 1)]:
            for number in range(bench.repeats):
                for target in pair:
                    wait_idle(target)
                    options = {"members": members, "rounds": bench.scaled(5000, 1000) // members}
                    found = load("joins", target, f"{members}-{number}", MODULE, **options)
                    each = found["broker_cpu"] / found["count"] * 1e6
                    bench.add(JOINS[members], target, each)


def _commits(target: Target, topic: str, seconds: int) -> dict[str, float]:
    wait_idle(target)
    return load("commits", target, topic, MODULE, connections=50, seconds=seconds)


def _heartbeats(target: Target, label: str, seconds: int) -> dict[str, float]:
    wait_idle(target)
    return load("heartbeats", target, label, MODULE, groups=100, members=10, seconds=seconds)
