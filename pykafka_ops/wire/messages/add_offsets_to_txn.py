"""AddOffsetsToTxn (25): the offsets of a group join a transaction (KIP-98)."""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, wire
from pykafka_ops.wire.types import INT16, INT32, INT64, STRING


@message(ApiKey.ADD_OFFSETS_TO_TXN)
class AddOffsetsToTxnRequest:
    """A transaction and the group whose offsets it will commit."""

    transactional_id: str = wire(STRING)
    producer_id: int = wire(INT64)
    producer_epoch: int = wire(INT16)
    group_id: str = wire(STRING)


@message(ApiKey.ADD_OFFSETS_TO_TXN)
class AddOffsetsToTxnResponse:
    """Whether the group's partition was added."""

    throttle_time_ms: int = wire(INT32)
    error_code: int = wire(INT16)
