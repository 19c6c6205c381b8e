"""Heartbeats of a member, straight from their bytes to the answer.

What requests of a :class:`HeartbeatPath` have in common is known: API, version, client, group,
member and static name. They differ in correlation id and generation, as others of a member do
(:class:`GenerationShape`). Nothing is done but to note until when the member lives, as for all that
a member sends (:class:`MemberPath`); its timer looks at that when it fires. The path leaves to the
ordinary code every heartbeat that is answered with an error, but for REBALANCE_IN_PROGRESS where
errors are not counted, or that needs another timer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pykafka_ops.broker.coordinators.hot.raw as at
from pykafka_ops.broker.hot.raw import monotonic_clock  # the object; compiled, ``at`` has C's
from pykafka_ops.broker.hot.serving import Shape

_HEAD = at.HEAD_SIZE
_GENERATION = 4


class GenerationShape(Shape):
    """Requests of one shape that differ in correlation id and generation: ``head`` are their bytes
    from behind the correlation id to before the generation, ``tail`` those behind it, ``key`` the
    number that API and version are."""

    __slots__ = ("_head", "_place", "_size", "_tail")

    def __init__(self, key: int, head: bytes, tail: bytes) -> None:
        self.key, self._head, self._tail = key, head, tail
        self._place = _HEAD + len(head)
        self._size = self._place + _GENERATION + len(tail)

    def fits(self, frame: memoryview) -> bool:
        """Whether the frame has this shape."""
        return self._fits_in(frame)

    def _fits_in(self, room: memoryview) -> bool:
        return (
            len(room) == self._size
            and at.length(room, 0) == self.key
            and at.holds(room, _HEAD, self._head)
            and at.holds(room, self._place + _GENERATION, self._tail)
        )


class MemberPath(GenerationShape):
    """What a member sends: ``frame`` is what its requests have in common, ``reply`` an answer
    without an error. ``member`` has group, member id and static name; ``topics`` what there is of
    each topic, ``topic`` is the one whose partitions hold groups; ``timer()`` is monotonic and in
    ms; ``stable`` is the state of groups that wait for nobody."""

    __slots__ = (
        "_group_id", "_instance_id", "_member_id", "_monotonic", "_reply", "_seen", "_slot",
        "_stable", "_timer", "_topic", "_topics",
    )  # fmt: skip

    def __init__(
        self,
        frame: tuple[int, bytes, bytes],
        reply: bytes,
        member: tuple[str, str, str | None],
        topics: tuple[dict[str, Any], str],
        timer: Callable[[], float],
        stable: object,
    ) -> None:
        super().__init__(*frame)
        self._reply = reply
        self._group_id, self._member_id, self._instance_id = member
        self._topics, self._topic = topics
        self._timer = timer
        self._monotonic = timer is monotonic_clock
        self._stable = stable
        self._slot: Any = None
        self._seen: object = None

    def answer(self, frame: memoryview) -> object:
        """As in ``Shape``; None also if topics or the coordinator are not what they were."""
        return self.answer_in(frame, 0, frame)

    def find(self) -> object:
        """The loaded shard of the group with its partition, None if it is not here."""
        raise NotImplementedError

    def _loaded(self) -> Any:
        """The same; it is looked for where it may be another than before."""
        slot = self._slot
        if slot is None or slot.closed or self._topics.get(self._topic) is not self._seen:
            slot = self._slot = self.find()
            self._seen = self._topics.get(self._topic)
        return slot

    def _lives(self, group: Any, generation: int) -> bool:
        """Note that the member of a stable group lives; False, and nothing is done, if that is not
        all."""
        return group.state is self._stable and self._expects(group, generation)

    def _expects(self, group: Any, generation: int) -> bool:
        """The same of a group in any state."""
        current: int = group.generation
        if current != generation:
            return False
        member = self._member(group)
        if member is None:
            return False
        timer = member.timer
        if timer is None:
            return False
        deadline = at.monotonic_clock() if self._monotonic else self._timer()
        patience, due = member.session_timeout, timer.deadline
        deadline += patience
        if deadline < due:
            return False
        member.deadline = deadline
        return True

    def _member(self, group: Any) -> Any:
        """The member, None if it is none, or another has its static name."""
        members: dict[str, Any] = group.members
        member_id, name = self._member_id, self._instance_id
        if name is not None and group.static_members.get(name) != member_id:
            return None
        return members.get(member_id)


class HeartbeatPath(MemberPath):
    """Heartbeats of one member. Where it is told of :meth:`prepare`, also those in a rebalance."""

    __slots__ = ("_preparing", "_refusal")

    def prepare(self, preparing: object, refusal: bytes) -> None:
        """``preparing`` is the state of groups that wait for members, ``refusal`` the answer then,
        which tells this one to join again."""
        self._preparing, self._refusal = preparing, refusal

    def unusual(self, generation: int) -> object:
        """The answer by the ordinary code, None if the coordinator is not here any more."""
        raise NotImplementedError

    def answer_in(self, data: memoryview, start: int, room: memoryview) -> object:
        if not self._fits_in(room):
            return None
        generation = at.length(room, self._place)
        slot = self._loaded()
        if slot is not None:
            groups: dict[str, Any] = slot.shard.groups
            group = groups.get(self._group_id)
            if group is not None:
                if self._lives(group, generation):
                    return at.answered(self._reply, room)
                waits = group.state is self._preparing and self.count is None
                # an error that is to be counted has to be told from no error
                if waits and self._expects(group, generation):
                    return at.answered(self._refusal, room)
        return self.unusual(generation)
