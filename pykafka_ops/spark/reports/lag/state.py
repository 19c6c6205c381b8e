"""What a lag stream knows between two micro-batches, in a directory per micro-batch."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from pykafka_ops.errors import StorageError, UsageError
from pykafka_ops.spark.reports.lag.fold import PARTS
from pykafka_ops.spark.schemas import columns, struct

ROWS: Final = pa.schema([*PARTS, *columns("time bigint, end bigint")])
"""PARTS (``bucket`` is the number of the window), and rows without a group: where a log ended
(``end``) at a ``time`` (ms)."""
KEEP: Final = 2
"""States that are kept: the last one may have to be made again, from the one before."""


@dataclass(frozen=True, slots=True)
class StreamState:
    """``closed``: the last window reported, ``last``: the last end of a window at which the ends of
    the logs are known; numbers of windows of ``width`` ms, None before the first. ``rows``: ROWS.
    """

    closed: int | None
    last: int | None
    width: int
    rows: DataFrame


class States:
    """The states below a query's checkpoint, which is a directory or URI Spark can write to."""

    def __init__(self, spark: SparkSession, checkpoint: str) -> None:
        self._spark, self._root = spark, f"{checkpoint.rstrip('/')}/lag-state"
        jvm: Any = spark._jvm
        self._path = jvm.org.apache.hadoop.fs.Path
        self._text = jvm.org.apache.commons.io.IOUtils.toString
        self._files = _hadoop(spark, self._root)[1]

    def before(self, number: int, width: int) -> StreamState:
        """The state that micro-batch ``number`` begins with.

        Raises StorageError if it is gone, UsageError if it is of windows of another length.
        """
        if number == 0:
            return StreamState(None, None, width, self._spark.createDataFrame([], struct(ROWS)))
        root = f"{self._root}/{number - 1}"
        mark = self._mark(root)
        if mark["width"] != width:
            raise UsageError(
                f"the checkpoint is of windows of {mark['width']} ms, not of {width}: go on with "
                "these, or begin anew with an empty checkpoint"
            )
        rows = self._spark.read.schema(struct(ROWS)).parquet(f"{root}/rows")
        return StreamState(mark["closed"], mark["last"], width, rows)

    def _mark(self, root: str) -> dict[str, Any]:
        path = self._path(f"{root}/mark")
        if self._files.exists(path):
            file = self._files.open(path)
            try:
                found = json.loads(self._text(file, "UTF-8"))
                if isinstance(found, dict) and {"closed", "last", "width"} <= found.keys():
                    return found
            except ValueError:
                pass
            finally:
                file.close()
        raise StorageError(
            f"{root}: the state of the lag stream is not there: begin anew with an empty "
            "checkpoint and an empty place for its windows"
        )

    def save(self, number: int, state: StreamState) -> None:
        """Write the state that micro-batch ``number`` ends with; old ones go.

        The mark comes last: without it a state counts as not written.
        """
        root = f"{self._root}/{number}"
        self._files.delete(self._path(root), True)
        state.rows.write.parquet(f"{root}/rows")
        mark = {"closed": state.closed, "last": state.last, "width": state.width}
        file = self._files.create(self._path(f"{root}/mark"), True)
        try:
            file.write(bytearray(json.dumps(mark).encode()))
        finally:
            file.close()
        if number >= KEEP:
            self._files.delete(self._path(f"{self._root}/{number - KEEP}"), True)


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
    """topic, partition and ``ends`` (pairs of a time and an offset, by time) of rows with time and
    end."""
    pair = f.array("time", "end")
    return ends.groupBy("topic", "partition").agg(f.sort_array(f.collect_set(pair)).alias("ends"))
