"""How far a search is in a partition: forwards, or backwards in stretches that are read forwards.

Pure: offsets to ask for come out, batches go in. Whatever ends a search, ``left`` is exactly what
was not shown yet.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import Final

from pykafka_ops.client.batches import LogBatch
from pykafka_ops.disk.record import Record
from pykafka_ops.errors import CorruptError
from pykafka_ops.monitor.messages.budget import Budget
from pykafka_ops.monitor.messages.cursor import OffsetStretch
from pykafka_ops.monitor.messages.shown import ShownRecord

MOST_FAULTS: Final = 20
STRETCH_BYTES: Final = 1 << 20
"""What a stretch read backwards is meant to hold."""
WIDEST: Final = 1 << 40
Judge = Callable[[int, Record, str], ShownRecord | None]
"""What is shown of a record of a partition and its state; None: it is not wanted."""


class Lane:
    """One partition. ``low`` and ``high`` bound what is wanted: [low, high)."""

    def __init__(self, partition: int, low: int, high: int, most: int) -> None:
        self.partition, self.low, self.high = partition, low, max(low, high)
        self.most = most
        self.found: deque[ShownRecord] = deque()
        self.error = ""
        self.faults: list[str] = []
        """Batches that cannot be read: which, and why."""
        self.crowded = False
        """The leader had no room for it in an answer: it is asked alone next."""

    def ask(self) -> int | None:
        """The offset to read at now; None where there is nothing to read, or enough was found."""
        raise NotImplementedError

    def take(self, batches: Iterator[LogBatch], judge: Judge, budget: Budget) -> None:
        """The batches from the offset asked for on."""
        raise NotImplementedError

    def left(self) -> OffsetStretch | None:
        """What was not shown yet; None where that is nothing."""
        raise NotImplementedError

    def begins(self, offset: int) -> None:
        """The log begins later now."""
        raise NotImplementedError

    def records(self, batch: LogBatch) -> Iterator[Record]:
        """Of a batch; one that is damaged is named and passed over."""
        try:
            yield from batch.records
        except CorruptError as error:
            where = f"offsets {batch.base_offset} to {batch.next_offset - 1}"
            fault = f"{where} cannot be read: {error}"
            if len(self.faults) < MOST_FAULTS and fault not in self.faults:
                self.faults.append(fault)


class ForwardLane(Lane):
    """The oldest first."""

    def __init__(self, partition: int, low: int, high: int, most: int) -> None:
        super().__init__(partition, low, high, most)
        self.at = low

    def ask(self) -> int | None:
        """Where reading goes on."""
        return None if self.found or self.error or self.at >= self.high else self.at

    def take(self, batches: Iterator[LogBatch], judge: Judge, budget: Budget) -> None:
        """Judge records until enough are found, the end is there or the budget is spent."""
        moved = False
        for batch in batches:
            if batch.next_offset <= self.at:
                continue
            moved = True
            budget.read_bytes += batch.size
            if not self._judge(batch, judge, budget):
                return
            self.at = max(self.at, batch.next_offset)
            if self.at >= self.high:
                return
        if not moved:
            self.at = self.high  # the leader has nothing more there

    def _judge(self, batch: LogBatch, judge: Judge, budget: Budget) -> bool:
        """False where enough was found or the budget ended it."""
        for record in self.records(batch):
            if record.offset < self.at:
                continue
            if record.offset >= self.high:
                return True
            if budget.records and budget.spent():  # no page without a step
                return False
            budget.records += 1
            shown = judge(self.partition, record, batch.state)
            self.at = record.offset + 1
            if shown is not None:
                budget.kept_bytes += shown.weight
                self.found.append(shown)
                if len(self.found) >= self.most:
                    return False
        return True

    def begins(self, offset: int) -> None:
        """Reading goes on there."""
        self.at = max(self.at, min(offset, self.high))

    def left(self) -> OffsetStretch | None:
        """From the first record that was found and not shown on."""
        at = self.found[0].offset if self.found else self.at
        return OffsetStretch(at, self.high) if at < self.high else None


class BackwardLane(Lane):
    """The newest first: stretches of offsets, each behind the other, read to their ends."""

    def __init__(self, partition: int, low: int, high: int, most: int) -> None:
        super().__init__(partition, low, high, most)
        self.upper = self.high
        """Everything from here on was read."""
        self._at = self._from = -1
        self._width = 0
        self._bytes = 0
        self._pending: deque[ShownRecord] = deque()

    def ask(self) -> int | None:
        """Where reading of the stretch goes on."""
        if self.found or self.error or self.upper <= self.low:
            return None
        if self._at < 0:
            self._from = self._at = max(self.low, self.upper - max(1, self._width))
            self._bytes = 0
            self._pending.clear()
        return self._at

    def take(self, batches: Iterator[LogBatch], judge: Judge, budget: Budget) -> None:
        """Judge records up to the end of the stretch; if the budget ends first, it is read anew."""
        moved = False
        for batch in batches:
            if batch.next_offset <= self._at:
                continue
            if batch.base_offset >= self.upper:
                break
            moved = True
            self._bytes += batch.size
            budget.read_bytes += batch.size
            if not self._width:  # the first look takes all of the batch that it came by
                self._from = max(self.low, min(self._from, batch.base_offset))
            if not self._judge(batch, judge, budget):
                return
            self._at = max(self._at, batch.next_offset)
            if self._at >= self.upper:
                break
        if not moved or self._at >= self.upper:
            self._ended()

    def _judge(self, batch: LogBatch, judge: Judge, budget: Budget) -> bool:
        """False where the budget ended it."""
        for record in self.records(batch):
            if not self._from <= record.offset < self.upper:
                continue
            if self._width and budget.spent():
                return False
            budget.records += 1
            shown = judge(self.partition, record, batch.state)
            if shown is not None:
                budget.kept_bytes += shown.weight
                self._pending.append(shown)
                if len(self._pending) > self.most:
                    budget.kept_bytes -= self._pending.popleft().weight
                    self._from = self._pending[0].offset
        return True

    def _ended(self) -> None:
        """The stretch was read: what is found stands, the next is as wide as its bytes allow."""
        span = self.upper - self._from
        self.found = deque(reversed(self._pending))
        self.upper, self._at = self._from, -1
        if self._bytes:
            self._width = max(1, STRETCH_BYTES * span // max(1, self._bytes))
            if self.found:  # no wider than what is wanted, as long as it is found as often
                self._width = min(self._width, 2 * self.most * span // len(self.found) + 1)
        else:
            self._width = max(1, min(WIDEST, span * 8))
        self._pending = deque()

    def begins(self, offset: int) -> None:
        """The stretch is read anew from there."""
        self.low = max(self.low, min(offset, self.upper))
        self._at = -1

    def left(self) -> OffsetStretch | None:
        """Up to the first record that was found and not shown."""
        high = self.found[0].offset + 1 if self.found else self.upper
        return OffsetStretch(self.low, high) if self.low < high else None
