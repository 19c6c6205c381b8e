"""ListClientMetricsResources (74): names of client metrics subscriptions (KIP-1000)."""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.types import INT8, INT16, INT32, STRING


@message(ApiKey.LIST_CLIENT_METRICS_RESOURCES)
class ListClientMetricsResourcesRequest:
    """Ask for the names; from version 1 on of these types, none: all (KIP-1142)."""

    resource_types: list[int] = wire([INT8], "1+", ignorable=True)


@struct
class ClientMetricsResource:
    """One subscription, or what else has settings: the type as DescribeConfigs has it."""

    name: str = wire(STRING)
    resource_type: int = wire(INT8, "1+", default=16, ignorable=True)


@message(ApiKey.LIST_CLIENT_METRICS_RESOURCES)
class ListClientMetricsResourcesResponse:
    """The names."""

    throttle_time_ms: int = wire(INT32)
    error_code: int = wire(INT16)
    client_metrics_resources: list[ClientMetricsResource] = wire([ClientMetricsResource])
