"""What Produce does: append batches to the partitions this broker leads, wait for the replicas.

Counterpart of ``ReplicaManager.appendRecords`` and ``DelayedProduce``.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from pykafka_ops.broker.hot.deferred import Deferred
from pykafka_ops.broker.hot.produce import TopicPath, WriteFailedError
from pykafka_ops.broker.partitions.partition import Partition
from pykafka_ops.broker.partitions.records import (
    Batch,
    check_records,
    is_transactional,
    kept,
)
from pykafka_ops.broker.partitions.refusals import Refused, count_refused, failed, refused
from pykafka_ops.broker.partitions.replicas import Replicas
from pykafka_ops.broker.state.image import MetadataImage
from pykafka_ops.broker.state.memory import LARGEST_POOLED, Account
from pykafka_ops.broker.state.names import INTERNAL_TOPICS
from pykafka_ops.broker.state.producers import Origin
from pykafka_ops.broker.state.purgatory import Waiter
from pykafka_ops.broker.state.steps import Steps
from pykafka_ops.broker.state.transactions.asking import Identity
from pykafka_ops.broker.storage.log.appender import AppendInfo
from pykafka_ops.broker.storage.validate import TakesLongError, ValidationRules, prepare
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode

if TYPE_CHECKING:  # a broker without transactions loads none of it
    from pykafka_ops.broker.state.transactions.metadata import TopicPartition

log = logging.getLogger("kafka.server.ReplicaManager")

Codes = dict["TopicPartition", ErrorCode]

KNOWS_ABORTABLE = 11
"""The first version of Produce that knows TRANSACTION_ABORTABLE."""

MOST_AT_ONCE = LARGEST_POOLED
"""Bytes of a request that are appended in one go: some ms of work."""

_CHECKED = Origin.CHECKED

NOTHING = AppendInfo(-1, -1, -1, -1)
"""What an append of no records did."""


Result = AppendInfo | Refused
Certain = list[Result] | Deferred
"""What became of every batch, now or later."""


def takes_long(result: Result) -> TakesLongError | None:
    """Why a batch has yet to be appended, which :meth:`Appends.in_steps` does."""
    if isinstance(result, Refused) and isinstance(result.error, TakesLongError):
        return result.error
    return None


class TransactionCheck(Protocol):
    """Asks the coordinator about a transaction before its first batch in a partition (KIP-890)."""

    def to_confirm(
        self, transactional_id: str, batches: Iterable[tuple[TopicPartition, Any]]
    ) -> tuple[Identity, list[TopicPartition]] | None:
        """Whose writes to which partitions another broker must confirm first; None: nobody's."""

    def after_confirming(
        self,
        who: Identity,
        partitions: Sequence[TopicPartition],
        go_on: Callable[[Codes], object],
        failed: Callable[[KafkaError], object],
    ) -> Deferred:
        """What ``go_on`` makes of the coordinator's answer, ``failed`` of a KafkaError from it."""

    def guard_for_batch(
        self,
        partition: Partition,
        transactional_id: str,
        records: memoryview,
        abortable: bool,
        confirmed: Codes | None = None,
    ) -> object | None:
        """What to append with. Raises KafkaError if the transaction is not open."""


class AppendSite:
    """What appends go to; one per broker. ``clock()`` is the wall clock in ms; ``copies`` are what
    is kept of requests that take long."""

    __slots__ = ("clock", "copies", "image", "replicas", "verification")

    def __init__(
        self,
        replicas: Replicas,
        image: MetadataImage,
        clock: Callable[[], int],
        verification: TransactionCheck,
        copies: Account,
    ) -> None:
        self.replicas = replicas
        self.image = image
        self.clock = clock
        self.verification = verification
        self.copies = copies


class Appends:
    """The appends of one request, or of one after the other that ask for the same.

    ``version`` is that of Produce; ``internal_allowed`` says that the client may write to internal
    topics. ``pending`` are those whose answer has to wait.

    A pending append is its partition, the offset that must be committed or flushed, and its
    position in the request.
    """

    __slots__ = (
        "_confirmed",
        "_internal_allowed",
        "_site",
        "_transactional_id",
        "_version",
        "acks",
        "now",
        "pending",
    )

    def __init__(self, site: AppendSite, acks: int, version: int, internal_allowed: bool) -> None:
        self._site = site
        self._version = version
        self._internal_allowed = internal_allowed
        self._transactional_id: str | None = None
        self._confirmed: Codes | None = None
        """What the transaction's coordinator has said, if it is another broker."""
        self.acks = acks
        self.now = site.clock()
        self.pending: list[tuple[Partition, int, int]] = []

    def run(
        self, batches: Sequence[Batch], transactional_id: str | None, timeout_ms: int
    ) -> Certain | Steps[Certain]:
        """Append everything; the results once they are certain as ``acks`` asks.

        What is not certain after ``timeout_ms`` has REQUEST_TIMED_OUT. Raises KafkaError
        TRANSACTIONAL_ID_AUTHORIZATION_FAILED for a transactional batch without id.
        """
        for _, _, records in batches:
            if is_transactional(records):
                if transactional_id is None:
                    raise KafkaError(ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED)
                self._transactional_id = transactional_id
                waiting = self._confirm_first(batches, transactional_id, timeout_ms)
                if waiting is not None:
                    return waiting
                break
        return self.append_all(batches, timeout_ms)

    def _confirm_first(
        self, batches: Sequence[Batch], transactional_id: str, timeout_ms: int
    ) -> Deferred | None:
        """The results, where another broker coordinates the transaction and is asked first."""
        verification = self._site.verification
        found = verification.to_confirm(
            transactional_id, [((t, i), r) for t, i, r in batches if is_transactional(r)]
        )
        if found is None:
            return None
        batches = kept(batches)

        def go_on(codes: Codes) -> object:
            self._confirmed = codes
            self.now = self._site.clock()
            return self.append_all(batches, timeout_ms)

        def fail(error: KafkaError) -> object:
            return [Refused(error)] * len(batches)

        return verification.after_confirming(*found, go_on, fail)

    def append_all(
        self, batches: Sequence[Batch], timeout_ms: int, path: TopicPath | None = None
    ) -> Certain | Steps[Certain]:
        """Append everything, as :meth:`run` does where no transaction is to be confirmed; usual
        batches by the ``path`` of their topic, if there is one."""
        results: list[Result] = []
        size = 0
        for number, (topic, index, records) in enumerate(batches):
            if size > MOST_AT_ONCE:
                return self.in_steps(results, batches[number:], None, timeout_ms)
            size += len(records or b"")
            result = None if path is None else self._by_path(path, batches[number], number)
            if result is None:
                result = self.append(topic, index, records, number)
            long = takes_long(result)
            if long is not None:
                return self.in_steps(results, batches[number:], long, timeout_ms)
            results.append(result)
        return self.settled(results, timeout_ms)

    def _by_path(self, path: TopicPath, batch: Batch, number: int) -> Result | None:
        try:
            done = path.append(*batch[1:])
        except WriteFailedError as failure:
            return self.write_failed(batch, failure)
        if done is None:
            return None
        first, last, start, high_watermark = done
        if self.acks == -1 and high_watermark <= last:
            partition = self._site.replicas.leader(*batch[:2])
            self.pending.append((partition, last + 1, number))
        return AppendInfo(first, last, -1, start)

    def in_steps(
        self,
        results: list[Result],
        batches: Sequence[Batch],
        long: TakesLongError | None,
        timeout_ms: int,
    ) -> Steps[Certain]:
        """Append the rest with pauses. If the first takes ``long``, it is checked in a thread, as
        others are that do."""
        batches = kept(batches)
        result: Result = NOTHING
        holder = self._site.copies.holder()
        holder.change(sum(len(records or b"") for _, _, records in batches))
        try:
            yield None
            for batch in batches:
                if long is None:
                    result = self.append(*batch, len(results))
                    long = takes_long(result)
                if long is not None:
                    result = yield from self._checked_first(batch, len(results), long.rules)
                    long = None
                results.append(result)
                yield None
        finally:
            holder.release()
        return self.settled(results, timeout_ms)

    def _checked_first(self, batch: Batch, number: int, rules: ValidationRules) -> Steps[Result]:
        topic, index, records = batch
        try:
            data = yield partial(_checked, records, rules)
        except KafkaError as error:
            with contextlib.suppress(KafkaError):
                return refused(self._site.replicas.leader(topic, index), error)
            return Refused(error)
        except Exception as error:
            return failed(topic, index, error)
        self.now = rules.now
        return self.append(topic, index, data, number, Origin.CHECKED)

    def append(
        self, topic: str, index: int, records: Any, number: int = 0, origin: Origin = Origin.CLIENT
    ) -> Result:
        """Append to one partition, or say why not; what :func:`takes_long` is not done."""
        try:
            return self._append(topic, index, records, number, origin)
        except KafkaError as error:
            return Refused(error)
        except Exception as error:
            return failed(topic, index, error)

    def _append(self, topic: str, index: int, records: Any, number: int, origin: Origin) -> Result:
        """Raises KafkaError for what is refused before it reaches the log."""
        site = self._site
        replicas = site.replicas
        partition = replicas.find(topic, index)
        if partition is None or partition.leader != replicas.broker_id:
            known = site.image.partition(topic, index) is not None
            partition = replicas.leader(topic, index, known=known)
        if origin is not _CHECKED:
            check_records(self._version, records)
        if not self.may_write(topic):
            raise KafkaError(
                ErrorCode.INVALID_TOPIC_EXCEPTION, f"Cannot append to internal topic {topic}"
            )
        if self.acks == -1 and not partition.enough_in_sync():
            raise KafkaError(ErrorCode.NOT_ENOUGH_REPLICAS)
        if not records:
            return NOTHING
        guard = None
        if self._transactional_id is not None and is_transactional(records):
            guard = site.verification.guard_for_batch(
                partition,
                self._transactional_id,
                records,
                self._version >= KNOWS_ABORTABLE,
                self._confirmed,
            )
        try:
            info = replicas.append(partition, records, now=self.now, origin=origin, guard=guard)
        except KafkaError as error:
            count_refused(partition, error, records)
            return refused(partition, error)
        written, last = partition.log, info[1]
        if written.tail.owed >= 0 or (self.acks == -1 and written.high_watermark <= last):
            self.pending.append((partition, last + 1, number))
        return info

    def may_write(self, topic: str) -> bool:
        """Whether the client may write to the topic, as far as its name says."""
        return topic not in INTERNAL_TOPICS or self._internal_allowed

    def write_failed(self, batch: Batch, failure: WriteFailedError) -> Result:
        """Take back what there is of a batch, and say why it is not there."""
        topic, index, records = batch
        error = failure.__cause__
        partition = self._site.replicas.find(topic, index)
        if partition is None or not isinstance(error, OSError):
            return failed(topic, index, error or failure)
        refusal = partition.log.take_back(failure.position, error)
        count_refused(partition, refusal, records)
        return refused(partition, refusal)

    def settled(self, results: list[Result], timeout_ms: int) -> Certain:
        """The results when every partition is committed (acks=all) and flushed as its topic asks.

        What is not in time after ``timeout_ms`` is refused.
        """
        if not self.pending or self.acks == 0:
            return results
        return self._wait(results, timeout_ms)

    def _wait(self, results: list[Result], timeout_ms: int) -> Deferred:
        replicas = self._site.replicas
        deferred = Deferred()
        pending = self.pending

        def outcome(partition: Partition, required: int) -> ErrorCode:
            return (_committed if self.acks == -1 else _flushed)(partition, required)

        def ready() -> bool:
            return all(
                outcome(partition, required) is not _WAITING for partition, required, _ in pending
            )

        def finish(expired: bool) -> None:
            for partition, required, number in pending:
                code = outcome(partition, required)
                if code is not ErrorCode.NONE:
                    results[number] = Refused(KafkaError(code))
            deferred.resolve(results)

        def fail(error: Exception) -> None:
            log.error("waiting for replicas failed", exc_info=error)
            for _, _, number in pending:
                results[number] = Refused(KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR))
            deferred.resolve(results)

        deadline = replicas.timer() + timeout_ms
        waiter = Waiter([p.key for p, _, _ in pending], deadline, ready, finish, fail)
        deferred.on_abandon = lambda: replicas.produces.drop(waiter)
        replicas.wait(replicas.produces, waiter)
        return deferred


def _checked(records: memoryview, rules: ValidationRules) -> memoryview:
    """The batch to append. Raises KafkaError."""
    prepared = prepare(records, rules)
    assert prepared is not None  # it is whole, or its size would not be known
    return prepared.data


_WAITING = ErrorCode.REQUEST_TIMED_OUT
"""The outcome of an append that is not committed yet: what it says if time runs out."""


def _committed(partition: Partition, required: int) -> ErrorCode:
    """How an append stands that needs the high watermark at ``required``."""
    if not partition.is_leader:
        return ErrorCode.NOT_LEADER_OR_FOLLOWER
    try:
        if partition.log.high_watermark < required:
            return _WAITING
        if not partition.enough_in_sync():
            return ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND
    except KafkaError as error:
        return ErrorCode(error.code)
    return ErrorCode.NONE


def _flushed(partition: Partition, required: int) -> ErrorCode:
    """How an append with acks=1 stands whose topic wants it flushed first."""
    try:
        records = partition.log
    except KafkaError as error:
        return ErrorCode(error.code)
    return _WAITING if records.durability.up_to(required) < required else ErrorCode.NONE
