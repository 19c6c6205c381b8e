"""DescribeLogDirs (35), v0-4: the replicas in this broker's data directories (KIP-113).

A directory that failed is named with KAFKA_STORAGE_ERROR and nothing else.
"""

from __future__ import annotations

import os

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.services.log_dirs import ReplicaInDir
from pykafka_ops.broker.state.steps import Steps, begun, each
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.describe_log_dirs import (
    DescribeLogDirsPartition,
    DescribeLogDirsRequest,
    DescribeLogDirsResponse,
    DescribeLogDirsResult,
    DescribeLogDirsTopic,
)


def handle(context: Context, request: DescribeLogDirsRequest) -> Answer:
    """Every directory; of the replicas in it those asked for, all if topics are null."""
    wanted = None
    if request.topics is not None:
        wanted = {(topic.topic, index) for topic in request.topics for index in topic.partitions}
    return begun(_answer(context, wanted))


def _answer(
    context: Context, wanted: set[tuple[str, int]] | None
) -> Steps[DescribeLogDirsResponse]:
    response = DescribeLogDirsResponse()
    described = yield from context.services.log_dirs().describe(wanted)
    for directory, replicas in described:
        result = DescribeLogDirsResult(log_dir=os.path.abspath(directory.path))
        response.results.append(result)
        if directory.error is not None:
            result.error_code = ErrorCode.KAFKA_STORAGE_ERROR
            continue
        result.total_bytes, result.usable_bytes = directory.total_bytes, directory.usable_bytes
        partitions = yield from each(_partition, replicas)
        topics: dict[str, DescribeLogDirsTopic] = {}
        for (log, _), partition in zip(replicas, partitions, strict=True):
            topic = topics.setdefault(log.topic, DescribeLogDirsTopic(name=log.topic))
            topic.partitions.append(partition)
        result.topics = list(topics.values())
    return response


def _partition(replica: ReplicaInDir) -> DescribeLogDirsPartition:
    log, lag = replica
    return DescribeLogDirsPartition(
        partition_index=log.partition,
        partition_size=log.size,
        offset_lag=lag,
        is_future_key=log.is_future,
    )
