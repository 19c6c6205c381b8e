"""Commits from the segment files of ``__consumer_offsets``."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Final

import pyarrow as pa

from pykafka_ops.client.commit_log import TOPIC
from pykafka_ops.spark.sources.conditions import Conditions
from pykafka_ops.spark.sources.files import ReplicaDir, SegmentFile, replicas
from pykafka_ops.spark.sources.log.plan import furthest, grouped, seeker
from pykafka_ops.spark.sources.log.read import complain
from pykafka_ops.spark.sources.log.scan import Bad, ByteRange, scan
from pykafka_ops.spark.sources.offsets.fold import CommitFilter, Fold
from pykafka_ops.spark.sources.options import SourceOptions, by_partition

_MOST: Final = 128 << 20
_LEAST: Final = 16 << 20
"""Bytes of a task."""
_GONE: Final = "the segment was deleted while it was read"


def found(options: SourceOptions) -> list[ReplicaDir]:
    """Of each partition of the topic the replica that reaches furthest.

    A directory or file that is named itself is read whatever its name. UsageError or StorageError
    where a location cannot be read.
    """
    every = [
        replica
        for place in options.places()
        for replica in replicas(place, lambda topic, _: topic == TOPIC)
    ]
    return furthest(every)


def new_segments(replica: ReplicaDir, since: int | None) -> Iterator[SegmentFile]:
    """The segments that may hold anything from ``since`` (ms) on, by their time indexes."""
    seek = seeker(replica)
    for segment in replica.segments:
        newest = seek.newest(segment) if since is not None else None
        if newest is None or since is None or newest >= since:
            yield segment


class FilesReader:
    """A task reads whole partitions: only that way it is known how transactions end."""

    def __init__(self, wish: CommitFilter, schema: pa.Schema) -> None:
        self._wish, self.columns = wish, schema
        options = wish.options
        self._ends = (
            by_partition(options.json("endingOffsets"), "endingOffsets")
            if options.has("endingOffsets")
            else {}
        )

    def narrow(self, conditions: Conditions) -> None:
        """Decode less; all of the topic is read, since that way alone transactions end."""
        self._wish.narrow(conditions)

    def partitions(self) -> Sequence[list[ReplicaDir]]:
        """Small partitions share a task."""
        every = found(self._wish.options)
        sizes = [sum(s.size for s in replica.segments) for replica in every]
        room = min(_MOST, max(_LEAST, sum(sizes) // (2 * (os.cpu_count() or 1))))
        ordered = sorted(zip(every, sizes, strict=True), key=lambda x: x[0].key)
        return list(grouped(ordered, room))

    def read(self, task: list[ReplicaDir]) -> Iterator[pa.RecordBatch]:
        """The commits of one task."""
        for replica in task:
            yield from self.commits(replica, self._ends.get(replica.key, 2**63 - 1))

    def commits(self, replica: ReplicaDir, high: int) -> Iterator[pa.RecordBatch]:
        """Those of one partition below the offset ``high``."""
        for made in self._replica(replica, high):
            yield from self._wish.cut(made, self.columns)

    def _replica(self, replica: ReplicaDir, high: int) -> Iterator[pa.RecordBatch]:
        fold = Fold(self._wish.decoder(), replica.partition, high=high)
        seek = seeker(replica)
        for segment in new_segments(replica, self._wish.since):
            part = ByteRange(0, segment.size, segment.base_offset, seek.active(segment))
            try:
                file = seek.open(segment.name)
            except FileNotFoundError:
                gone = Bad(0, segment.size, _GONE)
                complain(replica, segment.name, gone, strict=self._wish.strict)
                continue
            try:
                for piece in scan(file, part, whole=True, crc=True, torn=True):
                    for made in fold.of(piece):
                        if isinstance(made, Bad):
                            complain(replica, segment.name, made, strict=self._wish.strict)
                        else:
                            yield made
            finally:
                file.close()
