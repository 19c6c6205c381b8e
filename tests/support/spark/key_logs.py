"""Logs with known keys, large enough for a sample of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from struct import Struct
from typing import Final, NamedTuple

from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.index import OffsetIndex, TimeIndex
from pykafka_ops.disk.names import INDEX_SUFFIX, TIME_INDEX_SUFFIX, partition_dir, segment_file
from pykafka_ops.disk.record import Record

NOW: Final = 1_800_000_000_000
HOT: Final = {b"hot": 0.2, b"warm": 0.05}
"""Share of the records by key."""
BURST: Final = b"burst"
"""The key of all records of four batches of each partition."""
IN_BATCH: Final = 12
_VALUE: Final = b"v" * 1_000
_MADE: Final = 60
_OFFSET: Final = Struct(">q")
Keys = list[bytes | None]


class KeyTruth(NamedTuple):
    """What a topic has: bytes of keys and values by key, records, bytes of its segments."""

    held: Counter[bytes | None]
    records: int
    stored: int

    def share(self, key: bytes) -> float:
        """Of the bytes of keys and values."""
        return self.held[key] / self.held.total()


def write_keys(
    log_dir: Path, topic: str, batches: int, *, partitions: int = 2, indexed: int = 2
) -> KeyTruth:
    """A topic whose partitions have so many batches of 12 KB each; the first ``indexed`` of them
    have an index. Tells what it has."""
    made = [_batch(keys) for keys in _drawn(Random(topic))]
    truth = KeyTruth(Counter(), 0, 0)
    for partition in range(partitions):
        turns = [made[(turn * 7 + partition) % _MADE] for turn in range(batches)]
        for place in range(1, 5):
            turns[batches * place // 5] = _batch([BURST] * IN_BATCH)
        folder = log_dir / partition_dir(topic, partition)
        folder.mkdir(parents=True)
        stored = _write(folder, [data for _, data in turns], indexed=partition < indexed)
        for keys, _ in turns:
            truth.held.update(_weights(keys))
        truth = truth._replace(
            records=truth.records + batches * IN_BATCH, stored=truth.stored + stored
        )
    return truth


def _drawn(random: Random) -> Iterator[Keys]:
    """Keys of batches that differ; a tenth has none."""
    for _ in range(_MADE):
        yield [_key(random, random.random()) for _ in range(IN_BATCH)]


def _key(random: Random, at: float) -> bytes | None:
    for key, share in HOT.items():
        if at < share:
            return key
        at -= share
    return None if at < 0.1 else b"key-%d" % random.randrange(100_000)


def _weights(keys: Keys) -> Counter[bytes | None]:
    found: Counter[bytes | None] = Counter()
    for key in keys:
        found[key] += len(key or b"") + len(_VALUE)
    return found


def _batch(keys: Keys) -> tuple[Keys, bytes]:
    records = [Record(n, NOW - 1_000 + n, key, _VALUE, ()) for n, key in enumerate(keys)]
    return keys, bytes(build_batch(records, base_offset=0))


def _write(folder: Path, batches: list[bytes], *, indexed: bool) -> int:
    """One segment; the base offset, which is patched, is not covered by the CRC."""
    offsets, times = OffsetIndex(0), TimeIndex(0)
    hints, stamps, position = b"", b"", 0
    with (folder / segment_file(0)).open("wb") as out:
        for number, data in enumerate(batches):
            last = (number + 1) * IN_BATCH - 1
            if number:
                hints += offsets.append(last, position)
            else:
                stamps += times.append(NOW - 1_000 + IN_BATCH - 1, last)
            out.write(_OFFSET.pack(number * IN_BATCH) + data[_OFFSET.size :])
            position += len(data)
    (folder / segment_file(0, TIME_INDEX_SUFFIX)).write_bytes(stamps)
    if indexed:
        (folder / segment_file(0, INDEX_SUFFIX)).write_bytes(hints)
    return position
