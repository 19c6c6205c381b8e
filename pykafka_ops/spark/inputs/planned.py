"""How much a report is going to read, before anything of it is read."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from math import ceil
from typing import Final, NamedTuple

from pykafka_ops.analysis.sampled import rate_of
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.log_dirs import describe_log_dirs
from pykafka_ops.client.topic_sizes import topic_sizes
from pykafka_ops.disk.names import LOG_SUFFIX, parse_dir
from pykafka_ops.errors import PkoError

Wanted = Callable[[str], bool]


LOCAL_PARTITIONS: Final = 20_000
"""Partitions up to which a report is small, however little they hold."""


def bytes_in(dirs: Sequence[str], wanted: Wanted, most: int, sample: float | None = None) -> int:
    """Bytes to be read of the segments of wanted topics in local directories, and in those one
    level below, all or of a ``sample``; more than ``most`` once that is passed, or more than
    LOCAL_PARTITIONS are there."""
    left, partitions = [(path, 1) for path in dirs], 0
    total, topics = 0.0, dict[str, int]()
    while left and total <= most:
        path, depth = left.pop()
        partitions += not depth
        if partitions > LOCAL_PARTITIONS:
            return most + 1
        size = 0
        try:
            with os.scandir(path) as found:
                for entry in found:
                    if entry.name.endswith(LOG_SUFFIX):
                        size += entry.stat().st_size
                    elif depth and entry.is_dir() and _is_wanted(entry.name, wanted):
                        left.append((entry.path, depth - 1))
        except NotADirectoryError:
            size = os.stat(path).st_size
        except OSError:
            continue
        topic = _topic(path)
        before = topics.get(topic, 0)
        topics[topic] = before + size
        total += _read(before + size, sample) - _read(before, sample)
    return ceil(total)


def _read(size: int, sample: float | None) -> float:
    """Bytes that are read of a topic with so many."""
    rate = None if sample is None else rate_of(sample, size)
    return size if rate is None else size * rate


def _topic(path: str) -> str:
    parsed = parse_dir(os.path.basename(path))
    return path if parsed is None else parsed.topic


def _is_wanted(name: str, wanted: Wanted) -> bool:
    parsed = parse_dir(name)
    return parsed is None or wanted(parsed.topic)


class PlannedReading(NamedTuple):
    """What a cluster has of some topics: partitions, and bytes of those that are read whole (None:
    a broker does not say, or is not there, or nobody was asked, since partitions are many)."""

    partitions: int
    bytes: int | None


def of_cluster(cluster: Cluster, wanted: Wanted, read: Wanted) -> PlannedReading:
    """Of the ``wanted`` topics, and of those to ``read``, the largest replica of each partition."""
    sizes = {t: n for t, n in topic_sizes(cluster).items() if wanted(t) or read(t)}
    count = sum(sizes.values())
    if count > LOCAL_PARTITIONS:
        return PlannedReading(count, None)
    whole = {topic: range(size) for topic, size in sizes.items() if read(topic)}
    return PlannedReading(count, _bytes(cluster, whole))


def _bytes(cluster: Cluster, whole: Mapping[str, Sequence[int]]) -> int | None:
    if not whole:
        return 0
    sizes: dict[tuple[str, int], int] = {}
    for dirs in describe_log_dirs(cluster, sorted(cluster.brokers()), whole, once=True).values():
        if isinstance(dirs, PkoError):
            return None
        for found in dirs:
            if found.error is not None:
                return None
            for replica in found.replicas:
                key = replica.topic, replica.partition
                sizes[key] = max(sizes.get(key, 0), replica.size)
    every = {(name, number) for name, numbers in whole.items() for number in numbers}
    return sum(sizes.values()) if every <= sizes.keys() else None
