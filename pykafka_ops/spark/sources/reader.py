"""What every source has: readers that plan tasks and read them, whoever runs them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Protocol

if TYPE_CHECKING:
    import pyarrow as pa

    from pykafka_ops.spark.sources.conditions import Conditions

_READERS: Final = {
    "kafka-log": "log.reader",
    "kafka-live": "live.reader",
    "kafka-offsets": "offsets.reader",
}


class JudgingReader(Protocol):
    """What Spark drives. ``judged``: the columns on which conditions are taken."""

    judged: pa.Schema

    def narrow(self, conditions: Conditions) -> None:
        """Give only rows that meet all of them."""

    def partitions(self) -> Sequence[Any]:
        """As ``TaskReader``."""

    def read(self, task: Any) -> Iterator[pa.RecordBatch]:
        """As ``TaskReader``."""


class TaskReader(Protocol):
    """``columns`` are those of the batches that it reads."""

    columns: pa.Schema

    def narrow(self, conditions: Conditions) -> None:
        """Spare what holds no row that meets all of them; before tasks are planned. Rows that do
        not may come all the same."""

    def partitions(self) -> Sequence[Any]:
        """Tasks; raises UsageError or StorageError where something cannot be read."""

    def read(self, task: Any) -> Iterator[pa.RecordBatch]:
        """The rows of one task."""


def reader_of(name: str, options: Mapping[str, str], schema: pa.Schema | None) -> TaskReader:
    """The reader of a source by its name; without ``schema`` of all columns. UsageError for
    options that are wrong, and columns there are not."""
    module = import_module(f"pykafka_ops.spark.sources.{_READERS[name]}")
    made: TaskReader = module.reader(options, schema)
    return made
