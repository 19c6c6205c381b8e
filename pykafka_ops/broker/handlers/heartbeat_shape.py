"""Heartbeats that are the same bytes as one before, but for correlation id and generation.

A member sends the same every three seconds for as long as a generation lasts, and then another
generation. A :class:`HeartbeatShape` is made of the first of them and has the answer ready; what is
decided is the same code as for any other request.
"""

from __future__ import annotations

from struct import Struct

from pykafka_ops.broker.handlers.api import SHAPE_BYTES, Context
from pykafka_ops.broker.hot.serving import Shape
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.frame import encode_request, response_parts
from pykafka_ops.wire.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from pykafka_ops.wire.types import joined

_LENGTH = 4
_CORRELATION_END = 8
_ONES = b"\xff" * 4
_generation = Struct(">i").unpack_from


def shape(context: Context, request: HeartbeatRequest, frame: memoryview) -> HeartbeatShape | None:
    """The shape of this request; None if it has bytes that mean nothing. ``frame`` is the whole
    request, without the length in front."""
    made = HeartbeatShape(context, request)
    return made if made.fits(frame) else None


class HeartbeatShape(Shape):
    """Serves requests of one shape on one connection; ``context`` is that of the first."""

    __slots__ = ("_after", "_before", "_expected", "_generation_at", "_mask", "_member", "_size")

    def __init__(self, context: Context, request: HeartbeatRequest) -> None:
        self.context = context
        self.codes = 1
        self._member = request.group_id, request.member_id, request.group_instance_id
        # Made by our own encoder, so that a request with these bytes can mean nothing else.
        zeros, ones = (_encoded(context, request, number) for number in (0, -1))
        self._size = size = len(zeros)
        self._expected = int.from_bytes(zeros, "big")
        differs = self._expected ^ int.from_bytes(ones, "big")
        self._mask = (1 << 8 * size) - 1 ^ differs
        self._generation_at = differs.to_bytes(size, "big").index(_ONES, _CORRELATION_END)
        reply = joined(response_parts(HeartbeatResponse(), context.version, 0))
        self._before, self._after = reply[:_LENGTH], reply[_LENGTH + 4 :]
        self.held = SHAPE_BYTES + 3 * size

    def fits(self, frame: memoryview) -> bool:
        """Whether the frame has this shape."""
        return (
            len(frame) == self._size and int.from_bytes(frame, "big") & self._mask == self._expected
        )

    def answer(self, frame: memoryview) -> object:
        """The answer to a request of this shape; None, and nothing is done, if it has another, or
        if the coordinator is not here any more."""
        if not self.fits(frame):
            return None
        (generation,) = _generation(frame, self._generation_at)
        try:
            code = self.context.services.groups.heartbeat(*self._member, generation)
        except KafkaError:
            return None
        if code is not ErrorCode.NONE:
            return HeartbeatResponse(error_code=code)
        return self._before + bytes(frame[4:8]) + self._after


def _encoded(context: Context, request: HeartbeatRequest, number: int) -> bytes:
    """The frame of the request with ``number`` as correlation id and generation."""
    same = HeartbeatRequest(
        group_id=request.group_id,
        generation_id=number,
        member_id=request.member_id,
        group_instance_id=request.group_instance_id,
    )
    return encode_request(same, context.version, number, context.client_id)[_LENGTH:]
