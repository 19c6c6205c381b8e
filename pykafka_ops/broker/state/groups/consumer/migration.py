"""A group from one protocol to the other while it has members (KIP-848, ``convertTo...``)."""

from __future__ import annotations

from pykafka_ops.broker.state.groups.consumer.classic import written_assignment
from pykafka_ops.broker.state.groups.consumer.group import ConsumerGroup
from pykafka_ops.broker.state.groups.consumer.member import (
    ClassicMetadata,
    ConsumerMember,
    Partitions,
    as_target,
)
from pykafka_ops.broker.state.groups.consumer.records import (
    EPOCH,
    REGEX,
    TARGET_EPOCH,
    ConsumerRecord,
    current_record,
    epoch_record,
    member_record,
    removal,
    target_epoch_record,
    target_record,
)
from pykafka_ops.broker.state.groups.consumer.topics import SeenTopics
from pykafka_ops.broker.state.groups.group import CONSUMER, Group, GroupState
from pykafka_ops.broker.state.groups.group import Member as ClassicMember
from pykafka_ops.broker.state.memory import Account
from pykafka_ops.disk.internal import read_assignment, read_subscription
from pykafka_ops.errors import CorruptError, KafkaError
from pykafka_ops.wire.codes import ErrorCode


def upgraded(classic: Group, topics: SeenTopics, now: int) -> list[ConsumerRecord]:
    """The records of a consumer group with the members of a classic one, each with what it had.

    Raises KafkaError GROUP_ID_NOT_FOUND where a member's bytes are no consumer's.
    """
    epoch = classic.generation
    members: list[ConsumerMember] = []
    for each in classic.members.values():
        try:
            members.append(_member(classic, each, topics))
        except (CorruptError, IndexError) as error:
            raise KafkaError(
                ErrorCode.GROUP_ID_NOT_FOUND,
                f"Cannot upgrade the classic group {classic.id} to consumer group because the "
                "embedded consumer protocol is malformed.",
            ) from error
    names = {name for each in members for name in each.names}
    return [
        *(member_record(classic.id, each) for each in members),
        epoch_record(classic.id, epoch, topics.hash_of(names)),
        *(target_record(classic.id, each.id, as_target(each.assigned)) for each in members),
        target_epoch_record(classic.id, epoch, now),
        *(current_record(classic.id, each) for each in members),
    ]


def _member(group: Group, member: ClassicMember, topics: SeenTopics) -> ConsumerMember:
    metadata = member.metadata(group.protocol) or member.protocols[0][1]
    subscription = read_subscription(metadata)[1]
    assigned: Partitions = {}
    if member.assignment:
        for each in read_assignment(member.assignment)[1].assigned_partitions:
            topic_id = topics.id_of(each.topic)
            if topic_id is not None and each.partitions:
                assigned[topic_id] = dict.fromkeys(each.partitions, group.generation)
    return ConsumerMember(
        id=member.id,
        instance_id=member.instance_id,
        rack_id=subscription.rack_id or None,
        client_id=member.client_id,
        client_host=member.client_host,
        rebalance_timeout=member.rebalance_timeout,
        names=frozenset(subscription.topics),
        classic=ClassicMetadata(member.session_timeout, member.protocols),
        epoch=group.generation,
        previous_epoch=group.generation,
        assigned=assigned,
    )


def obituary(group: ConsumerGroup) -> list[ConsumerRecord]:
    """The tombstones of a group and its members."""
    by_member = [removal(group.id, id_) for id_ in group.members]
    kinds = list(zip(*by_member, strict=True)) if by_member else [(), (), ()]
    return [
        *kinds[0],
        *kinds[1],
        *(ConsumerRecord(REGEX, group.id, regex, None) for regex in group.resolved),
        ConsumerRecord(TARGET_EPOCH, group.id, "", None),
        *kinds[2],
        ConsumerRecord(EPOCH, group.id, "", None),
    ]


def downgraded(group: ConsumerGroup, topics: SeenTopics, now: int, memory: Account) -> Group:
    """A classic group with the members of a consumer group, all of whom are classic.

    It is stable, and each member has what it was to have.
    """
    classic = Group(group.id, now, memory=memory.holder())
    classic.generation = group.epoch
    classic.protocol_type = CONSUMER
    for each in group.members.values():
        said = each.classic
        assert said is not None
        target = {
            name: sorted(indexes)
            for topic_id, indexes in group.target_of(each).items()
            if (name := topics.name_of(topic_id)) is not None
        }
        member = ClassicMember(
            each.id,
            instance_id=each.instance_id,
            client_id=each.client_id,
            client_host=each.client_host,
            rebalance_timeout=each.rebalance_timeout,
            session_timeout=said.session_timeout,
            protocols=said.protocols,
            assignment=written_assignment(target, said),
        )
        classic.add(member, None)
    classic.protocol = classic.elect_protocol()
    classic.refresh_subscriptions()
    classic.state = GroupState.STABLE
    return classic
