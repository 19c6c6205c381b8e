"""InitProducerId (22): an id for an idempotent or transactional producer (KIP-98).

Version 3 lets a producer bump its epoch by naming its current id (KIP-360), 4 may answer
PRODUCER_FENCED (KIP-588), 5 TRANSACTION_ABORTABLE (KIP-890).
"""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, wire
from pykafka_ops.wire.types import INT16, INT32, INT64, STRING


@message(ApiKey.INIT_PRODUCER_ID)
class InitProducerIdRequest:
    """``transactional_id`` null: idempotent only."""

    transactional_id: str | None = wire(STRING, nullable="0+")
    transaction_timeout_ms: int = wire(INT32)
    producer_id: int = wire(INT64, "3+", default=-1)
    producer_epoch: int = wire(INT16, "3+", default=-1)


@message(ApiKey.INIT_PRODUCER_ID)
class InitProducerIdResponse:
    """The id and epoch to produce with."""

    throttle_time_ms: int = wire(INT32, ignorable=True)
    error_code: int = wire(INT16)
    producer_id: int = wire(INT64, default=-1)
    producer_epoch: int = wire(INT16)
