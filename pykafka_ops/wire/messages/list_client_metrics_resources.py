"""ListClientMetricsResources (74): names of client metrics subscriptions (KIP-1000)."""

from __future__ import annotations

from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.types import INT16, INT32, STRING


@message(api=74, kind="request", versions="0", flexible="0+")
class ListClientMetricsResourcesRequest:
    """Ask for the names."""


@struct
class ClientMetricsResource:
    """One subscription."""

    name: str = wire(STRING)


@message(api=74, kind="response", versions="0", flexible="0+")
class ListClientMetricsResourcesResponse:
    """The names."""

    throttle_time_ms: int = wire(INT32)
    error_code: int = wire(INT16)
    client_metrics_resources: list[ClientMetricsResource] = wire([ClientMetricsResource])
