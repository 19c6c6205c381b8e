"""Commits as a stream: a stream of records of ``__consumer_offsets``, decoded.

It reads up to the last stable offset, so that a commit inside a transaction is there once, when
the transaction has ended.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadLimit, SupportsTriggerAvailableNow

from pykafka_ops.client.commit_log import TOPIC
from pykafka_ops.spark import schemas
from pykafka_ops.spark.decode.commits import Records
from pykafka_ops.spark.sources.options import SourceOptions

if TYPE_CHECKING:
    from pykafka_ops.spark.sources.offsets.fold import CommitFilter

RAW: Final = pa.schema(
    [schemas.RECORDS.field(n) for n in ("key", "value", "partition", "offset", "timestamp")]
)


class OffsetsStream(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Offsets are those of the topic: ``{"__consumer_offsets": {"0": 23}}``."""

    def __init__(self, wish: CommitFilter, schema: pa.Schema) -> None:
        self._wish, self._schema = wish, schema
        self._raw: Any = raw_stream(wish.options)

    def initialOffset(self) -> Any:  # noqa: N802 - Spark's
        """``startingOffsets``: earliest by default, so that the offsets in force are known."""
        return self._raw.initialOffset()

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802 - Spark's
        """``maxOffsetsPerTrigger``."""
        limit: ReadLimit = self._raw.getDefaultReadLimit()
        return limit

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802 - Spark's
        """What comes after now is not read by this run."""
        self._raw.prepareForTriggerAvailableNow()

    def latestOffset(self, start: Any, limit: ReadLimit) -> Any:  # noqa: N802 - Spark's
        """How far the topic can be read."""
        return self._raw.latestOffset(start, limit)

    def partitions(self, start: Any, end: Any) -> Sequence[InputPartition]:
        """The ranges between two offsets."""
        found: Sequence[InputPartition] = self._raw.partitions(start, end)
        return found

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The commits of one range."""
        decoder = self._wish.decoder()
        for raw in self._raw.read(partition):
            for number in set(raw["partition"].to_pylist()):
                part = raw.filter(pa.compute.equal(raw["partition"], number))
                micros = part["timestamp"].cast(pa.int64()).to_numpy(zero_copy_only=False)
                offsets = part["offset"].to_numpy(zero_copy_only=False)
                times = np.floor_divide(micros, 1000)
                records = Records(part["key"], part["value"], offsets, times)
                yield from self._wish.cut(decoder.decode(records, number), self._schema)


def raw_stream(options: SourceOptions) -> Any:
    """The stream of records beneath, from files where a path is given."""
    values = {"startingoffsets": "earliest", **options.values()}
    for name in ("subscribepattern", "assign", "mode", "what", "isolation.level"):
        values.pop(name, None)
    values |= {"subscribe": TOPIC, "kafka.isolation.level": "read_committed"}
    if options.places():
        from pykafka_ops.spark.sources.log.options import log_options
        from pykafka_ops.spark.sources.log.stream import LogStreamReader

        return LogStreamReader(log_options({**values, "mode": "records"}), RAW)
    from pykafka_ops.spark.sources.live.records.stream import RecordStream

    return RecordStream(SourceOptions(values), RAW)
