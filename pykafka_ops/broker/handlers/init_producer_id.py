"""InitProducerId (22), v0-5: an id and epoch for an idempotent or transactional producer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.handlers.shaping import answer_of, for_version, reply_with
from pykafka_ops.broker.state.transactions.asking import Identity
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.init_producer_id import InitProducerIdRequest, InitProducerIdResponse

if TYPE_CHECKING:  # a broker without transactions loads none of it
    from pykafka_ops.broker.state.transactions.metadata import Transit

NO_PRODUCER_ID = -1
NO_PRODUCER_EPOCH = -1


def handle(context: Context, request: InitProducerIdRequest) -> Answer:
    """A unique producer id; at once while the claimed block of ids lasts."""
    if (request.producer_id == NO_PRODUCER_ID) != (request.producer_epoch == NO_PRODUCER_EPOCH):
        raise KafkaError(ErrorCode.INVALID_REQUEST)
    if request.transactional_id is not None:
        return _transactional(context, request, request.transactional_id)
    return context.services.producer_ids.give(
        lambda id_: InitProducerIdResponse(producer_id=id_, producer_epoch=0)
    )


def _transactional(
    context: Context, request: InitProducerIdRequest, transactional_id: str
) -> Answer:
    """Raises KafkaError as ``Transactions.init`` does."""
    version = context.version

    def shape(code: ErrorCode, move: Transit | None) -> InitProducerIdResponse:
        if code is not ErrorCode.NONE or move is None:
            return failed(None, version, KafkaError(for_version(code, version, knows_fenced=4)))
        return InitProducerIdResponse(producer_id=move.producer_id, producer_epoch=move.epoch)

    who = Identity(transactional_id, request.producer_id, request.producer_epoch)
    reply = reply_with(shape)
    transactions = context.services.transactions
    return context.services.producer_ids.until(
        lambda: transactions.init(who, request.transaction_timeout_ms, reply),
        lambda: answer_of(reply),
    )


def failed(
    request: InitProducerIdRequest | None, version: int, error: KafkaError
) -> InitProducerIdResponse:
    """No id, and the error."""
    return InitProducerIdResponse(
        error_code=error.code, producer_id=NO_PRODUCER_ID, producer_epoch=NO_PRODUCER_EPOCH
    )
