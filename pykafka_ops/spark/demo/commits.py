"""The groups' history: offsets committed with past timestamps, as OffsetCommit 1 allows.

Later versions of the request carry no time. Kafka takes version 1 of simple consumers, which are
no members of their group; the records in ``__consumer_offsets`` then have these commit times.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.coordinators import find_coordinators
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.spark.demo.plan import (
    CRAWL,
    DAY,
    GROUPS,
    HOUR,
    REWOUND,
    STALLED,
    STOPPED,
    TOPICS,
    GroupPlan,
    commit_times,
)
from pykafka_ops.spark.demo.records import WrittenTimes
from pykafka_ops.wire.messages import offset_commit as oc

TIMED: Final = 1
"""The version of OffsetCommit that carries a timestamp."""
BEHIND: Final = 3_000
"""How long a group that keeps up takes to a record (ms)."""


def position(story: str, time: int, begin: int, now: int) -> int:
    """The moment whose records a group has read up to at ``time`` (ms since 1970).

    ``begin`` is when the topic began. A group that is stuck on one partition keeps up elsewhere.
    """
    if story == "lags":
        # From ten minutes to nearly four hours behind, faster and faster.
        part = (time - begin) / (now - begin)
        return time - int(HOUR / 6 + 3.6 * HOUR * part**6)
    if story == "crawls":
        return begin + int((time - begin) * CRAWL)
    if story == "rewinds" and time > now - REWOUND:
        return now - 2 * DAY + 20 * (time - now + REWOUND)
    return time if time >= now else time - BEHIND


def offset(
    group: GroupPlan, written: WrittenTimes, partition: int, moments: tuple[int, int, int]
) -> int | None:
    """What a group commits at a moment: (time, begin of the topic, now); None: nothing."""
    time, begin, now = moments
    if group.story == "stops" and time > now - STOPPED:
        return None
    if group.story == "stalls" and partition == written.fullest:
        time = min(time, now - STALLED)
    return written.end(partition, position(group.story, time, begin, now))


def commit(
    cluster: Cluster, written: Mapping[str, WrittenTimes], now: int, said: Callable[[str], None]
) -> int:
    """Commit the past of every group; returns how many offsets. Raises KafkaError."""
    names = [g.name for g in GROUPS]
    homes = find_coordinators(cluster, names)
    days = {t.name: t.days for t in TOPICS}
    total = 0
    for group in GROUPS:
        home = homes[group.name]
        if isinstance(home, PkoError):
            raise home
        said(f"committing offsets of {group.name}")
        begin = now - int(days[group.topic] * DAY)
        log = written[group.topic]
        for time in commit_times(min(3.0, days[group.topic]), now):
            found = {
                p: at
                for p in range(len(log.partitions))
                if (at := offset(group, log, p, (time, begin, now))) is not None
            }
            if found:
                _send(cluster, home, group, found, time)
                total += len(found)
    return total


def _send(
    cluster: Cluster, home: int, group: GroupPlan, offsets: Mapping[int, int], time: int
) -> None:
    partitions = [
        oc.OffsetCommitRequestPartition(
            partition_index=p, committed_offset=at, commit_timestamp=time, committed_metadata=""
        )
        for p, at in offsets.items()
    ]
    request = oc.OffsetCommitRequest(
        group_id=group.name,
        member_id="",
        topics=[oc.OffsetCommitRequestTopic(name=group.topic, partitions=partitions)],
    )
    answer = cluster.call(
        request, oc.OffsetCommitResponse, to=home, name="commit", lowest=TIMED, highest=TIMED
    )
    for topic in answer.topics:
        for partition in topic.partitions:
            if partition.error_code:
                raise KafkaError(partition.error_code, f"{group.name}: commit refused")
