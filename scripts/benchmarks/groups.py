"""Rows about consumer groups and transactions."""

from __future__ import annotations

import time

from scripts.benchmarks.commands import PKO, taken
from scripts.benchmarks.context import WORK, Bench, load, new_topic
from scripts.benchmarks.results import OURS, Row
from scripts.benchmarks.targets import Target, targets, wait_idle
from tests.support.process.apache import tool_argv

MODULE, COORDINATORS = "group_loads", "coordinator_loads"
FIRST = Row("groups: subscribe to first record", "s", 1.0)
REBALANCE = Row("groups: 100 members, one leaves", "s", 1.0)
LOADED = Row("groups: start until offsets are served, 1 million commits", "s", 1.0)
TRANSACTIONS = Row("transactions: 100 B, commit every 100 ms", "MB/s", 1.0, True, 0)
DESCRIBE = Row("groups: describe all of 1,000 groups x 10", "s", 0.3)
DESCRIBE_CPU = Row("groups: describe all of 1,000 groups x 10, CPU", "s", 0.3)
LAG = Row("groups: `groups lag` of them all, Kafka's describe beside it", "s", 0.3)
LAG_CPU = Row("groups: `groups lag` of them all, CPU", "s", 0.3)
CROWD = Row("groups: 10,000 of one member each, broker CPU of a join", "ms", 0.4)
REBALANCE_1000 = Row("groups: 1,000 members, one leaves", "s", 1.0)
SETTINGS = {"group.initial.rebalance.delay.ms": 0, "offsets.topic.num.partitions": 10}


def groups(bench: Bench) -> None:
    """Coordinators under load, and what commands take to ask them."""
    with targets(bench.names, WORK, "groups", SETTINGS) as pair:
        topics = {}
        for target in pair:
            target.start()
            topics[target.name] = new_topic(target, 10)
            load("produce", target, topics[target.name], count=1000, size=100)
            load("first_record", target, topics[target.name], MODULE, number=999)
        for number in range(bench.repeats):
            for target in pair:
                topic = topics[target.name]
                wait_idle(target)
                found = load("first_record", target, topic, MODULE, number=number)
                bench.add(FIRST, target, found["seconds"])
                members = bench.scaled(100, 20)
                found = load("rebalance", target, new_topic(target), MODULE, members=members)
                bench.add(REBALANCE, target, found["seconds"])
                options = {"seconds": bench.scaled(8, 2), "commit_ms": 100}
                found = load("transactions", target, new_topic(target), MODULE, **options)
                bench.add(TRANSACTIONS, target, found["count"] * 100 / found["seconds"] / 1e6)
        _crowds(bench, pair)
        _restart(bench, pair)
    # of their own: Kafka's tool ends at the first group whose assignments it cannot read, and those
    # of the members above are none
    with targets(bench.names, WORK, "group-commands", SETTINGS) as pair:
        _commands(bench, pair)


def _crowds(bench: Bench, pair: list[Target]) -> None:
    """What many groups and many members cost the broker."""
    count = bench.scaled(10_000, 500)
    for target in pair:
        found = load("crowd", target, "many", MODULE, groups=count)
        bench.add(CROWD, target, found["broker_cpu"] / count * 1e3)
        for number in range(bench.repeats):
            members = bench.scaled(1000, 50)
            found = load("rebalance", target, f"big-{number}", MODULE, members=members)
            bench.add(REBALANCE_1000, target, found["seconds"])


def _commands(bench: Bench, pair: list[Target]) -> None:
    count = bench.scaled(1000, 100)
    for target in pair:
        target.start()
        topic = new_topic(target, 10)
        load("produce", target, topic, count=1000, size=100)
        # `groups lag` reads back what was committed in the last minutes: let that be much
        most = {"seconds": 300, "most": bench.scaled(250_000, 10_000)}
        load("commits", target, topic, COORDINATORS, connections=50, **most)
        load("fill", target, topic, MODULE, groups=count, partitions=10)
        wait_idle(target)
    for _ in range(bench.repeats):
        for target in pair:
            words = ("--bootstrap-server", target.bootstrap, "--describe", "--all-groups",
                     "--timeout", "60000")  # fmt: skip
            if target.name == OURS:
                described = taken([str(PKO), "kafka-consumer-groups", *words], 10 * count)
                lag = taken([str(PKO), "groups", "lag", "--all", "-b", target.bootstrap], count)
            else:
                described = lag = taken(tool_argv("kafka-consumer-groups", *words), 10 * count)
            bench.add(DESCRIBE, target, described.seconds)
            bench.add(DESCRIBE_CPU, target, described.cpu)
            bench.add(LAG, target, lag.seconds)
            bench.add(LAG_CPU, target, lag.cpu)


def _restart(bench: Bench, pair: list[Target]) -> None:
    """Many commits in one partition of the offsets topic, then a restart."""
    rounds = bench.scaled(1000, 50)
    for target in pair:
        topic = new_topic(target, 1000)
        load("fill", target, topic, MODULE, groups=1, partitions=1000, rounds=rounds)
        target.stop()
        begin = time.monotonic()
        target.start()
        load("served", target, topic, MODULE)
        bench.add(LOADED, target, time.monotonic() - begin)
