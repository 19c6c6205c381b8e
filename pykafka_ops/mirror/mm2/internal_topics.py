"""Compacted topics of one partition that are made where they are missing, and written to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.failure_text import in_one_line
from pykafka_ops.client.fetch import FetchedBatches, committed_from, end_of, fetch
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.offsets import EARLIEST, LATEST, list_offsets
from pykafka_ops.client.produce import produce
from pykafka_ops.client.topic_changes import NewTopic, create_topics
from pykafka_ops.client.topics import TopicDescription, describe_topics
from pykafka_ops.disk.build import build_plain
from pykafka_ops.disk.record import Record
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.wire.codes import ErrorCode

COMPACTED: Final = {"cleanup.policy": "compact"}
BATCH_BYTES: Final = 400_000
_ENTRY_BYTES: Final = 32


class CompactedTopic:
    """One such topic. ``replication_factor`` 0: the cluster's default."""

    def __init__(self, cluster: Cluster, name: str, replication_factor: int = 0) -> None:
        self.cluster, self.name = cluster, name
        self._factor = replication_factor or -1
        self._is_there = False

    def write(self, entries: Sequence[tuple[bytes, bytes]], now_ms: int) -> None:
        """Add records; the topic is made where it is missing. Raises PkoError."""
        if not entries:
            return
        if not self._is_there:
            self._make()
        place = self.name, 0
        for part in _parts(entries):
            found = produce(self.cluster, {place: build_plain(part, now_ms)})[place]
            if isinstance(found, PkoError):
                self._is_there = False
                raise PkoError(f"cannot write to {self.name}: {in_one_line(found)}")

    def _make(self) -> None:
        known = describe_topics(self.cluster, [self.name]).get(self.name)
        if not isinstance(known, TopicDescription):
            wanted = NewTopic(self.name, 1, self._factor, configs=COMPACTED)
            made = create_topics(self.cluster, [wanted])[self.name]
            if isinstance(made, KafkaError) and made.code != ErrorCode.TOPIC_ALREADY_EXISTS:
                raise PkoError(f"cannot make {self.name}: {in_one_line(made)}")
        self._is_there = True


def _parts(entries: Sequence[tuple[bytes, bytes]]) -> Iterator[list[tuple[bytes, bytes]]]:
    part: list[tuple[bytes, bytes]] = []
    size = 0
    for key, value in entries:
        if part and size + len(key) + len(value) + _ENTRY_BYTES > BATCH_BYTES:
            yield part
            part, size = [], 0
        part.append((key, value))
        size += len(key) + len(value) + _ENTRY_BYTES
    if part:
        yield part


def read_all(cluster: Cluster, topic: str) -> Iterator[Record] | None:
    """The committed records of a topic up to its end as it is now, partition by partition; None:
    there is no such topic. Raises PkoError where it cannot be read."""
    known = describe_topics(cluster, [topic]).get(topic)
    if isinstance(known, TopicDescription):
        return _records(cluster, [(topic, p.number) for p in known.partitions])
    if isinstance(known, KafkaError) and known.code != ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
        raise PkoError(f"cannot read {topic}: {in_one_line(known)}")
    return None


def _records(cluster: Cluster, places: list[Partition]) -> Iterator[Record]:
    starts = list_offsets(cluster, dict.fromkeys(places, EARLIEST))
    ends = list_offsets(cluster, dict.fromkeys(places, LATEST), read_committed=True)
    for place in places:
        start, end = starts[place], ends[place]
        if isinstance(start, PkoError):
            raise start
        if isinstance(end, PkoError):
            raise end
        yield from records_between(cluster, place, start.offset, end.offset)


def records_between(
    cluster: Cluster, place: Partition, start: int, end: int, *, committed: bool = True
) -> Iterator[Record]:
    """The records of a partition from ``start`` on and below ``end``: those of committed
    transactions, or of all. Raises PkoError."""
    at = start
    while at < end:
        answer = fetch(cluster, {place: at}, read_committed=committed)[place]
        if not isinstance(answer, FetchedBatches):
            raise answer
        for record in committed_from(answer.records, at, answer.aborted):
            if record.offset < end:
                yield record
        after = end_of(answer.records, at)
        if after <= at:
            return
        at = after
