"""EndTxn (26), v0-4: commit or abort a transaction (KIP-98).

Answered when the decision is written; the markers are on their way then.
"""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.handlers.shaping import answer_of, for_version, reply_with
from pykafka_ops.broker.state.transactions.asking import Identity
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.end_txn import EndTxnRequest, EndTxnResponse


def handle(context: Context, request: EndTxnRequest) -> Answer:
    """Decide as the producer asks.

    Raises KafkaError INVALID_REQUEST, NOT_COORDINATOR or COORDINATOR_LOAD_IN_PROGRESS.
    """
    if not request.transactional_id:
        raise KafkaError(ErrorCode.INVALID_REQUEST)
    version = context.version
    reply = reply_with(
        lambda code, _: EndTxnResponse(error_code=for_version(code, version, knows_fenced=2))
    )
    who = Identity(request.transactional_id, request.producer_id, request.producer_epoch)
    context.services.transactions.end(who, committed=request.committed, reply=reply)
    return answer_of(reply)
