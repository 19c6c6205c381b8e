"""A member on its way to its target (``CurrentAssignmentBuilder``).

A member gives up what it is not to have any more, says so, goes to the target's epoch, and gets
what others have given up. So a partition never has two owners.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace

from pykafka_ops.broker.state.groups.consumer.member import (
    ConsumerMember,
    MemberState,
    Partitions,
    Target,
)
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode

Owned = Mapping[bytes, Collection[int]]
"""What a member says it has."""


@dataclass(frozen=True, slots=True)
class Course:
    """Where a member has to go: ``target`` of ``epoch``, of topics that it ``subscribes`` to.

    ``owned`` is what it says it has, None if it says nothing. ``changed`` says that it has just
    subscribed to others. ``owner_of(topic_id, index)`` is the id of the member that has it.
    """

    epoch: int
    target: Target
    subscribes: Callable[[bytes], bool]
    owner_of: Callable[[bytes, int], str | None]
    owned: Owned | None = None
    changed: bool = False

    def reconcile(self, member: ConsumerMember) -> ConsumerMember:
        """The member a step further, itself if it has to wait.

        Raises KafkaError FENCED_MEMBER_EPOCH for a member in a state of a newer broker.
        """
        state = member.state
        if state is MemberState.STABLE:
            if member.epoch != self.epoch:
                return self._next(member, member.epoch)
            return self._without_unsubscribed(member) if self.changed else member
        if state is MemberState.UNREVOKED_PARTITIONS:
            if self._owns(member.revoking):
                return self._without_unsubscribed(member) if self.changed else member
            return self._next(member, member.epoch)
        if state is MemberState.UNRELEASED_PARTITIONS:
            return self._next(member, member.epoch)
        if self.owned is None or any(self.owned.values()):
            raise KafkaError(
                ErrorCode.FENCED_MEMBER_EPOCH,
                "The consumer group member is in a unknown state. "
                "The member must abandon all its partitions and rejoin.",
            )
        return self._next(member, self.epoch)

    def _owns(self, partitions: Partitions) -> bool:
        """Whether it may still have some of these."""
        if self.owned is None:
            return True
        return any(
            not partitions.get(topic_id, {}).keys().isdisjoint(indexes)
            for topic_id, indexes in self.owned.items()
        )

    def _without_unsubscribed(self, member: ConsumerMember) -> ConsumerMember:
        """Take back at once what belongs to topics that it has left."""
        lost = [topic_id for topic_id in member.assigned if not self.subscribes(topic_id)]
        if not lost:
            return member
        kept = {t: epochs for t, epochs in member.assigned.items() if t not in lost}
        revoking = dict(member.revoking)
        for topic_id in lost:
            revoking[topic_id] = {**revoking.get(topic_id, {}), **member.assigned[topic_id]}
        moved = replace(member, previous_epoch=member.epoch, assigned=kept)
        if self._owns(revoking):
            return replace(moved, state=MemberState.UNREVOKED_PARTITIONS, revoking=revoking)
        return moved

    def _next(self, member: ConsumerMember, epoch: int) -> ConsumerMember:
        kept: Partitions = {}
        revoking: Partitions = {}
        coming: dict[bytes, set[int]] = {}
        unreleased = False
        for topic_id in dict.fromkeys((*self.target, *member.assigned)):
            wanted = self.target.get(topic_id, frozenset())
            if wanted and not self.subscribes(topic_id):
                wanted = frozenset()
            has = member.assigned.get(topic_id, {})
            stays = {index: has[index] for index in has if index in wanted}
            goes = {index: has[index] for index in has if index not in wanted}
            free = {i for i in wanted - has.keys() if self._is_free(member, topic_id, i)}
            unreleased = unreleased or len(free) < len(wanted - has.keys())
            if stays:
                kept[topic_id] = stays
            if goes:
                revoking[topic_id] = goes
            if free:
                coming[topic_id] = free
        if revoking and self._owns(revoking):
            return replace(
                member,
                state=MemberState.UNREVOKED_PARTITIONS,
                epoch=epoch,
                previous_epoch=member.epoch,
                assigned=kept,
                revoking=revoking,
            )
        for topic_id, indexes in coming.items():
            kept[topic_id] = {**kept.get(topic_id, {}), **dict.fromkeys(indexes, self.epoch)}
        return replace(
            member,
            state=MemberState.UNRELEASED_PARTITIONS if unreleased else MemberState.STABLE,
            epoch=self.epoch,
            previous_epoch=member.epoch,
            assigned=kept,
            revoking={},
        )

    def _is_free(self, member: ConsumerMember, topic_id: bytes, index: int) -> bool:
        owner = self.owner_of(topic_id, index)
        return owner is None or owner == member.id
