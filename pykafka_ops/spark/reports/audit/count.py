"""Counts in executors: the driver finds the partitions, cuts them, and keeps the book."""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

import pyarrow as pa
from pyspark.sql import SparkSession

from pykafka_ops.audit.cluster import AuditedCluster
from pykafka_ops.audit.files import AuditedFiles
from pykafka_ops.audit.source import AuditPlace
from pykafka_ops.audit.stretched import StretchedSource
from pykafka_ops.audit.stretches import (
    AuditStretch,
    FolderReader,
    OffsetCuts,
    StretchCounted,
    count_each,
)
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.spark import schemas
from pykafka_ops.spark.connected import is_connected
from pykafka_ops.spark.engines import cores_of, in_arrow
from pykafka_ops.spark.reach import reached
from pykafka_ops.spark.sources.options import now_ms
from pykafka_ops.spark.sources.tree import tree_of

_AT_ONCE: Final = 64


def of_files(
    spark: SparkSession, locations: Sequence[str], compacted: Callable[[str], bool]
) -> StretchedSource:
    """Log directories, paths or URIs; ``compacted`` topics beyond those seen to be."""
    files = AuditedFiles(locations, now_ms, compacted, tree_of)

    def reader(places: Sequence[AuditPlace]) -> FolderReader:
        return FolderReader({place.key: files.folder(place.key) for place in places})

    return StretchedSource(files, reader, workers_of(spark))


def of_cluster(
    spark: SparkSession,
    cluster: Cluster,
    properties: Mapping[str, str],
    compacted: Callable[[str], bool],
) -> StretchedSource:
    """A cluster that executors reach by these properties of a Kafka client."""
    inner = AuditedCluster(cluster, now_ms, compacted)
    return StretchedSource(inner, lambda places: AuditClusterReader(properties), workers_of(spark))


class AuditClusterReader(OffsetCuts):
    """Reads stretches over the wire, with ``read_committed``."""

    def __init__(self, properties: Mapping[str, str]) -> None:
        self._properties = dict(properties)

    def count(self, stretches: Sequence[AuditStretch]) -> Iterable[StretchCounted]:
        """As ``AuditReader``."""
        with reached(self._properties) as cluster:
            source = AuditedCluster(cluster, lambda: int(time.time() * 1000))
            for some in _apart(stretches):
                yield from count_each(some, source.read)

    def scan(self, stretches: Sequence[AuditStretch]) -> Iterable[Any]:
        """Never asked: brokers say which transactions were aborted."""
        raise NotImplementedError


def _apart(stretches: Sequence[AuditStretch]) -> Iterator[list[AuditStretch]]:
    """As they come, in groups without two of the same partition."""
    group: list[AuditStretch] = []
    for one in stretches:
        if any(other.number == one.number for other in group):
            yield group
            group = []
        group.append(one)
    if group:
        yield group


def workers_of(spark: SparkSession) -> SparkWorkers | ConnectWorkers:
    """The executors of a session."""
    return ConnectWorkers(spark) if is_connected(spark) else SparkWorkers(spark)


class SparkWorkers:
    """The executors of a session."""

    def __init__(self, spark: SparkSession) -> None:
        self._context = spark.sparkContext
        self.parallel = max(1, self._context.defaultParallelism)

    def run(
        self,
        work: Callable[[Sequence[AuditStretch]], Iterable[Any]],
        tasks: Sequence[Sequence[AuditStretch]],
    ) -> Iterator[Any]:
        """As ``Workers``: the driver holds the results of some tasks at a time."""
        found = self._context.parallelize(list(tasks), max(len(tasks), 1)).flatMap(work)
        at_once = max(_AT_ONCE, 8 * self.parallel)
        for first in range(0, len(tasks), at_once):
            some = range(first, min(first + at_once, len(tasks)))
            yield from self._context.runJob(found, _same, some)


def _same(results: Iterable[Any]) -> Iterable[Any]:
    return results


_RESULTS: Final = schemas.columns("result binary")


class ConnectWorkers:
    """Those of a Spark Connect server, which has no RDDs: results travel as bytes in frames."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        self.parallel = cores_of(spark)

    def run(
        self,
        work: Callable[[Sequence[AuditStretch]], Iterable[Any]],
        tasks: Sequence[Sequence[AuditStretch]],
    ) -> Iterator[Any]:
        """As ``SparkWorkers``."""
        at_once = max(_AT_ONCE, 8 * self.parallel)
        for first in range(0, len(tasks), at_once):
            some = list(tasks[first : first + at_once])
            frame = self._spark.range(0, len(some), 1, len(some))
            found = in_arrow(frame, partial(_pickled, work, some), _RESULTS)
            for batch in found.toArrow().to_batches():
                yield from map(pickle.loads, batch["result"].to_pylist())


def _pickled(
    work: Callable[[Sequence[AuditStretch]], Iterable[Any]],
    tasks: Sequence[Sequence[AuditStretch]],
    batches: Iterator[pa.RecordBatch],
) -> Iterator[pa.RecordBatch]:
    """The results of the tasks whose numbers ``batches`` have, one in a row."""
    for batch in batches:
        for number in batch["id"].to_pylist():
            for result in work(tasks[number]):
                row = pa.array([pickle.dumps(result)], pa.binary())
                yield pa.RecordBatch.from_arrays([row], schema=schemas.arrow(_RESULTS))
