"""ConsumerGroupHeartbeat (68), v0: the classic coordinator announces it and has no such groups."""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
)


def handle(context: Context, request: ConsumerGroupHeartbeatRequest) -> Answer:
    """UNSUPPORTED_VERSION: group.protocol=consumer needs a broker of Kafka 4."""
    return ConsumerGroupHeartbeatResponse(error_code=ErrorCode.UNSUPPORTED_VERSION)
