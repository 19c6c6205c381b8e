"""CreatePartitions (37): give topics more partitions (KIP-195)."""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.types import BOOL, INT16, INT32, STRING


@struct
class CreatePartitionsAssignment:
    """The brokers of one new partition."""

    broker_ids: list[int] = wire([INT32])


@struct
class CreatePartitionsTopic:
    """One topic, its new total, and (or null) where the new ones go."""

    name: str = wire(STRING)
    count: int = wire(INT32)
    assignments: list[CreatePartitionsAssignment] | None = wire(
        [CreatePartitionsAssignment], nullable="0+"
    )


@message(ApiKey.CREATE_PARTITIONS)
class CreatePartitionsRequest:
    """Topics to enlarge, or only to validate."""

    topics: list[CreatePartitionsTopic] = wire([CreatePartitionsTopic])
    timeout_ms: int = wire(INT32)
    validate_only: bool = wire(BOOL)


@struct
class CreatePartitionsTopicResult:
    """What became of one topic."""

    name: str = wire(STRING)
    error_code: int = wire(INT16)
    error_message: str | None = wire(STRING, nullable="0+", default=None)


@message(ApiKey.CREATE_PARTITIONS)
class CreatePartitionsResponse:
    """The outcome for each topic."""

    throttle_time_ms: int = wire(INT32)
    results: list[CreatePartitionsTopicResult] = wire([CreatePartitionsTopicResult])
