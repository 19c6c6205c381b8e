"""SyncGroup requests of members that do not lead, which are the same bytes as one before, but for
correlation id and generation.

A :class:`SyncShape` is made of the first of them. One that gets what there is, or waits for it,
goes straight through (:class:`~pykafka_ops.broker.coordinators.hot.rebalances.SyncPath`); what any
other means is decided by the same code as for any other request.
"""

from __future__ import annotations

from pykafka_ops.broker.coordinators.groups import GroupSlot
from pykafka_ops.broker.coordinators.hot.rebalances import SyncPath
from pykafka_ops.broker.handlers.api import SHAPE_BYTES, Context
from pykafka_ops.broker.handlers.member_requests import around_generation
from pykafka_ops.broker.handlers.sync_group_answer import response, whole
from pykafka_ops.broker.state.deferred import shaped
from pykafka_ops.broker.state.groups.answers import Synced, SyncRequest
from pykafka_ops.broker.state.groups.group import Group, GroupState
from pykafka_ops.broker.state.names import GROUP_METADATA_TOPIC
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


class SyncShape(SyncPath):
    """Serves requests of one shape on one connection; ``context`` is that of the first."""

    __slots__ = ("_asked",)

    def __init__(self, context: Context, request: SyncGroupRequest, asked: SyncRequest) -> None:
        self.context = context
        self.codes = 1
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

        services = context.services
        key, head, tail = around_generation(context, of_generation)
        super().__init__(
            (key, head, tail),
            b"",
            (request.group_id, request.member_id, request.group_instance_id),
            (services.image.topics, GROUP_METADATA_TOPIC),
            services.groups.coordinator.environment.timer,
            GroupState.STABLE,
        )
        self.prepare(asked.protocol_type, asked.protocol, GroupState.COMPLETING)
        self.held = SHAPE_BYTES + len(head) + len(tail)

    def find(self) -> GroupSlot | None:
        slot: GroupSlot | None = self.context.services.groups.classic_slot_of(self._group_id)
        return slot

    def ordinary(self, generation: int) -> object:
        asked = self._asked._replace(generation=generation)
        try:
            synced = self.context.services.groups.sync(self._group_id, asked)
        except KafkaError:
            return None
        return shaped(synced, self.made)

    def made(self, synced: Synced) -> object:
        if synced.code is not ErrorCode.NONE:
            return response(synced)
        return whole(synced, self.context.version, self.correlation_id)

    def assigned(self, group: Group, assignment: bytes) -> object:
        known = group.protocol_type, group.protocol, assignment
        return whole(Synced(ErrorCode.NONE, *known), self.context.version, self.correlation_id)
