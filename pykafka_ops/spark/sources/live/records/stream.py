"""Records through the brokers as a stream; its checkpoints are those of Spark's ``kafka`` source:
``{"topic": {"0": 23}}``, the next offset of each partition."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence

import pyarrow as pa
from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadLimit, SupportsTriggerAvailableNow

from pykafka_ops.client.leaders import Partition
from pykafka_ops.spark.schemas import EVERY_RECORD
from pykafka_ops.spark.sources.filtered import Wanted
from pykafka_ops.spark.sources.limits import BatchLimits
from pykafka_ops.spark.sources.live._cluster import cluster_of, topics_of
from pykafka_ops.spark.sources.live.records.offsets import (
    LATEST,
    DataLossError,
    OffsetRange,
    held_now,
    starting,
)
from pykafka_ops.spark.sources.live.records.reader import read_span, tasks
from pykafka_ops.spark.sources.options import SourceOptions, by_partition, by_topic
from pykafka_ops.spark.sources.pruning import NOTHING_PRUNED, Pruning
from pykafka_ops.spark.sources.streams import ChangedStream

_log = logging.getLogger(__name__)
Offsets = dict[str, dict[str, int]]


class RecordStream(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """A partition that comes later is read from its beginning."""

    def __init__(
        self, options: SourceOptions, schema: pa.Schema, pruning: Pruning = NOTHING_PRUNED
    ) -> None:
        self._options, self._schema, self._pruning = options, schema, pruning
        self._target: dict[Partition, int] | None = None
        self._limits = BatchLimits(options)
        options.client()
        options.read_committed()

    def _held(self) -> dict[Partition, OffsetRange]:
        with cluster_of(self._options) as cluster:
            return held_now(cluster, self._options)

    def initialOffset(self) -> Offsets:  # noqa: N802 - Spark's
        """Where a new query begins: ``startingOffsets``, by default the end."""
        with cluster_of(self._options) as cluster:
            held = held_now(cluster, self._options)
            return by_topic(starting(cluster, self._options, held, LATEST))

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802 - Spark's
        """``maxOffsetsPerTrigger``."""
        return self._limits.default()

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802 - Spark's
        """What comes after now is not read by this run."""
        self._target = {p: s.end for p, s in self._held().items()}

    def latestOffset(self, start: Offsets, limit: ReadLimit) -> Offsets:  # noqa: N802 - Spark's
        """The ends of the logs, or nearer where ``limit`` says so.

        DataLossError where a log ends before ``start``, or is gone with its topic; unless
        ``failOnDataLoss`` is false: then the query goes on from the end that there is.
        """
        begun = by_partition(start, "offsets")
        with cluster_of(self._options) as cluster:
            held = held_now(cluster, self._options)
            missing = set(begun) - set(held)
            topics = topics_of(cluster, self._options) if missing else []
        there = {(topic.name, p.number) for topic in topics for p in topic.partitions}
        for p in sorted(missing - there):
            self._lost(f"{p[0]}-{p[1]} is no longer there; {begun[p]} would have been its next")
            del begun[p]
        for p, span in sorted(held.items()):
            if begun.get(p, 0) > span.end:
                was = f"though offsets up to {begun[p]} were read: was the topic made anew?"
                self._lost(f"{p[0]}-{p[1]} ends at {span.end}, {was}")
                begun[p] = span.end
        return by_topic(self._ends(begun, held, limit))

    def _ends(
        self, begun: dict[Partition, int], held: dict[Partition, OffsetRange], limit: ReadLimit
    ) -> dict[Partition, int]:
        """Where the next micro-batch ends: where it begins, as long as there is too little."""
        ends = {}
        for p, span in held.items():
            end = span.end if self._target is None else self._target.get(p, span.start)
            ends[p] = max(end, begun.get(p, span.start))
        begins = {p: begun.get(p, span.start) for p, span in held.items()}
        if self._target is None and self._limits.waits(begins, ends):
            return begun
        return {**begun, **self._limits.cut(begins, ends, limit)}

    def _lost(self, what: str) -> None:
        if self._options.flag("failOnDataLoss", default=True):
            raise DataLossError(f"data loss: {what} (failOnDataLoss=false goes on from there)")
        _log.warning("data loss: %s", what)

    def partitions(self, start: Offsets, end: Offsets) -> Sequence[InputPartition]:
        """The ranges between two offsets."""
        begun, ends = by_partition(start, "offsets"), by_partition(end, "offsets")
        held = self._held() if set(ends) - set(begun) else {}
        spans = []
        for p, last in sorted(ends.items()):
            first = begun.get(p)
            if first is None:
                first = min(last, held[p].start if p in held else 0)
            first, last = max(first, self._pruning.low), min(last, self._pruning.high)
            if first < last and self._pruning.wanted(*p):
                spans.append(OffsetRange(*p, first, last))
        return [InputPartition(tuple(span)) for span in tasks(self._options, spans)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The records of one range."""
        span = OffsetRange(*partition.value)
        yield from read_span(self._options, self._schema, span, self._pruning)


def record_stream(options: SourceOptions, columns: pa.Schema) -> DataSourceStreamReader:
    """A stream of ``columns``, of the records that the option ``where`` wants."""
    wanted = Wanted(columns, options.where(EVERY_RECORD), EVERY_RECORD)
    pruning = Pruning.of(wanted.conditions, ("offset",), "timestamp")
    made = RecordStream(options, wanted.read, pruning)
    return ChangedStream(made, wanted.every) if wanted.conditions else made
