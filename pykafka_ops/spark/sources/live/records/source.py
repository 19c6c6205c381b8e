"""Records through the brokers, split by ranges of offsets: batch reads of ``what=records``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa
from pyspark.sql.datasource import DataSourceReader, InputPartition
from pyspark.sql.types import StructType

from pykafka_ops.spark.sources.live._cluster import cluster_of
from pykafka_ops.spark.sources.live.records.decode import Decoder
from pykafka_ops.spark.sources.live.records.fetch import Pages
from pykafka_ops.spark.sources.live.records.offsets import (
    EARLIEST,
    OffsetRange,
    ending,
    held_now,
    split,
    starting,
)
from pykafka_ops.spark.sources.options import SourceOptions


class RecordsReader(DataSourceReader):
    """Plans where ``partitions`` is called, and reads a range of offsets per task."""

    def __init__(self, options: SourceOptions, schema: StructType) -> None:
        self._options, self._schema = options, schema
        options.client()
        options.read_committed()

    def partitions(self) -> Sequence[InputPartition]:
        """A range per partition, more by ``minPartitions`` and ``maxRecordsPerPartition``."""
        options = self._options
        with cluster_of(options) as cluster:
            held = held_now(cluster, options)
            starts = starting(cluster, options, held, EARLIEST)
            ends = ending(cluster, options, held)
        spans = [
            OffsetRange(*p, starts[p], ends[p]) for p in sorted(held) if p in starts and p in ends
        ]
        return tasks(options, spans)

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The records of one range."""
        yield from read_span(self._options, self._schema, OffsetRange(*partition.value))


def tasks(options: SourceOptions, spans: list[OffsetRange]) -> list[InputPartition]:
    """Tasks by ``minPartitions`` and ``maxRecordsPerPartition``; one without work where there is
    nothing to read, since Spark wants one."""
    least = options.integer("minPartitions", lowest=1)
    most = options.integer("maxRecordsPerPartition", lowest=1)
    cut = split(spans, least, most)
    return [InputPartition(tuple(s)) for s in cut] or [InputPartition(("", 0, 0, 0))]


def read_span(
    options: SourceOptions, schema: StructType, span: OffsetRange
) -> Iterator[pa.RecordBatch]:
    """The records of ``span``, fetched from its leader."""
    if span.start >= span.end:
        return
    committed = options.read_committed()
    strict = options.flag("failOnDataLoss", default=True)
    crc = options.flag("kafka.check.crcs", default=True)
    decoder = Decoder(schema, span, committed=committed, crc=crc)
    with cluster_of(options) as cluster:
        pages = Pages(cluster, span, committed=committed, strict=strict)
        for page in pages:
            made = decoder.decode(page)
            yield from made.batches
            pages.at = max(pages.at, made.next_offset)
