"""Records of consumer groups in ``__consumer_offsets``: types 3 to 8 and 16.

Counterpart of ``GroupCoordinatorRecordHelpers``; the fields are those that Kafka 4.3 writes. A
value None is a tombstone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from pykafka_ops.broker.state.groups.consumer.member import (
    ClassicMetadata,
    ConsumerMember,
    MemberState,
    Partitions,
    Target,
)
from pykafka_ops.disk.internal import InternalRecord, encode
from pykafka_ops.disk.tables.read import record_table
from pykafka_ops.errors import CorruptError

VERSION = 0
EPOCH, TOPICS, MEMBER, TARGET_EPOCH, TARGET, CURRENT, REGEX = 3, 4, 5, 6, 7, 8, 16
_STATES = {int(state): state for state in MemberState}


class Epoch(NamedTuple):
    """The epoch of a group, and the hash of the topics it was made for."""

    epoch: int
    topics_hash: int


class TargetEpoch(NamedTuple):
    """The epoch for which targets were made, and when (ms)."""

    epoch: int
    timestamp: int


class Current(NamedTuple):
    """Where a member is."""

    epoch: int
    previous_epoch: int
    state: MemberState
    assigned: Partitions
    revoking: Partitions


class Resolved(NamedTuple):
    """The topics that an expression matched, in which picture of the cluster, and when (ms)."""

    topics: frozenset[str]
    version: int
    timestamp: int


class ConsumerRecord(NamedTuple):
    """A record: its type, the group, and the member id or the expression ("" where there is none).

    The value is an :class:`Epoch`, True (topics as Kafka 4.0 writes them), a
    :class:`ConsumerMember` of whom only what he said counts, a :class:`TargetEpoch`, a
    Target, a :class:`Current` or a :class:`Resolved`.
    """

    type: int
    group: str
    name: str
    value: Any


# -- making them -------------------------------------------------------------------------------


def epoch_record(group: str, epoch: int, topics_hash: int) -> ConsumerRecord:
    """The group has a new epoch."""
    return ConsumerRecord(EPOCH, group, "", Epoch(epoch, topics_hash))


def member_record(group: str, member: ConsumerMember) -> ConsumerRecord:
    """What a member said."""
    return ConsumerRecord(MEMBER, group, member.id, member)


def target_record(group: str, member_id: str, target: Target) -> ConsumerRecord:
    """What a member is to have."""
    return ConsumerRecord(TARGET, group, member_id, target)


def target_epoch_record(group: str, epoch: int, now: int) -> ConsumerRecord:
    """Targets were made for that epoch."""
    return ConsumerRecord(TARGET_EPOCH, group, "", TargetEpoch(epoch, now))


def current_record(group: str, member: ConsumerMember) -> ConsumerRecord:
    """Where a member is."""
    found = Current(
        member.epoch, member.previous_epoch, member.state, member.assigned, member.revoking
    )
    return ConsumerRecord(CURRENT, group, member.id, found)


def regex_record(group: str, regex: str, found: Resolved | None) -> ConsumerRecord:
    """What an expression matches; None: nobody uses it any more."""
    return ConsumerRecord(REGEX, group, regex, found)


def removal(group: str, member_id: str) -> list[ConsumerRecord]:
    """The tombstones of a member, in the order that Kafka insists on."""
    return [ConsumerRecord(kind, group, member_id, None) for kind in (CURRENT, TARGET, MEMBER)]


# -- to bytes ----------------------------------------------------------------------------------


def encode_record(record: ConsumerRecord) -> tuple[bytes, bytes | None]:
    """Key and value in the log."""
    table = record_table("groups")
    key: Any = table.find(record.type, "key").struct()
    key.groupId = record.group
    if record.type in (MEMBER, TARGET, CURRENT):
        key.memberId = record.name
    elif record.type == REGEX:
        key.regularExpression = record.name
    data = encode(key, record.type)
    if record.value is None:
        return data, None
    value: Any = table.find(record.type, "value").struct()
    _WRITERS[record.type](value, record.value)
    return data, encode(value, VERSION)


def _field_kind(struct: Any, attr: str) -> Any:
    return next(field.kind for field in struct.FIELDS if field.attr == attr)


def _write_epoch(struct: Any, value: Epoch) -> None:
    struct.epoch, struct.metadataHash = value


def _write_target_epoch(struct: Any, value: TargetEpoch) -> None:
    struct.assignmentEpoch, struct.assignmentTimestamp = value


def _write_member(struct: Any, member: ConsumerMember) -> None:
    struct.instanceId = member.instance_id
    struct.rackId = member.rack_id
    struct.clientId = member.client_id
    struct.clientHost = member.client_host
    struct.subscribedTopicNames = sorted(member.names)
    struct.subscribedTopicRegex = member.regex
    struct.rebalanceTimeoutMs = member.rebalance_timeout
    struct.serverAssignor = member.assignor
    kind = _field_kind(struct, "classicMemberMetadata")
    struct.classicMemberMetadata = None
    if member.classic is not None:
        classic = kind(sessionTimeoutMs=member.classic.session_timeout)
        protocol = _field_kind(classic, "supportedProtocols")
        classic.supportedProtocols = [
            protocol(name=name, metadata=data) for name, data in member.classic.protocols
        ]
        struct.classicMemberMetadata = classic


def _write_target(struct: Any, target: Target) -> None:
    kind = _field_kind(struct, "topicPartitions")
    struct.topicPartitions = [
        kind(topicId=topic_id, partitions=sorted(indexes)) for topic_id, indexes in target.items()
    ]


def _write_current(struct: Any, value: Current) -> None:
    struct.memberEpoch = value.epoch
    struct.previousMemberEpoch = value.previous_epoch
    struct.state = int(value.state)
    for attr, partitions in (
        ("assignedPartitions", value.assigned),
        ("partitionsPendingRevocation", value.revoking),
    ):
        kind = _field_kind(struct, attr)
        found = []
        for topic_id, epochs in partitions.items():
            indexes = sorted(epochs)
            each = kind(topicId=topic_id, partitions=indexes)
            each.assignmentEpochs = [epochs[index] for index in indexes]
            found.append(each)
        setattr(struct, attr, found)


def _write_regex(struct: Any, value: Resolved) -> None:
    struct.topics = sorted(value.topics)
    struct.version = value.version
    struct.timestamp = value.timestamp


_WRITERS: Mapping[int, Any] = {
    EPOCH: _write_epoch,
    TOPICS: lambda struct, value: None,
    MEMBER: _write_member,
    TARGET_EPOCH: _write_target_epoch,
    TARGET: _write_target,
    CURRENT: _write_current,
    REGEX: _write_regex,
}


# -- from bytes --------------------------------------------------------------------------------


def read_record(found: InternalRecord) -> ConsumerRecord | None:
    """The record that the tables have read; None for types of other groups.

    Raises CorruptError for what cannot be: partitions without their epochs.
    """
    read = _READERS.get(found.type)
    if read is None:
        return None
    key: Any = found.key
    name = getattr(key, "memberId", getattr(key, "regularExpression", ""))
    value = None if found.value is None else read(name, found.value)
    return ConsumerRecord(found.type, key.groupId, name, value)


def _read_member(name: str, struct: Any) -> ConsumerMember:
    classic = struct.classicMemberMetadata
    return ConsumerMember(
        id=name,
        instance_id=struct.instanceId,
        rack_id=struct.rackId,
        client_id=struct.clientId,
        client_host=struct.clientHost,
        rebalance_timeout=struct.rebalanceTimeoutMs,
        names=frozenset(struct.subscribedTopicNames),
        regex=struct.subscribedTopicRegex,
        assignor=struct.serverAssignor,
        classic=None
        if classic is None
        else ClassicMetadata(
            classic.sessionTimeoutMs,
            tuple((each.name, each.metadata) for each in classic.supportedProtocols),
        ),
    )


def _read_target(_: str, struct: Any) -> Target:
    return {each.topicId: frozenset(each.partitions) for each in struct.topicPartitions}


def _read_current(_: str, struct: Any) -> Current:
    return Current(
        struct.memberEpoch,
        struct.previousMemberEpoch,
        _STATES.get(struct.state, MemberState.UNKNOWN),
        _partitions(struct.assignedPartitions, struct.memberEpoch),
        _partitions(struct.partitionsPendingRevocation, struct.memberEpoch),
    )


def _partitions(topics: Iterable[Any], epoch: int) -> Partitions:
    """Kafka 4.0 to 4.2 write no epochs: the member's own stands for them."""
    found: Partitions = {}
    for each in topics:
        epochs = each.assignmentEpochs or [epoch] * len(each.partitions)
        if len(epochs) != len(each.partitions):
            raise CorruptError("partitions of a member and their epochs are not as many")
        found[each.topicId] = dict(zip(each.partitions, epochs, strict=True))
    return found


_READERS: Mapping[int, Any] = {
    EPOCH: lambda _, struct: Epoch(struct.epoch, struct.metadataHash),
    TOPICS: lambda _, struct: True,
    MEMBER: _read_member,
    TARGET_EPOCH: lambda _, struct: TargetEpoch(struct.assignmentEpoch, struct.assignmentTimestamp),
    TARGET: _read_target,
    CURRENT: _read_current,
    REGEX: lambda _, struct: Resolved(frozenset(struct.topics), struct.version, struct.timestamp),
}
