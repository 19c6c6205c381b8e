"""StopReplica (5), v0-4: the controller has this broker give up replicas, and delete some."""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Context
from pykafka_ops.broker.state.controller import order_messages as codec
from pykafka_ops.wire.messages.stop_replica import StopReplicaRequest, StopReplicaResponse


async def handle(context: Context, request: StopReplicaRequest) -> StopReplicaResponse:
    """Obey; KafkaError STALE_CONTROLLER_EPOCH or STALE_BROKER_EPOCH for orders of the past."""
    order = codec.read_stop_replica(request)
    errors = await context.services.executor.apply_stop_replica(order)
    return codec.stop_replica_response(order.stops, errors)
