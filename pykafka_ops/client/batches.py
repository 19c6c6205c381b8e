"""What a leader's answer holds: batch by batch, of all formats, with what became of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Final, Literal, NamedTuple

from pykafka_ops.disk.aborted import AbortedBatches
from pykafka_ops.disk.batch import next_batch_size, read_header
from pykafka_ops.disk.compression import DECOMPRESSED_LIMIT
from pykafka_ops.disk.legacy import iter_message, read_message_header
from pykafka_ops.disk.record import Record, iter_records
from pykafka_ops.errors import CorruptBatchError

BatchState = Literal["committed", "aborted", "open", "control"]
"""``open``: of a transaction whose end is not known here; ``control``: it marks such an end."""
_MAGIC_AT: Final = 16


class LogBatch(NamedTuple):
    """A whole batch: its offsets, its bytes; ``records`` raises CorruptBatchError."""

    base_offset: int
    next_offset: int
    size: int
    state: BatchState
    records: Iterator[Record]


def batches_of(
    data: memoryview, aborted: Sequence[tuple[int, int]] | None = ()
) -> Iterator[LogBatch]:
    """The whole batches in ``data``.

    ``aborted``: producer id and first offset of transactions, as a read_committed answer has them;
    None: the answer was not of that kind, and transactions are open. Raises CorruptBatchError
    where a length or a format cannot be.
    """
    drop = AbortedBatches(aborted, DECOMPRESSED_LIMIT)
    position = 0
    while (size := next_batch_size(data, position)) is not None:
        part = data[position : position + size]
        position += size
        if part[_MAGIC_AT] < 2:
            message = read_message_header(part)
            records = iter_message(part, 0, message, DECOMPRESSED_LIMIT)
            yield LogBatch(message.offset, message.offset + 1, size, "committed", records)
            continue
        header = read_header(part)
        records = iter_records(part, 0, header, DECOMPRESSED_LIMIT)
        state: BatchState = "committed"
        if header.is_control:
            state = "control"
            with suppress(CorruptBatchError):  # what it should have ended stays as it is
                drop.drops(part, header)
        elif header.is_transactional:
            if aborted is None:
                state = "open"
            elif drop.drops(part, header):
                state = "aborted"
        yield LogBatch(header.base_offset, header.next_offset, size, state, records)
