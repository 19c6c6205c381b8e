"""The first write of a transaction to a partition is confirmed by its coordinator (KIP-890).

Counterpart of ``ReplicaManager.maybeSendPartitionsToTransactionCoordinator`` and of
``AddPartitionsToTxnManager``: without it, a batch that arrives after its transaction ended would
begin one that nobody ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pykafka_ops.broker.state.transactions import Identity
from pykafka_ops.disk.batch import HEADER_SIZE, NO_SEQUENCE, read_header
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode

if TYPE_CHECKING:
    from pykafka_ops.broker.handlers.api import Services
    from pykafka_ops.broker.storage.partition import Partition

PASSING = frozenset(
    {
        ErrorCode.CONCURRENT_TRANSACTIONS,
        ErrorCode.NETWORK_EXCEPTION,
        ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
        ErrorCode.COORDINATOR_NOT_AVAILABLE,
        ErrorCode.NOT_COORDINATOR,
    }
)
"""Old clients do not try again after these, so they are told NOT_ENOUGH_REPLICAS."""


def guard_for(
    services: Services,
    partition: Partition,
    who: Identity,
    sequence: int = NO_SEQUENCE,
    *,
    abortable: bool = False,
) -> object | None:
    """What to append with, None where nothing needs to be confirmed.

    ``abortable`` says that the client knows TRANSACTION_ABORTABLE. Raises KafkaError
    INVALID_TXN_STATE (or TRANSACTION_ABORTABLE), INVALID_PRODUCER_ID_MAPPING,
    INVALID_PRODUCER_EPOCH, NOT_ENOUGH_REPLICAS.
    """
    producers = partition.log.producers
    guard = producers.start_verification(who.producer_id, sequence, who.epoch, services.clock())
    if guard is None:
        return None
    code = services.transactions.verify(who, partition.key)
    if code is ErrorCode.NONE:
        return guard
    raise _shown(code, abortable)


def guard_for_batch(
    services: Services,
    partition: Partition,
    transactional_id: str,
    records: memoryview,
    abortable: bool,
) -> object | None:
    """The same for a client's batch; what cannot be a batch is left to the append to refuse."""
    if len(records) < HEADER_SIZE:
        return None
    header = read_header(records)
    who = Identity(transactional_id, header.producer_id, header.producer_epoch)
    return guard_for(services, partition, who, header.base_sequence, abortable=abortable)


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
