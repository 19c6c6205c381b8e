"""IncrementalAlterConfigs (44), v0-1: change single settings of topics, this broker, all brokers,
or levels of this broker's loggers (KIP-339, KIP-412)."""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.handlers.config_outcomes import all_failed, shaped
from pykafka_ops.broker.services.config_admin import Item
from pykafka_ops.broker.state.configs.alter import Change
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.messages.incremental_alter_configs import (
    AlterConfigsResourceResponse,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
)


def handle(context: Context, request: IncrementalAlterConfigsRequest) -> Answer:
    """Change the settings of each resource."""
    return _alter(context, request)


async def _alter(
    context: Context, request: IncrementalAlterConfigsRequest
) -> IncrementalAlterConfigsResponse:
    items = [
        Item(
            resource.resource_type,
            resource.resource_name,
            [Change(c.name, c.config_operation, c.value) for c in resource.configs],
            False,
        )
        for resource in request.resources
    ]
    outcomes = await context.services.config_admin.alter(items, request.validate_only)
    return IncrementalAlterConfigsResponse(
        responses=shaped(request.resources, outcomes, AlterConfigsResourceResponse)
    )


def failed(
    request: IncrementalAlterConfigsRequest | None, version: int, error: KafkaError
) -> IncrementalAlterConfigsResponse:
    """Every resource of the request with the same error."""
    if request is None:
        return IncrementalAlterConfigsResponse()
    return IncrementalAlterConfigsResponse(
        responses=all_failed(request.resources, error, AlterConfigsResourceResponse)
    )
