"""``DataFrame.mapInArrow`` where pandas is not installed.

PySpark's own method requires pandas, though it does not use it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType


def map_arrow(
    frame: DataFrame,
    function: Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]],
    schema: StructType,
) -> DataFrame:
    """``frame.mapInArrow(function, schema)``; batches must have the types of ``schema``."""
    try:
        return frame.mapInArrow(function, schema)
    except ImportError:  # pandas is not there: what mapInArrow does after having asked for it
        from pyspark.sql import DataFrame as Classic
        from pyspark.sql.udf import UserDefinedFunction
        from pyspark.util import PythonEvalType

        made = UserDefinedFunction(function, schema, evalType=PythonEvalType.SQL_MAP_ARROW_ITER_UDF)
        column = made(*[frame[name] for name in frame.columns])
        return Classic(frame._jdf.mapInArrow(column._jc, False, None), frame.sparkSession)
