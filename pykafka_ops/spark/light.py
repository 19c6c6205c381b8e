"""A session for little work: Spark runs the tasks that read and count, as Python functions over
Arrow's batches, and what they bring is put together in this process.

To plan, compile and shuffle a report's queries Spark takes longer than all of the reading, where
that is little.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final, cast

from pykafka_ops.spark.engines.local.session import LocalSession
from pykafka_ops.spark.engines.local.tasks import Pieces, Work, packed, unpacked

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

_MOST_TASKS: Final = 256


class LightSession(LocalSession):
    """As the session of the local engine, whose tasks run in the executors of ``sparkContext``."""

    def __init__(self, context: SparkContext) -> None:
        super().__init__(SparkTasks(context))
        self.sparkContext = context

    def stop(self) -> None:
        """End the application."""
        self.sparkContext.stop()


def light_session(context: SparkContext) -> SparkSession:
    """Such a session, which reports take for one of Spark's own."""
    return cast("SparkSession", LightSession(context))


class SparkTasks:
    """Runs tasks in executors; what they make comes here as a whole."""

    def __init__(self, context: SparkContext) -> None:
        self._context = context
        self.cores = int(context.defaultParallelism)

    def run(self, pieces: Pieces, work: Work) -> Iterator[pa.RecordBatch]:
        """As ``TaskRunner``."""

        def made(some: Iterable[Any]) -> Iterable[bytes]:
            return (packed(iter(work(piece))) for piece in some)

        tasks = min(len(pieces), _MOST_TASKS)
        for data in self._context.parallelize(pieces, tasks).mapPartitions(made).collect():
            yield from unpacked(data)
