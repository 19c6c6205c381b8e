"""Headers of batches v2 by the thousand: one numpy row per batch."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from struct import Struct
from types import ModuleType
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from pykafka_ops.disk.batch import HEADER_SIZE, LOG_OVERHEAD
from pykafka_ops.disk.hot import record_columns
from pykafka_ops.disk.record import MIN_RECORD_SIZE

HEADER = np.dtype(
    [
        ("base_offset", ">i8"),
        ("length", ">i4"),
        ("leader_epoch", ">i4"),
        ("magic", "i1"),
        ("crc", ">u4"),
        ("attributes", ">i2"),
        ("last_delta", ">i4"),
        ("base_timestamp", ">i8"),
        ("max_timestamp", ">i8"),
        ("producer_id", ">i8"),
        ("producer_epoch", ">i2"),
        ("base_sequence", ">i4"),
        ("records", ">i4"),
    ]
)
"""The 61 bytes of a header, as ``disk.batch.BatchHeader`` names them."""

_LENGTH_MAGIC = Struct(">8xi4xb")
_COLUMNS = np.arange(HEADER_SIZE)


class Stop(IntEnum):
    """Why :func:`frames` ended: the next one is not all there, is none of v2, or they are many."""

    CUT = 0
    ODD = 1
    FULL = 2


class BatchFrames(NamedTuple):
    """Batches in a chunk of bytes: where each begins, its header; where the next one would be."""

    places: npt.NDArray[np.int64]
    heads: npt.NDArray[Any]
    end: int
    stop: Stop


FEW: Final = 50_000
"""Records that are gone through sooner than numba is loaded, which takes 0.4 s and 60 MB."""
_BATCHES: Final = 20
"""Batches that take as long as a record."""


@dataclass(slots=True)
class _Done:
    """Records that this process has gone through without compiled code."""

    records: float = 0


_done = _Done()


def kernels(records: float = 0) -> ModuleType | None:
    """The compiled loops for so many more records: those of the library, or of numba once records
    are many; None as long as they are few, or where neither is there."""
    if record_columns.COMPILED:
        return record_columns
    _done.records += records
    return _numba() if _done.records > FEW else None


@lru_cache(maxsize=1)
def _numba() -> ModuleType | None:
    try:
        from pykafka_ops.spark.decode import kernels as compiled
    except ImportError:
        return None
    return compiled


def frames(data: bytes, *, whole: bool, most: int = 1 << 16) -> BatchFrames:
    """At most ``most`` batches from the start of ``data`` on, one behind the other.

    With ``whole`` each ends within ``data``; else its header does, and ``BatchFrames.end`` may be
    behind the data. Only length and magic are judged here.
    """
    most = min(most, len(data) // HEADER_SIZE)
    compiled = kernels()
    if compiled is None:
        places, end, stop = _frames(data, whole, most)
        _done.records += len(places) / _BATCHES
    else:
        room = np.empty(most, np.int64)
        count, end, stop = compiled.frames(np.frombuffer(data, np.uint8), whole, room)
        places = room[:count]
    return BatchFrames(places, heads(data, places), end, Stop(stop))


def heads(data: bytes, places: npt.NDArray[np.int64]) -> npt.NDArray[Any]:
    """The headers at ``places`` of ``data``."""
    if not len(places):
        return np.empty(0, HEADER)
    raw = np.frombuffer(data, np.uint8)
    rows = raw[places[:, None] + _COLUMNS]
    found: npt.NDArray[Any] = rows.view(HEADER)[:, 0]
    return found


def joined(parts: list[bytes]) -> npt.NDArray[Any]:
    """The headers that ``parts``, of 61 bytes each, are."""
    return np.frombuffer(b"".join(parts), HEADER)


def length_and_magic(head: bytes) -> tuple[int, int]:
    """The length field and the magic of what begins with ``head`` (17 bytes or more)."""
    length, magic = _LENGTH_MAGIC.unpack_from(head)
    return length, magic


def implausible(found: npt.NDArray[Any]) -> int:
    """The number of the first header that no batch can have; how many there are if all can.

    Judged are codec, offset delta and count, the latter against the bytes that hold it.
    """
    if not len(found):
        return 0
    flags, delta, count = found["attributes"], found["last_delta"], found["records"]
    plain = (flags & 7) == 0
    room = found["length"] - (HEADER_SIZE - LOG_OVERHEAD)
    odd = (flags & 7) > 4
    odd |= (delta < 0) | (count < 0)
    odd |= count > delta.astype(np.int64) + 1
    odd |= plain & (count.astype(np.int64) * MIN_RECORD_SIZE > room)
    return int(odd.argmax()) if odd.any() else len(found)


def _frames(data: bytes, whole: bool, most: int) -> tuple[npt.NDArray[np.int64], int, int]:
    """The same loop without compiled code."""
    places: list[int] = []
    at, end, unpack = 0, len(data), _LENGTH_MAGIC.unpack_from
    stop = Stop.CUT
    while end - at >= HEADER_SIZE:
        if len(places) == most:
            stop = Stop.FULL
            break
        length, magic = unpack(data, at)
        if magic != 2 or length < HEADER_SIZE - LOG_OVERHEAD:
            stop = Stop.ODD
            break
        if whole and length + LOG_OVERHEAD > end - at:
            break
        places.append(at)
        at += length + LOG_OVERHEAD
    return np.array(places, np.int64), at, stop
