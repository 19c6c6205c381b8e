from __future__ import annotations

from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
)
from tests.support.memory.handler_site import Site


def test_the_new_group_protocol_is_not_supported() -> None:
    answer = Site().ask(ConsumerGroupHeartbeatRequest(group_id="g", member_id="m"), 0)
    assert answer == ConsumerGroupHeartbeatResponse(error_code=ErrorCode.UNSUPPORTED_VERSION)
