"""Which batches belong to aborted transactions, which markers have nothing left to mark
(``CleanedTransactionMetadata``)."""

from __future__ import annotations

import heapq
from collections.abc import Iterable

from pykafka_ops.disk import control
from pykafka_ops.disk.batch import BatchHeader
from pykafka_ops.disk.record import iter_records
from pykafka_ops.disk.txn_index import AbortedTxn

_MARKER_LIMIT = 1 << 20


class CleanedTransactions:
    """Follows the batches of a pass in order. ``index`` takes the aborted transactions of which
    data is left, for the cleaned segment's ``.txnindex``."""

    def __init__(self) -> None:
        self.index: list[AbortedTxn] = []
        self._waiting: list[tuple[int, AbortedTxn]] = []
        self._aborted: dict[int, AbortedTxn] = {}
        self._with_data: set[int] = set()
        self._committed: set[int] = set()

    def add(self, aborted: Iterable[AbortedTxn]) -> None:
        """Aborted transactions that touch what comes next; one may come several times."""
        for txn in aborted:
            heapq.heappush(self._waiting, (txn.first_offset, txn))

    def _begin_up_to(self, offset: int) -> None:
        while self._waiting and self._waiting[0][0] <= offset:
            _, txn = heapq.heappop(self._waiting)
            self._aborted.setdefault(txn.producer_id, txn)

    def on_batch(self, header: BatchHeader) -> bool:
        """A data batch; whether it was aborted, so that it can go."""
        if self._waiting:
            self._begin_up_to(header.last_offset)
        if not header.is_transactional:
            return False
        if header.producer_id in self._aborted:
            self._with_data.add(header.producer_id)
            return True
        self._committed.add(header.producer_id)
        return False

    def on_marker(self, data: memoryview, header: BatchHeader) -> bool:
        """A control batch; whether nothing of its transaction is left."""
        self._begin_up_to(header.last_offset)
        kind = _kind(data, header)
        if kind is None:
            return True  # emptied by an earlier pass
        producer_id = header.producer_id
        if kind == control.ControlType.ABORT:
            txn = self._aborted.pop(producer_id, None)
            if txn is None or producer_id not in self._with_data:
                return True
            self._with_data.discard(producer_id)
            self.index.append(txn)
            return False
        if kind == control.ControlType.COMMIT:
            found = producer_id in self._committed
            self._committed.discard(producer_id)
            return not found
        return False


def _kind(data: memoryview, header: BatchHeader) -> int | None:
    """The type of a control batch's record; None if the batch is empty."""
    for record in iter_records(data, 0, header, _MARKER_LIMIT):
        return control.control_type_id(record.key)
    return None
