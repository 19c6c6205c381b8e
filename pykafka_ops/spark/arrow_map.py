"""Frames to frames by functions of ours, in Arrow."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.types import StructType

from pykafka_ops.spark.sources.arrow import Row, row_batches


def map_arrow(
    frame: DataFrame,
    function: Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]],
    schema: StructType,
) -> DataFrame:
    """``frame.mapInArrow(function, schema)``; batches must have the types of ``schema``.

    PySpark's own method requires pandas, though it does not use it.
    """
    try:
        return frame.mapInArrow(function, schema)
    except ImportError:  # pandas is not there: what mapInArrow does after having asked for it
        from pyspark.sql import DataFrame as Classic
        from pyspark.sql.udf import UserDefinedFunction
        from pyspark.util import PythonEvalType

        made = UserDefinedFunction(function, schema, evalType=PythonEvalType.SQL_MAP_ARROW_ITER_UDF)
        column = made(*[frame[name] for name in frame.columns])
        return Classic(frame._jdf.mapInArrow(column._jc, False, None), frame.sparkSession)


def map_rows(
    frame: DataFrame,
    function: Callable[[dict[str, Any]], Iterable[Row]],
    schema: StructType,
    *,
    at_once: int = 500,
) -> DataFrame:
    """The rows of ``schema`` (see ``row_batches``) that ``function`` makes of each row; ``at_once``
    rows are taken out of Arrow together."""

    def task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rows = (
            row
            for batch in batches
            for start in range(0, batch.num_rows, at_once)
            for row in batch.slice(start, at_once).to_pylist()
        )
        return row_batches(schema, (made for row in rows for made in function(row)))

    return map_arrow(frame, task, schema)
