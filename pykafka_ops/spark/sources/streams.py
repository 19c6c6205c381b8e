"""A stream over another one, whose record batches it makes something else of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadLimit, SupportsTriggerAvailableNow

if TYPE_CHECKING:
    import pyarrow as pa

    Change = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]


class ChangedStream(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Offsets, limits and tasks are those of ``inner``."""

    def __init__(self, inner: Any, change: Change) -> None:
        self.inner, self._change = inner, change

    def initialOffset(self) -> Any:  # noqa: N802 - Spark's
        """Where a new query begins."""
        return self.inner.initialOffset()

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802 - Spark's
        """How much a micro-batch may have."""
        limit: ReadLimit = self.inner.getDefaultReadLimit()
        return limit

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802 - Spark's
        """What comes after now is not read by this run."""
        self.inner.prepareForTriggerAvailableNow()

    def latestOffset(self, start: Any, limit: ReadLimit) -> Any:  # noqa: N802 - Spark's
        """How far the next micro-batch goes."""
        return self.inner.latestOffset(start, limit)

    def reportLatestOffset(self) -> Any:  # noqa: N802 - Spark's
        """The ends last seen."""
        return self.inner.reportLatestOffset()

    def partitions(self, start: Any, end: Any) -> Sequence[InputPartition]:
        """The tasks between two offsets."""
        found: Sequence[InputPartition] = self.inner.partitions(start, end)
        return found

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of one task."""
        return self._change(iter(self.inner.read(partition)))
