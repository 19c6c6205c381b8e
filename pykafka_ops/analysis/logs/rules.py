"""What must hold from batch to batch of a partition's log: producers, transactions, leader epochs.

Plain values in, texts out ("" where all is well). The rules are those by which a broker accepts
batches (``ProducerAppendInfo``, ``ProducerStateManager``, ``LeaderEpochFileCache``). Where the log
has a gap of offsets, compaction may have removed batches, so nothing is reported that these could
explain.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

MAX_SEQUENCE = 2**31 - 1
#: ``producer.id.expiration.ms``: a producer silent for that long may begin anywhere.
EXPIRATION_MS = 86_400_000


class Aborted(NamedTuple):
    """An aborted transaction; offsets inclusive, ``last_offset`` is its marker's.

    ``first_known``: its first batch was seen, so ``first_offset`` and ``last_stable_offset`` are
    right; ``gapless``: no offset is missing between its first batch and its marker.
    """

    producer_id: int
    first_offset: int
    last_offset: int
    last_stable_offset: int
    first_known: bool
    gapless: bool


class ProducerChecks:
    """What is known of one producer from the log so far; -1 stands for none.

    ``gaps``: how many gaps of offsets there were before its last batch (-1: it is not known);
    ``txn_gaps``: before the first batch of its open transaction.
    """

    __slots__ = ("epoch", "gaps", "last_offset", "last_sequence", "timestamp", "txn_first",
                 "txn_gaps")  # fmt: skip

    def __init__(self, epoch: int, gaps: int) -> None:
        self.epoch, self.gaps = epoch, gaps
        self.last_sequence = self.last_offset = self.timestamp = self.txn_first = -1
        self.txn_gaps = 0


class ProducerRules:
    """All producers of one partition, batch after batch; ``gaps`` counts gaps of offsets."""

    __slots__ = ("gaps", "states")

    def __init__(self) -> None:
        self.gaps = 0
        self.states: dict[int, ProducerChecks] = {}

    def batch(
        self,
        span: tuple[int, int],
        producer_id: int,
        epoch: int,
        sequences: tuple[int, int],
        timestamp: int,
        *,
        transactional: bool,
    ) -> str:
        """A data batch of a producer: its first and last offset, first and last sequence."""
        state = self.states.get(producer_id)
        reason = ""
        if state is None:
            state = self.states[producer_id] = ProducerChecks(epoch, self.gaps)
        elif sequences[0] >= 0:
            reason = self._refused(state, producer_id, epoch, sequences[0], timestamp)
        if state.epoch != epoch:
            state.epoch = epoch
        state.last_sequence, state.last_offset = sequences[1], span[1]
        state.timestamp, state.gaps = timestamp, self.gaps
        if transactional and state.txn_first < 0:
            state.txn_first, state.txn_gaps = span[0], self.gaps
        elif not transactional and state.txn_first >= 0 and state.txn_gaps == self.gaps:
            reason = reason or f"producer {producer_id} writes outside its open transaction"
        return reason

    def _refused(
        self, state: ProducerChecks, producer_id: int, epoch: int, first: int, timestamp: int
    ) -> str:
        """Why a broker would not have taken this batch (``ProducerAppendInfo.checkSequence``)."""
        if state.gaps != self.gaps or timestamp - state.timestamp >= EXPIRATION_MS:
            return ""
        if epoch < state.epoch:
            return f"producer {producer_id}: epoch {epoch} after {state.epoch}"
        if epoch > state.epoch:
            expected = 0
        elif state.last_sequence < 0 and state.last_offset >= 0:
            return ""  # a coordinator's batches have no sequences
        else:
            expected = state.last_sequence + 1 & MAX_SEQUENCE
        if first == expected:
            return ""
        return f"producer {producer_id}: sequence {first} where {expected} comes next"

    def marker(
        self, offset: int, producer_id: int, epoch: int, timestamp: int, *, aborted: bool
    ) -> tuple[str, Aborted | None]:
        """The end of a transaction: what is wrong with it, the transaction if it was aborted."""
        state = self.states.get(producer_id)
        if state is None:
            state = self.states[producer_id] = ProducerChecks(epoch, -1)
        reason = ""
        if epoch < state.epoch and state.gaps == self.gaps:
            reason = f"producer {producer_id}: marker of epoch {epoch} after {state.epoch}"
        found = self._aborted(offset, producer_id, state) if aborted else None
        if state.epoch != epoch:
            state.epoch, state.last_sequence, state.last_offset = epoch, -1, -1
        state.timestamp, state.txn_first = timestamp, -1
        if state.gaps != self.gaps:
            state.gaps = -1  # the batches before the marker may be gone: any sequence may follow
        return reason, found

    def _aborted(self, offset: int, producer_id: int, state: ProducerChecks) -> Aborted | None:
        first = state.txn_first
        others = [s.txn_first for p, s in self.states.items() if p != producer_id]
        stable = min([o for o in others if o >= 0], default=offset + 1)
        gapless = first >= 0 and state.txn_gaps == self.gaps
        return Aborted(producer_id, first, offset, stable, first >= 0, gapless)

    def snapshot_entry(
        self,
        offset: int,
        start: int,
        producer_id: int,
        stored: tuple[int, int, int, int],
    ) -> str:
        """Whether a snapshot taken at ``offset`` is right about a producer, as of now.

        ``stored``: its epoch, last sequence, last offset and first offset of its open transaction;
        ``start``: the first offset in the log.
        """
        epoch, sequence, last, txn_first = stored
        where = f"producer {producer_id}"
        if last >= offset:
            return f"{where}: last offset {last} is not before the snapshot's offset {offset}"
        if txn_first >= offset:
            return f"{where}: a transaction from offset {txn_first}, after the snapshot's {offset}"
        state = self.states.get(producer_id)
        if state is None:
            if last >= start and not self.gaps:
                return f"{where}: offset {last} is not of this producer in the log"
            return ""
        if last < state.last_offset:
            return f"{where}: last offset {last}, but the log has {state.last_offset}"
        if self.gaps or (last < start and state.last_offset < 0):
            return ""
        seen = (state.epoch, state.last_sequence, state.last_offset)
        if (epoch, sequence, last) != seen:
            return (
                f"{where}: epoch, last sequence and offset {epoch}, {sequence}, {last}, but the "
                f"log has {seen[0]}, {seen[1]}, {seen[2]}"
            )
        if state.txn_first >= 0 and txn_first > state.txn_first:
            return f"{where}: transaction from {txn_first}, but the log has {state.txn_first}"
        return ""


class EpochRules:
    """Leader epochs of one log held against its ``leader-epoch-checkpoint``.

    ``stored``: (epoch, first offset) of the file in order, None where there is none to trust.
    ``seen`` collects the same from the batches; ``current`` is the epoch of the last batch.
    """

    __slots__ = ("_starts", "current", "seen", "stored")

    def __init__(self, stored: Sequence[tuple[int, int]] | None) -> None:
        self.stored = stored
        self._starts = [start for _, start in stored or ()]
        self.seen: list[tuple[int, int]] = []
        self.current = -1

    def edge(self, offset: int) -> int:
        """The next offset at which the file has an entry, after ``offset``; 2**63 without one."""
        at = bisect_right(self._starts, offset)
        return self._starts[at] if at < len(self._starts) else 1 << 63

    def see(self, epoch: int, offset: int) -> tuple[str, str]:
        """A batch at ``offset``: what is wrong with it, what is wrong with the file.

        To be called where the epoch changes and at each ``edge``.
        """
        if epoch < 0:
            return "", ""
        if epoch < self.current:
            return f"leader epoch {epoch} after {self.current}", ""
        if epoch > self.current:
            self.seen.append((epoch, offset))
            self.current = epoch
        if self.stored is None:
            return "", ""
        at = bisect_right(self._starts, offset) - 1
        if at < 0:
            if self._starts and epoch <= self.stored[0][0]:
                return "", ""
            return "", f"epoch {epoch}, which the log has from offset {offset}, is missing"
        expected = self.stored[at][0]
        if epoch != expected:
            return "", f"epoch {expected} for offset {offset}, but the log has {epoch} there"
        return "", ""


def epoch_entries(seen: Sequence[tuple[int, int]], end: int) -> list[tuple[int, int]]:
    """The entries that a checkpoint of these epochs has, for a log that ends at ``end``."""
    return [(epoch, start) for epoch, start in seen if start < end]


def epochs_rise(stored: Sequence[tuple[int, int]]) -> str:
    """What is wrong with the order of a checkpoint's entries."""
    before = (-1, -1)
    for epoch, start in stored:
        if epoch <= before[0] or start <= before[1] or start < 0:
            return f"epoch {epoch} from offset {start} after epoch {before[0]} from {before[1]}"
        before = (epoch, start)
    return ""
