"""IncrementalAlterConfigs (44): change single settings (KIP-339)."""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.messages.alter_configs import AlterConfigsResourceResponse
from pykafka_ops.wire.types import BOOL, INT8, INT32, STRING


@struct
class AlterableConfig:
    """One setting; operation 0 set, 1 delete, 2 append, 3 subtract."""

    name: str = wire(STRING)
    config_operation: int = wire(INT8)
    value: str | None = wire(STRING, nullable="0+")


@struct
class AlterConfigsResource:
    """One resource and its settings."""

    resource_type: int = wire(INT8)
    resource_name: str = wire(STRING)
    configs: list[AlterableConfig] = wire([AlterableConfig])


@message(ApiKey.INCREMENTAL_ALTER_CONFIGS)
class IncrementalAlterConfigsRequest:
    """Resources to change, or only to validate."""

    resources: list[AlterConfigsResource] = wire([AlterConfigsResource])
    validate_only: bool = wire(BOOL)


@message(ApiKey.INCREMENTAL_ALTER_CONFIGS)
class IncrementalAlterConfigsResponse:
    """The outcome for each resource."""

    throttle_time_ms: int = wire(INT32)
    responses: list[AlterConfigsResourceResponse] = wire([AlterConfigsResourceResponse])
