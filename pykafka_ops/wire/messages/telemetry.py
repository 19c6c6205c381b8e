"""GetTelemetrySubscriptions (71) and PushTelemetry (72): client metrics (KIP-714)."""

from __future__ import annotations

from pykafka_ops.wire.message import message, wire
from pykafka_ops.wire.types import BOOL, BYTES, INT8, INT16, INT32, STRING, UUID


@message(api=71, kind="request", versions="0", flexible="0+")
class GetTelemetrySubscriptionsRequest:
    """A client asks what to send; the zero UUID asks for an id."""

    client_instance_id: bytes = wire(UUID)


@message(api=71, kind="response", versions="0", flexible="0+")
class GetTelemetrySubscriptionsResponse:
    """The metrics wanted, how often (ms) and how compressed."""

    throttle_time_ms: int = wire(INT32)
    error_code: int = wire(INT16)
    client_instance_id: bytes = wire(UUID)
    subscription_id: int = wire(INT32)
    accepted_compression_types: list[int] = wire([INT8])
    push_interval_ms: int = wire(INT32)
    telemetry_max_bytes: int = wire(INT32)
    delta_temporality: bool = wire(BOOL)
    requested_metrics: list[str] = wire([STRING])


@message(api=72, kind="request", versions="0", flexible="0+")
class PushTelemetryRequest:
    """Metrics in OTLP, compressed."""

    client_instance_id: bytes = wire(UUID)
    subscription_id: int = wire(INT32)
    terminating: bool = wire(BOOL)
    compression_type: int = wire(INT8)
    metrics: bytes = wire(BYTES)


@message(api=72, kind="response", versions="0", flexible="0+")
class PushTelemetryResponse:
    """Whether they were taken."""

    throttle_time_ms: int = wire(INT32)
    error_code: int = wire(INT16)
