"""Commits of groups over time, read back from ``__consumer_offsets`` of a live cluster.

The topic is compacted: in segments that were cleaned only the last commit of each partition is
left, so how far back all commits are there depends on the cleaner.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from pykafka_ops.analysis.commits.burrow import Commit
from pykafka_ops.analysis.java_hash import partition_for
from pykafka_ops.client import offsets
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.fetch import end_of, fetch
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.topics import TopicDescription, describe_topics
from pykafka_ops.disk.batch import scan, starts_at
from pykafka_ops.disk.commits import CommitReader, Key, Stored
from pykafka_ops.disk.compression import DECOMPRESSED_LIMIT
from pykafka_ops.disk.record import payload
from pykafka_ops.errors import CorruptBatchError, PkoError

TOPIC: Final = "__consumer_offsets"
Commits = dict[Key, list[Commit]]


def commits_since(
    cluster: Cluster, since_ms: int, groups: Collection[str] | None = None
) -> Commits:
    """The commits of ``groups`` (None: all) since a time, in order; a tombstone has offset -1.

    A handful of questions per broker: where the time begins in each partition, then the records.
    Partitions that cannot be read are left out. {} where no group has ever committed.
    """
    topic = describe_topics(cluster, [TOPIC]).get(TOPIC)
    if not isinstance(topic, TopicDescription):
        return {}
    count = len(topic.partitions)
    asked = None if groups is None else {partition_for(g, count) for g in groups}
    every = [(TOPIC, p.number) for p in topic.partitions if asked is None or p.number in asked]
    starts = offsets.known_offsets(cluster, every, since_ms)
    pending = {p: o.offset for p, o in starts.items() if o.offset >= 0}
    found: Commits = {}
    reader = CommitReader(groups)
    while pending:
        answers = fetch(cluster, pending, partition_bytes=4 << 20)
        following: dict[Partition, int] = {}
        for partition, answer in answers.items():
            if isinstance(answer, PkoError):
                continue
            offset = pending[partition]
            end = _collect(reader, bytes(answer.records), offset, found)
            if offset < end < answer.high_watermark:
                following[partition] = end
            elif end == offset < answer.high_watermark:
                following[partition] = offset  # the leader had no room left for it
        if following == pending:
            break
        pending = following
    return found


def _collect(reader: CommitReader, data: bytes, offset: int, found: Commits) -> int:
    """Add the commits in ``data`` from ``offset`` on; the offset behind its last batch.

    Commits behind a record that cannot be read are left out.
    """
    position, end = 0, offset
    new = tuple.__new__
    commits: Iterable[Stored]
    while True:
        cut = reader.cut(data, position) if position or starts_at(data, offset) else None
        if cut is not None:
            position, end, commits = cut
        else:
            try:
                slow = _read(reader, data, position, offset)
            except CorruptBatchError:
                return end_of(memoryview(data), offset)
            if slow is None:
                return end
            position, end, commits = slow
        for key, stamp, committed in commits:
            commit = new(Commit, (stamp, committed, None))
            try:
                found[key].append(commit)
            except KeyError:
                found[key] = [commit]


def _read(
    reader: CommitReader, data: bytes, position: int, offset: int
) -> tuple[int, int, Iterable[Stored]] | None:
    """Take the batch at ``position`` apart: where it ends in ``data`` and in offsets, its commits;
    None where there is no whole batch. Raises CorruptBatchError."""
    found = next(scan(data, position), None)
    if found is None:
        return None
    _, header = found
    after = position + header.size
    if header.magic < 2 or header.is_control or header.last_offset < offset:
        return after, header.next_offset, ()
    plain = payload(data, position, header, DECOMPRESSED_LIMIT)
    commits = list(reader.read(plain, header))
    reader.learn(data, position, header)
    return after, header.next_offset, commits
