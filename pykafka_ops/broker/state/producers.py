"""Idempotent and transactional producers of one partition: sequences, fencing, open transactions.

The rules of ``ProducerStateManager``, ``ProducerStateEntry`` and ``ProducerAppendInfo`` (KIP-98,
KIP-890 part 1). Pure: snapshots on disk belong to the log. A batch is first checked, then
written, then added; nothing changes before :meth:`Producers.add_batch` and ``add_marker``.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator

from pykafka_ops.broker.hot.heads import ProducersHead
from pykafka_ops.broker.hot.raw import MAX_SEQUENCE, WINDOW
from pykafka_ops.broker.state.producer_room import ProducerRoom
from pykafka_ops.broker.state.producer_state import (
    NO_TXNS,
    NO_VERIFICATIONS,
    BatchMetadata,
    CompletedTxn,
    Origin,
    ProducerState,
    Verifications,
    forget_idle,
    with_txn,
)
from pykafka_ops.disk.snapshot import ProducerEntry
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode

__all__ = ["BatchMetadata", "CompletedTxn", "Origin", "ProducerState", "Producers"]


class Producers(ProducersHead):
    """All producers seen in one partition. ``partition`` ("topic-0") is for error texts;
    ``verify`` asks that transactions be confirmed by their coordinator before the first batch.
    ``room`` is what all partitions share; without one as many are remembered as come."""

    __slots__ = (
        "_ongoing",
        "_room",
        "_unreplicated",
        "partition",
        "verify",
    )

    states: dict[int, ProducerState]
    verifications: Verifications

    def __init__(
        self, partition: str, *, verify: bool = False, room: ProducerRoom | None = None
    ) -> None:
        self._room = room or ProducerRoom()
        self.partition = partition
        self.verify = verify
        self.end_offset = 0
        self.states = {}
        self._ongoing = NO_TXNS
        self._unreplicated = NO_TXNS
        self.verifications = NO_VERIFICATIONS

    # -- looking ---------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.states)

    def __iter__(self) -> Iterator[tuple[int, ProducerState]]:
        return iter(self.states.items())

    def get(self, producer_id: int) -> ProducerState | None:
        """What is known of a producer."""
        return self.states.get(producer_id)

    @property
    def remembered(self) -> int:
        """How many producers, and transactions to be confirmed, take memory."""
        return len(self.states) + len(self.verifications)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is known and no finished transaction waits for replication."""
        return not self.states and not self._unreplicated

    @property
    def first_unstable_offset(self) -> int:
        """First offset of the oldest transaction that is open, or ended by a marker above the
        high watermark; -1 if there is none."""
        ongoing, unreplicated = self._ongoing, self._unreplicated
        if ongoing and unreplicated:
            return min(ongoing[0][0], unreplicated[0][0])
        if ongoing:
            return ongoing[0][0]
        return unreplicated[0][0] if unreplicated else -1

    @property
    def first_undecided_offset(self) -> int:
        """First offset of the oldest open transaction, or -1."""
        return self._ongoing[0][0] if self._ongoing else -1

    def last_sign_of_oldest(self) -> int:
        """When the producer of the oldest open transaction last wrote here (ms); -1: none is."""
        return self.states[self._ongoing[0][1]].last_timestamp if self._ongoing else -1

    def has_ongoing(self, producer_id: int) -> bool:
        """Whether the producer has an open transaction here."""
        state = self.states.get(producer_id)
        return state is not None and state.txn_first_offset >= 0

    # -- verification of transactions --------------------------------------------------------------

    def start_verification(
        self, producer_id: int, sequence: int, epoch: int, now: int
    ) -> object | None:
        """The guard to append with once the coordinator has confirmed; None if no need.

        Raises KafkaError NOT_ENOUGH_REPLICAS, with which clients try again, where the memory is
        full of open transactions.
        """
        if not self.verify or self.has_ongoing(producer_id):
            return None
        if producer_id not in self.verifications:
            self._require_room()
            self.verifications = self.verifications.plus(producer_id, now, sequence, epoch)
            self._room.enter(self)
        pending = self.verifications[producer_id]
        pending.lower(sequence, epoch)
        return pending.guard

    def _require_room(self) -> None:
        if not self._room.make(self):
            raise KafkaError(
                ErrorCode.NOT_ENOUGH_REPLICAS,
                f"No memory for one more transaction in partition {self.partition}",
            )

    # -- checking ----------------------------------------------------------------------------------

    def find_duplicate(
        self, producer_id: int, epoch: int, base_sequence: int, last_sequence: int
    ) -> BatchMetadata | None:
        """The remembered batch with exactly this range of sequences."""
        state = self.states.get(producer_id)
        if state is not None and state.epoch == epoch:
            for numbers in state.batches:
                if numbers[0] == last_sequence:
                    batch = BatchMetadata(*numbers)
                    if batch.first_sequence == base_sequence:
                        return batch
        return None

    def check_batch(
        self,
        producer_id: int,
        epoch: int,
        base_sequence: int,
        offset: int,
        *,
        transactional: bool,
        origin: Origin = Origin.CLIENT,
        guard: object | None = None,
    ) -> None:
        """Whether a data batch that will stand at ``offset`` may be appended.

        Raises KafkaError INVALID_PRODUCER_EPOCH, OUT_OF_ORDER_SEQUENCE_NUMBER, INVALID_TXN_STATE
        or NOT_ENOUGH_REPLICAS (:meth:`start_verification`). Look for a duplicate first.
        """
        known = self.states.get(producer_id)
        state = known or ProducerState()
        in_txn = state.txn_first_offset >= 0
        unverified = self.verify and transactional and not in_txn
        if unverified and not self.verifications.allow(producer_id, guard):
            raise KafkaError(
                ErrorCode.INVALID_TXN_STATE, "Record was not part of an ongoing transaction"
            )
        self._check_epoch(producer_id, epoch, state, offset)
        if origin == Origin.CLIENT:
            self._check_sequence(producer_id, epoch, base_sequence, state, offset)
        if in_txn and not transactional:
            raise KafkaError(
                ErrorCode.INVALID_TXN_STATE,
                f"Expected transactional write from producer {producer_id} at offset {offset} "
                f"in partition {self.partition}",
            )
        if known is None and transactional and origin == Origin.CLIENT and guard is None:
            self._require_room()

    def check_marker(
        self, producer_id: int, epoch: int, coordinator_epoch: int, offset: int
    ) -> None:
        """Whether an end-of-transaction marker may be appended at ``offset``.

        Raises KafkaError INVALID_PRODUCER_EPOCH or TRANSACTION_COORDINATOR_FENCED.
        """
        state = self.states.get(producer_id) or ProducerState()
        self._check_epoch(producer_id, epoch, state, offset)
        if state.coordinator_epoch > coordinator_epoch:
            raise KafkaError(
                ErrorCode.TRANSACTION_COORDINATOR_FENCED,
                f"Invalid coordinator epoch for producerId {producer_id} at offset {offset} in "
                f"partition {self.partition}: {coordinator_epoch} (zombie), "
                f"{state.coordinator_epoch} (current)",
            )

    def _check_epoch(self, producer_id: int, epoch: int, state: ProducerState, offset: int) -> None:
        if epoch < state.epoch:
            raise KafkaError(
                ErrorCode.INVALID_PRODUCER_EPOCH,
                f"Epoch of producer {producer_id} at offset {offset} in {self.partition} is "
                f"{epoch}, which is smaller than the last seen epoch {state.epoch}",
            )

    def _check_sequence(
        self, producer_id: int, epoch: int, first: int, state: ProducerState, offset: int
    ) -> None:
        where = f"producer {producer_id} at offset {offset} in partition {self.partition}"
        pending = self.verifications.get(producer_id)
        if pending is not None and first > pending.lowest_sequence:
            raise KafkaError(
                ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
                f"Out of order sequence number for {where}: {first} (incoming seq. number), "
                f"{pending.lowest_sequence} (earliest seen sequence)",
            )
        if state.epoch == -1:
            return  # forgotten or never seen: any sequence may come
        if epoch != state.epoch:
            if first != 0:
                raise KafkaError(
                    ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
                    f"Invalid sequence number for new epoch of {where}: {epoch} (request epoch), "
                    f"{first} (seq. number), {state.epoch} (current producer epoch)",
                )
            return
        last = state.last_sequence
        if first != (0 if last == MAX_SEQUENCE else last + 1):
            raise KafkaError(
                ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
                f"Out of order sequence number for {where}: {first} (incoming seq. number), "
                f"{last} (current end sequence number)",
            )

    # -- adding what was written ------------------------------------------------------------------

    def add_batch(
        self, producer_id: int, epoch: int, batch: BatchMetadata, *, transactional: bool = False
    ) -> None:
        """A data batch stands in the log."""
        if transactional:
            self._confirmed(producer_id)
        state = self._state_in(producer_id, epoch, batch[1], must=transactional)
        batches = state.batches
        if len(batches) == WINDOW:
            del batches[0]
        batches.append(batch)
        state.last_timestamp = batch[3]
        if transactional and state.txn_first_offset < 0:
            state.txn_first_offset = first = batch.first_offset
            self._ongoing = with_txn(self._ongoing, first, producer_id)

    def add_marker(
        self,
        producer_id: int,
        epoch: int,
        coordinator_epoch: int,
        *,
        offset: int,
        timestamp: int,
        aborted: bool,
    ) -> CompletedTxn | None:
        """A marker stands in the log at ``offset``; the transaction it ended, if any was open."""
        completed = self.peek_marker(producer_id, offset, aborted=aborted)
        self._confirmed(producer_id)
        state = self._state_in(producer_id, epoch, -1)
        state.coordinator_epoch = coordinator_epoch
        state.last_timestamp = timestamp
        state.txn_first_offset = -1
        if completed is not None:
            begun = (completed.first_offset, producer_id)
            found = bisect_left(self._ongoing, begun)
            if self._ongoing[found : found + 1] == [begun]:
                del self._ongoing[found]
            self._unreplicated = with_txn(self._unreplicated, completed.first_offset, offset)
        return completed

    def peek_marker(self, producer_id: int, offset: int, *, aborted: bool) -> CompletedTxn | None:
        """The transaction that a marker at ``offset`` would end, if one is open."""
        state = self.states.get(producer_id)
        if state is None or state.txn_first_offset < 0:
            return None
        others = (start for start, producer in self._ongoing if producer != producer_id)
        stable = next(others, offset + 1)
        return CompletedTxn(producer_id, state.txn_first_offset, offset, aborted, stable)

    def _confirmed(self, producer_id: int) -> None:
        if self.verifications.pop(producer_id, None) is not None:
            self._room.left(self, 1)

    def _state_in(
        self, producer_id: int, epoch: int, offset: int, *, must: bool = False
    ) -> ProducerState:
        """The state to change. A newcomer for whom there is no room is not remembered, unless he
        ``must`` be: everything that he writes is taken then."""
        state = self.states.get(producer_id)
        if state is None:
            state = ProducerState(epoch, noted_offset=offset)
            if self._room.make(self) or must:
                self._remember(producer_id, state)
        elif state.epoch != epoch:
            state.epoch = epoch
            state.batches.clear()
        return state

    def _remember(self, producer_id: int, state: ProducerState) -> None:
        self.states[producer_id] = state
        self._room.enter(self)

    # -- forgetting --------------------------------------------------------------------------------

    def forget_idle(self, count: int) -> int:
        """Forget up to ``count`` of those that were idle for longest, for want of memory, but
        nobody with an open transaction; the number of those forgotten."""
        if len(self.verifications) > len(self.states):
            gone = self.verifications.forget_oldest(count)
        else:
            gone = forget_idle(self.states, count)
        self._room.left(self, gone)
        return gone

    def close(self) -> None:
        """The log is not used any more."""
        gone = self.remembered
        self.states.clear()
        self.verifications.clear()
        self._room.left(self, gone)

    # -- what happens to the log -------------------------------------------------------------------

    def on_high_watermark(self, high_watermark: int) -> None:
        """Transactions whose marker is below it no longer hold readers back."""
        if self._unreplicated:
            self._unreplicated = [t for t in self._unreplicated if t[1] >= high_watermark]

    def on_log_start(self, log_start_offset: int) -> None:
        """The log now begins at ``log_start_offset``."""
        self.on_high_watermark(log_start_offset)
        self.end_offset = max(self.end_offset, log_start_offset)

    def expire(self, now: int, expiration_ms: int) -> int:
        """Forget producers idle for ``expiration_ms`` (open transactions keep them), and
        verifications that never came; the number of producers forgotten."""
        old = [
            producer_id
            for producer_id, state in self.states.items()
            if state.txn_first_offset < 0 and now - state.last_timestamp >= expiration_ms
        ]
        for producer_id in old:
            del self.states[producer_id]
        self._room.left(self, len(old) + self.verifications.expire(now - expiration_ms))
        return len(old)

    def clear(self, end_offset: int) -> None:
        """Forget everything but pending verifications; the state is that of ``end_offset``."""
        gone = len(self.states)
        self.states.clear()
        self._room.left(self, gone)
        self._ongoing = self._unreplicated = NO_TXNS
        self.end_offset = end_offset

    def load(
        self, entries: Iterable[ProducerEntry], end_offset: int, now: int, expiration_ms: int
    ) -> None:
        """Start from a snapshot taken at ``end_offset``; who is expired stays out."""
        self.clear(end_offset)
        for entry in entries:
            in_txn = entry.current_txn_first_offset >= 0
            if not in_txn and now - entry.timestamp >= expiration_ms:
                continue
            state = ProducerState(entry.producer_epoch, noted_offset=entry.last_offset)
            state.coordinator_epoch = entry.coordinator_epoch
            state.last_timestamp = entry.timestamp
            if entry.last_offset >= 0:
                state.batches.append(
                    BatchMetadata(
                        entry.last_sequence, entry.last_offset, entry.offset_delta, entry.timestamp
                    )
                )
            if in_txn:
                state.txn_first_offset = first = entry.current_txn_first_offset
                self._ongoing = with_txn(self._ongoing, first, entry.producer_id)
            if self._room.make(self) or in_txn:
                self._remember(entry.producer_id, state)

    def entries(self) -> list[ProducerEntry]:
        """Everything, as a snapshot holds it."""
        return [state.entry(producer_id) for producer_id, state in self.states.items()]
