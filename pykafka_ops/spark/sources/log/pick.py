"""The records of a run or message: plain bytes of its batches, and the first one from a time on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pykafka_ops.disk.batch import CONTROL_FLAG, HEADER_SIZE, LOG_OVERHEAD
from pykafka_ops.disk.compression import codec_of, decompress
from pykafka_ops.disk.legacy import iter_message
from pykafka_ops.disk.record import Record
from pykafka_ops.errors import CorruptBatchError
from pykafka_ops.spark.decode.records import Plain, WantedRecords, decode
from pykafka_ops.spark.sources.log.scan import Bad, BatchRun, Message, Piece

DECOMPRESSED_LIMIT = 256 << 20
"""Bytes that one batch may take decompressed; the broker and the cleaner hold the same."""
MALFORMED = "malformed records"
_AT_ONCE = 1 << 20


class Spoilt(NamedTuple):
    """A batch whose records cannot be read: its position and size, and why."""

    position: int
    size: int
    reason: str


def plains(run: BatchRun, keep: npt.NDArray[np.bool_]) -> Iterator[Plain | Spoilt]:
    """The batches of ``run`` (read with their bytes) that ``keep`` names, decompressed.

    A ``Plain`` has some 1 MiB; one batch more than that if it is as large.
    """
    heads, places = run.heads[keep], run.positions[keep] - run.begin
    if not len(heads):
        return
    ends = places + heads["length"] + LOG_OVERHEAD
    if not (heads["attributes"] & 7).any():
        yield Plain(run.data, places + HEADER_SIZE, ends, heads)
        return
    gathered = _Gathered()
    view = memoryview(run.data)
    flags = heads["attributes"].tolist()
    for n, (place, end) in enumerate(zip(places.tolist(), ends.tolist(), strict=True)):
        stored = view[place + HEADER_SIZE : end]
        try:
            codec = codec_of(flags[n])
            data = decompress(codec, stored, DECOMPRESSED_LIMIT) if codec else bytes(stored)
        except CorruptBatchError as e:
            yield Spoilt(place + run.begin, end - place, str(e))
            continue
        gathered.add(data, n)
        if gathered.size >= _AT_ONCE:
            yield gathered.take(heads)
    if gathered.parts:
        yield gathered.take(heads)


class _Gathered:
    """Records sections of several batches, one behind the other."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.numbers: list[int] = []
        self.ends: list[int] = [0]

    @property
    def size(self) -> int:
        return self.ends[-1]

    def add(self, data: bytes, number: int) -> None:
        self.parts.append(data)
        self.numbers.append(number)
        self.ends.append(self.ends[-1] + len(data))

    def take(self, heads: npt.NDArray[Any]) -> Plain:
        """All of it; then it is empty."""
        ends = np.array(self.ends, np.int64)
        data = self.parts[0] if len(self.parts) == 1 else b"".join(self.parts)
        made = Plain(data, ends[:-1], ends[1:], heads[self.numbers])
        self.__init__()  # type: ignore[misc] # as new
        return made


def messages(message: Message) -> list[Record]:
    """The records of a message v0 or v1, or of what it wraps; CorruptBatchError as Kafka's."""
    return list(iter_message(message.data, 0, message.header, DECOMPRESSED_LIMIT))


def first_from(piece: Piece, moment: int) -> int | None:
    """The offset of the first record at ``moment`` (ms) or later; None if there is none."""
    if isinstance(piece, Bad):
        return None
    if isinstance(piece, Message):
        try:
            found = messages(piece)
        except CorruptBatchError:
            return None
        return next((record.offset for record in found if record.timestamp >= moment), None)
    keep = (piece.heads["attributes"] & CONTROL_FLAG) == 0
    for plain in plains(piece, keep):
        if isinstance(plain, Spoilt):
            continue
        columns = decode(plain, WantedRecords(keys=False, values=False))
        late = columns.timestamps >= moment
        if late.any():
            return int(columns.offsets[int(late.argmax())])
    return None
