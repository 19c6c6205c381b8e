"""AlterConfigs (33): replace all settings of a resource (KIP-133).

What is not named goes back to its default; IncrementalAlterConfigs changes single settings.
"""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.shared import NamedValue
from pykafka_ops.wire.types import BOOL, INT8, INT16, INT32, STRING

AlterableConfig = NamedValue


@struct
class AlterConfigsResource:
    """One resource and its settings."""

    resource_type: int = wire(INT8)
    resource_name: str = wire(STRING)
    configs: list[AlterableConfig] = wire([AlterableConfig])


@message(ApiKey.ALTER_CONFIGS)
class AlterConfigsRequest:
    """Resources to set, or only to validate."""

    resources: list[AlterConfigsResource] = wire([AlterConfigsResource])
    validate_only: bool = wire(BOOL)


@struct
class AlterConfigsResourceResponse:
    """What became of one resource."""

    error_code: int = wire(INT16)
    error_message: str | None = wire(STRING, nullable="0+")
    resource_type: int = wire(INT8)
    resource_name: str = wire(STRING)


@message(ApiKey.ALTER_CONFIGS)
class AlterConfigsResponse:
    """The outcome for each resource."""

    throttle_time_ms: int = wire(INT32)
    responses: list[AlterConfigsResourceResponse] = wire([AlterConfigsResourceResponse])
