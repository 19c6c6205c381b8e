"""SyncGroup requests of members that do not lead, which are the same bytes as one before, but for
correlation id and generation.

A :class:`SyncShape` is made of the first of them. What is decided is the same code as for any other
request.
"""

from __future__ import annotations

from pykafka_ops.broker.coordinators.hot.members import GenerationShape
from pykafka_ops.broker.handlers.api import SHAPE_BYTES, Context
from pykafka_ops.broker.handlers.member_requests import around_generation
from pykafka_ops.broker.handlers.sync_group_answer import response, whole
from pykafka_ops.broker.state.deferred import shaped
from pykafka_ops.broker.state.groups.answers import Synced, SyncRequest
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.sync_group import SyncGroupRequest


def shape(
    context: Context, request: SyncGroupRequest, frame: memoryview, asked: SyncRequest
) -> SyncShape | None:
    """The shape of this request; None if it has assignments, or bytes that mean nothing. ``frame``
    is the whole request, without the length in front, ``asked`` what it asks for."""
    if request.assignments:
        return None
    made = SyncShape(context, request, asked)
    return made if made.fits(frame) else None


class SyncShape(GenerationShape):
    """Serves requests of one shape on one connection; ``context`` is that of the first."""

    __slots__ = ("_asked", "_group_id")

    def __init__(self, context: Context, request: SyncGroupRequest, asked: SyncRequest) -> None:
        self.context = context
        self.codes = 1
        self._group_id = request.group_id
        self._asked = asked

        def of_generation(generation: int) -> SyncGroupRequest:
            return SyncGroupRequest(
                group_id=request.group_id,
                generation_id=generation,
                member_id=request.member_id,
                group_instance_id=request.group_instance_id,
                protocol_type=request.protocol_type,
                protocol_name=request.protocol_name,
                assignments=[],
            )

        key, head, tail = around_generation(context, of_generation)
        super().__init__(key, head, tail)
        self.held = SHAPE_BYTES + len(head) + len(tail)

    def answer(self, frame: memoryview) -> object:
        """The answer to a request of this shape, or the promise of it; None, and nothing is done,
        if it has another, or if the coordinator is not here any more."""
        if not self.fits(frame):
            return None
        asked = self._asked._replace(generation=self.generation(frame))
        try:
            synced = self.context.services.groups.sync(self._group_id, asked)
        except KafkaError:
            return None
        return shaped(synced, self._made)

    def _made(self, synced: Synced) -> object:
        if synced.code is not ErrorCode.NONE:
            return response(synced)
        return whole(synced, self.context.version)
