"""ConsumerGroupDescribe (69), v0-1: consumer groups, their members and what is whose.

Only where ``group.coordinator.rebalance.protocols`` has ``consumer``; a classic coordinator
announces v0 and answers UNSUPPORTED_VERSION, by which clients learn to ask DescribeGroups.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.handlers.operations import GROUP_OPERATIONS, NOT_ASKED
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.consumer_group_describe import (
    Assignment,
    ConsumerGroupDescribeRequest,
    ConsumerGroupDescribeResponse,
    DescribedGroup,
    Member,
    TopicPartitions,
)

if TYPE_CHECKING:  # most brokers serve none
    from pykafka_ops.broker.state.groups.consumer import member as members
    from pykafka_ops.broker.state.groups.consumer.group import ConsumerGroup
    from pykafka_ops.broker.state.groups.consumer.kept import Protocols
    from pykafka_ops.broker.state.groups.consumer.topics import SeenTopics

CLASSIC, CONSUMER = 0, 1


def handle(context: Context, request: ConsumerGroupDescribeRequest) -> Answer:
    """Each group asked for, or the error for it. Raises KafkaError UNSUPPORTED_VERSION."""
    groups = context.services.groups
    if groups.protocols is None:
        raise KafkaError(ErrorCode.UNSUPPORTED_VERSION)
    operations = GROUP_OPERATIONS if request.include_authorized_operations else NOT_ASKED
    response = ConsumerGroupDescribeResponse()
    for group_id in sorted(request.group_ids, key=bool):  # those without a name first, as Kafka
        try:
            if not group_id:
                raise KafkaError(ErrorCode.INVALID_GROUP_ID)
            found = groups.consumer_group(group_id)
            if found is None:
                known = groups.describe(group_id) is not None
                text = "is not a consumer group" if known else "not found"
                raise KafkaError(ErrorCode.GROUP_ID_NOT_FOUND, f"Group {group_id} {text}.")
            described = _described(found, groups.protocols)
            described.authorized_operations = operations
        except KafkaError as error:
            described = DescribedGroup(
                group_id=group_id, error_code=error.code, error_message=error.message or None
            )
        response.groups.append(described)
    return response


def _described(group: ConsumerGroup, protocols: Protocols) -> DescribedGroup:
    members, topics = group.members.values(), protocols.topics
    return DescribedGroup(
        group_id=group.id,
        group_state=group.state.value,
        group_epoch=group.epoch,
        assignment_epoch=group.target_epoch,
        assignor_name=group.assignor(members, protocols.settings.assignors[0]),
        members=[_member(each, group, topics) for each in members],
    )


def _member(member: members.ConsumerMember, group: ConsumerGroup, topics: SeenTopics) -> Member:
    return Member(
        member_id=member.id,
        instance_id=member.instance_id,
        rack_id=member.rack_id,
        member_epoch=member.epoch,
        client_id=member.client_id,
        client_host=member.client_host,
        subscribed_topic_names=sorted(member.names),
        subscribed_topic_regex=member.regex,
        assignment=_assignment(member.assigned, topics),
        target_assignment=_assignment(group.targets.get(member.id, {}), topics),
        member_type=CONSUMER if member.classic is None else CLASSIC,
    )


def _assignment(partitions: Mapping[bytes, Iterable[int]], topics: SeenTopics) -> Assignment:
    return Assignment(
        topic_partitions=[
            TopicPartitions(topic_id=topic_id, topic_name=name, partitions=sorted(indexes))
            for topic_id, indexes in partitions.items()
            if (name := topics.name_of(topic_id)) is not None
        ]
    )
