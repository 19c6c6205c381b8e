"""AlterConfigs (33), v0-2: replace all settings of topics, this broker, or all brokers (KIP-133).

What a request does not name goes back to its default. Loggers have only the incremental form.
"""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Context
from pykafka_ops.broker.services.config_admin import Item
from pykafka_ops.broker.state.configs.alter import Change, Op
from pykafka_ops.wire.messages.alter_configs import (
    AlterConfigsRequest,
    AlterConfigsResourceResponse,
    AlterConfigsResponse,
)


async def handle(context: Context, request: AlterConfigsRequest) -> AlterConfigsResponse:
    """Replace the settings of each resource."""
    items = [
        Item(r.resource_type, r.resource_name, [Change(c.name, Op.SET, c.value) for c in r.configs])
        for r in request.resources
    ]
    return AlterConfigsResponse(responses=await altered(context, items, request.validate_only))


async def altered(
    context: Context, items: list[Item], validate_only: bool
) -> list[AlterConfigsResourceResponse]:
    """Change the settings of each resource; what became of it."""
    outcomes = await context.services.config_admin().alter(items, validate_only)
    return [
        AlterConfigsResourceResponse(
            error_code=code,
            error_message=message,
            resource_type=item.kind,
            resource_name=item.name,
        )
        for item, (code, message) in zip(items, outcomes, strict=True)
    ]
