"""AddOffsetsToTxn (25), v0-4: the offsets of a group join a transaction (KIP-98)."""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.handlers.shaping import answer_of, for_version, reply_with
from pykafka_ops.broker.state.transactions.asking import Identity
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.add_offsets_to_txn import (
    AddOffsetsToTxnRequest,
    AddOffsetsToTxnResponse,
)


def handle(context: Context, request: AddOffsetsToTxnRequest) -> Answer:
    """Add the partition of ``__consumer_offsets`` that the group belongs to.

    Raises KafkaError INVALID_REQUEST, NOT_COORDINATOR or COORDINATOR_LOAD_IN_PROGRESS.
    """
    if not request.transactional_id:
        raise KafkaError(ErrorCode.INVALID_REQUEST)
    version = context.version
    reply = reply_with(
        lambda code, _: AddOffsetsToTxnResponse(
            error_code=for_version(code, version, knows_fenced=2)
        )
    )
    who = Identity(request.transactional_id, request.producer_id, request.producer_epoch)
    context.services.transactions.add_group(who, request.group_id, reply)
    return answer_of(reply)
