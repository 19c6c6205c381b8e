"""Heartbeat (12): a member is alive; version 3 adds static members (KIP-345)."""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, wire
from pykafka_ops.wire.types import INT16, INT32, STRING


@message(ApiKey.HEARTBEAT)
class HeartbeatRequest:
    """A member of one generation."""

    group_id: str = wire(STRING)
    generation_id: int = wire(INT32)
    member_id: str = wire(STRING)
    group_instance_id: str | None = wire(STRING, "3+", nullable="3+", default=None)


@message(ApiKey.HEARTBEAT)
class HeartbeatResponse:
    """After REBALANCE_IN_PROGRESS the member joins again."""

    throttle_time_ms: int = wire(INT32, "1+", ignorable=True)
    error_code: int = wire(INT16)
