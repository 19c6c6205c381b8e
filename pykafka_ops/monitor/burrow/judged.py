"""A group by Burrow's rules, in few bytes for each partition. Pure; times in ms."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from pykafka_ops.monitor.burrow.status import PartitionFound, group_status, partition_status

UNKNOWN: Final = -1


@dataclass(slots=True)
class JudgedTopic:
    """Partitions of a topic that a group has committed, one value each. -1 stands for a lag that is
    not known, and for an offset where the window is not complete: then Burrow shows neither it nor
    the status."""

    name: str
    numbers: array[int] = field(default_factory=lambda: array("i"))
    statuses: array[int] = field(default_factory=lambda: array("b"))
    lags: array[int] = field(default_factory=lambda: array("q"))
    offsets: array[int] = field(default_factory=lambda: array("q"))


@dataclass(slots=True)
class JudgedGroup:
    """A group by Burrow's rules; ``total`` None: the lag of a partition is not known."""

    status: int
    total: int | None
    topics: list[JudgedTopic]


def judge(
    partitions: Iterable[PartitionFound], committed: Mapping[str, array[int]], now: int
) -> JudgedGroup:
    """Judge the partitions that have a committed offset in ``committed``: Burrow does not know the
    others."""
    topics: dict[str, JudgedTopic] = {}
    statuses, lags = [], []
    for found in partitions:
        offsets = committed.get(found.topic, ())
        if found.partition >= len(offsets) or offsets[found.partition] < 0:
            continue
        statuses.append(partition_status(found, now))
        lags.append(found.lag if found.ends else UNKNOWN)
        topic = topics.setdefault(found.topic, JudgedTopic(found.topic))
        topic.numbers.append(found.partition)
        topic.statuses.append(statuses[-1])
        topic.lags.append(lags[-1])
        complete = found.complete == 1.0
        topic.offsets.append(found.commits[-1].offset if complete else UNKNOWN)
    total = None if UNKNOWN in lags else sum(lags)
    return JudgedGroup(group_status(statuses), total, list(topics.values()))
