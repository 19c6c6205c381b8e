"""ConsumerGroupHeartbeat: a member joins, says what is new, hears where it has to go.

The rules of ``GroupMetadataManager.consumerGroupHeartbeat``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from pykafka_ops.broker.state.groups.consumer.answers import NO_TIMEOUT, Beat, Beaten
from pykafka_ops.broker.state.groups.consumer.change import GroupChange
from pykafka_ops.broker.state.groups.consumer.checks import (
    check_epoch,
    check_released,
    check_room,
    known_member,
    known_static,
)
from pykafka_ops.broker.state.groups.consumer.expressions import Expressions, Regexed
from pykafka_ops.broker.state.groups.consumer.group import ConsumerGroup, has_same
from pykafka_ops.broker.state.groups.consumer.leaving import Leavings
from pykafka_ops.broker.state.groups.consumer.member import (
    STATIC_LEFT,
    ConsumerMember,
    MemberState,
    as_target,
)
from pykafka_ops.broker.state.groups.consumer.settings import ConsumerSettings
from pykafka_ops.broker.state.groups.consumer.timeouts import Timeouts, Wait
from pykafka_ops.broker.state.groups.consumer.topics import SeenTopics
from pykafka_ops.broker.state.groups.consumer.work import Decided
from pykafka_ops.broker.state.outcome import Instant
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode


@dataclass(slots=True)
class Heartbeats:
    """Heartbeats of groups that exist, or are to; ``new_id()`` makes ids for members that bring
    none."""

    settings: ConsumerSettings
    topics: SeenTopics
    timeouts: Timeouts
    expressions: Expressions
    leavings: Leavings
    new_id: Callable[[], str]

    def decide(self, group: ConsumerGroup, beat: Beat, now: Instant) -> Decided:
        """What a heartbeat leads to; the answer is a :class:`Beaten`. Raises KafkaError."""
        if beat.leaves:
            return self.leavings.leave(group, beat)
        check_room(group, beat.member_id, self.settings.max_size)
        if not group.memory.admits(beat.size):
            raise KafkaError(ErrorCode.GROUP_MAX_SIZE_REACHED, "The broker has no memory for it.")
        change = GroupChange(group, self.topics, self.settings, now.time)
        member = self._member(change, beat)
        said = _updated(member, beat)
        renamed = change.say(member, said)
        regexed = self.expressions.update(change, member, said, beat.sees, now)
        bump = group.epoch == 0 or renamed or regexed is Regexed.OTHER_AND_RESOLVED
        epoch = change.next_epoch(said, bump=bump)
        target_epoch, target = change.target(said, epoch)
        changed = renamed or regexed is not Regexed.SAME
        moved = change.reconcile(said, target_epoch, target, beat.owned, changed=changed)
        self.leavings.expect(group.id, moved.id, self.settings.session_ms, now)
        self._watch(group.id, said, moved, now)
        assignment = None
        if beat.epoch == 0 or beat.is_full or not has_same(member.assigned, moved.assigned):
            assignment = as_target(moved.assigned)
        answer = Beaten(
            ErrorCode.NONE,
            None,
            moved.id,
            moved.epoch,
            self.settings.heartbeat_ms,
            assignment,
        )
        notes = [] if beat.epoch else [f"group {group.id}: {moved.id} joins as {beat.client_id}"]
        return Decided(change.records, answer, failed=change.stale, notes=notes)

    def _member(self, change: GroupChange, beat: Beat) -> ConsumerMember:
        """The member as it was, a new one where it joins."""
        group, joins = change.group, beat.epoch == 0
        member_id = beat.member_id or self.new_id()
        if beat.instance_id is None:
            if joins and member_id not in group.members:
                return ConsumerMember(id=member_id)
            member = known_member(group, member_id)
            check_epoch(member, beat.epoch, beat.owned)
            return member
        holder = group.static_member(beat.instance_id)
        if not joins:
            holder = known_static(group, member_id, beat.instance_id)
            check_epoch(holder, beat.epoch, beat.owned)
            return holder
        if holder is None:
            return group.members.get(member_id) or ConsumerMember(id=member_id)
        if holder.id == member_id and holder.epoch != STATIC_LEFT:
            return holder
        if holder.classic is None:
            check_released(holder, member_id, beat.instance_id)
        back = replace(holder, id=member_id, epoch=0, previous_epoch=0)
        change.replace(holder, back)
        return back

    def _watch(
        self, group_id: str, said: ConsumerMember, moved: ConsumerMember, now: Instant
    ) -> None:
        """Wait as long as the member has time to give up partitions."""
        if moved == said:
            return
        if moved.state is MemberState.UNREVOKED_PARTITIONS:
            self.leavings.expect_revocation(group_id, moved, now)
        else:
            self.timeouts.cancel(Wait.REBALANCE, group_id, moved.id)


def _updated(member: ConsumerMember, beat: Beat) -> ConsumerMember:
    """The member with what it says; it uses the consumer protocol from now on."""
    timeout = beat.rebalance_timeout
    return replace(
        member,
        instance_id=member.instance_id if beat.instance_id is None else beat.instance_id,
        rack_id=member.rack_id if beat.rack_id is None else beat.rack_id,
        rebalance_timeout=member.rebalance_timeout if timeout == NO_TIMEOUT else timeout,
        assignor=member.assignor if beat.assignor is None else beat.assignor,
        names=member.names if beat.names is None else frozenset(beat.names),
        regex=member.regex if beat.regex is None else beat.regex,
        client_id=beat.client_id,
        client_host=beat.client_host,
        classic=None,
    )
