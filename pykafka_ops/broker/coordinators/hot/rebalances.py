"""Rebalances of a group, as far as a member's request decides nothing: it is one of many that join
again, or gets what its leader has assigned.

Requests of a :class:`JoinPath` are the same bytes but for the correlation id, those of a
:class:`SyncPath` differ in the generation, too. A member that has to wait for others gets a
promise, which the ordinary code keeps. The path leaves to it, and nothing is done, where

* the group is in another state, or of another generation or protocol,
* the member is new, leads, waits already, or says of itself what it did not say before,
* it is the last that the others wait for.
"""

from __future__ import annotations

from typing import Any

import pykafka_ops.broker.coordinators.hot.raw as at
from pykafka_ops.broker.coordinators.hot.members import MemberPath
from pykafka_ops.broker.hot.deferred import Deferred


class JoinPath(MemberPath):
    """JoinGroup of one member, once it is told of :meth:`prepare`. ``correlation_id`` is that of
    the last request."""

    __slots__ = (
        "_most", "_names", "_preparing", "_protocol_type", "_protocols", "_rebalance_timeout",
        "_session_timeout", "correlation_id",
    )  # fmt: skip

    def prepare(
        self,
        protocol_type: str,
        protocols: tuple[tuple[str, bytes], ...],
        timeouts: tuple[int, int],
        most: int,
        preparing: object,
    ) -> None:
        """What the member says of itself: the type of its protocols, their names and metadata,
        timeouts of rebalance and session (ms). A group has room for ``most`` members; ``preparing``
        is the state of those that wait for them."""
        self._protocol_type, self._protocols = protocol_type, protocols
        self._names = [name for name, _ in protocols]
        self._rebalance_timeout, self._session_timeout = timeouts
        self._most, self._preparing = most, preparing
        self.correlation_id = 0

    def ordinary(self) -> object:
        """The answer by the ordinary code, None if the coordinator is not here any more."""
        raise NotImplementedError

    def made(self, joined: Any) -> object:
        """The answer to the last request, made of a ``Joined``."""
        raise NotImplementedError

    def answer_in(self, data: memoryview, start: int, room: memoryview) -> object:
        if not self._fits_in(room):
            return None
        self.correlation_id = at.length(room, 4)
        slot = self._loaded()
        if slot is not None:
            groups: dict[str, Any] = slot.shard.groups
            group = groups.get(self._group_id)
            member = None if group is None else self._expected(group)
            if member is not None:
                return self._waits(group, member)
        return self.ordinary()

    def _fits_in(self, room: memoryview) -> bool:
        return (
            len(room) == self._place
            and at.length(room, 0) == self.key
            and at.holds(room, at.HEAD_SIZE, self._head)
        )

    def _expected(self, group: Any) -> Any:
        """The member, if it is one of several that a rebalance waits for, and nothing else is to be
        said of it."""
        if group.state is not self._preparing or group.protocol_type != self._protocol_type:
            return None
        waiting: int = group.awaiting_join
        members: dict[str, Any] = group.members
        count = len(members)
        member = self._member(group)
        if waiting >= self._most or waiting + 1 >= count or member is None:
            return None
        if member.join is not None or member.protocols != self._protocols:
            return None
        supported: dict[str, int] = group.supported
        for name in self._names:
            if supported.get(name) == count:
                return member
        return None

    def _waits(self, group: Any, member: Any) -> Deferred:
        ticket = Deferred()
        ticket.shaped(self.made)
        member.rebalance_timeout = self._rebalance_timeout
        member.session_timeout = self._session_timeout
        member.join = ticket
        group.awaiting_join += 1
        return ticket


class SyncPath(MemberPath):
    """SyncGroup of one member that does not lead, once it is told of :meth:`prepare`.
    ``correlation_id`` is that of the last request."""

    __slots__ = ("_completing", "_protocol", "_protocol_type", "correlation_id")

    def prepare(self, protocol_type: str | None, protocol: str | None, completing: object) -> None:
        """Type and name of the protocol, None where requests do not say them; the state of groups
        that wait for their leader."""
        self._protocol_type, self._protocol = protocol_type, protocol
        self._completing = completing
        self.correlation_id = 0

    def ordinary(self, generation: int) -> object:
        """The answer by the ordinary code, None if the coordinator is not here any more."""
        raise NotImplementedError

    def made(self, synced: Any) -> object:
        """The answer to the last request, made of a ``Synced``."""
        raise NotImplementedError

    def assigned(self, group: Any, assignment: bytes) -> object:
        """The answer to the last request: what the member has."""
        raise NotImplementedError

    def answer_in(self, data: memoryview, start: int, room: memoryview) -> object:
        if not self._fits_in(room):
            return None
        self.correlation_id = at.length(room, 4)
        generation = at.length(room, self._place)
        slot = self._loaded()
        if slot is not None:
            groups: dict[str, Any] = slot.shard.groups
            group = groups.get(self._group_id)
            answer = None if group is None else self._of(group, generation)
            if answer is not None:
                return answer
        return self.ordinary(generation)

    def _of(self, group: Any, generation: int) -> object:
        """The answer, or the promise of it; None, and nothing is done, where the ordinary code has
        to say."""
        member = self._known(group, generation)
        if member is None:
            return None
        pending: set[str] = group.pending_sync
        if group.state is self._stable:
            if self._expects(group, generation):
                pending.discard(self._member_id)
                return self.assigned(group, member.assignment)
        elif group.state is self._completing and member.sync is None:
            pending.discard(self._member_id)
            return self._waits(member)
        return None

    def _known(self, group: Any, generation: int) -> Any:
        """The member, if it does not lead this generation, and is not the last that syncs."""
        current: int = group.generation
        pending: set[str] = group.pending_sync
        if current != generation or group.leader == self._member_id or len(pending) == 1:
            return None
        if self._protocol_type is not None and self._protocol_type != group.protocol_type:
            return None
        if self._protocol is not None and self._protocol != group.protocol:
            return None
        return self._member(group)

    def _waits(self, member: Any) -> Deferred:
        ticket = Deferred()
        ticket.shaped(self.made)
        member.sync = ticket
        return ticket
