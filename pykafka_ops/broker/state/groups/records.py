"""Records of ``__consumer_offsets`` as a coordinator writes and reads them.

Counterpart of the functions of ``GroupMetadataManager`` that make keys and values. Kafka 3.9
writes offset keys of version 1, offset values of version 3 (1 with an expiry), group keys of
version 2 and group values of version 3.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from struct import Struct as Packer
from typing import NamedTuple

from pykafka_ops.broker.state.groups.group import Group, GroupState, Member
from pykafka_ops.broker.state.memory import Account
from pykafka_ops.broker.state.names import SHORT
from pykafka_ops.disk.internal import (
    GroupMetadataKey,
    GroupMetadataValue,
    MemberMetadata,
    OffsetCommitKey,
    OffsetCommitValue,
    UnknownRecordType,
    encode,
    read_offsets_record,
)
from pykafka_ops.errors import CorruptError

OFFSET_KEY, OFFSET_VALUE, OFFSET_VALUE_WITH_EXPIRY = 1, 3, 1
GROUP_KEY, GROUP_VALUE = 2, 3
NEVER = -1
NOT_WRITTEN = -1

_LENGTH = Packer(">h")
_TYPE_AND_LENGTH = Packer(">hh")
_PARTITION = Packer(">i")
_VALUE = Packer(">hqih")
_TIMESTAMP = Packer(">q")
_INT32 = Packer(">i")
_TIME_AND_COUNT = Packer(">qi")
_TIMEOUTS_AND_SIZE = Packer(">iii")
_NULL = b"\xff\xff"


class OffsetAndMetadata(NamedTuple):
    """A committed offset; ``timestamp`` and ``expires`` (-1: by the broker's rule) in ms,
    ``position`` is the offset of its batch in the internal topic."""

    offset: int
    leader_epoch: int = -1
    metadata: str = ""
    timestamp: int = -1
    expires: int = NEVER
    position: int = NOT_WRITTEN


class OffsetRecord(NamedTuple):
    """An offset of a group, None: it is no more."""

    group: str
    topic: str
    partition: int
    value: OffsetAndMetadata | None


class GroupRecord(NamedTuple):
    """A generation of a group, None: the group is no more."""

    group: str
    value: GroupMetadataValue | None


Entry = OffsetRecord | GroupRecord


_MOST_KEYS = 16384
_KEYS: dict[tuple[str, str, int], bytes] = {}
"""Encoded before: the same partitions are committed again and again."""


def encode_entry(record: Entry) -> tuple[bytes, bytes | None]:
    """Key and value in the log."""
    if type(record) is OffsetRecord:
        place = record[:3]
        key = _KEYS.get(place)
        if key is None:
            key = _offset_key(record)
            if len(record.group) <= SHORT:
                if len(_KEYS) >= _MOST_KEYS:
                    _KEYS.clear()
                _KEYS[place] = key
        return key, _offset_value(record.value)
    assert isinstance(record, GroupRecord)
    key = _LENGTH.pack(GROUP_KEY) + _text(record.group)
    return key, None if record.value is None else encode_group(record.value)


def _offset_key(record: OffsetRecord) -> bytes:
    group, topic = record.group.encode("utf-8", "surrogatepass"), record.topic.encode()
    return b"".join(
        (
            _TYPE_AND_LENGTH.pack(OFFSET_KEY, len(group)),
            group,
            _LENGTH.pack(len(topic)),
            topic,
            _PARTITION.pack(record.partition),
        )
    )


def _offset_value(value: OffsetAndMetadata | None) -> bytes | None:
    if value is None:
        return None
    offset, epoch, metadata, timestamp, expires, _ = value
    if expires != NEVER:
        old = OffsetCommitValue(
            offset=offset, metadata=metadata, commit_timestamp=timestamp, expire_timestamp=expires
        )
        return encode(old, OFFSET_VALUE_WITH_EXPIRY)
    text = metadata.encode("utf-8", "surrogatepass")
    head = _VALUE.pack(OFFSET_VALUE, offset, epoch, len(text))
    return head + text + _TIMESTAMP.pack(timestamp)


def encode_group(value: GroupMetadataValue) -> bytes:
    """A generation as Kafka 3.9 writes it: as ``encode`` does, in one go for each of its members,
    of whom there may be thousands."""
    parts = [
        _LENGTH.pack(GROUP_VALUE),
        _text(value.protocol_type),
        _INT32.pack(value.generation),
        _text(value.protocol),
        _text(value.leader),
        _TIME_AND_COUNT.pack(value.current_state_timestamp, len(value.members)),
    ]
    for member in value.members:
        subscription, assignment = member.subscription, member.assignment
        parts += (
            _text(member.member_id),
            _shared(member.group_instance_id),
            _shared(member.client_id),
            _shared(member.client_host),
            _TIMEOUTS_AND_SIZE.pack(
                member.rebalance_timeout, member.session_timeout, len(subscription)
            ),
            subscription,
            _INT32.pack(len(assignment)),
            assignment,
        )
    return b"".join(parts)


def _text(text: str | None) -> bytes:
    if text is None:
        return _NULL
    data = text.encode()
    return _LENGTH.pack(len(data)) + data


_shared = lru_cache(64)(_text)
"""For what members have in common: few clients on few hosts."""


def decode_entry(key: bytes, value: bytes | None) -> Entry | None:
    """The record in a log entry; None for types of newer brokers. Raises CorruptError."""
    try:
        found = read_offsets_record(key, value)
    except UnknownRecordType:
        return None
    entry_key, entry = found.key, found.value
    if isinstance(entry_key, OffsetCommitKey):
        return OffsetRecord(
            entry_key.group, entry_key.topic, entry_key.partition, _committed(entry)
        )
    if isinstance(entry_key, GroupMetadataKey):
        if entry is not None and not isinstance(entry, GroupMetadataValue):
            raise CorruptError(f"group {entry_key.group} has a value of another type")
        return GroupRecord(entry_key.group, entry)
    return None


def _committed(value: object) -> OffsetAndMetadata | None:
    if value is None:
        return None
    if not isinstance(value, OffsetCommitValue):
        raise CorruptError("an offset has a value of another type")
    return OffsetAndMetadata(
        value.offset,
        value.leader_epoch,
        value.metadata,
        value.commit_timestamp,
        value.expire_timestamp,
    )


def tombstones(group_id: str, places: Iterable[tuple[str, int]]) -> list[Entry]:
    """The records that end these offsets, by topic and partition."""
    return [OffsetRecord(group_id, topic, index, None) for topic, index in places]


def group_value(group: Group, assignments: dict[str, bytes]) -> GroupMetadataValue:
    """The generation of ``group`` with these assignments by member id."""
    return GroupMetadataValue(
        protocol_type=group.protocol_type or "",
        generation=group.generation,
        protocol=group.protocol,
        leader=group.leader,
        current_state_timestamp=group.state_time,
        members=[
            MemberMetadata(
                member_id=member.id,
                group_instance_id=member.instance_id,
                client_id=member.client_id,
                client_host=member.client_host,
                rebalance_timeout=member.rebalance_timeout,
                session_timeout=member.session_timeout,
                subscription=member.metadata(group.protocol),
                assignment=assignments.get(member.id, b""),
            )
            for member in group.members.values()
        ],
    )


def restore_group(group_id: str, value: GroupMetadataValue, memory: Account) -> Group:
    """The group as it was when ``value`` was written; its members are still to be watched."""
    group = Group(group_id, value.current_state_timestamp, memory=memory.holder())
    group.generation = value.generation
    group.protocol_type = value.protocol_type or None
    group.protocol = value.protocol
    group.leader = value.leader
    for each in value.members:
        timeout = each.rebalance_timeout
        member = Member(
            each.member_id,
            instance_id=each.group_instance_id,
            client_id=each.client_id,
            client_host=each.client_host,
            rebalance_timeout=each.session_timeout if timeout < 0 else timeout,
            session_timeout=each.session_timeout,
            protocols=((value.protocol or "", each.subscription),),
            assignment=each.assignment,
        )
        group.add(member, None)
    if group.members:
        group.state = GroupState.STABLE
        if group.leader not in group.members:
            group.leader = next(iter(group.members))
    group.refresh_subscriptions()
    return group
