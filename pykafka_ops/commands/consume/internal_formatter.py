"""Formatters of ``__consumer_offsets``, ``__transaction_state`` and ``__share_group_state``: a line
for each record.

The new ones print JSON, as Kafka's ``org.apache.kafka.tools.consumer`` classes do, and end every
line (Kafka 3.9 does not). The old ones print what the Scala objects' ``toString`` shows.
"""

from __future__ import annotations

from collections.abc import Callable

from pykafka_ops.commands.consume.formatter import Consumed, Formatter
from pykafka_ops.disk import internal
from pykafka_ops.disk.schema import RecordStruct, to_json
from pykafka_ops.disk.text import java_json
from pykafka_ops.errors import CorruptError, DeserializeError

Show = Callable[[bytes, bytes | None], str]


class InternalFormatter(Formatter):
    """``show`` makes the line of a key and value, "" for a record of another kind."""

    def __init__(self, show: Show) -> None:
        self.show = show

    def format(self, message: Consumed) -> bytes:
        """One line; DeserializeError for damaged bytes."""
        key = message.key()
        if key is None:
            return b""
        try:
            text = self.show(key, message.value())
        except CorruptError as error:
            raise DeserializeError(str(error)) from None
        return f"{text}\n".encode() if text else b""


DECODERS = ("offsets", "groups", "transactions", "share-group-state")
"""What ``internal_formatter`` takes in the place of a class, in our own words."""


def internal_formatter(name: str, *, old: bool) -> Formatter:
    """By class name, as in ``OffsetsMessageFormatter``, ``old`` or not, or by one of DECODERS."""
    new_and_old: dict[str, tuple[Show, Show]] = {
        "offsets": (_offsets, _offsets),
        "groups": (_all_groups, _all_groups),
        "transactions": (_transactions, _transactions),
        "share-group-state": (_share_state, _share_state),
        "OffsetsMessageFormatter": (_offsets, _old_offsets),
        "GroupMetadataMessageFormatter": (_groups, _old_groups),
        "TransactionLogMessageFormatter": (_transactions, _old_transactions),
        "ShareGroupMessageFormatter": (_share_groups, _share_groups),
        "group.share.ShareGroupStateMessageFormatter": (_share_state, _share_state),
    }
    return InternalFormatter(new_and_old[name][old])


# --- JSON ----------------------------------------------------------------------------------------


def _document(kind: int, key: RecordStruct, version: int, value: RecordStruct | None) -> str:
    """``{"key":{"version":..,"data":..},"value":..}``."""
    shown = None if value is None else {"version": version, "data": to_json(value, version)}
    return java_json({"key": {"version": kind, "data": to_json(key, 0)}, "value": shown})


def _unknown(kind: int, value: bytes | None) -> str:
    """A record of a type that Kafka 3.9's formatters do not know."""
    version = None if value is None else int.from_bytes(value[:2], "big", signed=True)
    shown = None if version is None else {"version": version, "data": "unknown"}
    return java_json({"key": {"version": kind, "data": "unknown"}, "value": shown})


def _of_group(key: bytes, value: bytes | None, wanted: type[RecordStruct]) -> str:
    try:
        found = internal.read_offsets_record(key, value)
    except internal.UnknownRecordType as unknown:
        return _unknown(unknown.record_type, value)
    if isinstance(found.key, wanted):
        return _document(found.type, found.key, found.value_version, found.value)
    if isinstance(found.key, (internal.OffsetCommitKey, internal.GroupMetadataKey)):
        return ""
    return _unknown(found.type, value)


def _offsets(key: bytes, value: bytes | None) -> str:
    return _of_group(key, value, internal.OffsetCommitKey)


def _groups(key: bytes, value: bytes | None) -> str:
    return _of_group(key, value, internal.GroupMetadataKey)


def _all_groups(key: bytes, value: bytes | None) -> str:
    """Records of groups of every kind, with what is in them."""
    try:
        found = internal.read_offsets_record(key, value)
    except internal.UnknownRecordType as unknown:
        return _unknown(unknown.record_type, value)
    if isinstance(found.key, internal.OffsetCommitKey):
        return ""
    return _document(found.type, found.key, found.value_version, found.value)


def _share_groups(key: bytes, value: bytes | None) -> str:
    """What Kafka 4 has only of share groups."""
    if not _FIRST_OF_SHARE <= int.from_bytes(key[:2], "big") <= _LAST_OF_SHARE:
        return ""
    return _of_4(internal.read_offsets_record(key, value))


_FIRST_OF_SHARE, _LAST_OF_SHARE = 10, 15
"""Types of ``__consumer_offsets`` that are of share groups."""


def _share_state(key: bytes, value: bytes | None) -> str:
    try:
        return _of_4(internal.read_share_record(key, value))
    except internal.UnknownRecordType:
        return ""


def _of_4(found: internal.InternalRecord) -> str:
    """Formatters that came with Kafka 4 call ``type`` what older ones call ``version`` of a key."""
    key = {"type": found.type, "data": to_json(found.key, 0)}
    version = found.value_version
    value = found.value
    shown = None if value is None else {"version": version, "data": to_json(value, version)}
    return java_json({"key": key, "value": shown})


def _transactions(key: bytes, value: bytes | None) -> str:
    try:
        name = internal.read_transaction_key(key)
    except internal.UnknownRecordType as unknown:
        return _unknown(unknown.record_type, value)
    if value is None:
        return _document(0, name, -1, None)
    version = int.from_bytes(value[:2], "big", signed=True)
    return _document(0, name, version, internal.read_transaction_value(value))


# --- toString ------------------------------------------------------------------------------------


def _known(key: bytes, value: bytes | None) -> internal.InternalRecord | None:
    try:
        return internal.read_offsets_record(key, value)
    except internal.UnknownRecordType:
        return None


def _old_offsets(key: bytes, value: bytes | None) -> str:
    found = _known(key, value)
    if found is None or not isinstance(found.key, internal.OffsetCommitKey):
        return ""
    shown = _commit(found.value) if isinstance(found.value, internal.OffsetCommitValue) else "NULL"
    return f"[{found.key.group},{found.key.topic},{found.key.partition}]::{shown}"


def _commit(value: internal.OffsetCommitValue) -> str:
    epoch = "Optional.empty" if value.leader_epoch < 0 else f"Optional[{value.leader_epoch}]"
    expiry = "None" if value.expire_timestamp < 0 else f"Some({value.expire_timestamp})"
    return (
        f"OffsetAndMetadata(offset={value.offset}, leaderEpoch={epoch}, metadata={value.metadata}, "
        f"commitTimestamp={value.commit_timestamp}, expireTimestamp={expiry})"
    )


def _old_groups(key: bytes, value: bytes | None) -> str:
    found = _known(key, value)
    if found is None or not isinstance(found.key, internal.GroupMetadataKey):
        return ""
    group = found.key.group
    if not isinstance(found.value, internal.GroupMetadataValue):
        return f"{group}::NULL"
    members = ", ".join(_member(m, found.value.protocol) for m in found.value.members)
    kind = found.value.protocol_type
    return (
        f"{group}::GroupMetadata(groupId={group}, generation={found.value.generation}, "
        f"protocolType={f'Some({kind})' if kind else 'None'}, "
        f"currentState={'Stable' if members else 'Empty'}, members=HashMap({members}))"
    )


def _member(member: internal.MemberMetadata, protocol: str | None) -> str:
    instance = member.group_instance_id
    return (
        f"{member.member_id} -> MemberMetadata(memberId={member.member_id}, "
        f"groupInstanceId={'None' if instance is None else f'Some({instance})'}, "
        f"clientId={member.client_id}, clientHost={member.client_host}, "
        f"sessionTimeoutMs={member.session_timeout}, "
        f"rebalanceTimeoutMs={member.rebalance_timeout}, "
        f"supportedProtocols=List({protocol or ''}))"
    )


def _old_transactions(key: bytes, value: bytes | None) -> str:
    try:
        name = internal.read_transaction_key(key).transactional_id
    except internal.UnknownRecordType:
        return ""
    if value is None:
        return f"{name}::NULL"
    return f"{name}::{_transaction(name, internal.read_transaction_value(value))}"


def _transaction(name: str, value: internal.TransactionLogValue) -> str:
    states = internal.TRANSACTION_STATES
    status = value.transaction_status
    parts = sorted(
        f"{topic.topic}-{index}"
        for topic in value.transaction_partitions or ()
        for index in topic.partition_ids
    )
    return (
        f"TransactionMetadata(transactionalId={name}, producerId={value.producer_id}, "
        f"producerEpoch={value.producer_epoch}, txnTimeoutMs={value.transaction_timeout_ms}, "
        f"state={states[status] if 0 <= status < len(states) else status}, pendingState=None, "
        f"topicPartitions=HashSet({', '.join(parts)}), "
        f"txnStartTimestamp={value.transaction_start_timestamp_ms}, "
        f"txnLastUpdateTimestamp={value.transaction_last_update_timestamp_ms})"
    )
