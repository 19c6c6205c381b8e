"""How the transactions of a log end, found in stretches that may be read apart.

Each stretch says, by producer, what its first and its last transaction lack; put together in the
order of the log, they say which transactions were aborted, and which are still open.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from pykafka_ops.audit.directories import heads
from pykafka_ops.disk.aborted import is_abort
from pykafka_ops.disk.compression import DECOMPRESSED_LIMIT


class AbortedTransaction(NamedTuple):
    """Producer id, offsets of the first batch and of the marker."""

    producer: int
    first: int
    marker: int


@dataclass(slots=True)
class ProducerStretch:
    """A producer in a stretch of a log.

    ``first``: offset of its first batch before any marker of its own (-1: the marker comes first);
    ``marker``: that of its first marker (-1: none), and whether it aborts; ``aborted``:
    transactions that began behind it and were aborted; ``open``: offset of the first batch behind
    the last marker (-1: none).
    """

    first: int = -1
    marker: int = -1
    aborts: bool = False
    aborted: list[AbortedTransaction] = field(default_factory=list)
    open: int = -1


Found = Mapping[int, ProducerStretch]
"""By producer id."""


class TransactionScan:
    """Looks at the batches of offsets from ``first`` up to before ``stop``."""

    def __init__(self, first: int, stop: int) -> None:
        self.first, self.stop = first, stop
        self.found: dict[int, ProducerStretch] = {}

    def take(self, data: bytes) -> bool:
        """Whole batches, the next of the log; whether more may count. Raises CorruptError."""
        for place, size, header in heads(data):
            if header is None:
                continue
            if header.base_offset >= self.stop:
                return False
            if header.is_transactional and header.base_offset >= self.first:
                part = data[place : place + size]
                aborts = header.is_control and is_abort(part, header, DECOMPRESSED_LIMIT)
                self._add(header.producer_id, header.base_offset, header.is_control, aborts)
        return True

    def _add(self, producer: int, offset: int, marker: bool, aborts: bool) -> None:
        one = self.found.setdefault(producer, ProducerStretch())
        if marker and one.marker < 0:
            one.marker, one.aborts = offset, aborts
        elif marker:
            if one.open >= 0 and aborts:
                one.aborted.append(AbortedTransaction(producer, one.open, offset))
            one.open = -1
        elif one.marker < 0:
            one.first = offset if one.first < 0 else one.first
        else:
            one.open = offset if one.open < 0 else one.open


def transaction_ends(stretches: Iterable[Found], stop: int) -> tuple[list[AbortedTransaction], int]:
    """The aborted transactions of stretches that follow each other, none open before the first;
    and from which offset on, ``stop`` at most, transactions are open."""
    waiting: dict[int, int] = {}
    ended: list[AbortedTransaction] = []
    for found in stretches:
        for producer, one in found.items():
            first = waiting.pop(producer, one.first)
            if one.marker < 0:
                waiting[producer] = first
                continue
            if first >= 0 and one.aborts:
                ended.append(AbortedTransaction(producer, first, one.marker))
            ended += one.aborted
            if one.open >= 0:
                waiting[producer] = one.open
    return ended, min(waiting.values(), default=stop)
