"""XXH64 of many byte strings at once, as Spark's ``xxhash64`` has it.

https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md; Spark's seed is 42, and the hash of
null is the seed.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

SEED: Final = 42
_1, _2, _3, _4, _5 = (
    np.uint64(prime)
    for prime in (
        0x9E3779B185EBCA87,
        0xC2B2AE3D27D4EB4F,
        0x165667B19E3779F9,
        0x85EBCA77C2B2AE63,
        0x27D4EB2F165667C5,
    )
)
Words = npt.NDArray[np.uint64]


def xxh64(values: pa.Array) -> pa.Array:
    """The hashes (int64) of a binary array; each different value is hashed once."""
    coded = values.dictionary_encode()
    hashes = _each(coded.dictionary)
    found = np.full(len(values), SEED, np.int64)
    places = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    there = places >= 0
    found[there] = hashes[places[there]]
    return pa.array(found)


def _each(values: pa.Array) -> npt.NDArray[np.int64]:
    """Those of one length together."""
    values = values.cast(pa.large_binary())
    offsets = np.frombuffer(values.buffers()[1], np.int64)[
        values.offset : values.offset + len(values) + 1
    ] if len(values) else np.zeros(1, np.int64)  # fmt: skip
    data = np.frombuffer(values.buffers()[2] or b"", np.uint8)
    starts, lengths = offsets[:-1], np.diff(offsets)
    found = np.zeros(len(values), np.uint64)
    for length in np.unique(lengths).tolist():
        mine = np.flatnonzero(lengths == length)
        rows = data[starts[mine][:, None] + np.arange(length)]
        with np.errstate(over="ignore"):
            found[mine] = _hashes(rows, length)
    return found.view(np.int64)


def _hashes(rows: npt.NDArray[np.uint8], length: int) -> Words:
    """A hash per row of ``length`` bytes."""
    at, seed, count = 0, np.uint64(SEED), len(rows)
    if length >= 32:
        lanes = [np.full(count, s, np.uint64) for s in (seed + _1 + _2, seed + _2, seed, seed - _1)]
        while at + 32 <= length:
            words = _words(rows[:, at : at + 32], 8)
            lanes = [_round(lane, words[:, n]) for n, lane in enumerate(lanes)]
            at += 32
        turns = (1, 7, 12, 18)
        found = np.zeros(count, np.uint64)
        for lane, by in zip(lanes, turns, strict=True):
            found = found + _left(lane, by)
        for lane in lanes:
            found = (found ^ _round(np.zeros(count, np.uint64), lane)) * _1 + _4
    else:
        found = np.full(count, seed + _5, np.uint64)
    found = found + np.uint64(length)
    while at + 8 <= length:
        word = _words(rows[:, at : at + 8], 8)[:, 0]
        found = _left(found ^ _round(np.zeros(count, np.uint64), word), 27) * _1 + _4
        at += 8
    if at + 4 <= length:
        word = _words(rows[:, at : at + 4], 4)[:, 0].astype(np.uint64)
        found = _left(found ^ (word * _1), 23) * _2 + _3
        at += 4
    for place in range(at, length):
        found = _left(found ^ (rows[:, place].astype(np.uint64) * _5), 11) * _1
    for shift, prime in ((33, _2), (29, _3)):
        found = (found ^ (found >> np.uint64(shift))) * prime
    return found ^ (found >> np.uint64(32))


def _words(rows: npt.NDArray[np.uint8], width: int) -> npt.NDArray[Any]:
    """Bytes as little-endian words of ``width`` bytes."""
    return np.ascontiguousarray(rows).view(f"<u{width}")


def _round(lane: Words, word: Words) -> Words:
    return _left(lane + word * _2, 31) * _1


def _left(word: Words, by: int) -> Words:
    return (word << np.uint64(by)) | (word >> np.uint64(64 - by))
