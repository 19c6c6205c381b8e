"""Records of the internal topics: ``--offsets-decoder``, ``--transaction-log-decoder`` and
``--share-group-state-decoder``. What Kafka 4 shows otherwise than Kafka 3.9 is ``..._of_4``."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable

from pykafka_ops.commands.dump_log.java import JavaError
from pykafka_ops.disk.internal import (
    TRANSACTION_STATES,
    InternalRecord,
    TransactionLogValue,
    UnknownRecordType,
    read_assignment,
    read_offsets_record,
    read_share_record,
    read_subscription,
    read_transaction_key,
    read_transaction_record,
    read_transaction_value,
)
from pykafka_ops.disk.schema import to_json
from pykafka_ops.disk.text import java_json
from pykafka_ops.errors import CorruptError

Texts = tuple[str | None, str | None]


def offsets(offset: int, key: bytes | None, value: bytes | None) -> Texts:
    """A record of ``__consumer_offsets`` as JSON."""
    return _coordinator(offset, key, value, read_offsets_record, _OFFSETS_TOPIC)


def offsets_of_4(offset: int, key: bytes | None, value: bytes | None) -> Texts:
    """The same in the words of Kafka 4."""

    def read(key: bytes, value: bytes | None) -> InternalRecord:
        return read_offsets_record(key, value, newest=True)

    return _coordinator(offset, key, value, read, _SPECIFIED)


def share_group_state(offset: int, key: bytes | None, value: bytes | None) -> Texts:
    """A record of ``__share_group_state`` as JSON."""
    return _coordinator(offset, key, value, read_share_record, _SPECIFIED)


def transactions_of_4(offset: int, key: bytes | None, value: bytes | None) -> Texts:
    """A record of ``__transaction_state`` as JSON."""
    return _coordinator(offset, key, value, read_transaction_record, _SPECIFIED)


_OFFSETS_TOPIC, _SPECIFIED = "offset topic", "the specified"


def _coordinator(
    offset: int,
    key: bytes | None,
    value: bytes | None,
    read: Callable[[bytes, bytes | None], InternalRecord],
    decoder: str,
) -> Texts:
    """As ``CoordinatorRecordMessageParser`` has it."""
    if key is None:
        raise JavaError(
            "java.lang.RuntimeException",
            f"Failed to decode message at offset {offset} using {decoder} decoder (message had "
            "a missing key)",
        )
    try:
        found = read(key, value)
    except UnknownRecordType as e:
        return f"Unknown record type {e.record_type} at offset {offset}, skipping.", None
    except CorruptError as e:
        return f"Error at offset {offset}, skipping. {e}", None
    shown = java_json({"type": str(found.type), "data": to_json(found.key, 0)})
    if found.value is None:
        return shown, "<DELETE>"
    data = {"version": str(found.value_version), "data": offsets_value(found)}
    return shown, java_json(data)


def offsets_value(record: InternalRecord) -> dict[str, object]:
    """The value's fields; a consumer group's subscriptions and assignments opened."""
    assert record.value is not None
    fields: dict[str, object] = to_json(record.value, record.value_version)
    members = fields.get("members")
    if fields.get("protocolType") == "consumer" and isinstance(members, list):
        for member in members:
            _open(member, "subscription")
            _open(member, "assignment")
    return fields


def _open(member: dict[str, object], name: str) -> None:
    """Replace the base64 text by what it holds; left as it is where that cannot be read."""
    data = b64decode(str(member[name]))
    try:
        version, found = (read_subscription if name == "subscription" else read_assignment)(data)
    except CorruptError:
        return
    member[name] = to_json(found, version)


def transactions(offset: int, key: bytes | None, value: bytes | None) -> Texts:
    """A record of ``__transaction_state`` in the mixed notation of Kafka 3.9."""
    if key is None:
        raise JavaError(
            "java.lang.NullPointerException",
            'Cannot invoke "java.nio.ByteBuffer.getShort()" because "buffer" is null',
            f"the record at offset {offset} has no key, which a transaction log does not have",
        )
    try:
        shown = (
            f"transaction_metadata::transactionalId={read_transaction_key(key).transactional_id}"
        )
        if value is None:
            return shown, "<DELETE>"
        return shown, _state(read_transaction_value(value))
    except UnknownRecordType as e:
        return f"unknown::version={e.record_type}", None
    except CorruptError as e:
        if str(e) == "null":
            raise JavaError(
                "java.nio.BufferUnderflowException", plain=f"the record at offset {offset} is cut"
            ) from None
        unknown = str(e).startswith("Unknown version")
        name = "java.lang.IllegalStateException" if unknown else "java.lang.RuntimeException"
        raise JavaError(name, str(e)) from None


def _state(value: TransactionLogValue) -> str:
    status = value.transaction_status
    if not 0 <= status < len(TRANSACTION_STATES):
        raise JavaError(
            "java.lang.IllegalStateException",
            f"Unknown transaction state id {status} from the transaction status message",
        )
    return (
        f"producerId:{value.producer_id},producerEpoch:{value.producer_epoch},"
        f"state={TRANSACTION_STATES[status]},partitions=[{','.join(_partitions(value))}],"
        f"txnLastUpdateTimestamp={value.transaction_last_update_timestamp_ms},"
        f"txnTimeoutMs={value.transaction_timeout_ms}"
    )


def _partitions(value: TransactionLogValue) -> list[str]:
    """The partitions in the order of Scala's mutable HashSet, which is what Kafka prints."""
    if TRANSACTION_STATES[value.transaction_status] == "Empty":
        return []
    found: dict[tuple[str, int], int] = {}
    buckets = 16
    for group in value.transaction_partitions or []:
        items = dict.fromkeys((group.topic, partition) for partition in group.partition_ids)
        buckets = max(buckets, _power_of_two(int((len(items) + 1) / 0.75)))
        for item in items:
            # Sets of up to four are added one by one, which may grow the table, larger ones not.
            if len(items) <= 4 and len(found) + 1 >= int(buckets * 0.75):
                buckets *= 2
            code = _hash_code(*item)
            found.setdefault(item, code ^ code >> 16)
    # By bucket, then by the number as a signed one.
    order = sorted(found, key=lambda i: (found[i] & buckets - 1, (found[i] ^ 1 << 31) - (1 << 31)))
    return [f"{topic}-{partition}" for topic, partition in order]


def _power_of_two(capacity: int) -> int:
    """Scala's table size for a capacity, at least 8."""
    return 2 << (max(capacity - 1, 4).bit_length() - 1)


def _hash_code(topic: str, partition: int) -> int:
    """``TopicPartition.hashCode`` as 32 unsigned bits."""
    text = 0
    units = topic.encode("utf-16-be")
    for at in range(0, len(units), 2):
        text = text * 31 + (units[at] << 8 | units[at + 1])
    return ((31 + partition) * 31 + text) & 0xFFFF_FFFF
