"""AddOffsetsToTxn (25): the offsets of a group join a transaction (KIP-98)."""

from __future__ import annotations

from pykafka_ops.wire.message import message, wire
from pykafka_ops.wire.types import INT16, INT32, INT64, STRING


@message(api=25, kind="request", versions="0-4", flexible="3+")
class AddOffsetsToTxnRequest:
    """A transaction and the group whose offsets it will commit."""

    transactional_id: str = wire(STRING)
    producer_id: int = wire(INT64)
    producer_epoch: int = wire(INT16)
    group_id: str = wire(STRING)


@message(api=25, kind="response", versions="0-4", flexible="3+")
class AddOffsetsToTxnResponse:
    """Whether the group's partition was added."""

    throttle_time_ms: int = wire(INT32)
    error_code: int = wire(INT16)
