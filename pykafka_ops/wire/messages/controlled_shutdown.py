"""ControlledShutdown (7): a broker asks the controller to move its leaders away.

Version 0 has a request header without client id; 2 adds the broker epoch (KIP-380).
"""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, wire
from pykafka_ops.wire.shared import TopicPartition
from pykafka_ops.wire.types import INT16, INT32, INT64

RemainingPartition = TopicPartition


@message(ApiKey.CONTROLLED_SHUTDOWN)
class ControlledShutdownRequest:
    """The broker that is about to stop."""

    broker_id: int = wire(INT32)
    broker_epoch: int = wire(INT64, "2+", default=-1, ignorable=True)


@message(ApiKey.CONTROLLED_SHUTDOWN)
class ControlledShutdownResponse:
    """What could not be moved; the broker asks again until it is empty."""

    error_code: int = wire(INT16)
    remaining_partitions: list[RemainingPartition] = wire([RemainingPartition])
