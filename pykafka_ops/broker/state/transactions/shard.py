"""Transactional ids of one partition of ``__transaction_state`` (``TransactionCoordinator``).

Every request is decided here: refused, or turned into a move of one transaction that is written
first. Kafka's error codes throughout; what only an old client version gets instead of
PRODUCER_FENCED is the handlers' business. KIP-98, KIP-360, KIP-588, KIP-664, KIP-890 part 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from pykafka_ops.broker.hot.deferred import Deferred
from pykafka_ops.broker.state.append_errors import transaction_code
from pykafka_ops.broker.state.memory import Account
from pykafka_ops.broker.state.outcome import Instant, Outcome
from pykafka_ops.broker.state.replay import LeftOut, replay_each
from pykafka_ops.broker.state.timers import Timers
from pykafka_ops.broker.state.transactions import records as transaction_records
from pykafka_ops.broker.state.transactions.asking import Identity, Reply
from pykafka_ops.broker.state.transactions.expiry import (
    SPARED_MS,
    TOMBSTONES,
    forget,
    idle_for,
    take_back,
)
from pykafka_ops.broker.state.transactions.metadata import (
    PARTITION_BYTES,
    PREPARED,
    TRANSACTION_BYTES,
    TopicPartition,
    Transaction,
    Transit,
    TxnState,
    ended_before,
)
from pykafka_ops.disk.batch import NO_PRODUCER_ID, NO_TIMESTAMP, BatchHeader
from pykafka_ops.disk.compression import DECOMPRESSED_LIMIT
from pykafka_ops.disk.record import payload
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode

RETRY_MS = 100.0
"""Time until a completion that could not be written is tried again."""


class TxnSettings(NamedTuple):
    """All ms: ``transaction.abort.timed.out.transaction.cleanup.interval.ms``,
    ``transaction.remove.expired.transaction.cleanup.interval.ms``,
    ``transactional.id.expiration.ms``."""

    abort_interval: int = 10_000
    expire_interval: int = 3_600_000
    expiration: int = 604_800_000


class Completion(NamedTuple):
    """A decided transaction whose partitions need their markers; ``move`` is its next state."""

    transaction: Transaction
    move: Transit
    committed: bool


class TransactionShard:
    """One partition's transactional ids.

    ``complete(completion)`` has the markers written and calls :meth:`marked` for every partition;
    ``take_id()`` gives a producer id, or None when there is none at hand.
    """

    def __init__(
        self,
        settings: TxnSettings,
        timers: Timers,
        slot: object,
        *,
        complete: Callable[[Completion], Outcome | None],
        take_id: Callable[[], int | None],
        memory: Account,
    ) -> None:
        self.settings = settings
        self._account, self._memory = memory, memory.holder()
        self.transactions: dict[str, Transaction] = {}
        self._timers = timers
        self._slot = slot
        self._complete = complete
        self._take_id = take_id
        self._watching = False
        self._room_at = 0.0
        self._live = False

    # -- records ------------------------------------------------------------------------------

    def decode(self, key: bytes, value: bytes | None) -> Transit:
        """What a log entry says; a tombstone is a move to Dead. Raises CorruptError."""
        transactional_id, found = transaction_records.decode(key, value)
        if found is not None:
            return found
        gone = Transaction(transactional_id, NO_PRODUCER_ID, 0, NO_TIMESTAMP)
        return gone.die()

    def replay(self, data: bytes, position: int, header: BatchHeader, left_out: LeftOut) -> int:
        """As in ``Shard``."""
        plain = payload(data, position, header, DECOMPRESSED_LIMIT)
        return replay_each(self.decode, self.apply, plain, header, left_out)

    def skim(self, data: bytes, position: int) -> None:
        """As in ``Shard``: no batch is quicker than the others."""

    def settle(self, most: int) -> bool:
        """As in ``Shard``: nothing is kept back."""
        return False

    def encode(self, record: Transit) -> tuple[bytes, bytes | None]:
        """Key and value in the log."""
        key = transaction_records.encode_key(record.transactional_id)
        return key, transaction_records.encode_value(record)

    def apply(self, record: Transit, offset: int = -1, producer_id: int = -1) -> None:
        """A move is written; offset and producer id mean nothing here."""
        found = self.transactions.get(record.transactional_id)
        counted = 0 if found is None else found.counted
        if record.state is TxnState.DEAD:
            self.transactions.pop(record.transactional_id, None)
            self._memory.change(-counted)
            return
        if found is not None and self._live:
            found.apply(record)
        else:
            found = Transaction.loaded(record)
        self.transactions[record.transactional_id] = found
        found.counted = found.size
        self._memory.change(found.counted - counted)

    def apply_marker(self, producer_id: int, offset: int, *, committed: bool) -> None:
        """Nobody writes to this log inside a transaction."""

    def loaded(self, now: Instant) -> Outcome | None:
        """Serve from now on; complete what was decided before."""
        self._live = True
        self._watch(now)
        return self.resume(now)

    def unloaded(self) -> Sequence[tuple[Deferred, object]]:
        """The ``then`` of each write answers its client, and no other waits."""
        self._memory.release()
        return ()

    # -- InitProducerId -----------------------------------------------------------------------

    def init(self, who: Identity, timeout_ms: int, now: Instant, reply: Reply) -> Outcome | None:
        """A producer id and epoch; whoever had the last one is shut out.

        None when a new producer id is needed and none is at hand: ask again with one.
        CONCURRENT_TRANSACTIONS while the last transaction is being ended.
        """
        found = self.transactions.get(who.transactional_id)
        if found is None:
            if not self._memory.admits(TRANSACTION_BYTES + len(who.transactional_id)):
                self._make_room(now)
                return reply.of(ErrorCode.COORDINATOR_NOT_AVAILABLE)  # it is to ask again
            new_id = self._take_id()
            if new_id is None:
                return None
            found = Transaction(who.transactional_id, new_id, timeout_ms, now.time)
            self.transactions[who.transactional_id] = found
            self._watch(now)
        if found.pending is not None:
            return reply.of(ErrorCode.CONCURRENT_TRANSACTIONS)
        if who.producer_id != NO_PRODUCER_ID and not found.may_go_on(who.producer_id, who.epoch):
            return reply.of(ErrorCode.PRODUCER_FENCED)
        if found.state in PREPARED:
            return reply.of(ErrorCode.CONCURRENT_TRANSACTIONS)
        if found.state is TxnState.ONGOING:
            again = Reply(reply.deferred, lambda code, _: reply.shape(_retriable(code), None))
            return self._decide(found, found.fence(now.time), again)
        expected = None if who.producer_id == NO_PRODUCER_ID else who.epoch
        move = self._next_producer(found, timeout_ms, expected, now.time)
        if move is None:
            return None
        if isinstance(move, ErrorCode):
            return reply.of(move)
        return self._write(found, move, reply)

    def _next_producer(
        self, found: Transaction, timeout_ms: int, expected: int | None, now: int
    ) -> Transit | ErrorCode | None:
        if not found.is_exhausted or expected not in (None, found.epoch):
            return found.next_epoch(timeout_ms, expected, now)
        new_id = self._take_id()
        if new_id is None:
            return None
        return found.new_producer_id(new_id, timeout_ms, now, known=expected is not None)

    # -- AddPartitionsToTxn, AddOffsetsToTxn ------------------------------------------------------

    def add(
        self, who: Identity, partitions: Iterable[TopicPartition], now: Instant, reply: Reply
    ) -> Outcome:
        """Partitions join the transaction, which begins with the first."""
        found = self.transactions.get(who.transactional_id)
        if found is None or found.producer_id != who.producer_id:
            return reply.of(ErrorCode.INVALID_PRODUCER_ID_MAPPING)
        if found.epoch != who.epoch:
            return reply.of(ErrorCode.PRODUCER_FENCED)
        if found.pending is not None or found.state in PREPARED:
            return reply.of(ErrorCode.CONCURRENT_TRANSACTIONS)
        added = frozenset(partitions)
        if found.state is TxnState.ONGOING and added <= found.partitions:
            return reply.of(ErrorCode.NONE)
        if not self._account.admits(found.size + PARTITION_BYTES * len(added)):
            return reply.of(ErrorCode.COORDINATOR_NOT_AVAILABLE)
        return self._write(found, found.add(added, now.time), reply)

    def verify(self, who: Identity, partition: TopicPartition) -> ErrorCode:
        """Whether a partition is part of the producer's open transaction (KIP-890).

        TRANSACTION_ABORTABLE if it is not. A pending move does not matter: the log checks again.
        """
        found = self.transactions.get(who.transactional_id)
        if found is None or found.producer_id != who.producer_id:
            return ErrorCode.INVALID_PRODUCER_ID_MAPPING
        if found.epoch != who.epoch:
            return ErrorCode.PRODUCER_FENCED
        if found.state in PREPARED:
            return ErrorCode.CONCURRENT_TRANSACTIONS
        known = partition in found.partitions
        return ErrorCode.NONE if known else ErrorCode.TRANSACTION_ABORTABLE

    # -- EndTxn -----------------------------------------------------------------------------------

    def end(self, who: Identity, *, committed: bool, now: Instant, reply: Reply) -> Outcome:
        """Commit or abort; answered when the decision is written, the markers follow."""
        found = self.transactions.get(who.transactional_id)
        if found is None or found.producer_id != who.producer_id:
            return reply.of(ErrorCode.INVALID_PRODUCER_ID_MAPPING)
        if found.epoch != who.epoch:
            return reply.of(ErrorCode.PRODUCER_FENCED)
        if found.pending is not None:
            return reply.of(ErrorCode.CONCURRENT_TRANSACTIONS)
        if found.state is TxnState.ONGOING:
            wanted = TxnState.PREPARE_COMMIT if committed else TxnState.PREPARE_ABORT
            return self._decide(found, found.prepare(wanted, now.time), reply)
        return reply.of(ended_before(found.state, committed=committed))

    def _decide(self, found: Transaction, move: Transit, reply: Reply | None) -> Outcome:
        """Write the decision, answer, then complete the transaction."""

        def written(code: ErrorCode, now: Instant) -> Outcome | None:
            answer = None if reply is None else reply.of(transaction_code(code))
            if code is not ErrorCode.NONE:
                take_back(found, code)
                return answer
            following = self._finish(found, now)
            if answer is None:
                return following
            if following is not None:
                answer.records, answer.then = following.records, following.then
            return answer

        return Outcome((move,), then=written)

    # -- completion ---------------------------------------------------------------------------

    def _finish(self, found: Transaction, now: Instant) -> Outcome | None:
        """Have the markers written; what to write once they all are."""
        committed = found.state is TxnState.PREPARE_COMMIT
        completion = Completion(found, found.complete(now.time), committed)
        if found.partitions:
            return self._complete(completion)
        return self.completed(completion)

    def marked(self, completion: Completion, partition: TopicPartition) -> Outcome | None:
        """A partition has its marker, or needs none; the last one completes the transaction."""
        found = completion.transaction
        found.marked(partition)
        return None if found.partitions else self.completed(completion)

    def completed(self, completion: Completion) -> Outcome:
        """Write that the transaction is over; until that succeeds it is tried again."""

        def written(code: ErrorCode, now: Instant) -> None:
            if code is not ErrorCode.NONE:
                take_back(completion.transaction, code)
                self._timers.at(now.timer + RETRY_MS, self._slot, self.resume)

        return Outcome((completion.move,), then=written)

    def resume(self, now: Instant) -> Outcome | None:
        """Go on with decided transactions that nobody completes: after a load, after errors."""
        waiting = [t for t in self.transactions.values() if t.state in PREPARED and not t.pending]
        for found in waiting[1:]:
            self._timers.at(now.timer, self._slot, partial(self._resume, found))
        return self._finish(waiting[0], now) if waiting else None

    def _resume(self, found: Transaction, now: Instant) -> Outcome | None:
        decided = found.state in PREPARED and found.pending is None
        return self._finish(found, now) if decided else None

    # -- time -------------------------------------------------------------------------------------

    def _watch(self, now: Instant) -> None:
        """Look after time-outs and expiry while there are ids."""
        if self._live and self.transactions and not self._watching:
            self._watching = True
            settings = self.settings
            self._timers.at(now.timer + settings.abort_interval, self._slot, self._abort_overdue)
            self._timers.at(now.timer + settings.expire_interval, self._slot, self._expire)

    def _abort_overdue(self, now: Instant) -> None:
        """Abort transactions that are older than their timeout."""
        for found in self.transactions.values():
            if found.timed_out(now.time):
                self._timers.at(now.timer, self._slot, partial(self._abort, found))
        again = now.timer + self.settings.abort_interval
        self._timers.at(again, self._slot, self._abort_overdue)
        self._timers.at(now.timer, self._slot, self.resume)

    def _abort(self, found: Transaction, now: Instant) -> Outcome | None:
        overdue = found.timed_out(now.time)
        return self._decide(found, found.fence(now.time), None) if overdue else None

    def _expire(self, now: Instant) -> Outcome | None:
        """Forget ids that were idle for long."""
        old = idle_for(self.transactions, self.settings.expiration, now.time)
        wait = self.settings.expire_interval if len(old) < TOMBSTONES else 0
        self._timers.at(now.timer + wait, self._slot, self._expire)
        return forget(old)

    def _make_room(self, now: Instant) -> None:
        """Have some ids forgotten before their time, soon and not too often."""
        if now.timer >= self._room_at:
            self._room_at = now.timer + self.settings.abort_interval
            self._timers.at(now.timer, self._slot, self._expire_early)

    def _expire_early(self, now: Instant) -> Outcome | None:
        return forget(idle_for(self.transactions, SPARED_MS, now.time))

    # -- looking ----------------------------------------------------------------------------------

    def describe(self, transactional_id: str) -> Transaction:
        """Raises KafkaError TRANSACTIONAL_ID_NOT_FOUND."""
        found = self.transactions.get(transactional_id)
        if found is None:
            raise KafkaError(ErrorCode.TRANSACTIONAL_ID_NOT_FOUND)
        return found

    def matching(
        self,
        states: frozenset[TxnState] | None,
        producer_ids: frozenset[int],
        longer_than: int,
        now: int,
    ) -> Iterator[Transaction]:
        """Ids in these states (None: any), of these producers (empty: any), whose transaction is
        open for longer than so many ms (negative: any)."""
        for found in self.transactions.values():
            if states is not None and found.state not in states:
                continue
            if producer_ids and found.producer_id not in producer_ids:
                continue
            if longer_than >= 0 and now - found.started <= longer_than:
                continue
            yield found

    # -- writing ------------------------------------------------------------------------------

    def _write(self, found: Transaction, move: Transit, reply: Reply) -> Outcome:
        def written(code: ErrorCode, now: Instant) -> Outcome:
            if code is not ErrorCode.NONE:
                take_back(found, code)
            return reply.of(transaction_code(code), move)

        return Outcome((move,), then=written)


def _retriable(code: ErrorCode) -> ErrorCode:
    """The open transaction is aborted first; the client is to ask again."""
    return ErrorCode.CONCURRENT_TRANSACTIONS if code is ErrorCode.NONE else code
