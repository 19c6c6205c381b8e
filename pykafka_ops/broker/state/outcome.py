"""What a coordinator's shard decides: records to write, answers to give.

Counterpart of ``CoordinatorResult``. A shard decides without changing its hard state (it may
mark something as pending); ``apply`` alone does, when a record is committed or while loading.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from pykafka_ops.broker.hot.deferred import Deferred
from pykafka_ops.broker.state.replay import LeftOut
from pykafka_ops.disk.batch import BatchHeader
from pykafka_ops.wire.codes import ErrorCode


class Instant(NamedTuple):
    """Now on both clocks, in ms: ``time`` since 1970, for records; ``timer`` monotonic."""

    time: int
    timer: float


class TxnProducer(NamedTuple):
    """The transactional producer in whose name records are written; ``guard`` as in
    ``Log.append_as_leader``."""

    id: int
    epoch: int
    guard: object | None = None


@dataclass(slots=True)
class Outcome:
    """What to do. ``replies`` are given at once. ``records`` are written as one atomic batch, by
    ``producer`` inside its transaction if there is one; ``then(code, now)`` is called with NONE
    when they are committed and applied, or with Kafka's error of the append, and decides what
    follows (answers, and taking back a pending mark on an error).

    ``notes`` are lines for the broker's log. After REQUEST_TIMED_OUT the records are still in the
    log and are applied once committed.
    """

    records: Sequence[Any] = ()
    replies: list[tuple[Deferred, object]] = field(default_factory=list)
    then: Callable[[ErrorCode, Instant], Outcome | None] | None = None
    producer: TxnProducer | None = None
    notes: list[str] = field(default_factory=list)

    def reply(self, deferred: Deferred, answer: object) -> None:
        """Add an answer to ``replies``."""
        self.replies.append((deferred, answer))


class Skimmed(NamedTuple):
    """Batches that were taken over: where they end, the offset behind them, how many records."""

    end: int
    next_offset: int
    records: int


class Shard(Protocol):
    """The state of one partition of an internal topic; called on the broker's loop only."""

    def replay(self, data: bytes, position: int, header: BatchHeader, left_out: LeftOut) -> int:
        """While loading: take over the batch of records at ``position``; how many there were.

        A record that cannot be understood goes to ``left_out``. Raises CorruptBatchError for
        records that are not whole.
        """

    def skim(self, data: bytes, position: int) -> Skimmed | None:
        """While loading: take over the batches from ``position`` on, as many as is quick; None:
        the first has to be replayed."""

    def settle(self, most: int) -> bool:
        """While loading: apply up to ``most`` records kept back; whether there are more."""

    def encode(self, record: Any) -> tuple[bytes, bytes | None]:
        """Key and value of ``record`` in the log."""

    def apply(self, record: Any, offset: int, producer_id: int) -> None:
        """Take over a committed record; ``offset`` is the base offset of its batch,
        ``producer_id`` that of an open transaction, -1 outside."""

    def apply_marker(self, producer_id: int, offset: int, *, committed: bool) -> None:
        """The transaction of ``producer_id`` has ended in this partition."""

    def loaded(self, now: Instant) -> Outcome | None:
        """Everything in the log was applied: begin to serve."""

    def unloaded(self) -> Sequence[tuple[Deferred, object]]:
        """This broker leads the partition no more: the answers for all who wait."""
