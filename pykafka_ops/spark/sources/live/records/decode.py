"""Fetched batches as Arrow columns of records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from pykafka_ops.disk.batch import CONTROL_FLAG, TRANSACTIONAL_FLAG
from pykafka_ops.disk.legacy import scan_messages
from pykafka_ops.errors import CorruptBatchError
from pykafka_ops.spark.decode.frames import frames, length_and_magic
from pykafka_ops.spark.decode.records import WantedRecords
from pykafka_ops.spark.sources.live.records.fetch import FetchedPage
from pykafka_ops.spark.sources.live.records.offsets import OffsetRange
from pykafka_ops.spark.sources.log.columns import plain_rows, record_rows
from pykafka_ops.spark.sources.log.pick import decoded, message_rows
from pykafka_ops.spark.sources.log.scan import Bad, BatchRun, Message, wrong_crcs
from pykafka_ops.spark.sources.pruning import NOTHING_PRUNED, Pruning


class DecodedPage(NamedTuple):
    """Record batches of a page, and the offset behind its last whole batch."""

    batches: list[pa.RecordBatch]
    next_offset: int


class Decoder:
    """Makes record batches of ``schema`` from the pages of one span, in order."""

    def __init__(
        self,
        schema: pa.Schema,
        span: OffsetRange,
        *,
        committed: bool,
        crc: bool = True,
        pruning: Pruning = NOTHING_PRUNED,
    ) -> None:
        self._schema, self._pruning = schema, pruning
        self._span, self._committed, self._crc = span, committed, crc
        names = self._schema.names
        self._wanted = WantedRecords(span.start, span.end, "key" in names, "value" in names)
        self._same = {"topic": span.topic, "partition": span.partition}
        self._left: list[tuple[int, int]] = []
        self._aborting: set[int] = set()

    def decode(self, page: FetchedPage, at: int = 0) -> DecodedPage:
        """What is wanted of the page, from offset ``at`` on: its first batch may begin with what
        DeleteRecords took. CorruptBatchError names the batch that cannot be read."""
        self._wanted = self._wanted._replace(low=max(self._wanted.low, at))
        if _is_old(page.data):
            return self._old(page.data)
        run = _run(page.data)
        if not len(run.heads):
            raise self._corrupt("a message", "no whole batch in what its leader gave")
        batches = [made for made in self._columns(run, page.aborted) if made.num_rows]
        return DecodedPage(batches, run.last_offset + 1)

    def _columns(
        self, run: BatchRun, aborted: Sequence[tuple[int, int]]
    ) -> Iterator[pa.RecordBatch]:
        keep = self._kept(run.heads, aborted)
        if self._crc:  # as consumers do with check.crcs
            for n in wrong_crcs(run, np.flatnonzero(keep).tolist()):
                raise self._corrupt_batch(run.heads[n], "its CRC is wrong")
        for made in decoded(run, keep, self._wanted):
            if isinstance(made, Bad):
                head = run.heads[run.positions == made.position][0]
                raise self._corrupt_batch(head, made.reason)
            yield record_rows(self._schema, self._same, *made)

    def _kept(self, found: Any, aborted: Sequence[tuple[int, int]]) -> npt.NDArray[np.bool_]:
        """Which batches hold wanted records."""
        flags = found["attributes"]
        last = found["base_offset"] + found["last_delta"]
        keep: npt.NDArray[np.bool_] = last >= self._span.start
        keep &= (found["base_offset"] < self._span.end) & ((flags & CONTROL_FLAG) == 0)
        keep &= self._pruning.timely(found)
        if self._committed and (aborted or self._aborting):
            self._left = sorted(aborted, key=lambda a: a[1])
            for n in np.flatnonzero(flags & TRANSACTIONAL_FLAG):
                if self._is_aborted(found[n]):
                    keep[n] = False
        return keep

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

    def _old(self, data: bytes) -> DecodedPage:
        """Messages v0 and v1, up to the first batch of the present format."""
        rows: list[dict[str, object]] = []
        next_offset = -1
        try:
            for message in _messages(data):
                rows += message_rows(message, self._wanted)
                next_offset = message.last_offset + 1
        except CorruptBatchError as error:
            if next_offset < 0:
                raise self._corrupt("a message", str(error)) from None
        made = plain_rows(self._schema, self._same, rows, keep_missing=True)
        return DecodedPage([made] if rows else [], next_offset)

    def _corrupt_batch(self, head: Any, why: str) -> CorruptBatchError:
        return self._corrupt(f"the batch at offset {int(head['base_offset'])}", why)

    def _corrupt(self, what: str, why: str) -> CorruptBatchError:
        where = f"{self._span.topic}-{self._span.partition}"
        return CorruptBatchError(f"partition {where}: {what} is corrupt: {why}")


def pieces(data: bytes) -> Iterator[BatchRun | Message]:
    """Fetched bytes as runs of batches and messages of old formats; whole ones only."""
    if not _is_old(data):
        run = _run(data)
        if len(run.heads):
            yield run
        return
    try:
        yield from _messages(data)
    except CorruptBatchError:  # another format begins: fetched again from there
        return


def _is_old(data: bytes) -> bool:
    return len(data) > 16 and length_and_magic(data)[1] < 2


def _run(data: bytes) -> BatchRun:
    """The whole batches of the present format at the start of ``data``."""
    found = frames(data, whole=True)
    return BatchRun(found.places.astype(np.int64), found.heads, data, 0)


def _messages(data: bytes) -> Iterator[Message]:
    """Messages v0 and v1 up to a batch of the present format; CorruptBatchError."""
    for position, header in scan_messages(memoryview(data)):
        if header.magic > 1:
            return
        yield Message(position, header, data[position : position + header.size])
