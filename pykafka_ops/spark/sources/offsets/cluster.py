"""Commits read back from ``__consumer_offsets`` of a live cluster."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Final

import pyarrow as pa

from pykafka_ops.client import offsets as o
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.commit_log import TOPIC
from pykafka_ops.errors import CorruptError, PkoError
from pykafka_ops.spark.sources.conditions import Conditions
from pykafka_ops.spark.sources.live._cluster import cluster_of, led, offsets_at, topics_of
from pykafka_ops.spark.sources.live.records.decode import pieces
from pykafka_ops.spark.sources.live.records.fetch import Pages
from pykafka_ops.spark.sources.live.records.offsets import OffsetRange, limits
from pykafka_ops.spark.sources.log.plan import grouped
from pykafka_ops.spark.sources.log.scan import Bad
from pykafka_ops.spark.sources.offsets.fold import CommitFilter, Fold
from pykafka_ops.spark.sources.options import SourceOptions

_LEAST: Final = 100_000
"""Offsets of a task."""


def spans(cluster: Cluster, since: int | None) -> list[OffsetRange]:
    """What each partition of the topic holds from ``since`` (ms) on; none where no group ever
    committed. What the cluster refuses is raised."""
    every = led(topics_of(cluster, SourceOptions({"subscribe": TOPIC})))
    held = limits(cluster, every, committed=False)
    if every and not held:
        o_list = o.list_offsets(cluster, dict.fromkeys(every[:1], o.LATEST))
        error = next(iter(o_list.values()))
        raise error if isinstance(error, PkoError) else PkoError(f"{TOPIC} cannot be read")
    if since is not None:
        first = offsets_at(cluster, held, since)
        for p, span in held.items():
            at = first[p].offset if p in first else -1
            held[p] = span._replace(start=span.end if at < 0 else max(span.start, at))
    return [span for span in held.values() if span.start < span.end]


class ClusterReader:
    """A task reads whole partitions: only that way it is known how transactions end."""

    def __init__(self, wish: CommitFilter, schema: pa.Schema) -> None:
        self._wish, self.columns = wish, schema
        wish.options.client()

    def narrow(self, conditions: Conditions) -> None:
        """Decode less; all of the topic is read, since that way alone transactions end."""
        self._wish.narrow(conditions)

    def partitions(self) -> Sequence[list[OffsetRange]]:
        """Short partitions share a task."""
        with cluster_of(self._wish.options) as cluster:
            found = spans(cluster, self._wish.since)
        sizes = [(span, span.end - span.start) for span in found]
        room = max(_LEAST, sum(size for _, size in sizes) // (2 * (os.cpu_count() or 1)))
        return list(grouped(sizes, room))

    def read(self, task: list[OffsetRange]) -> Iterator[pa.RecordBatch]:
        """The commits of one task."""
        with cluster_of(self._wish.options) as cluster:
            for span in task:
                for made in self._span(cluster, span):
                    yield from self._wish.cut(made, self.columns)

    def _span(self, cluster: Cluster, span: OffsetRange) -> Iterator[pa.RecordBatch]:
        """Where the cleaner took records meanwhile, what is left is read."""
        fold = Fold(self._wish.decoder(), span.partition, span.start, span.end)
        pages = Pages(cluster, span, committed=False, strict=False)
        for page in pages:
            for piece in pieces(page.data):
                for made in fold.of(piece):
                    if isinstance(made, Bad):
                        raise CorruptError(
                            f"partition {span.topic}-{span.partition}: {made.reason}"
                        )
                    yield made
                pages.at = max(pages.at, piece.last_offset + 1)
