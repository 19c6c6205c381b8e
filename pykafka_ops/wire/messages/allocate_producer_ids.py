"""AllocateProducerIds (67): a broker gets a block of producer ids (KIP-730)."""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, wire
from pykafka_ops.wire.types import INT16, INT32, INT64


@message(ApiKey.ALLOCATE_PRODUCER_IDS)
class AllocateProducerIdsRequest:
    """The broker that needs ids."""

    broker_id: int = wire(INT32)
    broker_epoch: int = wire(INT64, default=-1)


@message(ApiKey.ALLOCATE_PRODUCER_IDS)
class AllocateProducerIdsResponse:
    """The first id of the block and how many it has."""

    throttle_time_ms: int = wire(INT32)
    error_code: int = wire(INT16)
    producer_id_start: int = wire(INT64)
    producer_id_len: int = wire(INT32)
