"""Partitions added up to topics, in executors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

import pyarrow as pa

from pykafka_ops.spark.arrow import row_batches, rows_of
from pykafka_ops.spark.engines import in_arrow

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_CHUNK: Final = 1000


class _Sums(Protocol):
    def add(self, row: Mapping[str, Any]) -> None:
        """Add a partition."""


S = TypeVar("S", bound=_Sums)


def added_by_topic(
    partitions: DataFrame,
    start: Callable[[str], S],
    row_of: Callable[[S], Mapping[str, Any]],
    schema: pa.Schema,
) -> DataFrame:
    """A row of ``schema`` for each topic of ``partitions``: ``start`` gives the sums of a topic by
    its name, every row of it is added, and ``row_of`` makes the row."""

    def task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        topics: dict[str, S] = {}
        for row in rows_of(batches, _CHUNK):
            name = row["topic"]
            if name not in topics:
                topics[name] = start(name)
            topics[name].add(row)
        yield from row_batches(schema, (dict(row_of(sums)) for sums in topics.values()))

    return in_arrow(partitions.repartition("topic"), task, schema)
