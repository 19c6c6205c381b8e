"""Heartbeats that are the same bytes as one before, but for the correlation id.

A member sends the same every three seconds for as long as a generation lasts. A
:class:`HeartbeatShape` is made of the first of them and has the answer ready; what is decided is
the same code as for any other request.
"""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import SHAPE_BYTES, Context
from pykafka_ops.broker.hot.raw import HEAD_SIZE, pair
from pykafka_ops.broker.hot.serving import Shape
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.frame import encode_request, response_parts
from pykafka_ops.wire.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from pykafka_ops.wire.types import joined

_LENGTH = 4


def shape(context: Context, request: HeartbeatRequest, frame: memoryview) -> HeartbeatShape | None:
    """The shape of this request; None if it has bytes that mean nothing. ``frame`` is the whole
    request, without the length in front."""
    made = HeartbeatShape(context, request)
    return made if made.fits(frame) else None


class HeartbeatShape(Shape):
    """Serves requests of one shape on one connection; ``context`` is that of the first."""

    __slots__ = ("_after", "_before", "_key", "_member", "_rest")

    def __init__(self, context: Context, request: HeartbeatRequest) -> None:
        self.context = context
        self.codes = 1
        self._member = (
            request.group_id,
            request.member_id,
            request.group_instance_id,
            request.generation_id,
        )
        # Made by our own encoder, so that a request with these bytes can mean nothing else.
        frame = encode_request(request, context.version, 0, context.client_id)[_LENGTH:]
        self._key = pair(frame)[0]
        self._rest = frame[HEAD_SIZE:]
        reply = joined(response_parts(HeartbeatResponse(), context.version, 0))
        self._before, self._after = reply[:_LENGTH], reply[_LENGTH + 4 :]
        self.held = SHAPE_BYTES + 2 * len(frame)

    def fits(self, frame: memoryview) -> bool:
        """Whether the frame has this shape."""
        return frame[HEAD_SIZE:] == self._rest and pair(frame)[0] == self._key

    def answer(self, frame: memoryview) -> object:
        """The answer to a request of this shape; None, and nothing is done, if it has another, or
        if the coordinator is not here any more."""
        if not self.fits(frame):
            return None
        try:
            code = self.context.services.groups.heartbeat(*self._member)
        except KafkaError:
            return None
        if code is not ErrorCode.NONE:
            return HeartbeatResponse(error_code=code)
        return self._before + bytes(frame[4:8]) + self._after
