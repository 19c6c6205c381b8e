"""The heaviest keys of each topic, and keys and sizes per partition, in one reading of the records.

Each task counts for itself in bounded memory; ``key_tree`` merges what tasks found.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
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
_MOST_NOTES: Final = 1 << 18
"""Keys of all topics that a task counts before it hands them on."""

COUNTED: Final = columns(
    "topic string, partition int, hash bigint, key binary, count bigint, error bigint,"
    "records bigint, bytes bigint, nulls bigint, sizes binary, distinct binary,"
    "places ints, place_bytes longs, groups ints, group_bytes longs, rate double, problem string,"
    "task int"
)
"""What a ``task`` counted. Rows with a ``partition`` are about one; rows with a ``hash`` about a
key (``count`` bytes for certain, seen with ``bytes`` of ``records`` in ``places``); others carry
the ``error`` of a topic: bytes that may be missing at any of its keys, or a ``problem``: where and
why something cannot be read. Of a sample ``rate`` is its topic's, ``groups`` are those of units,
with bytes of the key or the topic."""


def counted(records: DataFrame) -> DataFrame:
    """COUNTED of a frame with the columns of KEYS or SAMPLED_KEYS."""
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
        *(name for name in _OF_SAMPLE if name in records.columns),
    )
    return in_arrow(plain, count_task, COUNTED)


_OF_SAMPLE: Final = ("unit_group", "rate")


@dataclass(slots=True)
class PartitionRecords:
    """Counts of one partition, of all its records or of a sample (``rate``)."""

    rate: float | None = None
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
class KeyNote:
    """What was seen of a key: the key, records, bytes by partition and by group of a sample."""

    key: bytes
    records: int = 0
    places: dict[int, int] = field(default_factory=partial(defaultdict, int))
    groups: dict[int, int] = field(default_factory=partial(defaultdict, int))


@dataclass(slots=True)
class TopicKeys:
    """Keys of a topic by hash, by weight in bytes; of a sample with its ``rate``, and bytes of all
    records by group."""

    hitters: HeavyHitters[int] = field(default_factory=lambda: HeavyHitters(CAPACITY))
    notes: dict[int, KeyNote] = field(default_factory=dict)
    rate: float | None = None
    groups: dict[int, int] = field(default_factory=partial(defaultdict, int))

    def tidy(self) -> None:
        """Forget what was seen of keys that are no longer counted."""
        if len(self.notes) > len(self.hitters.counts):
            self.notes = {h: n for h, n in self.notes.items() if h in self.hitters.counts}


def count_task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """What a task does: COUNTED of its records."""
    topics: dict[str, TopicKeys] = {}
    partitions: dict[tuple[str, int], PartitionRecords] = {}
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
            if sum(len(topic.notes) for topic in topics.values()) > _MOST_NOTES:
                yield from row_batches(COUNTED, counted_rows(topics, partitions, _task()))
                topics, partitions = {}, {}
    if rows:
        _count(pa.Table.from_batches(held), topics, partitions)
    yield from row_batches(COUNTED, chain(damage, counted_rows(topics, partitions, _task())))


def _task() -> int:
    """The number of the task that runs this; 0 where none of Spark's does."""
    if sys.modules.get("pyspark") is None:
        return 0
    from pyspark import TaskContext

    context = TaskContext.get()
    return 0 if context is None else context.partitionId()


def _parted(batch: pa.RecordBatch) -> tuple[pa.RecordBatch, list[dict[str, object]]]:
    """The records, and rows of what cannot be read."""
    problems = batch.column("problem") if "problem" in batch.schema.names else None
    if problems is None or problems.null_count == len(problems):
        return batch, []
    has_problem = problems.is_valid()
    rows = batch.filter(has_problem).select(["topic", "problem"]).to_pylist()
    return batch.filter(pc.invert(has_problem)), rows


def _count(
    table: pa.Table,
    topics: dict[str, TopicKeys],
    partitions: dict[tuple[str, int], PartitionRecords],
) -> None:
    names = table.column("topic").combine_chunks().dictionary_encode()
    if isinstance(names, pa.ChunkedArray):
        names = names.combine_chunks()
    of_topic = names.indices.to_numpy(zero_copy_only=False)
    partition, hashes, sizes = (table.column(n).to_numpy() for n in ("partition", "hash", "size"))
    keyed = ~table.column("keyless").to_numpy()
    for place, topic in enumerate(names.dictionary.to_pylist()):
        mine = np.flatnonzero(of_topic == place)
        rate, groups = _sample(table, mine)
        for number in np.unique(partition[mine]).tolist():
            here = mine[partition[mine] == number]
            found = partitions.setdefault((topic, number), PartitionRecords(rate))
            found.add(sizes[here], hashes[here[keyed[here]]])
        kept = topics.setdefault(topic, TopicKeys(rate=rate))
        if groups is not None:
            for group, held in enumerate(np.bincount(groups, weights=sizes[mine]).tolist()):
                kept.groups[group] += int(held)
            groups = groups[keyed[mine]]
        mine = mine[keyed[mine]]
        if len(mine):
            names_at = partial(_taken, table.column("key"), mine)
            _count_keys(kept, hashes[mine], partition[mine], sizes[mine], names_at, groups)


def _sample(table: pa.Table, rows: Any) -> tuple[float | None, Any]:
    """Of the records of one topic the rate of their sample, and the groups they are in; None of
    what is no sample."""
    if not set(_OF_SAMPLE) <= set(table.column_names) or not len(rows):
        return None, None
    rate: float | None = table.column("rate")[int(rows[0])].as_py()
    if rate is None:
        return None, None
    return rate, table.column("unit_group").take(pa.array(rows)).to_numpy()


def _taken(keys: pa.ChunkedArray, rows: Any, places: Any) -> list[bytes]:
    """The keys at ``places`` of ``rows``."""
    found: list[bytes] = keys.take(pa.array(rows[places])).to_pylist()
    return found


def _count_keys(
    topic: TopicKeys,
    hashes: Any,
    partition: Any,
    sizes: Any,
    keys: Callable[[Any], list[bytes]],
    groups: Any,
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
            note = topic.notes[h] = KeyNote(key)
        note.records += count
    place = np.full(len(distinct), -1, dtype=np.int64)
    place[kept] = np.arange(len(kept))
    places = place[inverse]
    rows = np.flatnonzero(places >= 0)
    for at, number, size in _sums(places[rows], partition[rows], sizes[rows]):
        topic.notes[names[at]].places[number] += size
    if groups is not None:
        for at, number, size in _sums(places[rows], groups[rows], sizes[rows]):
            topic.notes[names[at]].groups[number] += size
    topic.tidy()


def _sums(places: Any, numbers: Any, sizes: Any) -> Iterator[tuple[int, int, int]]:
    """Of each place and number that come together their sizes, added up."""
    pairs, pair = _codes(places << 32 | numbers)
    held = np.bincount(pair, weights=sizes)
    for at, size in zip(pairs.tolist(), held.tolist(), strict=True):
        yield at >> 32, at & 0xFFFFFFFF, int(size)


def _codes(values: Any) -> tuple[Any, Any]:
    """Different values, and for each value its place among them; by a hash table, no sorting."""
    found = pa.array(values).dictionary_encode()
    return (
        found.dictionary.to_numpy(zero_copy_only=False),
        found.indices.to_numpy(zero_copy_only=False),
    )


def counted_rows(
    topics: Mapping[str, TopicKeys],
    partitions: Mapping[tuple[str, int], PartitionRecords],
    task: int,
) -> Iterator[dict[str, object]]:
    """COUNTED of what was counted by a ``task``."""
    for (topic, number), part in partitions.items():
        yield {
            "topic": topic,
            "task": task,
            "partition": number,
            "rate": part.rate,
            "records": part.records,
            "bytes": part.bytes,
            "nulls": part.nulls,
            "sizes": part.sizes.pack(),
            "distinct": part.distinct.pack(),
        }
    for topic, found in topics.items():
        yield {
            "topic": topic,
            "task": task,
            "error": found.hitters.error,
            "rate": found.rate,
            "groups": list(found.groups),
            "group_bytes": list(found.groups.values()),
        }
        for h, count in found.hitters.counts.items():
            note = found.notes[h]
            yield {
                "topic": topic,
                "task": task,
                "hash": h,
                "key": note.key,
                "count": count,
                "records": note.records,
                "bytes": sum(note.places.values()),
                "places": list(note.places),
                "place_bytes": list(note.places.values()),
                "groups": list(note.groups),
                "group_bytes": list(note.groups.values()),
            }
