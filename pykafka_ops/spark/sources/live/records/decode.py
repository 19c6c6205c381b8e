"""Fetched batches as Arrow columns of records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
from pyspark.sql.types import StructType

from pykafka_ops.disk.batch import (
    CONTROL_FLAG,
    HEADER_SIZE,
    LOG_APPEND_TIME_FLAG,
    LOG_OVERHEAD,
    TRANSACTIONAL_FLAG,
    BatchHeader,
)
from pykafka_ops.disk.checksum import crc32c
from pykafka_ops.disk.legacy import iter_message, scan_messages
from pykafka_ops.disk.record import Record, payload
from pykafka_ops.errors import CorruptBatchError
from pykafka_ops.spark import schemas
from pykafka_ops.spark.decode.frames import BatchFrames, frames, length_and_magic
from pykafka_ops.spark.decode.records import Plain, WantedRecords, decode, header_column
from pykafka_ops.spark.sources.live.records.fetch import FetchedPage
from pykafka_ops.spark.sources.live.records.offsets import OffsetRange

LIMIT: Final = 256 << 20
"""Bytes that one batch may take decompressed."""
_CRC_START: Final = 21
_ROOM: Final = 64 << 20
"""Plain bytes that become one record batch, at most."""


class DecodedPage(NamedTuple):
    """Record batches of a page, and the offset behind its last whole batch."""

    batches: list[pa.RecordBatch]
    next_offset: int


class Decoder:
    """Makes record batches of ``schema`` from the pages of one span, in order."""

    def __init__(
        self, schema: StructType, span: OffsetRange, *, committed: bool, crc: bool = True
    ) -> None:
        self._schema = schemas.arrow(schema)
        self._span, self._committed, self._crc = span, committed, crc
        names = self._schema.names
        self._wanted = WantedRecords(span.start, span.end, "key" in names, "value" in names)
        self._left: list[tuple[int, int]] = []
        self._aborting: set[int] = set()

    def decode(self, page: FetchedPage) -> DecodedPage:
        """What is wanted of the page; CorruptBatchError names the batch that cannot be read."""
        if len(page.data) > HEADER_SIZE - 1 and length_and_magic(page.data)[1] < 2:
            return self._old(page.data)
        found = _whole(page.data)
        if not len(found.heads):
            raise _corrupt(self._span, None, "no whole batch in what its leader gave")
        keep = self._kept(found.heads, page.aborted)
        if self._crc:
            self._check(page.data, found, keep)
        batches = [
            made
            for part in _parts(found, keep)
            if (made := self._columns(page.data, found, part)).num_rows
        ]
        last = found.heads[-1]
        return DecodedPage(batches, int(last["base_offset"]) + int(last["last_delta"]) + 1)

    def _kept(self, found: Any, aborted: Sequence[tuple[int, int]]) -> list[int]:
        """The numbers of the batches that hold wanted records."""
        flags = found["attributes"]
        last = found["base_offset"] + found["last_delta"]
        keep = (last >= self._span.start) & (found["base_offset"] < self._span.end)
        keep &= (flags & CONTROL_FLAG) == 0
        if self._committed and (aborted or self._aborting):
            self._left = sorted(aborted, key=lambda a: a[1])
            for n in np.flatnonzero(flags & TRANSACTIONAL_FLAG):
                if self._is_aborted(found[n]):
                    keep[n] = False
        kept: list[int] = np.flatnonzero(keep).tolist()
        return kept

    def _check(self, data: bytes, found: BatchFrames, keep: list[int]) -> None:
        """The CRC of each, as consumers do with ``check.crcs``."""
        places = found.places.tolist()
        ends = (found.places + found.heads["length"] + LOG_OVERHEAD).tolist()
        stored = found.heads["crc"].tolist()
        for n in keep:
            if crc32c(data[places[n] + _CRC_START : ends[n]]) != stored[n]:
                raise _corrupt(self._span, found.heads[n], "its CRC is wrong")

    def _is_aborted(self, head: Any) -> bool:
        """Whether a transactional batch belongs to an aborted transaction (CompletedFetch)."""
        producer = int(head["producer_id"])
        last = int(head["base_offset"]) + int(head["last_delta"])
        while self._left and self._left[0][1] <= last:
            self._aborting.add(self._left.pop(0)[0])
        if head["attributes"] & CONTROL_FLAG:
            self._aborting.discard(producer)
            return False
        return producer in self._aborting

    def _columns(self, data: bytes, found: BatchFrames, part: list[int]) -> pa.RecordBatch:
        plain = plain_of(data, found, part)
        made = decode(plain, self._wanted)
        if made.bad:
            raise _corrupt(self._span, plain.heads[made.bad[0]])
        stamped = (plain.heads["attributes"] & LOG_APPEND_TIME_FLAG != 0).astype(np.int32)
        known: dict[str, Any] = {
            "key": lambda: made.keys,
            "value": lambda: made.values,
            "offset": lambda: pa.array(made.offsets),
            "timestamp": lambda: _timestamps(made.timestamps),
            "timestampType": lambda: pa.array(stamped[made.owners]),
            "headers": lambda: header_column(
                plain.data, made.headers.tolist(), self._schema.field("headers").type
            ),
            "key_size": lambda: _sizes(made.key_sizes),
            "value_size": lambda: _sizes(made.value_sizes),
        }
        return self._batch(known, len(made.offsets))

    def _batch(self, known: dict[str, Any], count: int) -> pa.RecordBatch:
        """The columns asked for; topic and partition are the same in all rows."""
        same = {"topic": self._span.topic, "partition": self._span.partition}
        arrays = [
            pa.repeat(pa.scalar(same[f.name], f.type), count) if f.name in same else known[f.name]()
            for f in self._schema
        ]
        if not arrays:
            rows = pa.StructArray.from_arrays([], names=[], mask=pa.array([False] * count))
            return pa.RecordBatch.from_struct_array(rows)
        return pa.RecordBatch.from_arrays(arrays, schema=self._schema)

    def _old(self, data: bytes) -> DecodedPage:
        """Messages v0 and v1, up to the first batch of the present format."""
        rows: list[tuple[Record, int]] = []
        next_offset = -1
        view = memoryview(data)
        try:
            for position, header in scan_messages(view):
                if header.magic > 1:
                    break
                kind = int(header.timestamp_type)
                rows += [
                    (record, kind)
                    for record in iter_message(view, position, header, LIMIT)
                    if self._span.start <= record.offset < self._span.end
                ]
                next_offset = header.offset + 1
        except CorruptBatchError as error:
            if next_offset < 0:
                raise _corrupt(self._span, None, str(error)) from None
        return DecodedPage([self._rows(rows)] if rows else [], next_offset)

    def _rows(self, rows: list[tuple[Record, int]]) -> pa.RecordBatch:
        records = [record for record, _ in rows]
        times = np.array([r.timestamp for r in records], np.int64)
        known: dict[str, Any] = {
            "key": lambda: pa.array([r.key for r in records], pa.binary()),
            "value": lambda: pa.array([r.value for r in records], pa.binary()),
            "offset": lambda: pa.array([r.offset for r in records], pa.int64()),
            "timestamp": lambda: _timestamps(times),
            "timestampType": lambda: pa.array([kind for _, kind in rows], pa.int32()),
            "headers": lambda: pa.nulls(len(rows), self._schema.field("headers").type),
            "key_size": lambda: _lengths([r.key for r in records]),
            "value_size": lambda: _lengths([r.value for r in records]),
        }
        return self._batch(known, len(rows))


def _lengths(found: Sequence[bytes | None]) -> pa.Array:
    return pa.array([None if v is None else len(v) for v in found], pa.int32())


def _sizes(sizes: Any) -> pa.Array:
    return pa.array(sizes, mask=sizes < 0)


def _timestamps(times: Any) -> pa.Array:
    """ms since 1970 as Spark's moments, -1 (no time) as one ms before 1970, as its own source."""
    largest = (2**63 - 1) // 1000
    micros = np.clip(times, -largest, largest) * 1000
    return pa.array(micros).cast(pa.timestamp("us", "UTC"))


def _whole(data: bytes) -> BatchFrames:
    """All whole batches of the present format at the start of ``data``."""
    return frames(data, whole=True, most=len(data) // HEADER_SIZE + 1)


def _parts(found: BatchFrames, keep: list[int]) -> Iterator[list[int]]:
    """Batches to decode together, by their size in the log."""
    part: list[int] = []
    room = _ROOM
    for n in keep:
        size = int(found.heads[n]["length"])
        if part and size > room:
            yield part
            part, room = [], _ROOM
        part.append(n)
        room -= size
    if part:
        yield part


def plain_of(data: bytes, found: BatchFrames, part: list[int]) -> Plain:
    """The records of some batches, decompressed; CorruptBatchError where that fails."""
    chosen, places = found.heads[part], found.places[part]
    if not (chosen["attributes"] & 7).any():
        return Plain(data, places + HEADER_SIZE, places + chosen["length"] + LOG_OVERHEAD, chosen)
    pieces = [
        payload(data, int(place), BatchHeader._make(head.tolist()), LIMIT)
        for place, head in zip(places, chosen, strict=True)
    ]
    ends = np.cumsum([len(piece) for piece in pieces], dtype=np.int64)
    begins = np.concatenate([np.zeros(1, np.int64), ends[:-1]])
    return Plain(b"".join(pieces), begins, ends, chosen)


def _corrupt(
    span: OffsetRange, head: Any, why: str = "its records are malformed"
) -> CorruptBatchError:
    at = f"the batch at offset {int(head['base_offset'])}" if head is not None else "a message"
    return CorruptBatchError(f"partition {span.topic}-{span.partition}: {at} is corrupt: {why}")
