"""Records of ``__consumer_offsets`` and ``__transaction_state``.

Counterparts: ``CoordinatorRecordSerde``, ``TransactionLog`` and the message files ``*Key.json`` and
``*Value.json``; what only Kafka 4 writes is in :mod:`pykafka_ops.disk.tables`. Key and value each
start with their version (int16); for ``__consumer_offsets`` the key's version is the record's type.
A null value is a tombstone.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from struct import Struct as Packer
from typing import NamedTuple

from pykafka_ops.disk.schema import ByteReader, RecordStruct, kept, read_struct, table, write_struct
from pykafka_ops.disk.text import java_text
from pykafka_ops.errors import CorruptError

_INT16 = Packer(">h")
_COMMIT_HEAD = Packer(">hqih")


@table()
class OffsetCommitKey(RecordStruct):
    """Types 0 and 1: one partition of a group."""

    group: str = kept("string")
    topic: str = kept("string")
    partition: int = kept("int32")


@table(flexible=4)
class OffsetCommitValue(RecordStruct):
    """A committed offset; timestamps ms. Kafka 3.9 writes version 3, with an expiry version 1;
    Kafka 4 also version 4."""

    offset: int = kept("int64")
    leader_epoch: int = kept("int32", first=3, default=-1)
    metadata: str = kept("string")
    commit_timestamp: int = kept("int64")
    expire_timestamp: int = kept("int64", first=1, last=1, default=-1)
    topic_id: bytes = kept("uuid", first=4, tag=0, default=bytes(16))


@table()
class GroupMetadataKey(RecordStruct):
    """Type 2: a classic group."""

    group: str = kept("string")


@table(flexible=4)
class MemberMetadata(RecordStruct):
    """A member of a classic group; timeouts ms, subscription and assignment as the client sent."""

    member_id: str = kept("string")
    group_instance_id: str | None = kept("string", first=3, nullable=3, default=None)
    client_id: str = kept("string")
    client_host: str = kept("string")
    rebalance_timeout: int = kept("int32", first=1, default=-1)
    session_timeout: int = kept("int32")
    subscription: bytes = kept("bytes")
    assignment: bytes = kept("bytes")


@table(flexible=4)
class GroupMetadataValue(RecordStruct):
    """A classic group's generation and members. Kafka 3.9 writes version 3."""

    protocol_type: str = kept("string")
    generation: int = kept("int32")
    protocol: str | None = kept("string", nullable=0)
    leader: str | None = kept("string", nullable=0)
    current_state_timestamp: int = kept("int64", first=2, default=-1)
    members: list[MemberMetadata] = kept(MemberMetadata, many=True)


@table()
class TransactionLogKey(RecordStruct):
    """Type 0 of ``__transaction_state``."""

    transactional_id: str = kept("string")


@table(flexible=1)
class TransactionPartitions(RecordStruct):
    """Partitions of one topic in a transaction."""

    topic: str = kept("string")
    partition_ids: list[int] = kept("int32", many=True)


@table(flexible=1)
class TransactionLogValue(RecordStruct):
    """State of a transactional id; times ms. ZooKeeper mode writes version 0, Kafka 4 version 1."""

    producer_id: int = kept("int64")
    previous_producer_id: int = kept("int64", first=1, tag=0, default=-1)
    next_producer_id: int = kept("int64", first=1, tag=1, default=-1)
    producer_epoch: int = kept("int16")
    next_producer_epoch: int = kept("int16", first=1, tag=3, default=-1)
    transaction_timeout_ms: int = kept("int32")
    transaction_status: int = kept("int8")
    transaction_partitions: list[TransactionPartitions] | None = kept(
        TransactionPartitions, many=True, nullable=0
    )
    transaction_last_update_timestamp_ms: int = kept("int64")
    transaction_start_timestamp_ms: int = kept("int64")
    client_transaction_version: int = kept("int16", first=1, tag=2, default=0)


#: Names of ``transaction_status`` by number (Kafka: ``TransactionState``).
TRANSACTION_STATES = (
    "Empty",
    "Ongoing",
    "PrepareCommit",
    "PrepareAbort",
    "CompleteCommit",
    "CompleteAbort",
    "Dead",
    "PrepareEpochFence",
)


@table()
class TopicPartitions(RecordStruct):
    """Partitions of one topic in a subscription or assignment."""

    topic: str = kept("string")
    partitions: list[int] = kept("int32", many=True)


@table()
class ConsumerProtocolSubscription(RecordStruct):
    """What a consumer sends in JoinGroup (versions 0 to 3)."""

    topics: list[str] = kept("string", many=True)
    user_data: bytes | None = kept("bytes", nullable=0, default=None)
    owned_partitions: list[TopicPartitions] = kept(TopicPartitions, many=True, first=1)
    generation_id: int = kept("int32", first=2, default=-1)
    rack_id: str | None = kept("string", first=3, nullable=3, default=None)


@table()
class ConsumerProtocolAssignment(RecordStruct):
    """What a consumer gets in SyncGroup (versions 0 to 3)."""

    assigned_partitions: list[TopicPartitions] = kept(TopicPartitions, many=True)
    user_data: bytes | None = kept("bytes", nullable=0, default=None)


class UnknownRecordType(CorruptError):  # noqa: N818 - a newer broker's record is no error
    """A key of a type or version this Kafka version does not know; to be skipped."""

    def __init__(self, record_type: int) -> None:
        super().__init__(f"Unknown record type {record_type}")
        self.record_type = record_type


class InternalRecord(NamedTuple):
    """A decoded record; ``value`` is None for a tombstone."""

    type: int
    key: RecordStruct
    value_version: int
    value: RecordStruct | None


def encode(struct: RecordStruct, version: int) -> bytes:
    """``struct`` behind its version, as keys, values and embedded metadata are stored.

    Raises ValueError on a null the version does not allow.
    """
    out = bytearray(_INT16.pack(version))
    write_struct(out, struct, version)
    return bytes(out)


class _Kind(NamedTuple):
    """Key and value of one type, and the highest version of the value."""

    key: type[RecordStruct]
    value: type[RecordStruct]
    highest: int


def read_offsets_record(key: bytes, value: bytes | None, *, newest: bool = False) -> InternalRecord:
    """A record of ``__consumer_offsets``; with ``newest`` read as strictly as Kafka 4 does.

    Raises UnknownRecordType on types it does not know, CorruptError with Kafka's text on damage.
    """
    usual = _usual_commit(key, value)
    return usual or _read(key, value, _kind_of_group, always=newest)


def read_share_record(key: bytes, value: bytes | None) -> InternalRecord:
    """The same of ``__share_group_state``."""
    return _read(key, value, lambda kind: _tabled("share", kind), always=True)


def read_transaction_record(key: bytes, value: bytes | None) -> InternalRecord:
    """The same of ``__transaction_state``, as Kafka 4 reads it."""
    return _read(key, value, {0: _TRANSACTION}.get, always=True)


def _read(
    key: bytes, value: bytes | None, find: Callable[[int], _Kind | None], *, always: bool
) -> InternalRecord:
    """``CoordinatorRecordSerde``; versions of values are checked as in Kafka 4, ``always`` or of
    the types that came with it."""
    reader = ByteReader(key)
    number = _version(reader, "key")
    kind = find(number)
    if kind is None:
        raise UnknownRecordType(number)
    found = _body(kind.key, reader, number, "key")
    if value is None:
        return InternalRecord(number, found, -1, None)
    reader = ByteReader(value)
    version = _version(reader, "value")
    if (always or number > _HIGHEST_OF_3) and not 0 <= version <= kind.highest:
        raise CorruptError(f"Found an unknown record version {version} for {number} type")
    return InternalRecord(number, found, version, _body(kind.value, reader, version, "value"))


def _kind_of_group(number: int) -> _Kind | None:
    return _CLASSIC.get(number) or _tabled("groups", number)


@cache
def _tabled(name: str, number: int) -> _Kind | None:
    """A type of a table of :mod:`pykafka_ops.disk.tables`: few logs have any."""
    from pykafka_ops.disk.tables.read import record_table

    table = record_table(name)
    if number not in table:
        return None
    _, highest, struct = table.find(number, "value")
    return _Kind(table.find(number, "key").struct, struct, highest)


def _usual_commit(key: bytes, value: bytes | None) -> InternalRecord | None:
    """An offset commit with a value of version 3 or none, which is what such logs are full of.

    None for all else and for whatever is odd: the tables then read it, or say what is wrong.
    """
    if key[:2] != b"\x00\x01" or (value is not None and value[:2] != b"\x00\x03"):
        return None
    size = len(key)
    group_end = 4 + int.from_bytes(key[2:4], "big", signed=True)
    topic_size = int.from_bytes(key[group_end : group_end + 2], "big", signed=True)
    topic_end = group_end + 2 + topic_size
    if topic_end + 4 != size or (value is not None and len(value) < _COMMIT_HEAD.size):
        return None
    found_key = OffsetCommitKey(
        group=java_text(key[4:group_end]),
        topic=java_text(key[group_end + 2 : topic_end]),
        partition=int.from_bytes(key[topic_end:], "big", signed=True),
    )
    if value is None:
        return InternalRecord(1, found_key, -1, None)
    _, offset, epoch, length = _COMMIT_HEAD.unpack_from(value)
    if length < 0 or len(value) != _COMMIT_HEAD.size + length + 8:
        return None
    found_value = OffsetCommitValue(
        offset=offset,
        leader_epoch=epoch,
        metadata=java_text(value[_COMMIT_HEAD.size : -8]),
        commit_timestamp=int.from_bytes(value[-8:], "big", signed=True),
    )
    return InternalRecord(1, found_key, 3, found_value)


_CLASSIC = {
    0: _Kind(OffsetCommitKey, OffsetCommitValue, 0),
    1: _Kind(OffsetCommitKey, OffsetCommitValue, 4),
    2: _Kind(GroupMetadataKey, GroupMetadataValue, 4),
}
_TRANSACTION = _Kind(TransactionLogKey, TransactionLogValue, 1)
_HIGHEST_OF_3 = 8
"""The types beyond it came with Kafka 4."""


def _version(reader: ByteReader, name: str) -> int:
    try:
        return reader.integer(_INT16)
    except CorruptError:
        raise CorruptError(f"Could not read version from {name}'s buffer.") from None


def _body(cls: type[RecordStruct], reader: ByteReader, version: int, name: str) -> RecordStruct:
    try:
        return read_struct(cls, reader, version)
    except CorruptError as e:
        raise CorruptError(
            f"Could not read record with version {version} from {name}'s buffer due to: {e}."
        ) from None


def read_transaction_key(key: bytes) -> TransactionLogKey:
    """The transactional id of a ``__transaction_state`` key; UnknownRecordType beyond version 0."""
    reader = ByteReader(key)
    version = reader.integer(_INT16)
    if version != 0:
        raise UnknownRecordType(version)
    return read_struct(TransactionLogKey, reader, version)


def read_transaction_value(value: bytes) -> TransactionLogValue:
    """A ``__transaction_state`` value (versions 0 and 1); CorruptError on others and on damage."""
    reader = ByteReader(value)
    version = reader.integer(_INT16)
    if version not in (0, 1):
        raise CorruptError(f"Unknown version {version} from the transaction log message value")
    return read_struct(TransactionLogValue, reader, version)


def read_subscription(data: bytes) -> tuple[int, ConsumerProtocolSubscription]:
    """(version, subscription) of a consumer's JoinGroup metadata; CorruptError on damage.

    A version above 3 is read as 3, as Kafka does.
    """
    reader = ByteReader(data)
    version = reader.integer(_INT16)
    return version, read_struct(ConsumerProtocolSubscription, reader, version)


def read_assignment(data: bytes) -> tuple[int, ConsumerProtocolAssignment]:
    """(version, assignment) of a consumer's SyncGroup metadata; CorruptError on damage."""
    reader = ByteReader(data)
    version = reader.integer(_INT16)
    return version, read_struct(ConsumerProtocolAssignment, reader, version)
