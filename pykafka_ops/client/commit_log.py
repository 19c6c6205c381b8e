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
from pykafka_ops.client.fetch import RECORDS_LIMIT, end_of, fetch
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.topics import Topic, describe_topics
from pykafka_ops.disk.batch import scan
from pykafka_ops.disk.commits import CommitReader, Key
from pykafka_ops.disk.record import payload
from pykafka_ops.errors import CorruptBatchError, PkoError

TOPIC: Final = "__consumer_offsets"
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
            _collect(reader, answer.records, offset, found)
            end = end_of(answer.records, offset)
            if offset < end < answer.high_watermark:
                following[partition] = end
            elif end == offset < answer.high_watermark:
                following[partition] = offset  # the leader had no room left for it
        if following == pending:
            break
        pending = following
    return found


def _collect(reader: CommitReader, data: memoryview, offset: int, found: Commits) -> None:
    try:
        for position, header in scan(data):
            if header.magic < 2 or header.is_control or header.last_offset < offset:
                continue
            plain = payload(data, position, header, RECORDS_LIMIT)
            for key, stamp, committed in reader.read(plain, header):
                found.setdefault(key, []).append(Commit(stamp, committed))
    except CorruptBatchError:  # what is behind a record nobody can read is not told
        return
