"""Commits of groups over time, read back from ``__consumer_offsets`` of a live cluster.

The topic is compacted: in segments that were cleaned only the last commit of each partition is
left, so how far back all commits are there depends on the cleaner.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Final

from pykafka_ops.analysis.commits.burrow import Commit
from pykafka_ops.analysis.java_hash import partition_for
from pykafka_ops.client import offsets
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.fetch import FetchedBatches, end_of, fetch
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.rights import REFUSALS
from pykafka_ops.client.topics import TopicDescription, describe_topics
from pykafka_ops.disk.batch import scan, starts_at
from pykafka_ops.disk.commits import CommitReader, Key, Stored
from pykafka_ops.disk.compression import DECOMPRESSED_LIMIT
from pykafka_ops.disk.record import payload
from pykafka_ops.errors import CorruptBatchError, KafkaError, PkoError
from pykafka_ops.wire.codes import ErrorCode

TOPIC: Final = "__consumer_offsets"
Commits = dict[Key, list[Commit]]
_ONE: Final = 4
"""Fields of a batch with one commit."""


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
    log = CommitLog(cluster, {p: o.offset for p, o in starts.items() if o.offset >= 0}, groups)
    found: Commits = {}
    while log.read(found, partition_bytes=4 << 20):
        pass
    return found


def commits_refused(cluster: Cluster) -> KafkaError | None:
    """The error where brokers do not let this login read commits, which are then unknown."""
    found: object = describe_topics(cluster, [TOPIC]).get(TOPIC)
    if isinstance(found, TopicDescription):
        place = (TOPIC, found.partitions[0].number)
        found = fetch(cluster, {place: 0}, partition_bytes=1)[place]
    return found if isinstance(found, KafkaError) and found.code in REFUSALS else None


class CommitLog:
    """Reads on where it stopped: ``positions`` are the next offsets, by partition.

    ``failed`` are the partitions that the last ``read`` could not read, with the reason.
    """

    def __init__(
        self,
        cluster: Cluster,
        positions: Mapping[Partition, int],
        groups: Collection[str] | None = None,
    ) -> None:
        self.cluster = cluster
        self.positions = dict(positions)
        self.failed: dict[Partition, PkoError] = {}
        self._reader = CommitReader(groups)
        self._behind = set(self.positions)

    def follow(self, positions: Mapping[Partition, int]) -> None:
        """Read these partitions, too, from these offsets."""
        self.positions.update(positions)
        self._behind.update(positions)

    def again(self) -> None:
        """Look at every partition in the next ``read``: something may have been committed."""
        self._behind = set(self.positions)

    def read(self, found: Commits, *, partition_bytes: int, max_bytes: int = 50 << 20) -> bool:
        """Add the next commits to ``found``, one question per leader; whether more is there.

        ``partition_bytes`` and ``max_bytes`` limit an answer, per partition and per leader. Where
        the log was cut or has lost its begin, reading goes on at what is left of it.
        """
        before = {p: self.positions[p] for p in self._behind}
        self.failed = {}
        if not before:
            return False
        behind = set()
        answers = fetch(self.cluster, before, partition_bytes=partition_bytes, max_bytes=max_bytes)
        for partition, answer in answers.items():
            if isinstance(answer, PkoError):
                self.failed[partition] = answer
            elif self._take(partition, answer, found):
                behind.add(partition)
        moved = self._moved()
        self._behind = behind | moved
        return bool(moved) or any(self.positions[p] != before[p] for p in behind)

    def _take(self, partition: Partition, answer: FetchedBatches, found: Commits) -> bool:
        """Add the commits of an answer; whether the partition has more of them."""
        offset = self.positions[partition]
        end = collect(self._reader, bytes(answer.records), offset, found)
        self.positions[partition] = end
        return end < answer.high_watermark

    def _moved(self) -> set[Partition]:
        """The partitions whose place is no longer there, set to the nearest that is."""
        gone = [
            p
            for p, error in self.failed.items()
            if isinstance(error, KafkaError) and error.code == ErrorCode.OFFSET_OUT_OF_RANGE
        ]
        starts = offsets.known_offsets(self.cluster, gone, offsets.EARLIEST)
        ends = offsets.known_offsets(self.cluster, gone, offsets.LATEST)
        moved = set()
        for p in gone:
            if p in starts and p in ends:
                place = min(max(self.positions[p], starts[p].offset), ends[p].offset)
                if place != self.positions[p]:
                    self.positions[p] = place
                    del self.failed[p]
                    moved.add(p)
        return moved


def collect(reader: CommitReader, data: bytes, offset: int, found: Commits) -> int:
    """Add the commits in ``data`` from ``offset`` on; the offset behind its last batch.

    Commits behind a record that cannot be read are left out.
    """
    position, end = 0, offset
    new, adders = tuple.__new__, _Adders(reader, found)
    while True:
        if position or starts_at(data, offset):
            while cuts := reader.cut(data, position):
                for _, _, fields in cuts:
                    if len(fields) == _ONE:
                        _, raw, committed, stamp = fields
                        adders[raw](new(Commit, (stamp, committed, None)))
                    else:
                        each = zip(*(fields[n::3] for n in (1, 2, 3)), strict=True)
                        for raw, committed, stamp in each:
                            adders[raw](new(Commit, (stamp, committed, None)))
                position, delta, fields = cuts[-1]
                end = fields[0] + delta + 1
        try:
            slow = _read(reader, data, position, offset)
        except CorruptBatchError:
            return end_of(memoryview(data), offset)
        if slow is None:
            return end
        position, end, commits = slow
        for key, stamp, committed in commits:
            found.setdefault(key, []).append(new(Commit, (stamp, committed, None)))


class _Adders(dict[bytes, Callable[[Commit], object]]):
    """What takes a commit, by the bytes of its key: looked up once for many."""

    def __init__(self, reader: CommitReader, found: Commits) -> None:
        self._reader, self._found = reader, found

    def __missing__(self, raw: bytes) -> Callable[[Commit], object]:
        key = self._reader.key(raw)
        add = _ignore if key is None else self._found.setdefault(key, []).append
        self[raw] = add
        return add


def _ignore(commit: Commit) -> None:
    """A commit that nobody asked for."""


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
