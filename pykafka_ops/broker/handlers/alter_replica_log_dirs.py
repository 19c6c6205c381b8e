"""AlterReplicaLogDirs (34), v0-2: move replicas between the data directories of this broker
(KIP-113).

The answer says that the moves have begun; DescribeLogDirs shows how far they are.
"""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.handlers.shaping import by_topic
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.messages.alter_replica_log_dirs import (
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirsResponse,
    AlterReplicaLogDirTopicResult,
)
from pykafka_ops.wire.shared import PartitionCode


def handle(context: Context, request: AlterReplicaLogDirsRequest) -> Answer:
    """Start every move; of a partition named twice the last directory counts, as in Kafka."""
    move = context.services.log_dirs().move
    return _response({place: move(*place, path) for place, path in _wanted(request).items()})


def _wanted(request: AlterReplicaLogDirsRequest) -> dict[tuple[str, int], str]:
    return {
        (topic.name, index): asked.path
        for asked in request.dirs
        for topic in asked.topics
        for index in topic.partitions
    }


def _response(results: dict[tuple[str, int], int]) -> AlterReplicaLogDirsResponse:
    return AlterReplicaLogDirsResponse(
        results=[
            AlterReplicaLogDirTopicResult(
                topic_name=name,
                partitions=[
                    PartitionCode(partition_index=index, error_code=code) for index, code in found
                ],
            )
            for name, found in by_topic(results).items()
        ]
    )


def failed(
    request: AlterReplicaLogDirsRequest, version: int, error: KafkaError
) -> AlterReplicaLogDirsResponse:
    """Every partition of the request, by topic, with the same error."""
    return _response(dict.fromkeys(_wanted(request), error.code))
