"""LeaderAndIsr (4), v0-7: the controller sets what this broker leads and follows."""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Context
from pykafka_ops.broker.state.controller import order_messages as codec
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.leader_and_isr import LeaderAndIsrRequest, LeaderAndIsrResponse


async def handle(context: Context, request: LeaderAndIsrRequest) -> LeaderAndIsrResponse:
    """Obey; KafkaError STALE_CONTROLLER_EPOCH or STALE_BROKER_EPOCH for orders of the past."""
    order = codec.read_leader_and_isr(request, context.listener)
    errors = await context.services.executor.apply_leader_and_isr(order)
    return codec.leader_and_isr_response(order, errors, context.version)


def failed(request: LeaderAndIsrRequest, version: int, error: KafkaError) -> LeaderAndIsrResponse:
    """The error at the top, and at every partition of the request."""
    order = codec.read_leader_and_isr(request, "")
    errors = {(c.topic, c.partition): ErrorCode(error.code) for c in order.changes}
    response = codec.leader_and_isr_response(order, errors, version)
    response.error_code = error.code
    return response
