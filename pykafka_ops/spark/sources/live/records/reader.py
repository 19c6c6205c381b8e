"""Records through the brokers, split by ranges of offsets: batch reads of ``what=records``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa

from pykafka_ops.spark.sources.conditions import Conditions
from pykafka_ops.spark.sources.live._cluster import cluster_of
from pykafka_ops.spark.sources.live.records.decode import Decoder
from pykafka_ops.spark.sources.live.records.fetch import Pages
from pykafka_ops.spark.sources.live.records.offsets import (
    EARLIEST,
    OffsetRange,
    ending,
    held_now,
    pruned,
    split,
    starting,
)
from pykafka_ops.spark.sources.options import SourceOptions
from pykafka_ops.spark.sources.pruning import NOTHING_PRUNED, Pruning


class RecordsReader:
    """Plans where ``partitions`` is called, and reads a range of offsets per task."""

    def __init__(self, options: SourceOptions, schema: pa.Schema) -> None:
        self._options, self.columns = options, schema
        self.pruning = NOTHING_PRUNED
        options.client()
        options.read_committed()

    def narrow(self, conditions: Conditions) -> None:
        """Fetch no partitions, offsets and batches without a record that meets all of them."""
        self.pruning = Pruning.of(conditions, ("offset",), "timestamp")

    def partitions(self) -> Sequence[OffsetRange]:
        """A range per partition, more by ``minPartitions`` and ``maxRecordsPerPartition``."""
        options = self._options
        with cluster_of(options) as cluster:
            held = held_now(cluster, options, self.pruning)
            starts = starting(cluster, options, held, EARLIEST)
            ends = ending(cluster, options, held)
            both = [p for p in sorted(held) if p in starts and p in ends]
            spans = [OffsetRange(*p, starts[p], ends[p]) for p in both]
            spans = pruned(cluster, spans, self.pruning)
        return tasks(options, spans)

    def read(self, task: OffsetRange) -> Iterator[pa.RecordBatch]:
        """The records of one range."""
        yield from read_span(self._options, self.columns, task, self.pruning)


def tasks(options: SourceOptions, spans: list[OffsetRange]) -> list[OffsetRange]:
    """Tasks by ``minPartitions`` and ``maxRecordsPerPartition``; one without work where there is
    nothing to read, since Spark wants one."""
    least = options.integer("minPartitions", lowest=1)
    most = options.integer("maxRecordsPerPartition", lowest=1)
    return list(split(spans, least, most)) or [OffsetRange("", 0, 0, 0)]


def read_span(
    options: SourceOptions,
    schema: pa.Schema,
    span: OffsetRange,
    pruning: Pruning = NOTHING_PRUNED,
) -> Iterator[pa.RecordBatch]:
    """The records of ``span``, fetched from its leader; batches that ``pruning`` does not want are
    not decoded."""
    if span.start >= span.end:
        return
    committed = options.read_committed()
    strict = options.flag("failOnDataLoss", default=True)
    crc = options.flag("kafka.check.crcs", default=True)
    decoder = Decoder(schema, span, committed=committed, crc=crc, pruning=pruning)
    with cluster_of(options) as cluster:
        pages = Pages(cluster, span, committed=committed, strict=strict)
        for page in pages:
            made = decoder.decode(page, pages.at)
            yield from made.batches
            pages.at = max(pages.at, made.next_offset)
