"""Heartbeat (12), v0-4: a member is alive. v3 brought static members, v4 flexible headers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.heartbeat import HeartbeatRequest, HeartbeatResponse

if TYPE_CHECKING:
    from pykafka_ops.broker.handlers.api import Answer, Context


def handle(context: Context, request: HeartbeatRequest) -> Answer:
    """NONE, REBALANCE_IN_PROGRESS or why the member is none."""
    services = context.services
    try:
        slot = services.groups.slot_of(request.group_id)
    except KafkaError as error:
        if error.code != ErrorCode.COORDINATOR_LOAD_IN_PROGRESS:
            raise
        return HeartbeatResponse()  # nothing is known yet: nobody shall be sent away
    code = slot.shard.heartbeat(
        request.group_id,
        request.member_id,
        request.group_instance_id,
        request.generation_id,
        services.timer(),
    )
    return HeartbeatResponse(error_code=code)
