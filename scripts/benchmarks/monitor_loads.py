"""What the rows about ``pko monitor`` are measured with, each in a process of its own: one JSON
object on stdout.

``python -m scripts.benchmarks.monitor_loads NAME BOOTSTRAP TOPIC [OPTION=NUMBER...]``
"""

from __future__ import annotations

import gc
import json
import resource
import sys
import time
import zlib
from array import array
from typing import Any

from pykafka_ops.analysis.commits.burrow import Commit
from pykafka_ops.client.cluster import Cluster, Node
from pykafka_ops.client.commit_log import TOPIC, CommitLog, Commits
from pykafka_ops.client.config import ClientConfig
from pykafka_ops.client.group_describe import describe_groups
from pykafka_ops.client.group_offsets import fetch_offsets
from pykafka_ops.client.groups import GroupListing, list_groups
from pykafka_ops.client.offsets import EARLIEST, LATEST
from pykafka_ops.client.topics import PartitionDescription, TopicDescription, all_topics
from pykafka_ops.monitor.cluster.answers import Answers
from pykafka_ops.monitor.cluster.bounds import bounds
from pykafka_ops.monitor.cluster.watched import WatchedCluster
from pykafka_ops.monitor.http.metrics import chosen
from pykafka_ops.monitor.metrics.lines import Scope, text
from pykafka_ops.monitor.metrics.settings import MetricsSettings
from pykafka_ops.wire.messages import list_offsets as lo

COMMITS = 10
AT_ONCE = 1000
"""Groups whose commits one round of the synthetic feed has."""
END = 1_000_000


def one_by_one(bootstrap: str, topic: str, *, rounds: int = 1) -> dict[str, float]:
    """Rounds as kafka_exporter asks: begin and end of each partition, the offsets of each group,
    every one by a request of its own. Over our client, one after the other."""
    cluster = Cluster(ClientConfig.of({"bootstrap.servers": bootstrap}))
    _round(cluster)
    before, cpu, began = sum(cluster.asked.values()), time.process_time(), time.monotonic()
    for _ in range(rounds):
        _round(cluster)
    asked = sum(cluster.asked.values()) - before
    cluster_seconds = time.monotonic() - began
    used = time.process_time() - cpu
    return {
        "requests": asked / rounds,
        "cpu": used / rounds,
        "seconds": cluster_seconds / rounds,
        "rss_mb": _rss_mb(),
    }


def _round(cluster: Cluster) -> None:
    for described in all_topics(cluster):
        for p in described.partitions:
            for moment in (LATEST, EARLIEST):
                asked = lo.ListOffsetsPartition(partition_index=p.number, timestamp=moment)
                request = lo.ListOffsetsRequest(
                    replica_id=-1,
                    isolation_level=0,
                    topics=[lo.ListOffsetsTopic(name=described.name, partitions=[asked])],
                )
                cluster.call(request, lo.ListOffsetsResponse, to=p.leader, lowest=1)
    groups, _ = list_groups(cluster)
    describe_groups(cluster, groups)
    for group in groups:
        fetch_offsets(cluster, [group])


def as_burrow(bootstrap: str, topic: str, *, rounds: int = 1) -> dict[str, float]:
    """Rounds as Burrow asks: every ten seconds one ListOffsets per broker for all partitions it
    leads, and __consumer_offsets read on; Metadata once a minute, so in each sixth round. Over our
    client: its requests and their answers, not its evaluation, nor members, settings or moves."""
    cluster = Cluster(ClientConfig.of({"bootstrap.servers": bootstrap}))
    topics = all_topics(cluster)
    places, _ = bounds(cluster, [t for t in topics if t.name == TOPIC], LATEST)
    log = CommitLog(cluster, {(TOPIC, n): end for n, end in enumerate(places[TOPIC])})
    bounds(cluster, topics, LATEST)
    before, cpu = sum(cluster.asked.values()), time.process_time()
    for number in range(rounds):
        if number % 6 == 5:
            topics = all_topics(cluster)
        bounds(cluster, topics, LATEST)
        log.again()
        found: Commits = {}
        while log.read(found, partition_bytes=1 << 20):
            pass
    return {
        "requests": (sum(cluster.asked.values()) - before) / rounds,
        "cpu": (time.process_time() - cpu) / rounds,
    }


def memory(bootstrap: str, topic: str, *, groups: int, partitions: int) -> dict[str, float]:
    """A cluster of so many groups, each with all partitions of one topic and a full window of
    commits; then what Prometheus gets of it."""
    watched = WatchedCluster("synthetic")
    names = [f"group-{n}" for n in range(groups)]
    now = int(time.time() * 1000)
    longest = 0.0
    for first in range(0, groups, AT_ONCE):
        got = _answers(now + first, names, partitions)
        found = [Commit(now + i * 1000, END - 9 + i) for i in range(COMMITS)]
        for group in names[first : first + AT_ONCE]:
            for n in range(partitions):
                got.commits[group, "orders", n] = found
        began = time.monotonic()
        watched.take(got)
        longest = max(longest, time.monotonic() - began)
    del got
    gc.collect()
    kept = _rss_mb()
    began, cpu = time.monotonic(), time.process_time()
    watched.take(_answers(now + groups, names, partitions))
    take = time.process_time() - cpu
    cpu, size, packer = time.process_time(), 0, zlib.compressobj(5, zlib.DEFLATED, 31)
    packed = 0
    scope = Scope(watched, watched.view, MetricsSettings(), {})
    for piece in text(chosen(MetricsSettings(), frozenset()), [scope]):
        data = piece.encode()
        size += len(data)
        packed += len(packer.compress(data))
    packed += len(packer.flush())
    return {
        "rss_mb": kept,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6,
        "take": take,
        "metrics": time.process_time() - cpu,
        "metrics_mb": size / 1e6,
        "packed_mb": packed / 1e6,
        "metrics_peak_mb": _rss_mb(),
    }


def _answers(at: int, names: list[str], partitions: int) -> Answers:
    described = [PartitionDescription(n, 1, 0, [1], [1], []) for n in range(partitions)]
    return Answers(
        at=at,
        controller=1,
        nodes={1: Node(1, "b1", 9092, None)},
        topics={"orders": TopicDescription("orders", b"i" * 16, False, described)},
        ends={"orders": array("q", [END]) * partitions},
        starts={"orders": array("q", [0]) * partitions},
        listed={name: GroupListing(name, "consumer", "Empty", "classic", 1) for name in names},
        moves={},
    )


def _rss_mb() -> float:
    with open("/proc/self/statm", "rb") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 1e6


def main(argv: list[str]) -> None:
    name, bootstrap, topic, *rest = argv
    options: dict[str, Any] = {k: int(v) for k, v in (word.split("=") for word in rest)}
    print(json.dumps(globals()[name](bootstrap, topic, **options)))


if __name__ == "__main__":
    main(sys.argv[1:])
