"""The session of the local engine: frames of rows, and of sources that are read in this process."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import pyarrow as pa

from pykafka_ops.spark.engines.local.frame import LocalFrame, SpreadFrame
from pykafka_ops.spark.engines.local.tasks import TaskRunner
from pykafka_ops.spark.sources.reader import TaskReader, reader_of


class LocalSession:
    """As Spark's ``SparkSession``, as far as reports use it; with a ``runner`` sources are read
    where that runs tasks."""

    def __init__(self, runner: TaskRunner | None = None) -> None:
        self.runner = runner

    @property
    def read(self) -> FrameReader:
        """Begins to read a source."""
        return FrameReader(self.runner)

    def createDataFrame(  # noqa: N802 - Spark's
        self, data: pa.Table | Iterable[tuple[Any, ...]], schema: pa.Schema
    ) -> LocalFrame:
        """A frame of rows that are here."""
        if not isinstance(data, pa.Table):
            rows = [dict(zip(schema.names, row, strict=True)) for row in data]
            data = pa.Table.from_pylist(rows, schema=schema)
        empty = pa.RecordBatch.from_pylist([], schema=schema)
        return LocalFrame(schema.names, lambda: iter(data.to_batches() or [empty]), self.runner)

    def range(self, count: int) -> LocalFrame:
        """A frame of ``id`` from 0 on."""
        numbers = pa.RecordBatch.from_arrays([pa.array(range(count), pa.int64())], names=["id"])
        return LocalFrame(["id"], lambda: iter([numbers]), self.runner)


class FrameReader:
    """A source to be read: its name, its options, and which columns are wanted."""

    def __init__(self, runner: TaskRunner | None = None) -> None:
        self._runner = runner
        self._name = ""
        self._options: dict[str, str] = {}
        self._schema: pa.Schema | None = None

    def format(self, name: str) -> FrameReader:
        """Of the source of that name."""
        self._name = name
        return self

    def schema(self, schema: pa.Schema) -> FrameReader:
        """Only these columns."""
        self._schema = schema
        return self

    def options(self, **options: str) -> FrameReader:
        """With these options."""
        self._options |= options
        return self

    def load(self) -> LocalFrame:
        """The frame; what is read is read task by task, when it is asked for."""
        reader = reader_of(self._name, self._options, self._schema)
        names = reader.columns.names
        if self._runner is None:
            return LocalFrame(names, lambda: _rows(reader, reader.partitions()))
        return SpreadFrame(
            names,
            self._runner,
            lambda: [*reader.partitions()] or [_NOTHING],
            lambda task: _rows(reader, [] if task == _NOTHING else [task]),
        )


_NOTHING: Final = "nothing"
"""Stands for tasks where there are none."""


def _rows(reader: TaskReader, tasks: Sequence[Any]) -> Iterator[pa.RecordBatch]:
    yield pa.RecordBatch.from_pylist([], schema=reader.columns)
    for task in tasks:
        yield from reader.read(task)
