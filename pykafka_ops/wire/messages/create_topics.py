"""CreateTopics (19): new topics.

Version 1 can only validate, 4 lets the broker choose counts (-1, KIP-464), 5 answers with the
resulting configuration (KIP-525), 6 may be throttled (KIP-599), 7 answers with topic ids.
"""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.shared import NamedValue
from pykafka_ops.wire.types import BOOL, INT8, INT16, INT32, STRING, UUID

CreatableTopicConfig = NamedValue


@struct
class CreatableReplicaAssignment:
    """The brokers of one partition, the preferred leader first."""

    partition_index: int = wire(INT32)
    broker_ids: list[int] = wire([INT32])


@struct
class CreatableTopic:
    """One topic: counts (-1: the default) or an explicit assignment."""

    name: str = wire(STRING)
    num_partitions: int = wire(INT32)
    replication_factor: int = wire(INT16)
    assignments: list[CreatableReplicaAssignment] = wire([CreatableReplicaAssignment])
    configs: list[CreatableTopicConfig] = wire([CreatableTopicConfig])


@message(ApiKey.CREATE_TOPICS)
class CreateTopicsRequest:
    """Topics to create, or only to validate."""

    topics: list[CreatableTopic] = wire([CreatableTopic])
    timeout_ms: int = wire(INT32, default=60000)
    validate_only: bool = wire(BOOL, "1+")


@struct
class CreatableTopicConfigs:
    """One setting as it stands after creation."""

    name: str = wire(STRING, "5+")
    value: str | None = wire(STRING, "5+", nullable="5+")
    read_only: bool = wire(BOOL, "5+")
    config_source: int = wire(INT8, "5+", default=-1, ignorable=True)
    is_sensitive: bool = wire(BOOL, "5+")


@struct
class CreatableTopicResult:
    """What became of one topic; ``configs`` is null when not authorised."""

    name: str = wire(STRING)
    topic_id: bytes = wire(UUID, "7+", ignorable=True)
    error_code: int = wire(INT16)
    error_message: str | None = wire(STRING, "1+", nullable="1+", ignorable=True)
    topic_config_error_code: int = wire(INT16, "5+", tag=0, ignorable=True)
    num_partitions: int = wire(INT32, "5+", default=-1, ignorable=True)
    replication_factor: int = wire(INT16, "5+", default=-1, ignorable=True)
    configs: list[CreatableTopicConfigs] | None = wire(
        [CreatableTopicConfigs], "5+", nullable="5+", ignorable=True
    )


@message(ApiKey.CREATE_TOPICS)
class CreateTopicsResponse:
    """The outcome for each topic."""

    throttle_time_ms: int = wire(INT32, "2+", ignorable=True)
    topics: list[CreatableTopicResult] = wire([CreatableTopicResult])
