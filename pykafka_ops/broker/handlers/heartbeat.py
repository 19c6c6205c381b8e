"""Heartbeat (12), v0-4: a member is alive. v3 brought static members, v4 flexible headers."""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.hot.serving import Shape
from pykafka_ops.wire.messages.heartbeat import HeartbeatRequest, HeartbeatResponse


def handle(context: Context, request: HeartbeatRequest) -> Answer:
    """NONE, REBALANCE_IN_PROGRESS, or why the client is no member.

    Raises KafkaError INVALID_GROUP_ID or NOT_COORDINATOR.
    """
    code = context.services.groups.heartbeat(
        request.group_id, request.member_id, request.group_instance_id, request.generation_id
    )
    return HeartbeatResponse(error_code=code)


def shape(context: Context, request: HeartbeatRequest, frame: memoryview) -> Shape | None:
    """What serves the next requests that are the same."""
    from pykafka_ops.broker.handlers import heartbeat_shape

    return heartbeat_shape.shape(context, request, frame)
