"""Reads log directories for ``kafka-log``, whoever runs its tasks."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from pykafka_ops.spark import schemas
from pykafka_ops.spark.schemas import narrowed
from pykafka_ops.spark.sources.conditions import Conditions
from pykafka_ops.spark.sources.filtered import FilteredReader, filtered
from pykafka_ops.spark.sources.log.options import LogOptions, log_options
from pykafka_ops.spark.sources.options import SourceOptions
from pykafka_ops.spark.sources.pruning import NOTHING_PRUNED, Pruning

if TYPE_CHECKING:
    import pyarrow as pa

    from pykafka_ops.spark.sources.log.plan import LogTask

_log = logging.getLogger(__name__)


class KafkaLogReader:
    """As ``TaskReader``; ``pruning`` is what filters leave to be read."""

    def __init__(self, options: LogOptions, schema: pa.Schema) -> None:
        self.options = options
        self.columns = schema
        self.pruning = NOTHING_PRUNED

    def narrow(self, conditions: Conditions) -> None:
        """Leave out directories, segments and batches without a row that meets all of them."""
        self.pruning = pruning_of(conditions, self.options)

    def partitions(self) -> list[LogTask]:
        """Tasks; UsageError or StorageError where a location cannot be read."""
        from pykafka_ops.spark.sources.log import plan as log_plan

        chosen = log_plan.found(self.options, self.pruning)
        wanted = log_plan.spans(self.options, chosen)
        made = list(log_plan.tasks(wanted, self.options, self.pruning))
        parts = [part for task in made for part in task.parts]
        _log.info(
            "kafka-log: %d bytes in %d segments of %d partitions, as %d tasks",
            sum(part.part.end - part.part.start for part in parts),
            len({(part.replica.path, part.name) for part in parts}),
            len({part.replica.path for part in parts}),
            len(made),
        )
        return made

    def read(self, task: LogTask) -> Iterator[pa.RecordBatch]:
        """The rows of one task."""
        from pykafka_ops.spark.sources.log.read import read

        return read(task, self.options, self.columns, pruning=self.pruning)


def pruning_of(conditions: Conditions, options: LogOptions) -> Pruning:
    """What conditions on the columns of the mode spare."""
    if options.mode == "records":
        return Pruning.of(conditions, ("offset",), "timestamp")
    return Pruning.of(conditions, ("base_offset", "last_offset"), "max_timestamp")


def every_column(options: Mapping[str, str]) -> pa.Schema:
    """All columns of the mode, or those that the option ``columns`` names."""
    read, chosen = SourceOptions(options), log_options(options)
    usual = schemas.BATCHES if chosen.mode == "batches" else read.record_columns()
    return read.columns(usual, whole(chosen), _called(chosen))


def whole(options: LogOptions) -> pa.Schema:
    """All that can be asked for."""
    return schemas.BATCHES if options.mode == "batches" else schemas.EVERY_LOG_RECORD


def _called(options: LogOptions) -> str:
    return "kafka-log" if options.mode == "batches" else "kafka-log in mode records"


def asked(options: Mapping[str, str], schema: object) -> tuple[LogOptions, pa.Schema]:
    """The options, and the columns as Arrow has them; UsageError for a column there is not."""
    read = log_options(options)
    return read, narrowed(schema, whole(read), _called(read))


def reader(options: Mapping[str, str], schema: object = None) -> FilteredReader:
    """A reader of the columns in ``schema``, which may be fewer than all."""
    read, wanted = asked(options, every_column(options) if schema is None else schema)
    return filtered(
        lambda columns: KafkaLogReader(read, columns), SourceOptions(options), wanted, whole(read)
    )
