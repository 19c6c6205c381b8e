"""Records of ``__transaction_state`` as Kafka 3.9 writes and reads them (``TransactionLog``)."""

from __future__ import annotations

from struct import Struct

from pykafka_ops.broker.state.transactions.metadata import TopicPartition, Transit, TxnState
from pykafka_ops.disk.batch import NO_PRODUCER_EPOCH, NO_PRODUCER_ID
from pykafka_ops.disk.internal import read_transaction_key, read_transaction_value
from pykafka_ops.errors import CorruptError

_LENGTH = Struct(">h")
_COUNT = Struct(">i")
_HEAD = Struct(">hqhib")
_TIMES = Struct(">qq")
_KEY_VERSION = b"\0\0"
_VALUE_VERSION = 0
_NULL = b"\xff\xff\xff\xff"


def _text(text: str) -> bytes:
    data = text.encode("utf-8", "surrogatepass")
    return _LENGTH.pack(len(data)) + data


def encode_key(transactional_id: str) -> bytes:
    """A ``TransactionLogKey``, version 0."""
    return _KEY_VERSION + _text(transactional_id)


def encode_value(transit: Transit) -> bytes | None:
    """A ``TransactionLogValue``, version 0; None, a tombstone, for an id that dies."""
    if transit.state is TxnState.DEAD:
        return None
    head = _HEAD.pack(
        _VALUE_VERSION, transit.producer_id, transit.epoch, transit.timeout_ms, transit.state
    )
    partitions = _NULL if transit.state is TxnState.EMPTY else encode_partitions(transit.partitions)
    return head + partitions + _TIMES.pack(transit.updated, transit.started)


def encode_partitions(partitions: frozenset[TopicPartition]) -> bytes:
    """Partitions by topic, sorted (Kafka's own order is that of its hash tables)."""
    by_topic: dict[str, list[int]] = {}
    for topic, partition in sorted(partitions):
        by_topic.setdefault(topic, []).append(partition)
    parts = [_COUNT.pack(len(by_topic))]
    for topic, indexes in by_topic.items():
        parts += (_text(topic), _COUNT.pack(len(indexes)))
        parts += (_COUNT.pack(index) for index in indexes)
    return b"".join(parts)


def decode(key: bytes, value: bytes | None) -> tuple[str, Transit | None]:
    """The transactional id, and what it was when this was written; None: a tombstone.

    Raises UnknownRecordType for a newer broker's key, CorruptError on damage.
    """
    transactional_id = read_transaction_key(key).transactional_id
    if value is None:
        return transactional_id, None
    found = read_transaction_value(value)
    try:
        state = TxnState(found.transaction_status)
    except ValueError:
        raise CorruptError(
            f"Unknown transaction state id {found.transaction_status} of {transactional_id}"
        ) from None
    partitions = frozenset(
        (topic.topic, index)
        for topic in found.transaction_partitions or ()
        for index in topic.partition_ids
    )
    return transactional_id, Transit(
        transactional_id,
        found.producer_id,
        NO_PRODUCER_ID,
        found.producer_epoch,
        NO_PRODUCER_EPOCH,
        found.transaction_timeout_ms,
        state,
        partitions,
        found.transaction_start_timestamp_ms,
        found.transaction_last_update_timestamp_ms,
    )
