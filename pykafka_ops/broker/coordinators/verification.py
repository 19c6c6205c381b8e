"""The first write of a transaction to a partition is confirmed by its coordinator (KIP-890).

Counterpart of ``ReplicaManager.maybeSendPartitionsToTransactionCoordinator`` and of
``AddPartitionsToTxnManager``: without it, a batch that arrives after its transaction ended would
begin one that nobody ends.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pykafka_ops.broker.coordinators.transactions import Transactions
from pykafka_ops.broker.hot.deferred import Deferred
from pykafka_ops.broker.partitions.partition import Partition
from pykafka_ops.broker.partitions.replicas import Replicas
from pykafka_ops.broker.state.transactions.asking import Identity
from pykafka_ops.disk.batch import HEADER_SIZE, NO_SEQUENCE, read_header
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode

if TYPE_CHECKING:  # a broker without transactions loads none of it
    from pykafka_ops.broker.coordinators.elsewhere import Codes
    from pykafka_ops.broker.state.transactions.metadata import TopicPartition

log = logging.getLogger("kafka.server.ReplicaManager")

PASSING = frozenset(
    {
        ErrorCode.CONCURRENT_TRANSACTIONS,
        ErrorCode.NETWORK_EXCEPTION,
        ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
        ErrorCode.COORDINATOR_NOT_AVAILABLE,
        ErrorCode.NOT_COORDINATOR,
    }
)
"""Old clients do not retry after these errors, so they get NOT_ENOUGH_REPLICAS."""


@dataclass(slots=True, eq=False)
class Verification:
    """Asks whether a write belongs to an open transaction; one per broker.

    ``clock()`` is the wall clock in ms.
    """

    transactions: Transactions
    replicas: Replicas
    clock: Callable[[], int]

    def guard_for(
        self,
        partition: Partition,
        who: Identity,
        sequence: int = NO_SEQUENCE,
        *,
        abortable: bool = False,
        confirmed: Codes | None = None,
    ) -> object | None:
        """What to append with, None where nothing needs to be confirmed.

        ``abortable`` says that the client knows TRANSACTION_ABORTABLE, ``confirmed`` is what the
        coordinator has said if it is another broker. Raises KafkaError
        INVALID_TXN_STATE (or TRANSACTION_ABORTABLE), INVALID_PRODUCER_ID_MAPPING,
        INVALID_PRODUCER_EPOCH, NOT_ENOUGH_REPLICAS.
        """
        producers = partition.log.producers
        guard = producers.start_verification(who.producer_id, sequence, who.epoch, self.clock())
        if guard is None:
            return None
        code = None if confirmed is None else confirmed.get(partition.key)
        if code is None:
            code = self.transactions.verify(who, partition.key)
        if code is ErrorCode.NONE:
            return guard
        raise _shown(code, abortable)

    def guard_for_batch(
        self,
        partition: Partition,
        transactional_id: str,
        records: memoryview,
        abortable: bool,
        confirmed: Codes | None = None,
    ) -> object | None:
        """The same for a client's batch; what cannot be a batch is left to the append to refuse."""
        if len(records) < HEADER_SIZE:
            return None
        header = read_header(records)
        who = Identity(transactional_id, header.producer_id, header.producer_epoch)
        return self.guard_for(
            partition,
            who,
            header.base_sequence,
            abortable=abortable,
            confirmed=confirmed,
        )

    def is_elsewhere(self, transactional_id: str) -> bool:
        """Whether another broker coordinates the transactional id, and can be asked."""
        return self.transactions.is_elsewhere(transactional_id)

    def to_confirm(
        self, transactional_id: str, batches: Iterable[tuple[TopicPartition, Any]]
    ) -> tuple[Identity, list[TopicPartition]] | None:
        """Whose writes to which partitions another broker must confirm before they are appended.

        None if there are none: the coordinator is here, or has confirmed already.
        """
        if not self.is_elsewhere(transactional_id):
            return None
        producer: Identity | None = None
        wanted: list[TopicPartition] = []
        for key, records in batches:
            partition = self.replicas.find(*key)
            if partition is None or not partition.is_leader or len(records) < HEADER_SIZE:
                continue  # refused by the append
            header = read_header(records)
            who = Identity(transactional_id, header.producer_id, header.producer_epoch)
            if producer is None:
                producer = who
            if who == producer and self.unconfirmed(partition, who, header.base_sequence):
                wanted.append(key)
        return (producer, wanted) if producer is not None and wanted else None

    def unconfirmed(self, partition: Partition, who: Identity, sequence: int = NO_SEQUENCE) -> bool:
        """Whether the coordinator must confirm this write. Raises KAFKA_STORAGE_ERROR."""
        producers, now = partition.log.producers, self.clock()
        return producers.start_verification(who.producer_id, sequence, who.epoch, now) is not None

    def after_confirming(
        self,
        who: Identity,
        partitions: Sequence[TopicPartition],
        go_on: Callable[[Codes], object],
        failed: Callable[[KafkaError], object],
    ) -> Deferred:
        """What ``go_on`` makes of the coordinator's answer, ``failed`` of a KafkaError from it."""
        answer = Deferred()

        def confirmed(codes: Codes) -> None:
            if answer.done:  # the client has gone
                return
            try:
                following = go_on(codes)
            except KafkaError as error:
                following = failed(error)
            except Exception:
                log.exception("going on with transaction %s failed", who.transactional_id)
                following = failed(KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR, ""))
            if isinstance(following, Deferred):
                answer.on_abandon = following.abandon
                following.then(answer.resolve)
            else:
                answer.resolve(following)

        self.transactions.confirm(who, partitions, confirmed)
        return answer


def _shown(code: ErrorCode, abortable: bool) -> KafkaError:
    if code in PASSING:
        return KafkaError(
            ErrorCode.NOT_ENOUGH_REPLICAS,
            "Unable to verify the partition has been added to the transaction. Underlying error: "
            f"{code.name}",
        )
    if code is ErrorCode.PRODUCER_FENCED:
        return KafkaError(ErrorCode.INVALID_PRODUCER_EPOCH, ErrorCode.INVALID_PRODUCER_EPOCH.text)
    if code is ErrorCode.TRANSACTION_ABORTABLE and not abortable:
        return KafkaError(ErrorCode.INVALID_TXN_STATE, "Partition was not added to the transaction")
    return KafkaError(code, code.text)
