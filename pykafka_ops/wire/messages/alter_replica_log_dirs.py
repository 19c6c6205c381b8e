"""AlterReplicaLogDirs (34): move replicas between the disks of the broker asked (KIP-113)."""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.shared import NamedPartitions, PartitionCode
from pykafka_ops.wire.types import INT32, STRING

AlterReplicaLogDirTopic = NamedPartitions


@struct
class AlterReplicaLogDir:
    """One directory and what shall move there."""

    path: str = wire(STRING)
    topics: list[AlterReplicaLogDirTopic] = wire([AlterReplicaLogDirTopic])


@message(ApiKey.ALTER_REPLICA_LOG_DIRS)
class AlterReplicaLogDirsRequest:
    """Replicas to move between directories of this broker."""

    dirs: list[AlterReplicaLogDir] = wire([AlterReplicaLogDir])


@struct
class AlterReplicaLogDirTopicResult:
    """The partitions of one topic."""

    topic_name: str = wire(STRING)
    partitions: list[PartitionCode] = wire([PartitionCode])


@message(ApiKey.ALTER_REPLICA_LOG_DIRS)
class AlterReplicaLogDirsResponse:
    """The outcome for each replica."""

    throttle_time_ms: int = wire(INT32)
    results: list[AlterReplicaLogDirTopicResult] = wire([AlterReplicaLogDirTopicResult])
