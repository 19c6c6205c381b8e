"""Commits to a few per partition of a group, where they are read: what leaves an executor does not
grow with the number of commits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from pykafka_ops.analysis.commits.fold import CommitPart, joined, part
from pykafka_ops.spark.arrow import row_batches
from pykafka_ops.spark.engines import functions_of, in_arrow
from pykafka_ops.spark.schemas import columns

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

PART: Final = columns(
    "bucket bigint, commits bigint, moved bigint, head_at bigint, head_offset bigint, at longs,"
    "times longs, offsets longs"
)
"""The fields of ``analysis.commits.fold.CommitPart``."""
KEY: Final = ("group", "topic", "partition")
PARTS: Final = pa.schema([*columns("group string, topic string, partition int"), *PART])
_MOST: Final = 100_000
"""Parts that a task holds before it lets go of them."""
Key = tuple[str, str, int, int]


def plain(commits: DataFrame) -> DataFrame:
    """KEY, to (-1: deleted), time (ms) and at (its place in the log) of OFFSETS."""
    f = functions_of(commits)
    to = f.when(f.col("tombstone"), f.lit(-1)).otherwise(f.col("offset"))
    return commits.select(
        *KEY,
        to.cast("long").alias("to"),
        f.unix_millis("commit_timestamp").alias("time"),
        f.col("log_offset").alias("at"),
    ).where(f.col("time").isNotNull() & f.col("at").isNotNull() & f.col("to").isNotNull())


def folded(commits: DataFrame, borders: Sequence[int]) -> DataFrame:
    """PARTS of what ``plain`` gives: a few rows per task, key and bucket."""
    return in_arrow(commits, folding(tuple(borders)), PARTS)


def gathered(rows: DataFrame) -> DataFrame:
    """The PARTS of each key in one row."""
    f = functions_of(rows)
    return rows.groupBy(*KEY).agg(f.collect_list(f.struct(*PART.names)).alias("parts"))


def folding(
    borders: tuple[int, ...],
) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """What a task does with batches of group, topic, partition, to, time and at."""

    def fold(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        found: dict[Key, CommitPart] = {}
        for batch in batches:
            for key, new in _cut(batch, borders):
                old = found.get(key)
                found[key] = new if old is None else joined([old, new])
            if len(found) >= _MOST:
                yield from row_batches(PARTS, _rows(found))
                found = {}
        yield from row_batches(PARTS, _rows(found))

    return fold


def _cut(batch: pa.RecordBatch, borders: Sequence[int]) -> Iterator[tuple[Key, CommitPart]]:
    """The parts of one record batch."""
    if not batch.num_rows:
        return
    groups = batch.column("group").dictionary_encode()
    topics = batch.column("topic").dictionary_encode()
    columns = [
        groups.indices.to_numpy(zero_copy_only=False),
        topics.indices.to_numpy(zero_copy_only=False),
        *(batch.column(name).to_numpy(zero_copy_only=False) for name in ("partition", "time")),
    ]
    time, at = columns[3], batch.column("at").to_numpy(zero_copy_only=False)
    columns[3] = np.searchsorted(np.asarray(borders, dtype=np.int64), time, side="left")
    order = np.lexsort((at, *reversed(columns)))
    keys = [column[order] for column in columns]
    changes = np.zeros(len(order) - 1, dtype=bool)
    for column in keys:
        changes |= column[1:] != column[:-1]
    starts = [0, *(np.flatnonzero(changes) + 1).tolist(), len(order)]
    ats, times = at[order].tolist(), time[order].tolist()
    offsets = batch.column("to").to_numpy(zero_copy_only=False)[order].tolist()
    names, topic_names = groups.dictionary.to_pylist(), topics.dictionary.to_pylist()
    for i, first in enumerate(starts[:-1]):
        group, topic, partition, bucket = (int(column[first]) for column in keys)
        last = starts[i + 1]
        yield (
            (names[group], topic_names[topic], partition, bucket),
            part(bucket, ats[first:last], times[first:last], offsets[first:last]),
        )


def _rows(found: Mapping[Key, CommitPart]) -> Iterator[tuple[Any, ...]]:
    for (*key, _), of in found.items():
        yield *key, *(getattr(of, name) for name in PART.names)
