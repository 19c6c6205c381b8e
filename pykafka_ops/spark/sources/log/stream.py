"""Following log directories as a stream: ``readStream.format("kafka-log")``.

Offsets are as those of Spark's ``kafka`` source, ``{topic: {partition: next offset}}``; a
partition that appears later is read from its beginning.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadLimit, SupportsTriggerAvailableNow

from pykafka_ops.errors import StorageError
from pykafka_ops.spark.sources.files import ReplicaDir
from pykafka_ops.spark.sources.filtered import Wanted
from pykafka_ops.spark.sources.limits import BatchLimits
from pykafka_ops.spark.sources.log import plan as log_plan
from pykafka_ops.spark.sources.log.options import LogOptions
from pykafka_ops.spark.sources.log.plan import ReplicaSpan
from pykafka_ops.spark.sources.log.read import read
from pykafka_ops.spark.sources.log.reader import pruning_of, whole
from pykafka_ops.spark.sources.options import SourceOptions, by_partition, by_topic
from pykafka_ops.spark.sources.pruning import MAX_OFFSET, NOTHING_PRUNED, Pruning
from pykafka_ops.spark.sources.streams import ChangedStream

_log = logging.getLogger(__name__)
Key = tuple[str, int]
Ends = dict[Key, int]


class LogStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Plans each micro-batch on the driver."""

    def __init__(
        self,
        options: LogOptions,
        schema: pa.Schema,
        limits: BatchLimits,
        pruning: Pruning = NOTHING_PRUNED,
    ) -> None:
        self.options, self.pruning, self.limits = options, pruning, limits
        self.columns = schema
        self.final: Ends | None = None
        self.latest: Ends | None = None

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802 - Spark's
        """Where a query that is new begins."""
        chosen = log_plan.found(self.options)
        lows = log_plan.each(lambda r: log_plan.low_of(self.options, r), chosen)
        starts: Ends = {}
        for replica, low in zip(chosen, lows, strict=True):
            if low == MAX_OFFSET:  # nothing at or after that moment yet
                low = log_plan.seeker(replica).end_offset()
            starts[replica.key] = min(low, starts.get(replica.key, low))
        return by_topic(starts)

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:  # noqa: N802
        """Where the next micro-batch ends; never before ``start``."""
        before = by_partition(start, "offsets")
        ends = self.final if self.final is not None else log_plan.ends(self.options)
        self.latest = ends
        ends = {key: max(end, before.get(key, 0)) for key, end in {**before, **ends}.items()}
        if self.final is None and self.limits.waits(before, ends):
            return start
        return by_topic(self.limits.cut(before, ends, limit))

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802 - Spark's
        """``maxOffsetsPerTrigger``."""
        return self.limits.default()

    def reportLatestOffset(self) -> dict[str, Any] | None:  # noqa: N802 - Spark's
        """The ends last seen."""
        return None if self.latest is None else by_topic(self.latest)

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802 - Spark's
        """Take the ends of now as those of the whole query."""
        self.final = log_plan.ends(self.options)

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        """Tasks for the offsets between ``start`` and ``end``.

        StorageError where offsets are no longer there, unless ``failOnDataLoss`` is false.
        """
        before, after = by_partition(start, "offsets"), by_partition(end, "offsets")
        wanted: list[ReplicaSpan] = []
        missing = {key for key, high in after.items() if high > before.get(key, 0)}
        for replica in log_plan.found(self.options):
            key = replica.key
            high = after.get(key)
            if high is None:
                continue
            missing.discard(key)
            low = before.get(key, replica.first_offset)
            if high > low:
                self._check(replica, low, high, known=key in before)
                if self.pruning.wanted(*key):
                    wanted.append(ReplicaSpan(replica, low, high))
        for topic, partition in sorted(missing):
            self._lost(f"{topic}-{partition} is no longer there")
        return [InputPartition(task) for task in log_plan.tasks(wanted, self.options, self.pruning)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of one task; a batch is in the micro-batch that holds its last offset."""
        if partition.value is None:  # nothing to read
            return iter(())
        task, pruning = partition.value, self.pruning
        return read(task, self.options, self.columns, owned=True, pruning=pruning)

    def _check(self, replica: ReplicaDir, low: int, high: int, *, known: bool) -> None:
        first = replica.first_offset
        if known and low < first:
            self._lost(f"{_label(replica)} begins at {first}, offsets from {low} on are gone")
        end = log_plan.seeker(replica).end_offset()
        if end < high:
            self._lost(f"{_label(replica)} ends at {end}, offsets up to {high} were there before")

    def _lost(self, what: str) -> None:
        if self.options.fail_on_loss:
            raise StorageError(
                f"data loss: {what}; set failOnDataLoss=false to go on with what is there"
            )
        _log.warning("data loss: %s", what)


def log_stream(
    options: SourceOptions, read: LogOptions, columns: pa.Schema
) -> DataSourceStreamReader:
    """A stream of ``columns``, of the rows that the option ``where`` wants."""
    every = whole(read)
    wanted = Wanted(columns, options.where(every), every)
    pruning = pruning_of(wanted.conditions, read)
    made = LogStreamReader(read, wanted.read, BatchLimits(options), pruning)
    return ChangedStream(made, wanted.every) if wanted.conditions else made


def _label(replica: ReplicaDir) -> str:
    topic, partition = replica.key
    return f"{topic}-{partition}"
