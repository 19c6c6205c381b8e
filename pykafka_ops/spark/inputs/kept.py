"""What inputs of every kind share: the question, and frames that are read once."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pykafka_ops.spark.inputs.names import ALL, Names
from pykafka_ops.spark.model import Problem

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType


@dataclass(frozen=True, slots=True)
class InputQuery:
    """What is asked; moments in ms since 1970 (None: open, ``now``: the input's own)."""

    now: int | None = None
    since: int | None = None
    until: int | None = None
    topics: Names = ALL
    groups: Names = ALL
    strict: bool = False


class Kept:
    """The attributes of ``Inputs``, and frames by name."""

    def __init__(
        self, spark: SparkSession, query: InputQuery, now: int, source: Mapping[str, object]
    ) -> None:
        self.spark, self.now = spark, now
        self.since, self.until = query.since, query.until
        self.wanted_topics, self.wanted_groups = query.topics, query.groups
        self.strict = query.strict
        self.problems: list[Problem] = []
        self.source = source
        self._frames: dict[Any, DataFrame] = {}

    def keep(self, key: Any, make: Callable[[], DataFrame]) -> DataFrame:
        """The frame of that name, read at most once and kept in memory or on disk."""
        if key not in self._frames:
            self._frames[key] = make().persist()
        return self._frames[key]

    def kept(self, key: Any) -> bool:
        """Whether there is a frame of that name."""
        return key in self._frames

    def close(self) -> None:
        """Release the frames that are kept."""
        for frame in self._frames.values():
            frame.unpersist()
        self._frames.clear()

    def read(
        self, source: str, options: Mapping[str, object], schema: StructType | None = None
    ) -> DataFrame:
        """A frame of a data source; with ``schema`` only its columns."""
        reader = self.spark.read.format(source)
        if schema is not None:
            reader = reader.schema(schema)
        texts = {key: str(value) for key, value in options.items() if value is not None}
        return reader.options(**texts).load()


def chosen(names: Names, listed: str, pattern: str) -> dict[str, object]:
    """``names`` as the options of a source: a JSON list, or a pattern."""
    if names.pattern is not None:
        return {pattern: names.pattern}
    return {listed: json.dumps(sorted(names.names))} if names.names else {}


def rows_frame(
    spark: SparkSession, columns: Mapping[str, Iterable[Any]], schema: StructType
) -> DataFrame:
    """Columns made on the driver as a frame; times in ms."""
    import pyarrow as pa

    from pykafka_ops.spark import schemas
    from pykafka_ops.spark.sources.arrow import array

    arrow = schemas.arrow(schema)
    arrays = [array(list(columns[field.name]), field.type) for field in arrow]
    return spark.createDataFrame(pa.Table.from_arrays(arrays, schema=arrow), schema)
