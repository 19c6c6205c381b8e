"""AllocateProducerIds (67), v0: the controller gives a broker a block of producer ids (KIP-730)."""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.wire.messages.allocate_producer_ids import AllocateProducerIdsRequest


def handle(context: Context, request: AllocateProducerIdsRequest) -> Answer:
    """A block that nobody else gets, or NOT_CONTROLLER, STALE_BROKER_EPOCH,
    BROKER_ID_NOT_REGISTERED."""
    return context.services.controller.allocate_producer_ids(request)
