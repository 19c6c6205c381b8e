"""What becomes of a group when a member has said something: epoch, targets, the member's course.

The parts that heartbeats and JoinGroups of classic members share (``updateSubscriptionMetadata``,
``updateTargetAssignment``, ``maybeReconcile``).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from pykafka_ops.broker.state.groups.consumer.assignors.spec import Assignee
from pykafka_ops.broker.state.groups.consumer.group import ConsumerGroup
from pykafka_ops.broker.state.groups.consumer.member import ConsumerMember, Target
from pykafka_ops.broker.state.groups.consumer.reconcile import Course, Owned
from pykafka_ops.broker.state.groups.consumer.records import (
    TOPICS,
    ConsumerRecord,
    current_record,
    epoch_record,
    member_record,
    removal,
    target_epoch_record,
    target_record,
)
from pykafka_ops.broker.state.groups.consumer.settings import ASSIGNORS, ConsumerSettings
from pykafka_ops.broker.state.groups.consumer.topics import SeenTopics

REFRESH_MS = 3_600_000
"""Topics are looked at again after this, even if nothing seems to have changed."""
FIRST_EPOCH = 2
"""The epoch of a new group."""


@dataclass(slots=True)
class GroupChange:
    """A change of ``group`` by one member. ``records`` say what; ``gone`` is the id under which a
    static member was known that is back under a new one. ``now`` in ms since 1970."""

    group: ConsumerGroup
    topics: SeenTopics
    settings: ConsumerSettings
    now: int
    gone: str | None = None
    records: list[ConsumerRecord] = field(default_factory=list)

    def replace(self, old: ConsumerMember, new: ConsumerMember) -> None:
        """A static member is back: all that was its own goes to its new id."""
        self.gone = old.id
        group_id = self.group.id
        target = self.group.targets.get(old.id, {})
        self.records += removal(group_id, old.id)
        self.records += [
            member_record(group_id, new),
            target_record(group_id, new.id, target),
            current_record(group_id, new),
        ]

    def say(self, old: ConsumerMember, new: ConsumerMember) -> bool:
        """Note what a member said, if it is new; whether it subscribes to other names."""
        if new == old and (new.id in self.group.members or self.gone is not None):
            return False
        self.records.append(member_record(self.group.id, new))
        return new.names != old.names

    def members(self, member: ConsumerMember) -> list[ConsumerMember]:
        """All members as they will be."""
        return list(self.group.members_with(member, self.gone))

    def next_epoch(self, member: ConsumerMember, *, bump: bool) -> int:
        """The group's epoch, a new one if ``bump`` or if topics have changed."""
        group = self.group
        if not bump and group.fresh_for == self.topics.version and self.now < group.fresh_until:
            return group.epoch
        return self.next_epoch_for(group.subscribed(self.members(member)), bump=bump)

    def next_epoch_for(self, subscribed: set[str], *, bump: bool) -> int:
        """The same for a group that subscribes to these topics."""
        group = self.group
        topics_hash = self.topics.hash_of(subscribed)
        epoch = group.epoch
        if bump or topics_hash != group.topics_hash:
            epoch = max(epoch + 1, FIRST_EPOCH)
            self.records.append(epoch_record(group.id, epoch, topics_hash))
        group.fresh_for, group.fresh_until = self.topics.version, self.now + REFRESH_MS
        if group.topics_written:
            self.records.append(ConsumerRecord(TOPICS, group.id, "", None))
        return epoch

    def target(self, member: ConsumerMember, epoch: int) -> tuple[int, Target]:
        """The member's target and its epoch; made anew for all if the group's epoch is a later
        one."""
        group = self.group
        if epoch <= group.target_epoch:
            return group.target_epoch, group.target_of(member)
        found = self.assign(self.members(member), epoch)
        return epoch, found.get(member.id, {})

    def assign(self, members: list[ConsumerMember], epoch: int) -> dict[str, Target]:
        """Targets for all members."""
        group, topics = self.group, self.topics
        ids: dict[frozenset[str], frozenset[bytes]] = {}  # most members have the same topics
        spec = []
        for each in members:
            names = group.topics_of(each)
            if names not in ids:
                found_ids = map(topics.id_of, names)
                ids[names] = frozenset(id_ for id_ in found_ids if id_ is not None)
            spec.append(Assignee(each.id, each.instance_id, ids[names], group.target_of(each)))
        counts = topics.counts(frozenset().union(*ids))
        assignor = group.assignor(members, self.settings.assignors[0])
        known = assignor if assignor in self.settings.assignors else self.settings.assignors[0]
        found = ASSIGNORS[known](spec, counts)
        for each in members:
            target = found.get(each.id, {})
            if group.targets.get(each.id) != target:
                self.records.append(target_record(group.id, each.id, target))
        self.records.append(target_epoch_record(group.id, epoch, self.now))
        return found

    def reconcile(
        self,
        member: ConsumerMember,
        epoch: int,
        target: Target,
        owned: Owned | None,
        *,
        changed: bool,
    ) -> ConsumerMember:
        """The member a step further towards its target; it may raise what ``Course`` raises."""
        if member.is_reconciled_to(epoch) and not changed:
            return member
        group, topics = self.group, self.topics
        names = group.topics_of(member)

        def owner_of(topic_id: bytes, index: int) -> str | None:
            owner = group.owners.get((topic_id, index))
            return member.id if owner is not None and owner == self.gone else owner

        course = Course(
            epoch,
            target,
            lambda topic_id: topics.name_of(topic_id) in names,
            owner_of,
            owned,
            changed,
        )
        moved = course.reconcile(member)
        if moved != member:
            self.records.append(current_record(group.id, moved))
        return moved

    def stale(self) -> None:
        """The records could not be written: look at the topics again next time."""
        self.group.fresh_until = 0
