"""Members of the classic protocol in a consumer group: the broker assigns for them, too.

JoinGroup, SyncGroup, Heartbeat and LeaveGroup as ``GroupMetadataManager`` serves them to a
``ConsumerGroup``: nobody waits for others in JoinGroup, and no member leads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, NoReturn

from pykafka_ops.broker.state.groups.answers import (
    Joined,
    JoinRequest,
    Leaving,
    Synced,
    SyncRequest,
)
from pykafka_ops.broker.state.groups.consumer.change import GroupChange
from pykafka_ops.broker.state.groups.consumer.checks import check_room, known_member, known_static
from pykafka_ops.broker.state.groups.consumer.expressions import Expressions, Regexed
from pykafka_ops.broker.state.groups.consumer.group import ConsumerGroup
from pykafka_ops.broker.state.groups.consumer.leaving import Leavings
from pykafka_ops.broker.state.groups.consumer.member import (
    ClassicMetadata,
    ConsumerMember,
    MemberState,
)
from pykafka_ops.broker.state.groups.consumer.reconcile import Owned
from pykafka_ops.broker.state.groups.consumer.settings import ConsumerSettings
from pykafka_ops.broker.state.groups.consumer.timeouts import Timeouts, Wait
from pykafka_ops.broker.state.groups.consumer.topics import SeenTopics
from pykafka_ops.broker.state.groups.consumer.work import Decided
from pykafka_ops.broker.state.groups.group import CONSUMER
from pykafka_ops.broker.state.outcome import Instant, Outcome
from pykafka_ops.disk.internal import (
    ConsumerProtocolAssignment,
    ConsumerProtocolSubscription,
    TopicPartitions,
    encode,
    read_subscription,
)
from pykafka_ops.errors import CorruptError, KafkaError
from pykafka_ops.wire.codes import ErrorCode

NEWEST: Final = 3
"""The newest version of what consumers of the classic protocol send and get."""


@dataclass(slots=True)
class ClassicMembers:
    """What members of the classic protocol ask of consumer groups."""

    settings: ConsumerSettings
    topics: SeenTopics
    timeouts: Timeouts
    expressions: Expressions
    leavings: Leavings
    new_id: Callable[[], str]

    # -- JoinGroup -----------------------------------------------------------------------------

    def join(self, group: ConsumerGroup, request: JoinRequest, now: Instant) -> Decided:
        """Join, or join again; the answer is a ``Joined`` with the member's epoch as the
        generation. Raises KafkaError."""
        member_id = request.member_id or self.new_id()
        check_room(group, member_id, self.settings.max_size)
        if not group.memory.admits(request.size):
            raise KafkaError(ErrorCode.GROUP_MAX_SIZE_REACHED)
        _check_protocols(group, request)
        if request.known_id and not request.member_id and request.instance_id is None:
            return Decided(answer=Joined(ErrorCode.MEMBER_ID_REQUIRED, member_id))
        change = GroupChange(group, self.topics, self.settings, now.time)
        member = self._member(change, request, member_id)
        subscription = _subscription(request)
        said = _updated(member, request, subscription)
        regexed = Regexed.SAME
        renamed = change.say(member, said)
        if member.regex:
            regexed = self.expressions.update(change, member, said, None, now)
        changed = renamed or regexed is not Regexed.SAME
        epoch = change.next_epoch(said, bump=changed or group.epoch == 0)
        target_epoch, target = change.target(said, epoch)
        owned = self._owned(subscription)
        moved = change.reconcile(said, target_epoch, target, owned, changed=changed)
        protocol = request.protocols[0][0]
        answer = Joined(ErrorCode.NONE, moved.id, moved.epoch, CONSUMER, protocol)
        return Decided(
            change.records,
            answer,
            then=partial(self._joined, group, moved),
            failed=change.stale,
        )

    def _joined(self, group: ConsumerGroup, member: ConsumerMember, now: Instant) -> Outcome | None:
        """Wait for the member's SyncGroup from now on."""
        assert member.classic is not None
        self.timeouts.cancel(Wait.JOIN, group.id, member.id)
        self.timeouts.cancel(Wait.REBALANCE, group.id, member.id)
        self.leavings.expect(group.id, member.id, member.classic.session_timeout, now)
        self.leavings.expect_classic(Wait.SYNC, group.id, member, now)
        return None

    @staticmethod
    def _member(change: GroupChange, request: JoinRequest, member_id: str) -> ConsumerMember:
        """The member as it was, a new one where it joins."""
        group, instance_id = change.group, request.instance_id
        if instance_id is None:
            return group.members.get(member_id) or ConsumerMember(id=member_id)
        if request.member_id:
            return known_static(group, member_id, instance_id)
        holder = group.static_member(instance_id)
        if holder is None:
            return ConsumerMember(id=member_id)
        back = replace(holder, id=member_id, epoch=0, previous_epoch=0)
        change.replace(holder, back)
        return back

    def _owned(self, subscription: ConsumerProtocolSubscription) -> Owned:
        """What a member says it has, by topic id."""
        found: dict[bytes, list[int]] = {}
        for each in subscription.owned_partitions:
            topic_id = self.topics.id_of(each.topic)
            if topic_id is not None:
                found[topic_id] = each.partitions
        return found

    # -- SyncGroup -----------------------------------------------------------------------------

    def sync(self, group: ConsumerGroup, request: SyncRequest, now: Instant) -> Decided:
        """What a member has; the answer is a ``Synced``. Raises KafkaError."""
        member = self._known(group, request.member_id, request.instance_id)
        assert member.classic is not None
        if member.epoch != request.generation:
            raise KafkaError(ErrorCode.ILLEGAL_GENERATION)
        protocol = member.classic.protocols[0][0]
        if request.protocol_type not in (None, CONSUMER) or request.protocol not in (
            None,
            protocol,
        ):
            raise KafkaError(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)
        if group.epoch > member.epoch and member.state is not MemberState.UNREVOKED_PARTITIONS:
            self._expect_join(group, member, now)
            raise KafkaError(ErrorCode.REBALANCE_IN_PROGRESS)
        self.timeouts.cancel(Wait.SYNC, group.id, member.id)
        self.leavings.expect(group.id, member.id, member.classic.session_timeout, now)
        known = request.protocol_type, request.protocol
        return Decided(answer=Synced(ErrorCode.NONE, *known, self.assignment(member)))

    def assignment(self, member: ConsumerMember) -> bytes:
        """What a classic member may use, as a leader would write it."""
        assert member.classic is not None
        found = {
            name: sorted(indexes)
            for topic_id, indexes in member.assigned.items()
            if (name := self.topics.name_of(topic_id)) is not None
        }
        return written_assignment(found, member.classic)

    def _expect_join(self, group: ConsumerGroup, member: ConsumerMember, now: Instant) -> None:
        if not self.timeouts.is_expected(Wait.JOIN, group.id, member.id):
            self.leavings.expect_classic(Wait.JOIN, group.id, member, now)

    @staticmethod
    def _known(group: ConsumerGroup, member_id: str, instance_id: str | None) -> ConsumerMember:
        """The member, if it uses the classic protocol. Raises KafkaError."""
        if instance_id is None:
            member = known_member(group, member_id)
        else:
            member = known_static(group, member_id, instance_id)
        if member.classic is None:
            raise KafkaError(
                ErrorCode.UNKNOWN_MEMBER_ID,
                f"Member {member.id} does not use the classic protocol.",
            )
        return member

    # -- Heartbeat and LeaveGroup --------------------------------------------------------------

    def heartbeat(
        self,
        group: ConsumerGroup,
        member_id: str,
        instance_id: str | None,
        generation: int,
        now: Instant,
    ) -> ErrorCode:
        """A member lives; REBALANCE_IN_PROGRESS tells it to join again for another assignment."""
        try:
            member = self._known(group, member_id, instance_id)
        except KafkaError as error:
            return ErrorCode.of(error.code)
        assert member.classic is not None
        if member.epoch != generation:
            return ErrorCode.ILLEGAL_GENERATION
        self.leavings.expect(group.id, member.id, member.classic.session_timeout, now)
        if (
            member.epoch < group.epoch
            or member.state is MemberState.UNREVOKED_PARTITIONS
            or (
                member.state is MemberState.UNRELEASED_PARTITIONS
                and not group.is_waiting_for_others(member)
            )
        ):
            self._expect_join(group, member, now)
            return ErrorCode.REBALANCE_IN_PROGRESS
        return ErrorCode.NONE

    def leave(self, group: ConsumerGroup, leaving: Sequence[Leaving]) -> Decided:
        """Members go; the answer is the list of codes."""
        gone: dict[str, ConsumerMember] = {}
        codes: list[ErrorCode] = []
        for each in leaving:
            member_id = each.member_id
            if not member_id and each.instance_id is not None:
                member_id = group.static_members.get(each.instance_id, "")
            try:
                member = self._known(group, member_id, each.instance_id)
            except KafkaError as error:
                codes.append(ErrorCode.of(error.code))
                continue
            if member.id in gone:
                codes.append(ErrorCode.UNKNOWN_MEMBER_ID)
                continue
            gone[member.id] = member
            codes.append(ErrorCode.NONE)
        return self.leavings.remove(group, list(gone.values()), codes, "it left")


def _check_protocols(group: ConsumerGroup, request: JoinRequest) -> None:
    """Raises KafkaError INCONSISTENT_GROUP_PROTOCOL for what no consumer, or not every classic
    member, speaks."""
    if request.protocol_type != CONSUMER or not request.protocols:
        _inconsistent()
    names = {name for name, _ in request.protocols}
    for each in group.classic_members:
        assert each.classic is not None
        names &= {name for name, _ in each.classic.protocols}
    if not names:
        _inconsistent()


def _inconsistent() -> NoReturn:
    raise KafkaError(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)


def _subscription(request: JoinRequest) -> ConsumerProtocolSubscription:
    """What the member subscribes to; all its protocols say the same."""
    try:
        return read_subscription(request.protocols[0][1])[1]
    except CorruptError:
        _inconsistent()


def _updated(
    member: ConsumerMember, request: JoinRequest, subscription: ConsumerProtocolSubscription
) -> ConsumerMember:
    return replace(
        member,
        instance_id=request.instance_id or member.instance_id,
        rack_id=subscription.rack_id or member.rack_id,
        rebalance_timeout=request.rebalance_timeout,
        names=frozenset(subscription.topics),
        regex="",
        client_id=request.client_id,
        client_host=request.client_host,
        classic=ClassicMetadata(request.session_timeout, request.protocols),
    )


def written_assignment(places: dict[str, list[int]], classic: ClassicMetadata) -> bytes:
    """Partitions by topic as the member reads them, in the version in which it speaks."""
    try:
        version = read_subscription(classic.protocols[0][1])[0]
    except (CorruptError, IndexError):
        version = 0
    found = ConsumerProtocolAssignment(
        assigned_partitions=[
            TopicPartitions(topic=name, partitions=indexes) for name, indexes in places.items()
        ]
    )
    return encode(found, min(max(version, 0), NEWEST))
