"""Ends of logs as a stream: one row per partition for each multiple of ``interval`` gone by.

A moment's ends follow from the log alone, so a batch that is done again gives the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import pyarrow as pa
from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadLimit, SupportsTriggerAvailableNow

from pykafka_ops.spark.arrow import row_batches
from pykafka_ops.spark.schemas import ENDS
from pykafka_ops.spark.sources.live._cluster import cluster_of, led, topics_of
from pykafka_ops.spark.sources.live.tables import ends_at
from pykafka_ops.spark.sources.options import SourceOptions, now_ms

Offset = dict[str, int]
AT: Final = "at"
INTERVAL: Final = 10_000
"""ms between two moments, by default."""
MOST: Final = 1000
"""Moments of one micro-batch, at most."""


class EndStream(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Offsets are ``{"at": ms}``: the last moment that was reported."""

    def __init__(self, options: SourceOptions, schema: pa.Schema) -> None:
        self._options, self._schema = options, schema
        self._every = options.integer("interval", INTERVAL, lowest=1) or INTERVAL
        self._target: int | None = None
        options.client()

    def _before(self, moment: int) -> int:
        return moment - moment % self._every

    def initialOffset(self) -> Offset:  # noqa: N802 - Spark's
        """``since``, or now: the first moment reported is at or after it."""
        since = self._options.integer("since")
        first = now_ms() if since is None else since
        return {AT: self._before(first - 1)}

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802 - Spark's
        """This run reports nothing after the present moment."""
        self._target = now_ms()

    def latestOffset(self, start: Offset, limit: ReadLimit) -> Offset:  # noqa: N802 - Spark's
        """The last moment gone by, at most ``MOST`` behind the start."""
        last = self._before(now_ms() if self._target is None else self._target)
        return {AT: max(start[AT], min(last, start[AT] + MOST * self._every))}

    def partitions(self, start: Offset, end: Offset) -> Sequence[InputPartition]:
        """One task that asks for all moments."""
        return [InputPartition((start[AT], end[AT]))]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """ENDS of the moments behind the start, up to the end."""
        start, end = partition.value
        moments = range(self._before(start) + self._every, end + 1, self._every)
        if not moments:
            return
        with cluster_of(self._options) as cluster:
            every = led(topics_of(cluster, self._options))
            yield from row_batches(self._schema, ends_at(cluster, every, moments), ENDS.names)
