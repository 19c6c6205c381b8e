"""Records of the topic that keeps an offset map, ``pko-mirror.<source>.map.internal``.

The topic is compacted. A record holds some runs of one partition; all records of a partition
together are its map, in any order (``runs.py``). The mirror adds one for each round, in the round's
transaction; a rewrite puts many into one and takes the others away by tombstones.

Key, big endian: version int16, topic string (length int16), partition int32, the first run's offset
in the source and in the target int64, the end of the last one in the source int64, life int64.
Records that say different things never have the same key, whoever rewrites them. Value: version
int16, then varints (zig-zag): count of runs, and per run its distance from the end of the one
before, in the source and in the target, and its length.

A topic that was made anew under its name has new offsets. ``life`` tells both apart: runs of a
higher life replace all of a lower.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from struct import Struct
from struct import error as StructError  # noqa: N812 - a class
from typing import Final, NamedTuple

from pykafka_ops.analysis.java_hash import partition_for
from pykafka_ops.disk.record import Record
from pykafka_ops.disk.varint import read_varlong, varint
from pykafka_ops.errors import CorruptBatchError, CorruptError
from pykafka_ops.mirror.offsets.runs import HIGHEST, OffsetMap, OffsetRun

PARTITIONS: Final = 8
"""Partitions of the topic when it is created."""
MOST_RUNS: Final = 1024
"""Runs of a full record: at most 31 kB, mostly 5 kB. Only rewrites make such (``upkeep.py``)."""
ROUND_RUNS: Final = MOST_RUNS // 2
"""Runs of a record that a round adds."""
_TAKEN: Final = 1 << 16
"""Runs that are read from one record."""
_VERSION: Final = Struct(">h")
_NAME: Final = Struct(">h")
_REST: Final = Struct(">iqqqq")
_LEAST: Final = 3
"""Bytes of a run."""
Partition = tuple[str, int]


class MapKey(NamedTuple):
    """What a record of the map is about; ``source`` and ``target`` of its first run, ``end`` of its
    last one in the source."""

    topic: str
    partition: int
    source: int
    target: int
    end: int
    life: int = 0


def map_place(target: Partition, partitions: int = PARTITIONS) -> int:
    """The partition of the map's topic that keeps a partition of the target."""
    return partition_for(f"{target[0]}-{target[1]}", partitions)


def map_records(
    target: Partition,
    runs: Iterable[OffsetRun | tuple[int, int, int]],
    now_ms: int,
    *,
    life: int = 0,
    partitions: int = PARTITIONS,
) -> tuple[int, list[Record]]:
    """What to write for runs that were copied to ``target``: the map's partition, its records.

    ``now_ms``: their timestamp. ``life``: any number that is higher since the topic was made anew,
    such as the time when that was seen; 0 for the first. Mostly it is one record. Their offsets
    are 0, 1, ... Raises CorruptError where a run cannot be.
    """
    whole = list(OffsetMap(OffsetRun(*run) for run in runs))
    parts = [whole[n : n + ROUND_RUNS] for n in range(0, len(whole), ROUND_RUNS)]
    records = [
        Record(n, now_ms, map_key(target, part, life), map_value(part))
        for n, part in enumerate(parts)
    ]
    return map_place(target, partitions), records


def map_key(target: Partition, runs: Sequence[OffsetRun], life: int = 0) -> bytes:
    """The key of a record of these runs."""
    end = runs[-1].source + runs[-1].length
    return encode_key(MapKey(*target, runs[0].source, runs[0].target, end, life))


def encode_key(key: MapKey) -> bytes:
    """The bytes of a key."""
    name = key.topic.encode()
    rest = _REST.pack(*key[1:])
    return _VERSION.pack(0) + _NAME.pack(len(name)) + name + rest


def decode_key(data: bytes | None) -> MapKey:
    """A record's key. Raises CorruptError."""
    try:
        if data is None or _VERSION.unpack_from(data)[0] != 0:
            raise CorruptError("not a key of an offset map that this version reads")
        (size,) = _NAME.unpack_from(data, 2)
        end = 4 + size
        if size < 0 or len(data) != end + _REST.size:
            raise CorruptError("a key of an offset map is cut")
        topic = data[4:end].decode()
        partition, source, target, end, life = _REST.unpack_from(data, end)
    except (StructError, UnicodeDecodeError):
        raise CorruptError("a key of an offset map is cut") from None
    if min(partition, source, target, end) < 0:
        raise CorruptError("a key of an offset map has a negative offset")
    return MapKey(topic, partition, source, target, end, life)


def map_value(runs: Sequence[OffsetRun]) -> bytes:
    """The bytes of runs that rise in both logs, as an OffsetMap has them."""
    out = bytearray(_VERSION.pack(0))
    out += varint(len(runs))
    here, there = runs[0].source, runs[0].target
    for source, target, count in runs:
        out += varint(source - here)
        out += varint(target - there)
        out += varint(count)
        here, there = source + count, target + count
    return bytes(out)


def decode_value(key: MapKey, data: bytes) -> list[OffsetRun]:
    """The runs of a record. Raises CorruptError."""
    try:
        if _VERSION.unpack_from(data)[0] != 0:
            raise CorruptError("not a value of an offset map that this version reads")
        many, at = read_varlong(data, 2)
        if not 0 < many <= min(_TAKEN, (len(data) - at) // _LEAST):
            raise CorruptError(f"{many} runs cannot be in {len(data)} bytes of an offset map")
        here, there, runs = key.source, key.target, []
        for _ in range(many):
            apart, at = read_varlong(data, at)
            beyond, at = read_varlong(data, at)
            count, at = read_varlong(data, at)
            here, there = here + apart, there + beyond
            if min(apart, beyond) < 0 or count < 1 or max(here, there) + count > HIGHEST:
                raise CorruptError("runs of an offset map do not rise")
            runs.append(OffsetRun(here, there, count))
            here, there = here + count, there + count
        if here != key.end:
            raise CorruptError("runs of an offset map do not end where its key says")
    except (StructError, IndexError):
        raise CorruptError("a value of an offset map is cut") from None
    except CorruptBatchError as error:  # a varint that is too long
        raise CorruptError(str(error)) from None
    return runs
