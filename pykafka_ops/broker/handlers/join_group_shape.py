"""JoinGroup requests that are the same bytes as one before, but for the correlation id.

Members that have an id send them in each rebalance, for as long as they subscribe to the same and
name no generation in it. A :class:`JoinShape` is made of the first of them. One that only joins
those that wait goes straight through (:class:`~pykafka_ops.broker.coordinators.hot.rebalances.\
JoinPath`); what any other means is decided by the same code as for any other request.
"""

from __future__ import annotations

from pykafka_ops.broker.coordinators.groups import GroupSlot
from pykafka_ops.broker.coordinators.hot.rebalances import JoinPath
from pykafka_ops.broker.handlers.api import SHAPE_BYTES, Context
from pykafka_ops.broker.handlers.join_group_answer import ending, response, whole
from pykafka_ops.broker.hot.raw import HEAD_SIZE, length
from pykafka_ops.broker.state.groups.answers import Joined, JoinRequest
from pykafka_ops.broker.state.groups.group import GroupState
from pykafka_ops.broker.state.names import GROUP_METADATA_TOPIC
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.join_group import JoinGroupRequest

LARGEST = 4 << 10
"""Bytes of a request that is remembered."""


def shape(
    context: Context, request: JoinGroupRequest, frame: memoryview, asked: JoinRequest
) -> JoinShape | None:
    """The shape of this request; None if a new member sends it, if it is long, or to be refused for
    its session timeout. ``frame`` is the whole request, without the length in front, ``asked`` what
    it asks for."""
    settings = context.services.groups.settings
    known = settings.min_session_ms <= asked.session_timeout <= settings.max_session_ms
    if not request.member_id or len(frame) > LARGEST or not known:
        return None
    return JoinShape(context, request.group_id, frame, asked)


class JoinShape(JoinPath):
    """Serves requests of one shape on one connection; ``context`` is that of the first."""

    __slots__ = ("_asked", "_ending")

    def __init__(
        self, context: Context, group_id: str, frame: memoryview, asked: JoinRequest
    ) -> None:
        self.context = context
        self.codes = 1
        self._asked = asked
        self._ending = b""
        services = context.services
        super().__init__(
            (length(frame, 0), bytes(frame[HEAD_SIZE:]), b""),
            b"",
            (group_id, asked.member_id, asked.instance_id),
            (services.image.topics, GROUP_METADATA_TOPIC),
            services.groups.coordinator.environment.timer,
            GroupState.STABLE,
        )
        self.prepare(
            asked.protocol_type,
            asked.protocols,
            (asked.rebalance_timeout, asked.session_timeout),
            services.groups.settings.max_size,
            GroupState.PREPARING,
        )
        self.held = SHAPE_BYTES + 2 * len(frame)

    def find(self) -> GroupSlot | None:
        slot: GroupSlot | None = self.context.services.groups.classic_slot_of(self._group_id)
        return slot

    def ordinary(self) -> object:
        try:
            joined = self.context.services.groups.join(self._group_id, self._asked)
        except KafkaError:
            return None
        return joined.shaped(self.made)

    def made(self, joined: Joined) -> object:
        version = self.context.version
        usual = joined.code is ErrorCode.NONE and not joined.members
        if not usual or joined.member_id != self._asked.member_id:
            return response(joined, version)
        if not self._ending:
            self._ending = ending(joined.member_id, version)
        return whole(joined, version, self._ending, self.correlation_id)
