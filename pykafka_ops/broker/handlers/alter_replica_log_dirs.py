"""AlterReplicaLogDirs (34), v0-2: move replicas between the data directories of this broker
(KIP-113).

The answer says that the moves have begun; DescribeLogDirs shows how far they are.
"""

from __future__ import annotations

import logging

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.alter_replica_log_dirs import (
    AlterReplicaLogDirPartitionResult,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirsResponse,
    AlterReplicaLogDirTopicResult,
)

log = logging.getLogger("kafka.server.ReplicaManager")


def handle(context: Context, request: AlterReplicaLogDirsRequest) -> Answer:
    """Start every move; of a partition named twice the last directory counts, as in Kafka."""
    wanted = {
        (topic.name, index): asked.path
        for asked in request.dirs
        for topic in asked.topics
        for index in topic.partitions
    }
    results = {
        (topic, index): _start(context, topic, index, path)
        for (topic, index), path in wanted.items()
    }
    return _response(results)


def _start(context: Context, topic: str, index: int, path: str) -> int:
    services = context.services
    try:
        hosted = services.replicas.find(topic, index) is not None
        services.logs.moves.start(topic, index, path, hosted=hosted)
    except KafkaError as error:
        log.warning("%s-%d stays in its log directory: %s", topic, index, error)
        if (
            error.code == ErrorCode.REPLICA_NOT_AVAILABLE
            and services.image.partition(topic, index) is None
        ):
            return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        return error.code
    return ErrorCode.NONE


def _response(results: dict[tuple[str, int], int]) -> AlterReplicaLogDirsResponse:
    topics: dict[str, AlterReplicaLogDirTopicResult] = {}
    for (name, index), code in results.items():
        topic = topics.setdefault(name, AlterReplicaLogDirTopicResult(topic_name=name))
        topic.partitions.append(
            AlterReplicaLogDirPartitionResult(partition_index=index, error_code=code)
        )
    return AlterReplicaLogDirsResponse(results=list(topics.values()))


def failed(
    request: AlterReplicaLogDirsRequest | None, version: int, error: KafkaError
) -> AlterReplicaLogDirsResponse:
    """Every partition of the request with the same error."""
    return _response(
        {
            (topic.name, index): error.code
            for asked in (request.dirs if request else ())
            for topic in asked.topics
            for index in topic.partitions
        }
    )
