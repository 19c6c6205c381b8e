"""From a range of a segment file to runs of batches, and the damage between them.

Reads are of bounded size, and never beyond the planned end, so that a task that is tried again
gives the same. What looks like a torn end of the segment that is being written is no damage, unless
it is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pykafka_ops.disk.batch import HEADER_SIZE, LOG_OVERHEAD, BatchHeader
from pykafka_ops.disk.checksum import crc32c
from pykafka_ops.disk.legacy import MessageHeader
from pykafka_ops.disk.salvage import SoundBatch, sound_batches
from pykafka_ops.spark.decode.frames import (
    Stop,
    frames,
    heads,
    implausible,
    joined,
    length_and_magic,
)
from pykafka_ops.spark.sources.files import RandomFile

CHUNK = 1 << 20
"""Bytes read at a time where records are wanted: what its columns take then fits in caches."""
_FIRST, _HEADERS = 256 << 10, 4 << 20
"""The same where only headers are; the first read shows how large batches are."""
WINDOW = 64 << 20
"""Bytes looked at together where a log must be found again behind damage."""
_SPARSE = 8 << 10
"""From this mean size of a batch on a read per header costs less than to read all."""
_MOST_SPARSE = 4096
_MAGIC_AT = 16
_CRC_AT = 21
ONLY_ZEROS = "only zeros from here on"
TORN = "cut off: the rest of the batch is missing"
CUT_SHORT = "the file ends before here: it was cut after the read was planned"


class ByteRange(NamedTuple):
    """Bytes ``start`` to ``end`` of a segment; ``start`` is where a batch begins.

    ``active``: it ends with the segment that a broker writes to. ``base_offset`` is the segment's.
    """

    start: int
    end: int
    base_offset: int
    active: bool


class BatchRun(NamedTuple):
    """Batches v2: positions in the file, headers; with their bytes, ``data`` begins at byte
    ``begin`` of the file."""

    positions: npt.NDArray[np.int64]
    heads: npt.NDArray[Any]
    data: bytes = b""
    begin: int = 0

    @property
    def last_offset(self) -> int:
        """That of its last batch."""
        head = self.heads[-1]
        return int(head["base_offset"]) + int(head["last_delta"])


class Message(NamedTuple):
    """A message v0 or v1, maybe a wrapper of others."""

    position: int
    header: MessageHeader
    data: bytes

    @property
    def last_offset(self) -> int:
        """Its offset; of a wrapper that of the last message inside."""
        return self.header.offset


class Bad(NamedTuple):
    """Bytes that hold no batch, and why the first of them is none."""

    position: int
    size: int
    reason: str


Piece = BatchRun | Message | Bad


def scan(
    file: RandomFile,
    part: ByteRange,
    *,
    whole: bool,
    crc: bool = False,
    sparse: bool = True,
    torn: bool = False,
) -> Iterator[Piece]:
    """What ``file`` has in ``part``, in order.

    ``whole``: runs come with the bytes of their batches; ``crc``: each batch's CRC is checked
    (needs ``whole``); ``sparse``: small reads cost little, so that large batches may be skipped;
    ``torn``: report a torn end of the active segment if the file does not grow (TORN).
    """
    reader = _Scan(file, part, whole, crc, sparse, torn)
    while reader.at < part.end:
        yield from reader.step()


def wrong_crcs(run: BatchRun, numbers: Iterable[int]) -> Iterator[int]:
    """Those of some batches, in a run with its bytes, whose CRC is wrong."""
    stored = run.heads["crc"].tolist()
    places = (run.positions - run.begin).tolist()
    sizes = (run.heads["length"] + LOG_OVERHEAD).tolist()
    for n in numbers:
        if crc32c(run.data[places[n] + _CRC_AT : places[n] + sizes[n]]) != stored[n]:
            yield n


class _Scan:
    """Where a scan is; ``size`` the mean size of the batches last seen."""

    def __init__(
        self, file: RandomFile, part: ByteRange, whole: bool, crc: bool, sparse: bool, torn: bool
    ) -> None:
        self.file, self.part = file, part
        self.whole, self.crc, self.sparse, self.torn = whole, crc, sparse, torn
        self.at = part.start
        self.last = part.base_offset - 1
        self.size = 0

    def step(self) -> Iterator[Piece]:
        """The next chunk."""
        if self.sparse and not self.whole and self.size >= _SPARSE:
            run = self._sparse()
            if len(run.heads):
                yield from self._judged(run)
                return
            self.size = 0
        room = CHUNK if self.whole else _HEADERS if self.size else _FIRST
        wanted = min(room, self.part.end - self.at)
        data = self.file.read_at(wanted, self.at)
        if len(data) < wanted and len(data) < HEADER_SIZE:
            yield self._short()
            return
        found = frames(data, whole=self.whole)
        if not len(found.heads):
            data = self._larger(data)
            found = frames(data, whole=self.whole)
        if len(found.heads):
            begin, end = self.at, self.at + found.end
            run = BatchRun(found.places + begin, found.heads, data if self.whole else b"", begin)
            self.size = found.end // len(found.heads)
            yield from self._judged(run)
            if self.at != end or found.stop is not Stop.ODD:
                return
            data = data[found.end :] if found.end < len(data) else b""
        yield from self._odd(data)

    def _larger(self, data: bytes) -> bytes:
        """The first batch as a whole where the chunk has only its beginning."""
        if not self.whole or len(data) < HEADER_SIZE:
            return data
        length, magic = length_and_magic(data)
        size = length + LOG_OVERHEAD
        if magic != 2 or not len(data) < size <= self.part.end - self.at:
            return data
        if implausible(heads(data, np.zeros(1, np.int64))) == 0:
            return data
        return self.file.read_at(size, self.at)

    def _judged(self, run: BatchRun) -> Iterator[Piece]:
        """The run up to its first batch that cannot be, or does not end by the end; and that."""
        count = implausible(run.heads)
        ends = run.positions + run.heads["length"] + LOG_OVERHEAD
        if len(ends) and ends[-1] > self.part.end:
            count = min(count, int((ends > self.part.end).argmax()))
        if self.crc:
            count = self._checked(run, count)
        if count:
            self.at = int(ends[count - 1])
            head = run.heads[count - 1]
            self.last = int(head["base_offset"]) + int(head["last_delta"])
            yield (
                run
                if count == len(ends)
                else run._replace(positions=run.positions[:count], heads=run.heads[:count])
            )
        if count < len(ends):
            self.at = int(run.positions[count])
            yield from self._mend()

    def _checked(self, run: BatchRun, count: int) -> int:
        """The number of the first batch whose CRC is wrong; ``count`` if all are right."""
        return next(wrong_crcs(run, range(count)), count)

    def _sparse(self) -> BatchRun:
        """Headers only, each read by itself."""
        at, end = self.at, self.part.end
        found: list[int] = []
        parts: list[bytes] = []
        while len(parts) < _MOST_SPARSE and end - at >= HEADER_SIZE:
            head = self.file.read_at(HEADER_SIZE, at)
            if len(head) < HEADER_SIZE:
                break
            length, magic = length_and_magic(head)
            if magic != 2 or length < HEADER_SIZE - LOG_OVERHEAD:
                break
            parts.append(head)
            found.append(at)
            at += length + LOG_OVERHEAD
        if parts:
            self.size = (at - self.at) // len(parts)
        return BatchRun(np.array(found, np.int64), joined(parts))

    def _odd(self, data: bytes) -> Iterator[Piece]:
        """What is not of format 2 at ``at``: messages of old formats, or damage."""
        if len(data) > _MAGIC_AT and length_and_magic(data)[1] in (0, 1):
            before = self.at
            yield from self._messages()
            if self.at != before:
                return
        yield from self._mend()

    def _messages(self) -> Iterator[Message]:
        """Sound messages v0 and v1 up to the first that is not there as a whole."""
        most = min(self.part.end - self.at, CHUNK)
        data = self.file.read_at(most, self.at)
        length = length_and_magic(data)[0] + LOG_OVERHEAD
        if len(data) < length <= self.part.end - self.at:
            data = self.file.read_at(length, self.at)
        begin = self.at
        for found in sound_batches(data, complete=False):
            if not isinstance(found, SoundBatch) or isinstance(found.header, BatchHeader):
                return
            size = found.header.size
            place = begin + found.position
            self.at, self.last = place + size, found.header.offset
            yield Message(place, found.header, data[found.position : found.position + size])

    def _short(self) -> Bad:
        found = Bad(self.at, self.part.end - self.at, CUT_SHORT)
        self.at = self.part.end
        return found

    def _mend(self) -> Iterator[Piece]:
        """Go on behind what is wrong at ``at``; a batch that is sound after all is given."""
        begin, reason, first = self.at, "", True
        head = self.file.read_at(_MAGIC_AT + 1, begin)
        while self.at < self.part.end:
            room = min(WINDOW, self.part.end - self.at)
            data = self.file.read_at(room, self.at)
            if len(data) < room:
                yield from self._lost(begin, reason, self.at + len(data))
                self.at += len(data)
                if self.at < self.part.end:
                    yield self._short()
                return
            lowest = None if self.last < 0 else self.last + 1
            found = next(sound_batches(data, base_offset=lowest))
            if isinstance(found, SoundBatch):
                yield from self._lost(begin, reason, self.at)
                if first:
                    yield self._single(found, data)
                return
            reason, first = reason or found.reason, False
            cut = found.size == len(data) and self.at + room < self.part.end
            self.at += room // 2 if cut else found.size
            if not cut and self.at < self.part.end:
                yield Bad(begin, self.at - begin, reason)
                return
        yield from self._end(begin, reason, head)

    def _end(self, begin: int, reason: str, head: bytes) -> Iterator[Bad]:
        """Damage that reaches to the end of the part; what is being written there is none."""
        if not self.part.active:
            yield from self._lost(begin, reason, self.at)
        elif self._torn(head, begin):
            if self.torn and not self.file.grown(self.part.end):
                yield from self._lost(begin, TORN, self.at)
        elif reason != ONLY_ZEROS:
            yield from self._lost(begin, reason, self.at)

    def _torn(self, head: bytes, begin: int) -> bool:
        """Whether a batch begins so at ``begin`` of which the end is not there yet."""
        if len(head) <= _MAGIC_AT:
            return True
        length, magic = length_and_magic(head)
        return magic in (0, 1, 2) and length + LOG_OVERHEAD > self.part.end - begin

    def _lost(self, begin: int, reason: str, end: int) -> Iterator[Bad]:
        if end > begin:
            yield Bad(begin, end - begin, reason or "no whole batch")

    def _single(self, found: SoundBatch, data: bytes) -> Piece:
        """A batch whose CRC is right, though its header looks odd."""
        position, size = self.at, found.header.size
        self.at += size
        if isinstance(found.header, MessageHeader):
            self.last = found.header.offset
            return Message(position, found.header, data[:size])
        self.last = found.header.last_offset
        head = heads(data, np.zeros(1, np.int64))
        return BatchRun(np.array([position]), head, data[:size] if self.whole else b"", position)
