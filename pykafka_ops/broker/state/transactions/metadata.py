"""One transactional id: its states, and the moves between them (``TransactionMetadata``).

A move is prepared first (:class:`Transit`, which marks the transaction pending), then written to
``__transaction_state``, then applied. Nothing but ``pending`` changes before that, so a write that
failed is taken back by clearing the mark. All times are ms.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from pykafka_ops.disk.batch import NO_PRODUCER_EPOCH, NO_PRODUCER_ID, NO_TIMESTAMP
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode

MAX_EPOCH = 2**15 - 1

TopicPartition = tuple[str, int]
TRANSACTION_BYTES = 1500
"""What a transactional id holds, besides its own length."""
PARTITION_BYTES = 250
"""What a partition of an open transaction holds."""
NO_PARTITIONS: frozenset[TopicPartition] = frozenset()


class TxnState(IntEnum):
    """``TransactionState``, numbered as in the records."""

    EMPTY = 0
    ONGOING = 1
    PREPARE_COMMIT = 2
    PREPARE_ABORT = 3
    COMPLETE_COMMIT = 4
    COMPLETE_ABORT = 5
    DEAD = 6
    PREPARE_EPOCH_FENCE = 7

    @property
    def title(self) -> str:
        """Kafka's name, as listings show it."""
        return TITLES[self]


TITLES = (
    "Empty",
    "Ongoing",
    "PrepareCommit",
    "PrepareAbort",
    "CompleteCommit",
    "CompleteAbort",
    "Dead",
    "PrepareEpochFence",
)
STATES = {title: TxnState(number) for number, title in enumerate(TITLES)}

IDLE = frozenset({TxnState.EMPTY, TxnState.COMPLETE_COMMIT, TxnState.COMPLETE_ABORT})
"""States without an open transaction; only these expire."""

PREPARED = frozenset({TxnState.PREPARE_COMMIT, TxnState.PREPARE_ABORT})

BEFORE: dict[TxnState, frozenset[TxnState]] = {
    TxnState.EMPTY: IDLE,
    TxnState.ONGOING: IDLE | {TxnState.ONGOING},
    TxnState.PREPARE_COMMIT: frozenset({TxnState.ONGOING}),
    TxnState.PREPARE_ABORT: frozenset({TxnState.ONGOING, TxnState.PREPARE_EPOCH_FENCE}),
    TxnState.COMPLETE_COMMIT: frozenset({TxnState.PREPARE_COMMIT}),
    TxnState.COMPLETE_ABORT: frozenset({TxnState.PREPARE_ABORT}),
    TxnState.DEAD: IDLE,
    TxnState.PREPARE_EPOCH_FENCE: frozenset({TxnState.ONGOING}),
}
"""From which states each state may be reached."""


def is_exhausted(epoch: int) -> bool:
    """Whether no producer may be given an epoch after this one: the last is left for fencing."""
    return epoch >= MAX_EPOCH - 1


def ended_before(state: TxnState, *, committed: bool) -> ErrorCode:
    """The answer to EndTxn where no transaction is open."""
    done = TxnState.COMPLETE_COMMIT if committed else TxnState.COMPLETE_ABORT
    decided = TxnState.PREPARE_COMMIT if committed else TxnState.PREPARE_ABORT
    if state is done:
        return ErrorCode.NONE  # asked again: the answer was lost
    if state is decided:
        return ErrorCode.CONCURRENT_TRANSACTIONS
    return ErrorCode.INVALID_TXN_STATE


class TxnError(KafkaError):
    """A move that the states do not allow: a bug of the broker, never of a client."""

    def __init__(self, text: str) -> None:
        super().__init__(ErrorCode.UNKNOWN_SERVER_ERROR, text)


class Transit(NamedTuple):
    """What a transactional id will be once this is written (``TxnTransitMetadata``).

    ``started`` and ``updated`` are ms, -1 where no transaction was begun.
    """

    transactional_id: str
    producer_id: int
    previous_producer_id: int
    epoch: int
    last_epoch: int
    timeout_ms: int
    state: TxnState
    partitions: frozenset[TopicPartition]
    started: int
    updated: int


@dataclass(slots=True, eq=False)
class Transaction:
    """A transactional id and its present transaction; a new one has no epoch until its first move
    is written. ``pending`` is the state it is moving to."""

    transactional_id: str
    producer_id: int
    timeout_ms: int
    updated: int
    previous_producer_id: int = NO_PRODUCER_ID
    epoch: int = NO_PRODUCER_EPOCH
    last_epoch: int = NO_PRODUCER_EPOCH
    state: TxnState = TxnState.EMPTY
    partitions: frozenset[TopicPartition] = NO_PARTITIONS
    started: int = NO_TIMESTAMP
    pending: TxnState | None = None
    counted: int = 0

    @property
    def size(self) -> int:
        """Bytes of memory it holds."""
        partitions = PARTITION_BYTES * len(self.partitions)
        return TRANSACTION_BYTES + len(self.transactional_id) + partitions

    def may_go_on(self, producer_id: int, epoch: int) -> bool:
        """Whether a producer that names its id may have the next epoch (KIP-360): the id is new, or
        its own, or was its own until the epochs ran out and the answer got lost."""
        return (
            self.epoch == NO_PRODUCER_EPOCH
            or producer_id == self.producer_id
            or (producer_id == self.previous_producer_id and is_exhausted(epoch))
        )

    @classmethod
    def loaded(cls, written: Transit) -> Transaction:
        """As a record of the log left it."""
        return cls(
            written.transactional_id,
            written.producer_id,
            written.timeout_ms,
            written.updated,
            epoch=written.epoch,
            state=written.state,
            partitions=written.partitions,
            started=written.started,
        )

    @property
    def is_exhausted(self) -> bool:
        """Whether the next producer needs another producer id."""
        return is_exhausted(self.epoch)

    # -- moves ---------------------------------------------------------------------------------

    def fence(self, now: int) -> Transit:
        """Abort the open transaction in the next epoch, which shuts its producer out.

        Nobody is ever given that epoch. Kafka goes through PrepareEpochFence, a state that is
        never written; here the two are one move.
        """
        if self.epoch == MAX_EPOCH:
            raise TxnError(f"Cannot fence producer with epoch equal to {MAX_EPOCH}")
        moved = self._move(
            TxnState.PREPARE_ABORT, epoch=self.epoch + 1, last_epoch=NO_PRODUCER_EPOCH
        )
        return moved._replace(updated=now)

    def next_epoch(self, timeout_ms: int, expected: int | None, now: int) -> Transit | ErrorCode:
        """Give the id to its next producer; ``expected`` is the epoch a producer believes to have
        (KIP-360). PRODUCER_FENCED if it is neither the present nor the last one."""
        if self.is_exhausted and expected in (None, self.epoch):
            raise TxnError("Cannot allocate any more producer epochs")
        if expected is None:
            epoch, last = self.epoch + 1, NO_PRODUCER_EPOCH
        elif self.epoch == NO_PRODUCER_EPOCH or expected == self.epoch:
            epoch, last = self.epoch + 1, self.epoch
        elif expected == self.last_epoch:
            epoch, last = self.epoch, self.last_epoch  # asked again: the answer was lost
        else:
            return ErrorCode.PRODUCER_FENCED
        return self._emptied(self.producer_id, epoch, last, timeout_ms, now)

    def new_producer_id(
        self, producer_id: int, timeout_ms: int, now: int, *, known: bool
    ) -> Transit:
        """Begin at epoch 0 of another producer id; ``known``: the producer named its epoch."""
        last = self.epoch if known else NO_PRODUCER_EPOCH
        return self._emptied(producer_id, 0, last, timeout_ms, now)

    def _emptied(
        self, producer_id: int, epoch: int, last_epoch: int, timeout_ms: int, now: int
    ) -> Transit:
        moved = self._move(TxnState.EMPTY, epoch=epoch, last_epoch=last_epoch)
        return moved._replace(
            producer_id=producer_id,
            timeout_ms=timeout_ms,
            partitions=NO_PARTITIONS,
            started=NO_TIMESTAMP,
            updated=now,
        )

    def add(self, partitions: frozenset[TopicPartition], now: int) -> Transit:
        """Begin a transaction, or widen the open one."""
        started = now if self.state in IDLE else self.started
        moved = self._move(TxnState.ONGOING)
        return moved._replace(partitions=self.partitions | partitions, started=started, updated=now)

    def prepare(self, state: TxnState, now: int) -> Transit:
        """Decide to commit or abort."""
        return self._move(state)._replace(updated=now)

    def complete(self, now: int) -> Transit:
        """What will stand when every partition has its marker."""
        committed = self.state is TxnState.PREPARE_COMMIT
        moved = self._move(TxnState.COMPLETE_COMMIT if committed else TxnState.COMPLETE_ABORT)
        return moved._replace(partitions=NO_PARTITIONS, updated=now)

    def die(self) -> Transit:
        """The id expires: a tombstone will stand."""
        return self._move(TxnState.DEAD)._replace(partitions=NO_PARTITIONS)

    def _move(
        self, state: TxnState, *, epoch: int | None = None, last_epoch: int | None = None
    ) -> Transit:
        if self.pending is not None:
            raise TxnError(
                f"{self.transactional_id} cannot go to {state.title} while it goes to "
                f"{self.pending.title}"
            )
        if self.state not in BEFORE[state]:
            raise TxnError(
                f"{self.transactional_id} cannot go from {self.state.title} to {state.title}"
            )
        self.pending = state
        return Transit(
            self.transactional_id,
            self.producer_id,
            self.producer_id,
            self.epoch if epoch is None else epoch,
            self.last_epoch if last_epoch is None else last_epoch,
            self.timeout_ms,
            state,
            self.partitions,
            self.started,
            self.updated,
        )

    # -- what became of them ----------------------------------------------------------------------

    def apply(self, written: Transit) -> None:
        """The move is written and replicated. Raises TxnError if it is not the pending one."""
        if self.pending is not written.state:
            raise TxnError(f"{self.transactional_id} is not moving to {written.state.title}")
        self.producer_id = written.producer_id
        if written.state is TxnState.EMPTY:
            self.previous_producer_id = written.previous_producer_id
        self.epoch = written.epoch
        self.last_epoch = written.last_epoch
        self.timeout_ms = written.timeout_ms
        self.partitions = written.partitions
        self.started = written.started
        self.updated = written.updated
        self.state = written.state
        self.pending = None

    def marked(self, partition: TopicPartition) -> None:
        """A partition has its marker, or needs none any more."""
        if self.state not in PREPARED:
            raise TxnError(f"{self.transactional_id} is {self.state.title}: it has no markers")
        self.partitions -= {partition}

    def timed_out(self, now: int) -> bool:
        """Whether the open transaction is older than its timeout."""
        ongoing = self.state is TxnState.ONGOING and self.pending is None
        return ongoing and self.started + self.timeout_ms < now

    def expired(self, now: int, expiration_ms: int) -> bool:
        """Whether the id was idle for long enough to be forgotten."""
        idle = self.state in IDLE and self.pending is None
        return idle and self.updated <= now - expiration_ms
