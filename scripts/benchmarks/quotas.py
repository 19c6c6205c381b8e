"""Rows about what quotas of clients cost: broker CPU of a request of one record."""

from __future__ import annotations

from scripts.benchmarks.context import WORK, Bench, load, new_topic
from scripts.benchmarks.results import Row
from scripts.benchmarks.targets import targets, wait_idle
from tests.support.clients.quotas import limit

UNREACHED = {"producer_byte_rate": 10**12, "request_percentage": 10**6}
WHOSE = {  # and the client id; the load's is "raw"
    "nobody has a quota": None,
    "others have": "another",
    "its client has, never reached": "raw",
}
CPU = {who: Row(f"broker CPU of a 1-record request, {who}", "us", 1.0) for who in WHOSE}


def quotas(bench: Bench) -> None:
    """The same requests while more and more clients have quotas; none is ever held up."""
    seconds = bench.scaled(6, 2)
    with targets(bench.names, WORK, "quotas") as pair:
        topics = {}
        for target in pair:
            target.start()
            topics[target.name] = new_topic(target, 10)
            load("small", target, topics[target.name], connections=20, seconds=seconds)
        for who, client_id in WHOSE.items():
            for target in pair:
                topic = topics[target.name]
                if client_id is not None:
                    limit(target.bootstrap, topic, client_id, **UNREACHED)
                for _ in range(bench.repeats):
                    wait_idle(target)
                    found = load("small", target, topic, connections=20, seconds=seconds)
                    each = found["broker_cpu"] / found["count"] * 1e6
                    bench.add(CPU[who], target, each)
