"""The records of a run or message: plain bytes of its batches, columns, rows, or the first one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from pykafka_ops.disk.batch import CONTROL_FLAG, HEADER_SIZE, LOG_OVERHEAD
from pykafka_ops.disk.compression import DECOMPRESSED_LIMIT, codec_of, decompress
from pykafka_ops.disk.legacy import iter_message
from pykafka_ops.disk.record import Record
from pykafka_ops.errors import CorruptBatchError
from pykafka_ops.spark.decode.records import Columns, Plain, WantedRecords, decode
from pykafka_ops.spark.sources.log.scan import Bad, BatchRun, Message, Piece

MALFORMED = "malformed records"
_AT_ONCE = 1 << 20


def plains(run: BatchRun, keep: npt.NDArray[np.bool_]) -> Iterator[Plain | Bad]:
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
            yield Bad(place + run.begin, end - place, str(e))
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


def decoded(
    run: BatchRun, keep: npt.NDArray[np.bool_], wanted: WantedRecords
) -> Iterator[tuple[Plain, Columns] | Bad]:
    """The wanted records of the batches that ``keep`` names, and what cannot be read of them."""
    for plain in plains(run, keep):
        if isinstance(plain, Bad):
            yield plain
            continue
        found = decode(plain, wanted)
        for head in plain.heads[found.bad]:
            at = int((run.heads["base_offset"] == head["base_offset"]).argmax())
            yield Bad(int(run.positions[at]), int(head["length"]) + LOG_OVERHEAD, MALFORMED)
        yield plain, found


def message_rows(message: Message, wanted: WantedRecords) -> list[dict[str, object]]:
    """The wanted records of a message v0 or v1, by columns; CorruptBatchError as Kafka's."""
    kind = int(message.header.timestamp_type)
    return [
        {
            "key": record.key,
            "value": record.value,
            "key_size": None if record.key is None else len(record.key),
            "value_size": None if record.value is None else len(record.value),
            "offset": record.offset,
            "timestamp": record.timestamp,
            "timestampType": kind,
        }
        for record in messages(message)
        if wanted.low <= record.offset < wanted.high
    ]


def first_record(piece: Piece, low: int = 0, since: int = -(2**63)) -> tuple[int, int] | None:
    """(offset, ms) of the first record from offset ``low`` and time ``since`` (ms) on; None where
    there is none. Control records are none."""
    if isinstance(piece, Bad):
        return None
    if isinstance(piece, Message):
        try:
            found = messages(piece)
        except CorruptBatchError:
            return None
        places = ((r.offset, r.timestamp) for r in found)
        return next(((o, t) for o, t in places if o >= low and t >= since), None)
    heads = piece.heads
    last = heads["base_offset"] + heads["last_delta"]
    wanted = WantedRecords(low=low, keys=False, values=False)
    for n in np.flatnonzero((last >= low) & ((heads["attributes"] & CONTROL_FLAG) == 0)):
        for made in decoded(piece, np.arange(len(heads)) == n, wanted):
            if not isinstance(made, Bad):
                columns = made[1]
                for at in np.flatnonzero(columns.timestamps >= since)[:1]:
                    return int(columns.offsets[at]), int(columns.timestamps[at])
    return None
