"""AlterConfigs (33), v0-2: replace all settings of topics, this broker, or all brokers (KIP-133).

What a request does not name goes back to its default. Loggers have only the incremental form.
"""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.handlers.config_outcomes import all_failed, shaped
from pykafka_ops.broker.services.config_admin import Item
from pykafka_ops.broker.state.configs.alter import Change, Op
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.messages.alter_configs import (
    AlterConfigsRequest,
    AlterConfigsResourceResponse,
    AlterConfigsResponse,
)


def handle(context: Context, request: AlterConfigsRequest) -> Answer:
    """Replace the settings of each resource."""
    return _alter(context, request)


async def _alter(context: Context, request: AlterConfigsRequest) -> AlterConfigsResponse:
    items = [
        Item(
            resource.resource_type,
            resource.resource_name,
            [Change(config.name, Op.SET, config.value) for config in resource.configs],
            True,
        )
        for resource in request.resources
    ]
    outcomes = await context.services.config_admin.alter(items, request.validate_only)
    return AlterConfigsResponse(
        responses=shaped(request.resources, outcomes, AlterConfigsResourceResponse)
    )


def failed(
    request: AlterConfigsRequest | None, version: int, error: KafkaError
) -> AlterConfigsResponse:
    """Every resource of the request with the same error."""
    if request is None:
        return AlterConfigsResponse()
    return AlterConfigsResponse(
        responses=all_failed(request.resources, error, AlterConfigsResourceResponse)
    )
