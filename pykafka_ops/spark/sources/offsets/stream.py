"""Commits as a stream: a stream of records of ``__consumer_offsets``, decoded.

It reads up to the last stable offset, so that a commit inside a transaction is there once, when
the transaction has ended.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from pykafka_ops.client.commit_log import TOPIC
from pykafka_ops.spark import schemas
from pykafka_ops.spark.decode.commits import Records
from pykafka_ops.spark.sources.filtered import Wanted
from pykafka_ops.spark.sources.limits import BatchLimits
from pykafka_ops.spark.sources.options import SourceOptions
from pykafka_ops.spark.sources.streams import ChangedStream

if TYPE_CHECKING:
    from pykafka_ops.spark.sources.offsets.fold import CommitFilter

RAW: Final = pa.schema(
    [schemas.RECORDS.field(n) for n in ("key", "value", "partition", "offset", "timestamp")]
)


_TOPIC_OPTIONS: Final = ("subscribepattern", "assign", "mode", "what", "isolation.level")


class OffsetsStream(ChangedStream):
    """Offsets are those of the topic: ``{"__consumer_offsets": {"0": 23}}``."""

    def __init__(self, wish: CommitFilter, schema: pa.Schema) -> None:
        self._wish = wish
        self._wanted = Wanted(schema, wish.options.where(schemas.OFFSETS), schemas.OFFSETS)
        wish.narrow(self._wanted.conditions)
        super().__init__(raw_stream(wish.options), self._commits)

    def _commits(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The commits of one range."""
        decoder = self._wish.decoder()
        for raw in batches:
            for number in set(raw["partition"].to_pylist()):
                part = raw.filter(pa.compute.equal(raw["partition"], number))
                micros = part["timestamp"].cast(pa.int64()).to_numpy(zero_copy_only=False)
                offsets = part["offset"].to_numpy(zero_copy_only=False)
                times = np.floor_divide(micros, 1000)
                records = Records(part["key"], part["value"], offsets, times)
                made = decoder.decode(records, number)
                yield from self._wanted.every(self._wish.cut(made, self._wanted.read))


def raw_stream(options: SourceOptions) -> Any:
    """The stream of records beneath, from files where a path is given."""
    values = {"startingoffsets": "earliest", **options.values()}
    for name in (*_TOPIC_OPTIONS, "where", "columns"):
        values.pop(name, None)
    values |= {"subscribe": TOPIC, "kafka.isolation.level": "read_committed"}
    if options.places():
        from pykafka_ops.spark.sources.log.options import log_options
        from pykafka_ops.spark.sources.log.stream import LogStreamReader

        limits = BatchLimits(options)
        return LogStreamReader(log_options({**values, "mode": "records"}), RAW, limits)
    from pykafka_ops.spark.sources.live.records.stream import RecordStream

    return RecordStream(SourceOptions(values), RAW)
