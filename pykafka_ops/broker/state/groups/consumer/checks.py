"""What a member may say: its request, its epoch, its static name. Texts are Kafka's."""

from __future__ import annotations

from typing import Final

from pykafka_ops.broker.state.groups.consumer.answers import NO_TIMEOUT, Beat
from pykafka_ops.broker.state.groups.consumer.group import ConsumerGroup
from pykafka_ops.broker.state.groups.consumer.member import LEFT, STATIC_LEFT, ConsumerMember
from pykafka_ops.broker.state.groups.consumer.reconcile import Owned
from pykafka_ops.broker.state.groups.consumer.settings import ConsumerSettings
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode

OWN_ID_FROM: Final = 1
"""From this version of the request on, members choose their ids themselves (KIP-1082)."""
_ABANDON: Final = "The member must abandon all its partitions and rejoin."


def check_request(beat: Beat, version: int, settings: ConsumerSettings) -> None:
    """``throwIfConsumerGroupHeartbeatRequestIsInvalid``.

    Raises KafkaError INVALID_REQUEST or UNSUPPORTED_ASSIGNOR.
    """
    if version >= OWN_ID_FROM or beat.epoch > 0 or beat.epoch == LEFT:
        _not_empty(beat.member_id, "MemberId")
    _not_empty(beat.group_id, "GroupId")
    _not_empty(beat.instance_id, "InstanceId")
    _not_empty(beat.rack_id, "RackId")
    if beat.epoch == 0:
        if beat.rebalance_timeout == NO_TIMEOUT:
            raise _invalid("RebalanceTimeoutMs must be provided in first request.")
        if beat.owned is None or beat.owned:
            raise _invalid("TopicPartitions must be empty when (re-)joining.")
        if beat.names is None and beat.regex is None:
            raise _invalid(
                "Either SubscribedTopicNames or SubscribedTopicRegex must be non-null when "
                "(re-)joining."
            )
    elif beat.epoch == STATIC_LEFT:
        if beat.instance_id is None:
            raise _invalid("InstanceId can't be null.")
    elif beat.epoch < STATIC_LEFT:
        raise _invalid("MemberEpoch is invalid.")
    if beat.assignor is not None and beat.assignor not in settings.assignors:
        known = ", ".join(settings.assignors)
        raise KafkaError(
            ErrorCode.UNSUPPORTED_ASSIGNOR,
            f"ServerAssignor {beat.assignor} is not supported. Supported assignors: {known}.",
        )


def _invalid(text: str) -> KafkaError:
    return KafkaError(ErrorCode.INVALID_REQUEST, text)


def _not_empty(value: str | None, what: str) -> None:
    if value is not None and not value.strip():
        raise _invalid(f"{what} can't be empty.")


def not_found(group_id: str, what: str = "Group") -> KafkaError:
    """There is no such group."""
    return KafkaError(ErrorCode.GROUP_ID_NOT_FOUND, f"{what} {group_id} not found.")


def check_room(group: ConsumerGroup, member_id: str, most: int) -> None:
    """Raises KafkaError GROUP_MAX_SIZE_REACHED if one more member would be too many."""
    if len(group.members) >= most and member_id not in group.members:
        raise KafkaError(
            ErrorCode.GROUP_MAX_SIZE_REACHED,
            f"The consumer group has reached its maximum capacity of {most} members.",
        )


def check_epoch(member: ConsumerMember, epoch: int, owned: Owned | None) -> None:
    """Raises KafkaError FENCED_MEMBER_EPOCH for a member that is not where it believes to be.

    The epoch before is fine as long as it has nothing that is not its own any more: the answer with
    the new epoch may have been lost.
    """
    if epoch in (0, member.epoch):
        return
    if epoch > member.epoch:
        size = "greater"
    elif epoch == member.previous_epoch and _has_only(owned, member):
        return
    else:
        size = "smaller"
    raise KafkaError(
        ErrorCode.FENCED_MEMBER_EPOCH,
        f"The consumer group member has a {size} member epoch ({epoch}) than the one known by the "
        f"group coordinator ({member.epoch}). {_ABANDON}",
    )


def _has_only(owned: Owned | None, member: ConsumerMember) -> bool:
    if owned is None:
        return False
    return all(
        set(indexes) <= member.assigned.get(topic_id, {}).keys()
        for topic_id, indexes in owned.items()
    )


def known_member(group: ConsumerGroup, member_id: str) -> ConsumerMember:
    """The member with an id. Raises KafkaError UNKNOWN_MEMBER_ID."""
    found = group.members.get(member_id)
    if found is None:
        raise KafkaError(
            ErrorCode.UNKNOWN_MEMBER_ID,
            f"Member {member_id} is not a member of group {group.id}.",
        )
    return found


def known_static(group: ConsumerGroup, member_id: str, instance_id: str) -> ConsumerMember:
    """The member that holds a static name, if it has that id.

    Raises KafkaError UNKNOWN_MEMBER_ID or FENCED_INSTANCE_ID.
    """
    found = group.static_member(instance_id)
    if found is None:
        raise KafkaError(ErrorCode.UNKNOWN_MEMBER_ID, f"Instance id {instance_id} is unknown.")
    if found.id != member_id:
        raise KafkaError(
            ErrorCode.FENCED_INSTANCE_ID,
            f"Static member {member_id} with instance id {instance_id} was fenced by member "
            f"{found.id}.",
        )
    return found


def check_released(holder: ConsumerMember, member_id: str, instance_id: str) -> None:
    """Raises KafkaError UNRELEASED_INSTANCE_ID while the holder of a static name is there."""
    if holder.epoch != STATIC_LEFT:
        raise KafkaError(
            ErrorCode.UNRELEASED_INSTANCE_ID,
            f"Static member {member_id} with instance id {instance_id} cannot join the group "
            f"because the instance id is owned by {holder.id} member.",
        )
