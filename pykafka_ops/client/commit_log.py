"""Commits of groups over time, read back from ``__consumer_offsets`` of a live cluster.

The topic is compacted: in segments that were cleaned only the last commit of each partition is
left, so how far back it tells everything depends on the cleaner.
"""

from __future__ import annotations

from collections.abc import Container
from typing import Final

from pykafka_ops.analysis.burrow import Commit
from pykafka_ops.client import offsets
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.fetch import end_of, fetch, records_from
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.offsets import Offset
from pykafka_ops.client.topics import Topic, describe_topics
from pykafka_ops.disk.internal import OffsetCommitKey, OffsetCommitValue, read_offsets_record
from pykafka_ops.errors import PkoError

TOPIC: Final = "__consumer_offsets"
Key = tuple[str, str, int]
"""Group, topic, partition."""
Commits = dict[Key, list[Commit]]


def commits_since(cluster: Cluster, since_ms: int, groups: Container[str] | None = None) -> Commits:
    """The commits of ``groups`` (None: all) since a time, in order; a tombstone has offset -1.

    A handful of questions per broker: where the time begins in each partition, then the records.
    Partitions that cannot be read are left out. {} where no group has ever committed.
    """
    topic = describe_topics(cluster, [TOPIC]).get(TOPIC)
    if not isinstance(topic, Topic):
        return {}
    every = [(TOPIC, p.number) for p in topic.partitions]
    starts = offsets.list_offsets(cluster, dict.fromkeys(every, since_ms))
    pending = {p: o.offset for p, o in starts.items() if isinstance(o, Offset) and o.offset >= 0}
    found: Commits = {}
    while pending:
        answers = fetch(cluster, pending, partition_bytes=4 << 20)
        following: dict[Partition, int] = {}
        for partition, answer in answers.items():
            if isinstance(answer, PkoError):
                continue
            offset = pending[partition]
            _collect(answer.records, offset, groups, found)
            end = end_of(answer.records, offset)
            if offset < end < answer.high_watermark:
                following[partition] = end
            elif end == offset < answer.high_watermark:
                following[partition] = offset  # the leader had no room left for it
        if following == pending:
            break
        pending = following
    return found


def _collect(data: memoryview, offset: int, groups: Container[str] | None, found: Commits) -> None:
    try:
        for record in records_from(data, offset):
            commit = read_commit(record.key, record.value)
            if commit is not None and (groups is None or commit[0][0] in groups):
                key, value = commit
                stamp = value.timestamp if value.timestamp >= 0 else record.timestamp
                found.setdefault(key, []).append(value._replace(timestamp=stamp))
    except PkoError:  # what is behind a record nobody can read is not told
        return


def read_commit(key: bytes | None, value: bytes | None) -> tuple[Key, Commit] | None:
    """The commit in a record; a deleted one has offset -1 and no timestamp; None for others."""
    if key is None:
        return None
    try:
        record = read_offsets_record(key, value)
    except PkoError:
        return None
    k, v = record.key, record.value
    if not isinstance(k, OffsetCommitKey):
        return None
    if not isinstance(v, OffsetCommitValue):
        return (k.group, k.topic, k.partition), Commit(-1, -1)
    return (k.group, k.topic, k.partition), Commit(v.commit_timestamp, v.offset)
