"""UpdateMetadata (6), v0-8: the controller's metadata of the cluster, or changes of it."""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Context
from pykafka_ops.broker.state.controller import order_messages as codec
from pykafka_ops.wire.messages.update_metadata import UpdateMetadataRequest, UpdateMetadataResponse


async def handle(context: Context, request: UpdateMetadataRequest) -> UpdateMetadataResponse:
    """Take it over; KafkaError STALE_CONTROLLER_EPOCH or STALE_BROKER_EPOCH if it is outdated."""
    order = codec.read_update_metadata(request, context.version)
    await context.services.executor.apply_update_metadata(order)
    return UpdateMetadataResponse()
