"""IncrementalAlterConfigs (44), v0-1: change single settings of topics, this broker, all brokers,
or levels of this broker's loggers (KIP-339, KIP-412)."""

from __future__ import annotations

from pykafka_ops.broker.handlers.alter_configs import altered
from pykafka_ops.broker.handlers.api import Context
from pykafka_ops.broker.services.config_admin import Item
from pykafka_ops.broker.state.configs.alter import Change
from pykafka_ops.wire.messages.incremental_alter_configs import (
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
)


async def handle(
    context: Context, request: IncrementalAlterConfigsRequest
) -> IncrementalAlterConfigsResponse:
    """Change the settings of each resource."""
    items = [
        Item(
            resource.resource_type,
            resource.resource_name,
            [Change(c.name, c.config_operation, c.value) for c in resource.configs],
            replace=False,
        )
        for resource in request.resources
    ]
    return IncrementalAlterConfigsResponse(
        responses=await altered(context, items, request.validate_only)
    )
