"""InitProducerId (22), v0-5: an id for an idempotent producer.

v3 brought the producer's current id and epoch (KIP-360), v4 PRODUCER_FENCED, v5
TRANSACTION_ABORTABLE. Transactional ids are not served: they are refused with an error at
which clients stop, since a retriable one would keep them asking for ever.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from pykafka_ops.broker.metadata.store import StoreError
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.init_producer_id import InitProducerIdResponse

if TYPE_CHECKING:
    from pykafka_ops.broker.handlers.api import Answer, Context
    from pykafka_ops.wire.messages.init_producer_id import InitProducerIdRequest

log = logging.getLogger("kafka.coordinator.transaction.TransactionCoordinator")

NO_PRODUCER_ID = -1
NO_PRODUCER_EPOCH = -1


def handle(context: Context, request: InitProducerIdRequest) -> Answer:
    """A new id with epoch 0; at once while the block at hand lasts."""
    _check(context, request)
    producer_id = context.services.producer_ids.take()
    if producer_id is not None:
        return InitProducerIdResponse(producer_id=producer_id, producer_epoch=0)
    return _claim(context)


def _check(context: Context, request: InitProducerIdRequest) -> None:
    """Raises KafkaError INVALID_REQUEST, INVALID_TRANSACTION_TIMEOUT or UNSUPPORTED_VERSION."""
    if (request.producer_id == NO_PRODUCER_ID) != (request.producer_epoch == NO_PRODUCER_EPOCH):
        raise KafkaError(ErrorCode.INVALID_REQUEST)
    transactional_id = request.transactional_id
    if transactional_id is None:
        return
    if not transactional_id:
        raise KafkaError(ErrorCode.INVALID_REQUEST)
    longest = context.services.configs.value("transaction.max.timeout.ms")
    if not 0 < request.transaction_timeout_ms <= longest:
        raise KafkaError(ErrorCode.INVALID_TRANSACTION_TIMEOUT)
    log.warning(
        "refusing transactional id %s of client %s: transactions are not served",
        transactional_id,
        context.client_id,
    )
    raise KafkaError(ErrorCode.UNSUPPORTED_VERSION)


async def _claim(context: Context) -> InitProducerIdResponse:
    try:
        producer_id = await context.services.producer_ids.claim()
    except StoreError as error:
        log.error("cannot claim a block of producer ids: %s", error)
        raise KafkaError(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS) from error
    return InitProducerIdResponse(producer_id=producer_id, producer_epoch=0)


def failed(
    request: InitProducerIdRequest | None, version: int, error: KafkaError
) -> InitProducerIdResponse:
    """No id, and the error."""
    return InitProducerIdResponse(
        error_code=error.code, producer_id=NO_PRODUCER_ID, producer_epoch=NO_PRODUCER_EPOCH
    )
