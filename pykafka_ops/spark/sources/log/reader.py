"""Reads log directories for ``kafka-log``, whoever runs its tasks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from pykafka_ops.spark import schemas
from pykafka_ops.spark.schemas import narrowed
from pykafka_ops.spark.sources.log.options import LogOptions, log_options
from pykafka_ops.spark.sources.options import SourceOptions

if TYPE_CHECKING:
    import pyarrow as pa

    from pykafka_ops.spark.sources.log.plan import LogTask, Pruning


class KafkaLogReader:
    """As ``TaskReader``; ``pruning`` is what filters leave to be read."""

    def __init__(self, options: LogOptions, schema: pa.Schema) -> None:
        self.options = options
        self.columns = schema
        self.pruning: Pruning | None = None

    def partitions(self) -> list[LogTask]:
        """Tasks; UsageError or StorageError where a location cannot be read."""
        from pykafka_ops.spark.sources.log import plan as log_plan

        chosen = log_plan.found(self.options, self.pruning)
        wanted = log_plan.spans(self.options, chosen)
        return list(log_plan.tasks(wanted, self.options, self.pruning))

    def read(self, task: LogTask) -> Iterator[pa.RecordBatch]:
        """The rows of one task."""
        from pykafka_ops.spark.sources.log.read import read

        return read(task, self.options, self.columns)


def every_column(options: Mapping[str, str]) -> pa.Schema:
    """All columns of the mode."""
    if log_options(options).mode == "batches":
        return schemas.BATCHES
    return SourceOptions(options).record_columns()


def asked(options: Mapping[str, str], schema: object) -> tuple[LogOptions, pa.Schema]:
    """The options, and the columns as Arrow has them; UsageError for a column there is not."""
    read = log_options(options)
    if read.mode == "batches":
        return read, narrowed(schema, schemas.BATCHES, "kafka-log")
    return read, narrowed(schema, schemas.EVERY_LOG_RECORD, "kafka-log in mode records")


def reader(options: Mapping[str, str], schema: object = None) -> KafkaLogReader:
    """A reader of the columns in ``schema``, which may be fewer than all."""
    return KafkaLogReader(*asked(options, every_column(options) if schema is None else schema))
