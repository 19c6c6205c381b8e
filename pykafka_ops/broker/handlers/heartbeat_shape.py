"""Heartbeats that are the same bytes as one before, but for correlation id and generation.

A member sends the same every three seconds for as long as a generation lasts, and then another
generation. A :class:`HeartbeatShape` is made of the first of them and has the answer ready; what is
not as usual is decided by the same code as any other request.
"""

from __future__ import annotations

from functools import cache

from pykafka_ops.broker.coordinators.groups import GroupSlot
from pykafka_ops.broker.coordinators.hot.members import HeartbeatPath
from pykafka_ops.broker.handlers.api import SHAPE_BYTES, Context
from pykafka_ops.broker.handlers.member_requests import around_generation
from pykafka_ops.broker.hot.serving import Shape
from pykafka_ops.broker.state.groups.group import GroupState
from pykafka_ops.broker.state.names import GROUP_METADATA_TOPIC
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codec import encode
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.frame import EncodedAnswer, response_parts, whole_head
from pykafka_ops.wire.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from pykafka_ops.wire.types import joined


def shape(context: Context, request: HeartbeatRequest, frame: memoryview) -> Shape | None:
    """The shape of this request; None if it has bytes that mean nothing. ``frame`` is the whole
    request, without the length in front."""
    made = HeartbeatShape(context, request)
    return made if made.fits(frame) else None


class HeartbeatShape(HeartbeatPath):
    """Serves requests of one shape on one connection; ``context`` is that of the first."""

    __slots__ = ("_groups",)

    def __init__(self, context: Context, request: HeartbeatRequest) -> None:
        self.context = context
        self.codes = 1
        services = context.services
        self._groups = services.groups

        def of_generation(generation: int) -> HeartbeatRequest:
            return HeartbeatRequest(
                group_id=request.group_id,
                generation_id=generation,
                member_id=request.member_id,
                group_instance_id=request.group_instance_id,
            )

        key, head, tail = around_generation(context, of_generation)
        super().__init__(
            (key, head, tail),
            joined(response_parts(HeartbeatResponse(), context.version, 0)),
            (request.group_id, request.member_id, request.group_instance_id),
            (services.image.topics, GROUP_METADATA_TOPIC),
            self._groups.coordinator.environment.timer,
            GroupState.STABLE,
        )
        refused = HeartbeatResponse(error_code=ErrorCode.REBALANCE_IN_PROGRESS)
        self.prepare(GroupState.PREPARING, joined(response_parts(refused, context.version, 0)))
        self.held = SHAPE_BYTES + len(head) + len(tail)

    def find(self) -> GroupSlot | None:
        return self._groups.coordinator.loaded_of(self._group_id)

    def unusual(self, generation: int) -> object:
        try:
            code = self._groups.heartbeat(
                self._group_id, self._member_id, self._instance_id, generation
            )
        except KafkaError:
            return None
        return _refused(code, self.context.version) if code else HeartbeatResponse()


@cache
def _refused(code: ErrorCode, version: int) -> EncodedAnswer:
    """The same for all members of a group that rebalances."""
    head = whole_head(HeartbeatResponse, version)
    return EncodedAnswer(head + encode(HeartbeatResponse(error_code=code), version), code)
