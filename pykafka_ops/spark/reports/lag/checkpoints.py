"""Structured Streaming jobs as groups: what they have read stands in their checkpoints only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import pyarrow as pa
from pyarrow.fs import FileInfo, FileType, LocalFileSystem

from pykafka_ops.analysis.stream_checkpoint import (
    CheckpointError,
    FinishedBatch,
    MicroBatch,
    progress,
    read_offsets,
)
from pykafka_ops.errors import StorageError, UsageError
from pykafka_ops.objects import uris
from pykafka_ops.objects.causes import cause, refusals
from pykafka_ops.objects.opening import entries
from pykafka_ops.spark.engines import made_frame
from pykafka_ops.spark.inputs import Inputs
from pykafka_ops.spark.model import Problem
from pykafka_ops.spark.schemas import COMMITTED, OFFSETS
from pykafka_ops.spark.sources.files import Location

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_MOST_BYTES: Final = 16 << 20
"""Of a file in a checkpoint: a job that reads 100,000 partitions writes about 2 MB."""
_MOST_BATCHES: Final = 200
"""Batches that are looked at, from the last one back; Spark keeps 100."""


@dataclass(frozen=True, slots=True)
class StreamJob:
    """A job under the name of its checkpoint's directory, and what it has done, in order."""

    name: str
    done: Sequence[FinishedBatch]


@dataclass(slots=True)
class Jobs:
    """The jobs asked for; ``problems`` are files of their checkpoints that make no sense."""

    found: Sequence[StreamJob] = ()
    problems: list[Problem] = field(default_factory=list)

    def committed(self, spark: SparkSession) -> DataFrame | None:
        """COMMITTED: where each job goes on; None without jobs."""
        if not self.found:
            return None
        rows = [
            (job.name, topic, partition, offset, None, None)
            for job in self.found
            for (topic, partition), offset in (job.done[-1].offsets if job.done else {}).items()
        ]
        return made_frame(spark, rows, COMMITTED)

    def commits(self, spark: SparkSession) -> DataFrame | None:
        """OFFSETS: each batch as a commit, whose number stands for the place in the log."""
        if not self.found:
            return None
        rows = [
            {
                "group": job.name,
                "topic": topic,
                "partition": partition,
                "offset": offset,
                "commit_timestamp": batch.time * 1000,
                "tombstone": False,
                "log_offset": batch.number,
            }
            for job in self.found
            for batch in job.done
            for (topic, partition), offset in batch.offsets.items()
        ]
        return made_frame(spark, pa.Table.from_pylist(rows, schema=OFFSETS), OFFSETS)


def jobs(inputs: Inputs, locations: Sequence[str]) -> Jobs:
    """The jobs at ``locations``: checkpoints, or directories of checkpoints; paths or URIs.

    Raises UsageError where there is none, StorageError where it may not be read.
    """
    if not locations:
        return Jobs()
    problems: list[Problem] = []
    found: dict[str, StreamJob] = {}
    for location in locations:
        place = Location.of(location)
        for path in _checkpoints(place, uris.shown(location)):
            name = path.rstrip("/").rpartition("/")[2]
            if name in found:
                name = _unlike(name, place, path, found)
            if name in inputs.wanted_groups:
                found[name] = StreamJob(name, _done(place, path, inputs, problems))
    return Jobs(list(found.values()), problems)


def _checkpoints(place: Location, location: str) -> list[str]:
    """The directory itself, if it is a checkpoint, or those in it."""
    root = place.path.rstrip("/") or "/"
    folders = [i.path for i in _list(place, root, location) if i.type == FileType.Directory]
    names = {path.rpartition("/")[2] for path in folders}
    if {"offsets", "commits"} <= names:
        return [root]
    made = [
        path
        for path in sorted(folders)
        if {"offsets", "commits"} <= {i.base_name for i in _list(place, path, location)}
    ]
    if not made:
        raise UsageError(
            f"{location}: no checkpoint of a Structured Streaming job: name the directory with "
            "offsets/ and commits/ (option checkpointLocation), or the one above several"
        )
    return made


def _list(place: Location, path: str, label: str) -> list[FileInfo]:
    def meaning(error: Exception) -> Exception:
        if isinstance(error, (FileNotFoundError, NotADirectoryError)):
            return UsageError(f"{label}: no such directory")
        if isinstance(error, PermissionError):
            return StorageError(f"{label}: no permission to read it")
        if place.filesystem is None:
            return UsageError(f"{label}: no directory that can be read")
        return StorageError(f"{label}: cannot be read: {cause(label, error)}")

    with refusals(meaning):
        return entries(place.filesystem or LocalFileSystem(), path)


def _unlike(name: str, place: Location, path: str, taken: dict[str, StreamJob]) -> str:
    """A name that no other job has: with the query's id, else with the directory above."""
    import json

    data = place.read(f"{path}/metadata", _MOST_BYTES)
    try:
        found = json.loads(data) if data else None
    except ValueError:
        found = None
    query = found.get("id") if isinstance(found, dict) else None
    other = f"{name} ({query})" if isinstance(query, str) else path
    return other if other not in taken else path


def _done(
    place: Location, path: str, inputs: Inputs, problems: list[Problem]
) -> list[FinishedBatch]:
    done = {n: m for n, _, m in _numbered(place, f"{path}/commits")}
    batches: dict[int, MicroBatch] = {}
    written = sorted(_numbered(place, f"{path}/offsets"), reverse=True)[:_MOST_BATCHES]
    for number, file, _ in written:
        data = place.read(file, _MOST_BYTES)
        try:
            if data is None or len(data) == _MOST_BYTES:
                raise CheckpointError("it cannot be read" if data is None else "it is too large")
            batch = read_offsets(data.decode("utf-8", "replace"))
        except CheckpointError as error:
            problems.append(Problem(file, f"{error}: this batch is left out"))
            continue
        wanted = {p: o for p, o in batch.offsets.items() if p[0] in inputs.wanted_topics}
        batches[number] = MicroBatch(batch.began, wanted)
    return progress(batches, done)


def _numbered(place: Location, path: str) -> Iterator[tuple[int, str, int]]:
    """(number, path, when it was written in ms) of the files that have a number for a name."""
    for info in _list(place, path, path):
        name = info.base_name
        if info.type == FileType.File and name.isascii() and name.isdigit() and len(name) < 19:
            yield int(name), info.path, (info.mtime_ns or 0) // 1_000_000
