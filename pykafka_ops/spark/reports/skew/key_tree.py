"""What tasks counted of keys and partitions, merged as a tree in executors: no task holds more than
the bounded counts of FAN others of one topic, however many tasks and keys there are.

The error of a key grows with the bytes of its topic alone, not with the levels of the tree: at most
a 1,024th of them, and none where a topic has no more than 2,048 keys.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from pykafka_ops.analysis.sampled import share_band
from pykafka_ops.spark.arrow import row_batches
from pykafka_ops.spark.engines import functions_of, in_arrow, together
from pykafka_ops.spark.reports.sketches import Distinct, Sizes
from pykafka_ops.spark.reports.skew.keys import (
    COUNTED,
    KeyNote,
    PartitionRecords,
    TopicKeys,
    counted_rows,
)
from pykafka_ops.spark.schemas import columns

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

FAN: Final = 32
"""Tasks whose counts of a topic one task merges."""
_QUANTILES: Final = (0.5, 0.95, 0.99)
_Rows = Iterator[dict[str, Any]]
MERGED: Final = columns(
    "topic string, partition int, key binary, records bigint, bytes bigint, error bigint,"
    "nulls bigint, unique_keys bigint, size_p50 bigint, size_p95 bigint, size_p99 bigint,"
    "places ints, place_bytes longs, rate double, share double, share_low double,"
    "share_high double, problem string"
)
"""The same of all tasks: a row per partition, and one per heavy key, whose partition is null.
``bytes`` are keys and values before compression; ``error`` what a key may have more. Of a sample
with its ``rate`` they are what was read, a partition's keys and sizes are null, and a key has the
``share`` of its topic's bytes with its band, null where it is not told from noise."""


def task_count(counts: DataFrame) -> int:
    """How many tasks counted, in a frame of COUNTED that is kept."""
    f = functions_of(counts)
    last = counts.groupBy(f.lit(True).alias("every")).agg(f.max("task").alias("last"))
    return 1 + max((n for n in last.toArrow()["last"].to_pylist() if n is not None), default=0)


def merged(counts: DataFrame, tasks: int, top: int) -> DataFrame:
    """MERGED of the COUNTED of so many tasks, with the ``top`` heaviest keys per topic."""
    f = functions_of(counts)
    of_partition = f.col("partition").isNotNull()
    partitions = together(counts.where(of_partition), ("topic", "partition"))
    keys = counts.where(~of_partition)
    while tasks > FAN:
        branch = f.floor(f.col("task") / FAN).cast("int")
        keys = in_arrow(
            together(keys.withColumn("task", branch), ("topic", "task")), merge_branches, COUNTED
        )
        tasks = -(-tasks // FAN)
    return in_arrow(partitions, merging(top), MERGED).unionByName(
        in_arrow(together(keys, ("topic",)), merging(top), MERGED)
    )


def merge_branches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """COUNTED, one of each topic and task, of rows in that order."""

    def made() -> _Rows:
        for (_, task), rows in groupby(_rows(batches), itemgetter("topic", "task")):
            topics, partitions, damage = _taken(rows)
            yield from ({**row, "task": task} for row in damage)
            yield from counted_rows(topics, partitions, task or 0)

    return row_batches(COUNTED, made())


def merging(top: int) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """MERGED of the COUNTED rows of some topics, of which all rows come, one after the other."""

    def made(batches: Iterator[pa.RecordBatch]) -> _Rows:
        for _, rows in groupby(_rows(batches), itemgetter("topic")):
            topics, partitions, damage = _taken(rows)
            yield from damage
            yield from _merged_rows(topics, partitions, top)

    return lambda batches: row_batches(MERGED, made(batches))


def _rows(batches: Iterator[pa.RecordBatch]) -> _Rows:
    return (row for batch in batches for row in batch.to_pylist())


def _taken(
    rows: Iterator[dict[str, Any]],
) -> tuple[dict[str, TopicKeys], dict[tuple[str, int], PartitionRecords], list[dict[str, Any]]]:
    """The counts of rows, and those of what cannot be read."""
    topics: dict[str, TopicKeys] = {}
    partitions: dict[tuple[str, int], PartitionRecords] = {}
    damage: list[dict[str, Any]] = []
    for row in rows:
        if row["problem"] is None:
            _take(row, topics, partitions)
        else:
            damage.append({"topic": row["topic"], "problem": row["problem"]})
    return topics, partitions, damage


def _take(
    row: dict[str, Any],
    topics: dict[str, TopicKeys],
    partitions: dict[tuple[str, int], PartitionRecords],
) -> None:
    name = row["topic"]
    if row["partition"] is not None:
        part = partitions.setdefault((name, row["partition"]), PartitionRecords(row["rate"]))
        part.records += row["records"]
        part.bytes += row["bytes"]
        part.nulls += row["nulls"]
        part.sizes.merge(Sizes(row["sizes"]))
        part.distinct.merge(Distinct(row["distinct"]))
        return
    topic = topics.setdefault(name, TopicKeys())
    by_group = zip(row["groups"] or (), row["group_bytes"] or (), strict=True)
    if row["hash"] is None:
        topic.hitters.error += row["error"]
        topic.rate = row["rate"]
        for group, size in by_group:
            topic.groups[group] += size
        return
    note = topic.notes.setdefault(row["hash"], KeyNote(row["key"]))
    note.records += row["records"]
    for place, size in zip(row["places"], row["place_bytes"], strict=True):
        note.places[place] += size
    for group, size in by_group:
        note.groups[group] += size
    topic.hitters.add(row["hash"], row["count"])
    topic.tidy()


def _merged_rows(
    topics: dict[str, TopicKeys], partitions: dict[tuple[str, int], PartitionRecords], top: int
) -> Iterator[dict[str, object]]:
    for (topic, number), part in partitions.items():
        yield {
            "topic": topic,
            "partition": number,
            "records": part.records,
            "bytes": part.bytes,
            "nulls": part.nulls,
            "rate": part.rate,
            **(_sizes_and_keys(part) if part.rate is None else {}),
        }
    for topic, found in topics.items():
        ranked = sorted(
            ((sum(note.places.values()), h, note) for h, note in found.notes.items()),
            key=lambda r: (-r[0], r[2].key),
        )
        for size, h, note in ranked[:top]:
            error = found.hitters.counts.get(h, 0) + found.hitters.error - size
            yield {
                "topic": topic,
                "key": note.key,
                "records": note.records,
                "bytes": size,
                "error": error,
                "places": list(note.places),
                "place_bytes": list(note.places.values()),
                **_band(note, found, error),
            }


def _sizes_and_keys(part: PartitionRecords) -> dict[str, object]:
    quantiles: Sequence[int | None] = part.sizes.quantiles(_QUANTILES) or (None, None, None)
    names = ("size_p50", "size_p95", "size_p99")
    return {"unique_keys": part.distinct.count, **dict(zip(names, quantiles, strict=True))}


def _band(note: KeyNote, topic: TopicKeys, error: int) -> dict[str, object]:
    """The rate of a sample, and the share of a key as far as it is told from noise."""
    if topic.rate is None:
        return {}
    band = share_band(note.groups, topic.groups, topic.rate, error)
    if band is None:
        return {"rate": topic.rate}
    share, low, high = band
    return {"rate": topic.rate, "share": share, "share_low": low, "share_high": high}
