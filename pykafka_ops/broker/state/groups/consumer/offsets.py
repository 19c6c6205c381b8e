"""Who may commit and read offsets of a consumer group (``ConsumerGroup.validateOffset...``)."""

from __future__ import annotations

from collections.abc import Iterable

from pykafka_ops.broker.state.groups.consumer.group import ConsumerGroup
from pykafka_ops.broker.state.groups.consumer.member import ConsumerMember
from pykafka_ops.broker.state.groups.consumer.topics import SeenTopics
from pykafka_ops.wire.codes import ErrorCode

_NOBODY = ("", None, -1)


def check_commit(
    group: ConsumerGroup,
    who: tuple[str, str | None, int],
    places: Iterable[tuple[str, int]],
    topics: SeenTopics,
    *,
    in_transaction: bool,
) -> ErrorCode:
    """NONE if that member (id, static name, epoch) may commit offsets of these partitions.

    One that is an epoch behind may for what it had then already, and has not given up (KIP-1251).
    """
    member_id, _, epoch = who
    if epoch < 0 and not group.members:
        return ErrorCode.NONE
    if in_transaction and who == _NOBODY:
        return ErrorCode.NONE
    member = group.members.get(member_id)
    if member is None:
        return ErrorCode.UNKNOWN_MEMBER_ID
    if epoch == member.epoch:
        return ErrorCode.NONE
    if epoch < member.epoch and all(
        _had(member, topics.id_of(name), index, epoch) for name, index in places
    ):
        return ErrorCode.NONE
    return _stale(member)


def check_fetch(group: ConsumerGroup, member_id: str | None, epoch: int) -> ErrorCode:
    """NONE if that member may read offsets; who says nothing about itself may."""
    if member_id is None and epoch < 0:
        return ErrorCode.NONE
    member = group.members.get(member_id or "")
    if member is None:
        return ErrorCode.UNKNOWN_MEMBER_ID
    return ErrorCode.NONE if epoch == member.epoch else _stale(member)


def _had(member: ConsumerMember, topic_id: bytes | None, index: int, epoch: int) -> bool:
    for partitions in (member.assigned, member.revoking):
        since = partitions.get(topic_id or b"", {}).get(index)
        if since is not None:
            return since <= epoch
    return False


def _stale(member: ConsumerMember) -> ErrorCode:
    if member.classic is not None:
        return ErrorCode.ILLEGAL_GENERATION
    return ErrorCode.STALE_MEMBER_EPOCH
