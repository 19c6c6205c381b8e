"""What a lag stream knows between two micro-batches, in a directory per micro-batch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pyspark.sql import functions as f
from pyspark.sql import types as t

from pykafka_ops.errors import StorageError, UsageError
from pykafka_ops.spark.reports.lag_fold import PARTS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ENDS: Final = t.StructType(
    [
        t.StructField("topic", t.StringType()),
        t.StructField("partition", t.IntegerType()),
        t.StructField("at", t.LongType()),
        t.StructField("end", t.LongType()),
    ]
)
"""Where logs ended at some moments (ms)."""
_MARK: Final = t.StructType(
    [t.StructField(name, t.LongType()) for name in ("closed", "last", "width")]
)
KEEP: Final = 2
"""States that are kept: the last one may have to be made again, from the one before."""


@dataclass(frozen=True, slots=True)
class State:
    """``closed``: the last window told, ``last``: the last end of a window at which the ends of the
    logs are known; numbers of windows of ``width`` ms, None before the first.

    ``parts`` (PARTS, ``bucket`` is the number of the window) and ``ends`` (ENDS) are frames.
    """

    closed: int | None
    last: int | None
    width: int
    parts: DataFrame
    ends: DataFrame


class States:
    """The states below a query's checkpoint, which is a directory or URI Spark can write to."""

    def __init__(self, spark: SparkSession, checkpoint: str) -> None:
        self._spark, self._root = spark, f"{checkpoint.rstrip('/')}/lag-state"
        jvm: Any = spark._jvm
        self._path = jvm.org.apache.hadoop.fs.Path
        self._files = _hadoop(spark, self._root)[1]

    def before(self, number: int, width: int) -> State:
        """The state that micro-batch ``number`` begins with.

        Raises StorageError if it is gone, UsageError if it is of windows of another length.
        """
        if number == 0:
            empty = self._spark.createDataFrame
            return State(None, None, width, empty([], PARTS), empty([], ENDS))
        root = f"{self._root}/{number - 1}"
        if not self._files.exists(self._path(f"{root}/mark/_SUCCESS")):
            raise StorageError(
                f"{root}: the state of the lag stream is not there: begin anew with an empty "
                "checkpoint and an empty place for its windows"
            )
        mark = self._spark.read.schema(_MARK).json(f"{root}/mark").first()
        if mark is None or mark["width"] is None:
            raise StorageError(f"{root}/mark: cannot be read: begin anew with an empty checkpoint")
        if mark["width"] != width:
            raise UsageError(
                f"the checkpoint is of windows of {mark['width']} ms, not of {width}: go on with "
                "these, or begin anew with an empty checkpoint"
            )
        read = self._spark.read
        parts = read.schema(PARTS).parquet(f"{root}/parts")
        ends = read.schema(ENDS).parquet(f"{root}/ends")
        return State(mark["closed"], mark["last"], width, parts, ends)

    def save(self, number: int, state: State) -> None:
        """Write the state that micro-batch ``number`` ends with; old ones go."""
        root = f"{self._root}/{number}"
        state.parts.write.mode("overwrite").parquet(f"{root}/parts")
        state.ends.write.mode("overwrite").parquet(f"{root}/ends")
        mark = self._spark.createDataFrame([(state.closed, state.last, state.width)], _MARK)
        mark.coalesce(1).write.mode("overwrite").json(f"{root}/mark")
        old = self._path(f"{self._root}/{number - KEEP}")
        if number >= KEEP and self._files.exists(old):
            self._files.delete(old, True)


def numbers(spark: SparkSession, root: str, prefix: str) -> list[int]:
    """N of the directories ``prefix``N in ``root``, a path or URI Spark can read."""
    path, files = _hadoop(spark, root)
    if not files.exists(path):
        return []
    names = [str(found.getPath().getName()) for found in files.listStatus(path)]
    texts = [name.removeprefix(prefix) for name in names if name.startswith(prefix)]
    return [int(text) for text in texts if text.isascii() and text.isdigit()]


def _hadoop(spark: SparkSession, root: str) -> tuple[Any, Any]:
    """The path, and the filesystem it is in, as Spark's own writers see them."""
    jvm: Any = spark._jvm
    path = jvm.org.apache.hadoop.fs.Path(root)
    return path, path.getFileSystem(spark._jsc.hadoopConfiguration())


def pairs(ends: DataFrame) -> DataFrame:
    """topic, partition and ``ends`` (pairs of a time and an offset, by time) of ENDS."""
    pair = f.array("at", "end")
    return ends.groupBy("topic", "partition").agg(f.sort_array(f.collect_set(pair)).alias("ends"))
