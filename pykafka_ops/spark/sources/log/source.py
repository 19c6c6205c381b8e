"""The ``kafka-log`` source: log directories of brokers as tables, with no broker in between.

``mode=batches`` (default) gives a row per record batch, read from headers alone; ``mode=records``
gives what Spark's own ``kafka`` source gives of a topic.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from pyspark.sql.datasource import (
    DataSource,
    DataSourceReader,
    DataSourceStreamReader,
    Filter,
    InputPartition,
)
from pyspark.sql.types import StructType

from pykafka_ops.spark import schemas
from pykafka_ops.spark.schemas import narrowed
from pykafka_ops.spark.sources.log.options import LogOptions, log_options
from pykafka_ops.spark.sources.options import SourceOptions

if TYPE_CHECKING:
    import pyarrow as pa

    from pykafka_ops.spark.sources.log.plan import Pruning


class KafkaLogSource(DataSource):
    """``spark.read.format("kafka-log")``; options: ``log_options``."""

    @classmethod
    def name(cls) -> str:
        """The name of the format."""
        return "kafka-log"

    def schema(self) -> StructType:
        """All columns of the mode."""
        if log_options(self.options).mode == "batches":
            return schemas.BATCHES
        return SourceOptions(self.options).record_columns()

    def reader(self, schema: StructType) -> DataSourceReader:
        """A reader of the columns in ``schema``, which may be fewer than all."""
        options = self._asked(schema)
        kind = PushingLogReader if options.pushdown else KafkaLogReader
        return kind(options, schema)

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802 - Spark's
        """A reader that follows the logs."""
        from pykafka_ops.spark.sources.log.stream import LogStreamReader

        return LogStreamReader(self._asked(schema), schema)

    def _asked(self, schema: StructType) -> LogOptions:
        """The options; UsageError for a column there is not."""
        options = log_options(self.options)
        if options.mode == "batches":
            narrowed(schema, schemas.BATCHES, "kafka-log")
        else:
            narrowed(schema, schemas.EVERY_LOG_RECORD, "kafka-log in mode records")
        return options


class KafkaLogReader(DataSourceReader):
    """Plans on the driver, reads in the executors."""

    def __init__(self, options: LogOptions, schema: StructType) -> None:
        self.options = options
        self.columns = schema
        self.pruning: Pruning | None = None

    def partitions(self) -> list[InputPartition]:
        """Tasks; UsageError or StorageError where a location cannot be read."""
        from pykafka_ops.spark.sources.log import plan as log_plan

        chosen = log_plan.found(self.options, self.pruning)
        wanted = log_plan.spans(self.options, chosen)
        return list(log_plan.tasks(wanted, self.options, self.pruning))

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of one task."""
        from pykafka_ops.spark.sources.log.plan import Task
        from pykafka_ops.spark.sources.log.read import read

        if not isinstance(partition, Task):  # Spark's own where there is nothing to read
            return iter(())
        return read(partition, self.options, schemas.arrow(self.columns))


class PushingLogReader(KafkaLogReader):
    """The same with ``pushdown=true``: filters spare directories and segments. Spark wants the
    setting ``spark.sql.python.filterPushdown.enabled`` for it."""

    def pushFilters(self, filters: list[Filter]) -> Iterable[Filter]:  # noqa: N802 - Spark's
        """Take note of the filters; Spark applies all of them again."""
        from pykafka_ops.spark.sources.log.filters import pruning_of

        self.pruning = pruning_of(filters, self.options.mode)
        return filters
