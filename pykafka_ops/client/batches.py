"""What a leader's answer holds: batch by batch, of all formats, with what became of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple

from pykafka_ops.disk.batch import next_batch_size, read_header
from pykafka_ops.disk.compression import DECOMPRESSED_LIMIT
from pykafka_ops.disk.control import ControlType, control_type_id
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
    waiting = sorted(aborted or (), key=lambda one: one[1])
    dropped: set[int] = set()
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
        while waiting and waiting[0][1] <= header.last_offset:
            dropped.add(waiting.pop(0)[0])
        records = iter_records(part, 0, header, DECOMPRESSED_LIMIT)
        state: BatchState = "committed"
        if header.is_control:
            state = "control"
            if header.producer_id in dropped and _is_abort(part):
                dropped.discard(header.producer_id)
        elif header.is_transactional:
            if aborted is None:
                state = "open"
            elif header.producer_id in dropped:
                state = "aborted"
        yield LogBatch(header.base_offset, header.next_offset, size, state, records)


def _is_abort(part: memoryview) -> bool:
    try:
        marker = next(iter_records(part, 0, read_header(part), DECOMPRESSED_LIMIT), None)
        return marker is not None and control_type_id(marker.key) == ControlType.ABORT
    except CorruptBatchError:
        return False
