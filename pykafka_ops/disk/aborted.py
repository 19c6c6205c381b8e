"""Which batches of a log belong to transactions that were aborted.

Source: ``CompletedFetch`` of Kafka's consumer.
"""

from __future__ import annotations

from collections.abc import Iterable

from pykafka_ops.disk.batch import BatchHeader
from pykafka_ops.disk.checksum import Buffer
from pykafka_ops.disk.control import ControlType, control_type_id
from pykafka_ops.disk.record import iter_records


class AbortedBatches:
    """Asked for the batches v2 of a log, one after the other.

    ``transactions``: producer id and first offset, as a read_committed answer has them; None:
    nothing is left out. ``limit``: bytes that a marker's batch may have when inflated.
    """

    def __init__(self, transactions: Iterable[tuple[int, int]] | None, limit: int) -> None:
        self._waiting = sorted(transactions or (), key=lambda one: one[1])
        self._dropped: set[int] = set()
        self._limit = limit

    def drops(self, part: Buffer, header: BatchHeader) -> bool:
        """Whether this batch, the next of the log, is to be left out; markers always are.

        Raises CorruptBatchError for a marker that is none.
        """
        while self._waiting and self._waiting[0][1] <= header.last_offset:
            self._dropped.add(self._waiting.pop(0)[0])
        if header.is_control:
            if header.producer_id in self._dropped and is_abort(part, header, self._limit):
                self._dropped.discard(header.producer_id)
            return True
        return header.is_transactional and header.producer_id in self._dropped


def is_abort(part: Buffer, header: BatchHeader, limit: int) -> bool:
    """Whether a control batch is the marker of an aborted transaction. CorruptBatchError."""
    marker = next(iter_records(part, 0, header, limit), None)
    return marker is not None and control_type_id(marker.key) == ControlType.ABORT
