"""ElectLeaders (43): preferred or unclean leader election (KIP-460)."""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.shared import TopicIndexes
from pykafka_ops.wire.types import INT8, INT16, INT32, STRING

TopicPartitions = TopicIndexes


@message(ApiKey.ELECT_LEADERS)
class ElectLeadersRequest:
    """``election_type`` 0 preferred, 1 unclean; null partitions mean all."""

    election_type: int = wire(INT8, "1+")
    topic_partitions: list[TopicPartitions] | None = wire([TopicPartitions], nullable="0+")
    timeout_ms: int = wire(INT32, default=60000)


@struct
class PartitionResult:
    """What became of one partition."""

    partition_id: int = wire(INT32)
    error_code: int = wire(INT16)
    error_message: str | None = wire(STRING, nullable="0+")


@struct
class ReplicaElectionResult:
    """The partitions of one topic."""

    topic: str = wire(STRING)
    partition_result: list[PartitionResult] = wire([PartitionResult])


@message(ApiKey.ELECT_LEADERS)
class ElectLeadersResponse:
    """The outcome for each partition where something was to do."""

    throttle_time_ms: int = wire(INT32)
    error_code: int = wire(INT16, "1+")
    replica_election_results: list[ReplicaElectionResult] = wire([ReplicaElectionResult])
