"""Rows about many small requests to three brokers: every record has three replicas."""

from __future__ import annotations

from scripts.benchmarks.context import WORK, Bench, load
from scripts.benchmarks.small import CONNECTIONS, add_requests
from scripts.benchmarks.trios import trio, wait_quiet

PARTITIONS = 9
"""Of which each broker leads three."""


def small_cluster(bench: Bench) -> None:
    """acks=all with 3 replicas, ours after Apache Kafka's. A quick run asks from 100 connections
    alone."""
    seconds = bench.scaled(4, 2)
    busiest = 0.0
    for name in bench.names:
        with trio(name, WORK / f"small-{name}") as made:
            topic = made.new_topic("small", PARTITIONS)
            load("small", made, topic, connections=100, seconds=bench.scaled(20, 5), acks=-1)
            for connections in (100,) if bench.quick else CONNECTIONS:
                for _ in range(bench.repeats):
                    wait_quiet(made)
                    options = {"connections": connections, "seconds": seconds}
                    found = load("small", made, topic, acks=-1, **options)
                    what = f"cluster: 1-record requests, acks=all, {connections} connections"
                    add_requests(bench, made, what, found)
                    busiest = max(busiest, found["client_cpu"])
    bench.results.notes.append(
        f"cluster: 1-record requests: the generator took at most {busiest:.0%} of a core"
    )
