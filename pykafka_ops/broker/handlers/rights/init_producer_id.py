"""InitProducerId: for a transactional id that the client may write, or for a client that may write
some topic (KIP-679)."""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.handlers.rights.checks import Need, Served
from pykafka_ops.errors import KafkaError
from pykafka_ops.security.acls.rules import CLUSTER_NAME, Operation, ResourceType
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.init_producer_id import InitProducerIdRequest


def guard(context: Context, request: InitProducerIdRequest, served: Served) -> Answer:
    """Raises KafkaError for the others."""
    if request.transactional_id is not None:
        need = Need(Operation.WRITE, ResourceType.TRANSACTIONAL_ID, "transactional_id")
        need.require(context, request)
    elif not context.may(
        Operation.IDEMPOTENT_WRITE, ResourceType.CLUSTER, CLUSTER_NAME, quiet=True
    ) and not context.may_any(Operation.WRITE, ResourceType.TOPIC):
        raise KafkaError(ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    return served.handle(context, request)
