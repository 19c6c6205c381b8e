"""JoinGroup requests that are the same bytes as one before, but for the correlation id.

Members that have an id send them in each rebalance, for as long as they subscribe to the same and
name no generation in it. A :class:`JoinShape` is made of the first of them. What is decided is the
same code as for any other request.
"""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import SHAPE_BYTES, Context
from pykafka_ops.broker.handlers.join_group_answer import ending, response, whole
from pykafka_ops.broker.hot.raw import HEAD_SIZE, length
from pykafka_ops.broker.hot.serving import Shape
from pykafka_ops.broker.state.groups.answers import Joined, JoinRequest
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.join_group import JoinGroupRequest

LARGEST = 4 << 10
"""Bytes of a request that is remembered."""


def shape(
    context: Context, request: JoinGroupRequest, frame: memoryview, asked: JoinRequest
) -> JoinShape | None:
    """The shape of this request; None if a new member sends it, or if it is long. ``frame`` is the
    whole request, without the length in front, ``asked`` what it asks for."""
    if not request.member_id or len(frame) > LARGEST:
        return None
    return JoinShape(context, request.group_id, frame, asked)


class JoinShape(Shape):
    """Serves requests of one shape on one connection; ``context`` is that of the first."""

    __slots__ = ("_asked", "_end", "_group_id", "_rest", "_size")

    def __init__(
        self, context: Context, group_id: str, frame: memoryview, asked: JoinRequest
    ) -> None:
        self.context = context
        self.codes = 1
        self._group_id = group_id
        self._asked = asked
        self._end = b""
        self.key = length(frame, 0)
        self._rest = bytes(frame[HEAD_SIZE:])
        self._size = len(frame)
        self.held = SHAPE_BYTES + 2 * self._size

    def fits(self, frame: memoryview) -> bool:
        """Whether the frame has this shape."""
        return (
            len(frame) == self._size
            and length(frame, 0) == self.key
            and frame[HEAD_SIZE:] == self._rest
        )

    def answer(self, frame: memoryview) -> object:
        """The answer to a request of this shape, or the promise of it; None, and nothing is done,
        if it has another, or if the coordinator is not here any more."""
        if not self.fits(frame):
            return None
        try:
            joined = self.context.services.groups.join(self._group_id, self._asked)
        except KafkaError:
            return None
        return joined.shaped(self._made)

    def _made(self, joined: Joined) -> object:
        version = self.context.version
        usual = joined.code is ErrorCode.NONE and not joined.members
        if not usual or joined.member_id != self._asked.member_id:
            return response(joined, version)
        if not self._end:
            self._end = ending(joined.member_id, version)
        return whole(joined, version, self._end)
