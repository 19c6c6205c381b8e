"""What runs a report: Spark, or the engine in ``local`` for what is small.

Reports are written once, with Spark's data frames. ``local`` has as much of their interface as
reports use, over Arrow. What differs between the two is here: a frame is asked for the functions
that go with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, cast

from pykafka_ops.spark import schemas
from pykafka_ops.spark.conf import SHUFFLE
from pykafka_ops.spark.connected import is_connected
from pykafka_ops.spark.engines.local.frame import LocalFrame
from pykafka_ops.spark.engines.local.session import LocalSession
from pykafka_ops.spark.workers import collecting_rarely

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession


ArrowTask = Callable[[Iterator["pa.RecordBatch"]], Iterator["pa.RecordBatch"]]
"""What a task does with batches."""


def functions_of(frame: DataFrame) -> Any:
    """``pyspark.sql.functions``, or those of the local engine for its frames."""
    if _frame_here(frame) is not None:
        from pykafka_ops.spark.engines.local import functions

        return functions
    from pyspark.sql import functions as of_spark

    return of_spark


def local_session() -> SparkSession:
    """A session of the local engine, which reports take for one of Spark."""
    return cast("SparkSession", LocalSession())


def is_local_session(session: SparkSession) -> bool:
    """Whether it is the one of the local engine."""
    return _here(session) is not None


def _here(session: SparkSession) -> LocalSession | None:
    """The session of the local engine, None if it is Spark's."""
    found: object = session
    return found if isinstance(found, LocalSession) else None


def _frame_here(frame: DataFrame) -> LocalFrame | None:
    """The frame of the local engine, None if it is Spark's."""
    found: object = frame
    return found if isinstance(found, LocalFrame) else None


def made_frame(
    session: SparkSession, data: pa.Table | Iterable[tuple[Any, ...]], schema: pa.Schema
) -> DataFrame:
    """A frame of rows that are here; timestamps only in a table."""
    local = _here(session)
    if local is not None:
        return cast("DataFrame", local.createDataFrame(data, schema))
    return session.createDataFrame(data, schemas.struct(schema))


def wanted_columns(session: SparkSession, schema: pa.Schema) -> Any:
    """What ``read.schema`` of the session takes."""
    return schema if _here(session) is not None else schemas.struct(schema)


def in_arrow(frame: DataFrame, function: ArrowTask, schema: pa.Schema) -> DataFrame:
    """``frame.mapInArrow(function, schema)``; batches must have the types of ``schema``.

    PySpark's own method requires pandas, though it does not use it.
    """
    local = _frame_here(frame)
    if local is not None:
        return cast("DataFrame", local.mapInArrow(function, schema))
    wanted, task = schemas.struct(schema), collecting_rarely(function)
    try:
        return frame.mapInArrow(task, wanted)
    except ImportError:  # pandas is not there: what mapInArrow does after having asked for it
        from pyspark.sql import DataFrame as Classic
        from pyspark.sql.udf import UserDefinedFunction
        from pyspark.util import PythonEvalType

        made = UserDefinedFunction(task, wanted, evalType=PythonEvalType.SQL_MAP_ARROW_ITER_UDF)
        column = made(*[frame[name] for name in frame.columns])
        return Classic(frame._jdf.mapInArrow(column._jc, False, None), frame.sparkSession)


def cores_of(of: SparkSession | DataFrame) -> int:
    """How many tasks run at a time in a session, or in that of a frame; one of the local engine."""
    found: Any = of
    if isinstance(found, (LocalSession, LocalFrame)):
        return 1 if found.runner is None else found.runner.cores
    session = cast("SparkSession", getattr(found, "sparkSession", found))
    if is_connected(session):  # how many cores there are is not told
        return int(session.conf.get(SHUFFLE) or 1)
    return int(session.sparkContext.defaultParallelism)


def spread(session: SparkSession, count: int, per_task: int) -> DataFrame:
    """A frame of ``id`` from 0 on, in tasks of about ``per_task``, as many as there are cores for
    at most."""
    tasks = max(1, min(count // per_task, 4 * cores_of(session)))
    local = _here(session)
    if local is not None:
        return cast("DataFrame", local.range(count).scattered(tasks))
    return session.range(0, count, 1, tasks)


def scattered(frame: DataFrame, tasks: int) -> DataFrame:
    """The frame with its rows dealt to so many tasks."""
    local = _frame_here(frame)
    if local is not None:
        return cast("DataFrame", local.scattered(max(1, tasks)))
    return frame.repartition(max(1, tasks))


def together(frame: DataFrame, keys: Sequence[str]) -> DataFrame:
    """The frame with rows of the same ``keys`` in one task, one behind the other."""
    local = _frame_here(frame)
    if local is not None:
        return cast("DataFrame", local.sorted(keys))
    return frame.repartition(*keys).sortWithinPartitions(*keys)


def widened(session: SparkSession, rows: int, per_task: int) -> str | None:
    """Have shuffles of so many rows make tasks of about ``per_task``, where the session has fewer
    tasks: sorted by few, many rows do not fit into memory. What it had before, to be put back by
    ``narrowed_to``; None where nothing changes."""
    if _here(session) is not None:
        return None
    before = session.conf.get(SHUFFLE) or "200"
    if rows <= int(before) * per_task:
        return None
    session.conf.set(SHUFFLE, str(-(-rows // per_task)))
    return before


def narrowed_to(session: SparkSession, before: str) -> None:
    """Put back what ``widened`` found."""
    session.conf.set(SHUFFLE, before)


def dealt(
    frame: DataFrame, key: str, rows: int, *, no_more_than: DataFrame | None = None
) -> DataFrame:
    """The frame in tasks of about so many rows, where those with the same ``key`` are in one; a
    task for each core at least. It counts the frame, or one that has no fewer rows, which had
    better be kept."""
    local = _frame_here(frame)
    if local is not None:
        return cast("DataFrame", local.dealt(key, rows))
    count = (frame if no_more_than is None else no_more_than).count()
    return frame.repartition(max(cores_of(frame), -(-count // rows)), key)


def dealt_to(frame: DataFrame, rows: int) -> DataFrame:
    """The frame in tasks of about so many rows."""
    if _frame_here(frame) is not None:
        return frame
    return frame.repartition(max(1, -(-frame.count() // rows)))


def batches_here(frame: DataFrame) -> Iterator[pa.RecordBatch] | None:
    """The rows of a frame that is in this process, batch by batch; None of one of Spark's."""
    local = _frame_here(frame)
    return None if local is None else local.batches()


def schema_of(frame: DataFrame) -> pa.Schema:
    """Names and types of the columns."""
    local = _frame_here(frame)
    return schemas.arrow(frame.schema) if local is None else next(local.batches()).schema


def first_rows(frame: DataFrame, order: Sequence[tuple[str, str]], most: int) -> pa.Table:
    """The first ``most`` rows by columns, each ``ascending`` or ``descending``; of a frame of Spark
    no more come here."""
    local = _frame_here(frame)
    if local is not None:
        return local.toArrow().sort_by(list(order)).slice(0, most)
    f = functions_of(frame)
    keys = [f.desc(name) if way == "descending" else f.asc(name) for name, way in order]
    return frame.orderBy(*keys).limit(most).toArrow()


def row_count(frame: DataFrame) -> int:
    """How many rows there are."""
    f = functions_of(frame)
    sums = frame.groupBy(f.lit(True).alias("every")).agg(f.count("*").alias("rows")).toArrow()
    return int(sum(sums["rows"].to_pylist()))


def kept(frame: DataFrame) -> DataFrame:
    """The frame, read at most once and kept in memory, or on disk where that is short, until it
    is told to ``unpersist``."""
    if _frame_here(frame) is not None:
        return frame.persist()
    from pyspark import StorageLevel

    return frame.persist(StorageLevel.MEMORY_AND_DISK)
