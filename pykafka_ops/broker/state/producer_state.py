"""What is remembered of one producer in a partition (`ProducerStateEntry`, `BatchMetadata`)."""

from __future__ import annotations

from bisect import insort
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import islice
from typing import NamedTuple

from pykafka_ops.broker.hot.heads import BatchNumbers, ProducerHead
from pykafka_ops.broker.hot.raw import MAX_SEQUENCE
from pykafka_ops.disk.snapshot import ProducerEntry

Txns = list[tuple[int, int]]
"""Transactions by their first offset: that, and the producer or the offset of the marker."""

NO_TXNS: Txns = []
"""All partitions without a transaction share it; nothing is ever added to it."""


class Origin(IntEnum):
    """Who appends; decides how much is checked (``AppendOrigin``)."""

    REPLICATION = 0
    COORDINATOR = 1
    CLIENT = 2
    CHECKED = 3
    """A client's batch that ``validate.prepare`` has passed."""


class CompletedTxn(NamedTuple):
    """A transaction its marker ended; ``last_offset`` is the marker's. ``last_stable_offset`` is
    where readers of committed data may go once it is replicated."""

    producer_id: int
    first_offset: int
    last_offset: int
    aborted: bool
    last_stable_offset: int


class BatchMetadata(NamedTuple):
    """What is remembered of an appended batch; ``timestamp`` is its largest (ms)."""

    last_sequence: int
    last_offset: int
    offset_delta: int
    timestamp: int

    @property
    def first_offset(self) -> int:
        """Offset of its first record."""
        return self.last_offset - self.offset_delta

    @property
    def first_sequence(self) -> int:
        """Sequence of its first record."""
        return (self.last_sequence - self.offset_delta) & MAX_SEQUENCE


def with_txn(txns: Txns, first_offset: int, other: int) -> Txns:
    """Those and one more."""
    if not txns:
        return [(first_offset, other)]
    insort(txns, (first_offset, other))
    return txns


class ProducerState(ProducerHead):
    """One producer; -1 means none. ``txn_first_offset`` is where its open transaction began,
    ``noted_offset`` the last that it had written when it was looked at whether it is idle."""

    __slots__ = ("coordinator_epoch", "noted_offset")

    def __init__(
        self,
        epoch: int = -1,
        coordinator_epoch: int = -1,
        last_timestamp: int = -1,
        txn_first_offset: int = -1,
        noted_offset: int = -1,
    ) -> None:
        self.epoch = epoch
        self.coordinator_epoch = coordinator_epoch
        self.last_timestamp = last_timestamp
        self.txn_first_offset = txn_first_offset
        self.noted_offset = noted_offset
        self.batches: list[BatchNumbers] = []

    @property
    def last_sequence(self) -> int:
        """Sequence of the last record, -1 without batches."""
        return self.batches[-1][0] if self.batches else -1

    @property
    def last_offset(self) -> int:
        """Offset of the last record, -1 without batches."""
        return self.batches[-1][1] if self.batches else -1

    def entry(self, producer_id: int) -> ProducerEntry:
        """As it stands in a snapshot: of the window only the last batch."""
        sequence, offset, delta, _ = self.batches[-1] if self.batches else (-1, -1, 0, -1)
        return ProducerEntry(
            producer_id,
            self.epoch,
            sequence,
            offset,
            delta,
            self.last_timestamp,
            self.coordinator_epoch,
            self.txn_first_offset,
        )


def forget_idle(states: dict[int, ProducerState], count: int) -> int:
    """Forget up to ``count`` without an open transaction; how many. The states stand in line: who
    wrote since he was put there goes to its end, another is forgotten."""
    gone = _forget_idle(states, count)
    # If all wrote since, they have had their second chance.
    return gone if gone == count else gone + _forget_idle(states, count - gone)


def _forget_idle(states: dict[int, ProducerState], count: int) -> int:
    idle: list[int] = []
    busy: list[int] = []
    for producer_id, state in states.items():
        if state.txn_first_offset >= 0 or state.last_offset > state.noted_offset:
            busy.append(producer_id)
            continue
        idle.append(producer_id)
        if len(idle) == count:
            break
    for producer_id in busy:
        state = states[producer_id] = states.pop(producer_id)
        state.noted_offset = state.last_offset
    for producer_id in idle:
        del states[producer_id]
    return len(idle)


@dataclass(slots=True, eq=False)
class PendingVerification:
    """A transaction waits for its coordinator to confirm this partition (KIP-890)."""

    timestamp: int
    lowest_sequence: int
    epoch: int
    guard: object = field(default_factory=object)

    def lower(self, sequence: int, epoch: int) -> None:
        """Remember the lowest sequence of the newest epoch, so that a later batch that is
        confirmed first cannot overtake it."""
        if epoch > self.epoch or (epoch == self.epoch and sequence < self.lowest_sequence):
            self.epoch = epoch
            self.lowest_sequence = sequence


class Verifications(dict[int, PendingVerification]):
    """Those of one partition by producer id, the oldest first."""

    __slots__ = ()

    def plus(self, producer_id: int, now: int, sequence: int, epoch: int) -> Verifications:
        """These with one more; for that, a partition gets some of its own."""
        mine = Verifications() if self is NO_VERIFICATIONS else self
        mine[producer_id] = PendingVerification(now, sequence, epoch)
        return mine

    def allow(self, producer_id: int, guard: object | None) -> bool:
        """Whether ``guard`` is what the producer was given to append with."""
        pending = self.get(producer_id)
        return pending is not None and pending.guard is guard

    def expire(self, before: int) -> int:
        """Forget those that nobody needed since ``before`` (ms); how many."""
        return self._forget([p for p, pending in self.items() if pending.timestamp <= before])

    def forget_oldest(self, count: int) -> int:
        """Forget up to ``count``, but not the newest, who is about to write; how many."""
        return self._forget(list(islice(self, min(count, len(self) - 1))))

    def _forget(self, producer_ids: list[int]) -> int:
        for producer_id in producer_ids:
            del self[producer_id]
        return len(producer_ids)


NO_VERIFICATIONS = Verifications()
"""Those of all partitions that never had any: most, and there may be many."""
