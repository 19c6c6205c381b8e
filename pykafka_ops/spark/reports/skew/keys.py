"""The heaviest keys of each topic, and keys and sizes per partition, in one reading of the records.

Each task counts for itself in bounded memory; what it found is merged topic by topic in executors,
so the driver sees a row per partition and ``top`` rows per topic, whatever the number of records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pykafka_ops.analysis.heavy import HeavyHitters
from pykafka_ops.spark.arrow import row_batches
from pykafka_ops.spark.engines import functions_of, in_arrow
from pykafka_ops.spark.reports.sketches import Distinct, Sizes
from pykafka_ops.spark.schemas import columns

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

#: Keys counted at once per topic and task.
CAPACITY: Final = 2048
CHUNK: Final = 1 << 18
"""Records that are held before their keys are counted together."""
_LONGEST: Final = 4096
"""Of a longer key its beginning stands for it."""
_QUANTILES: Final = (0.5, 0.95, 0.99)

COUNTED: Final = columns(
    "topic string, partition int, hash bigint, key binary, count bigint, error bigint,"
    "records bigint, bytes bigint, nulls bigint, sizes binary, distinct binary,"
    "places ints, place_bytes longs, problem string"
)
"""What a task counted. Rows with a ``partition`` are about one; rows with a ``hash`` about a key
(``count`` bytes for certain, seen with ``bytes`` of ``records`` in ``places``); others carry the
``error`` of a topic: bytes that may be missing at any of its keys, or a ``problem``: where and why
something cannot be read."""
MERGED: Final = columns(
    "topic string, partition int, key binary, records bigint, bytes bigint, error bigint,"
    "nulls bigint, unique_keys bigint, size_p50 bigint, size_p95 bigint, size_p99 bigint,"
    "places ints, place_bytes longs, problem string"
)
"""The same of all tasks: a row per partition, and one per heavy key, whose partition is null.
``bytes`` are keys and values before compression; ``error`` what a key may have more."""


def counted(records: DataFrame, top: int) -> DataFrame:
    """MERGED of a frame with KEYS' columns, with the ``top`` heaviest keys per topic."""
    f = functions_of(records)
    problem = f.col("problem") if "problem" in records.columns else f.lit(None)
    plain = records.select(
        problem.cast("string").alias("problem"),
        "topic",
        "partition",
        f.substring("key", 1, _LONGEST).alias("key"),
        f.xxhash64("key").alias("hash"),
        f.col("key_size").isNull().alias("keyless"),
        (f.coalesce("key_size", f.lit(0)) + f.coalesce("value_size", f.lit(0)))
        .cast("bigint")
        .alias("size"),
    )
    parts = in_arrow(plain, count_task, COUNTED)
    return in_arrow(parts.repartition("topic"), merging(top), MERGED)


@dataclass(slots=True)
class _Partition:
    """Counts of one partition."""

    records: int = 0
    bytes: int = 0
    nulls: int = 0
    sizes: Sizes = field(default_factory=Sizes)
    distinct: Distinct = field(default_factory=Distinct)

    def add(self, sizes: Any, hashes: Any) -> None:
        """Records of these sizes, and the hashes of those with a key (numpy arrays)."""
        self.records += len(sizes)
        self.bytes += int(sizes.sum())
        self.nulls += len(sizes) - len(hashes)
        self.sizes.add(sizes)
        self.distinct.add(hashes)


@dataclass(slots=True)
class _Note:
    """What was seen of a key: the key, records, bytes by partition."""

    key: bytes
    records: int = 0
    places: dict[int, int] = field(default_factory=dict)

    def add(self, partition: int, size: int) -> None:
        self.places[partition] = self.places.get(partition, 0) + size


@dataclass(slots=True)
class _Topic:
    """Keys of a topic by hash, by weight in bytes."""

    hitters: HeavyHitters[int] = field(default_factory=lambda: HeavyHitters(CAPACITY))
    notes: dict[int, _Note] = field(default_factory=dict)

    def tidy(self) -> None:
        """Forget what was seen of keys that are no longer counted."""
        if len(self.notes) > len(self.hitters.counts):
            self.notes = {h: n for h, n in self.notes.items() if h in self.hitters.counts}


def count_task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """What a task does: COUNTED of its records."""
    topics: dict[str, _Topic] = {}
    partitions: dict[tuple[str, int], _Partition] = {}
    held: list[pa.RecordBatch] = []
    damage: list[dict[str, object]] = []
    rows = 0
    for every in batches:
        batch, problems = _parted(every)
        damage += problems
        held.append(batch)
        rows += batch.num_rows
        if rows >= CHUNK:
            _count(pa.Table.from_batches(held), topics, partitions)
            held, rows = [], 0
    if rows:
        _count(pa.Table.from_batches(held), topics, partitions)
    yield from row_batches(COUNTED, chain(damage, _task_rows(topics, partitions)))


def _parted(batch: pa.RecordBatch) -> tuple[pa.RecordBatch, list[dict[str, object]]]:
    """The records, and rows of what cannot be read."""
    problems = batch.column("problem") if "problem" in batch.schema.names else None
    if problems is None or problems.null_count == len(problems):
        return batch, []
    has_problem = problems.is_valid()
    rows = batch.filter(has_problem).select(["topic", "problem"]).to_pylist()
    return batch.filter(pc.invert(has_problem)), rows


def _count(
    table: pa.Table, topics: dict[str, _Topic], partitions: dict[tuple[str, int], _Partition]
) -> None:
    names = table.column("topic").combine_chunks().dictionary_encode()
    if isinstance(names, pa.ChunkedArray):
        names = names.combine_chunks()
    of_topic = names.indices.to_numpy(zero_copy_only=False)
    partition, hashes, sizes = (table.column(n).to_numpy() for n in ("partition", "hash", "size"))
    keyed = ~table.column("keyless").to_numpy()
    for place, topic in enumerate(names.dictionary.to_pylist()):
        mine = np.flatnonzero(of_topic == place)
        for number in np.unique(partition[mine]).tolist():
            here = mine[partition[mine] == number]
            found = partitions.setdefault((topic, number), _Partition())
            found.add(sizes[here], hashes[here[keyed[here]]])
        mine = mine[keyed[mine]]
        if len(mine):
            kept = topics.setdefault(topic, _Topic())
            names_at = partial(_taken, table.column("key"), mine)
            _count_keys(kept, hashes[mine], partition[mine], sizes[mine], names_at)
        topics.setdefault(topic, _Topic())


def _taken(keys: pa.ChunkedArray, rows: Any, places: Any) -> list[bytes]:
    """The keys at ``places`` of ``rows``."""
    found: list[bytes] = keys.take(pa.array(rows[places])).to_pylist()
    return found


def _count_keys(
    topic: _Topic, hashes: Any, partition: Any, sizes: Any, keys: Callable[[Any], list[bytes]]
) -> None:
    """Count keys of one topic, given by record; ``keys`` gives those of some records.

    Of many different keys the lightest go at once: by the weight of the middle counter, as
    ``HeavyHitters.prune`` does, so that the promised error is the same.
    """
    distinct, inverse = _codes(hashes)
    weights = np.bincount(inverse, weights=sizes).astype(np.int64)
    cut = 0
    if len(distinct) > CAPACITY:
        cut = int(np.partition(weights, -CAPACITY // 2 - 1)[-CAPACITY // 2 - 1])
    kept = np.flatnonzero(weights > cut) if cut else np.arange(len(distinct))
    names = distinct[kept].tolist()
    chunk: HeavyHitters[int] = HeavyHitters(CAPACITY)
    chunk.error = cut
    chunk.counts = dict(zip(names, (weights[kept] - cut).tolist(), strict=True))
    topic.hitters.merge(chunk)
    first = np.empty(len(distinct), dtype=np.int64)
    first[inverse[::-1]] = np.arange(len(inverse) - 1, -1, -1)  # the last one to be put stays
    records = np.bincount(inverse)[kept].tolist()
    for h, key, count in zip(names, keys(first[kept]), records, strict=True):
        note = topic.notes.get(h)
        if note is None:
            note = topic.notes[h] = _Note(key)
        note.records += count
    place = np.full(len(distinct), -1, dtype=np.int64)
    place[kept] = np.arange(len(kept))
    places = place[inverse]
    rows = np.flatnonzero(places >= 0)
    pairs, pair = _codes(places[rows] << 32 | partition[rows])
    held = np.bincount(pair, weights=sizes[rows])
    for at, size in zip(pairs.tolist(), held.tolist(), strict=True):
        topic.notes[names[at >> 32]].add(at & 0xFFFFFFFF, int(size))
    topic.tidy()


def _codes(values: Any) -> tuple[Any, Any]:
    """Different values, and for each value its place among them; by a hash table, no sorting."""
    found = pa.array(values).dictionary_encode()
    return (
        found.dictionary.to_numpy(zero_copy_only=False),
        found.indices.to_numpy(zero_copy_only=False),
    )


def _task_rows(
    topics: dict[str, _Topic], partitions: dict[tuple[str, int], _Partition]
) -> Iterator[dict[str, object]]:
    for (topic, number), part in partitions.items():
        yield {
            "topic": topic,
            "partition": number,
            "records": part.records,
            "bytes": part.bytes,
            "nulls": part.nulls,
            "sizes": part.sizes.pack(),
            "distinct": part.distinct.pack(),
        }
    for topic, found in topics.items():
        yield {"topic": topic, "error": found.hitters.error}
        for h, count in found.hitters.counts.items():
            note = found.notes[h]
            yield {
                "topic": topic,
                "hash": h,
                "key": note.key,
                "count": count,
                "records": note.records,
                "bytes": sum(note.places.values()),
                "places": list(note.places),
                "place_bytes": list(note.places.values()),
            }


def merging(top: int) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """MERGED of the COUNTED rows of some topics, of which all rows come."""

    def merge(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        topics: dict[str, _Topic] = {}
        partitions: dict[tuple[str, int], _Partition] = {}
        damage: list[dict[str, Any]] = []
        for batch in batches:
            for row in batch.to_pylist():
                if row["problem"] is None:
                    _take(row, topics, partitions)
                else:
                    damage.append({"topic": row["topic"], "problem": row["problem"]})
        yield from row_batches(MERGED, chain(damage, _merged_rows(topics, partitions, top)))

    return merge


def _take(
    row: dict[str, Any],
    topics: dict[str, _Topic],
    partitions: dict[tuple[str, int], _Partition],
) -> None:
    name = row["topic"]
    if row["partition"] is not None:
        part = partitions.setdefault((name, row["partition"]), _Partition())
        part.records += row["records"]
        part.bytes += row["bytes"]
        part.nulls += row["nulls"]
        part.sizes.merge(Sizes(row["sizes"]))
        part.distinct.merge(Distinct(row["distinct"]))
        return
    topic = topics.setdefault(name, _Topic())
    if row["hash"] is None:
        topic.hitters.error += row["error"]
        return
    note = topic.notes.setdefault(row["hash"], _Note(row["key"]))
    note.records += row["records"]
    for place, size in zip(row["places"], row["place_bytes"], strict=True):
        note.add(place, size)
    topic.hitters.add(row["hash"], row["count"])
    topic.tidy()


def _merged_rows(
    topics: dict[str, _Topic], partitions: dict[tuple[str, int], _Partition], top: int
) -> Iterator[dict[str, object]]:
    for (topic, number), part in partitions.items():
        quantiles: Sequence[int | None] = part.sizes.quantiles(_QUANTILES) or (None, None, None)
        yield {
            "topic": topic,
            "partition": number,
            "records": part.records,
            "bytes": part.bytes,
            "nulls": part.nulls,
            "unique_keys": part.distinct.count,
            "size_p50": quantiles[0],
            "size_p95": quantiles[1],
            "size_p99": quantiles[2],
        }
    for topic, found in topics.items():
        ranked = sorted(
            ((sum(note.places.values()), h, note) for h, note in found.notes.items()),
            key=lambda r: (-r[0], r[2].key),
        )
        for size, h, note in ranked[:top]:
            yield {
                "topic": topic,
                "key": note.key,
                "records": note.records,
                "bytes": size,
                "error": found.hitters.counts.get(h, 0) + found.hitters.error - size,
                "places": list(note.places),
                "place_bytes": list(note.places.values()),
            }
