"""DescribeLogDirs (35), v0-4: the replicas in this broker's data directories (KIP-113).

A directory that failed is named with KAFKA_STORAGE_ERROR and nothing else.
"""

from __future__ import annotations

import os

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.state.steps import STEP, Steps, begun
from pykafka_ops.broker.storage.describe import DirDescription, LogDescription
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.describe_log_dirs import (
    DescribeLogDirsPartition,
    DescribeLogDirsRequest,
    DescribeLogDirsResponse,
    DescribeLogDirsResult,
    DescribeLogDirsTopic,
)

NO_LAG = -1
"""An unknown lag (``DescribeLogDirsResponse.INVALID_OFFSET_LAG``)."""


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
    described = yield from context.services.logs.describe()
    for found in described:
        directory = yield from _directory(context, found, wanted)
        response.results.append(directory)
    return response


def _directory(
    context: Context, found: DirDescription, wanted: set[tuple[str, int]] | None
) -> Steps[DescribeLogDirsResult]:
    result = DescribeLogDirsResult(log_dir=os.path.abspath(found.path))
    if found.error is not None:
        result.error_code = ErrorCode.KAFKA_STORAGE_ERROR
        return result
    result.total_bytes, result.usable_bytes = found.total_bytes, found.usable_bytes
    topics: dict[str, DescribeLogDirsTopic] = {}
    for count, log in enumerate(found.logs, 1):
        if not count % STEP:
            yield None
        if wanted is not None and (log.topic, log.partition) not in wanted:
            continue
        topic = topics.setdefault(log.topic, DescribeLogDirsTopic(name=log.topic))
        topic.partitions.append(
            DescribeLogDirsPartition(
                partition_index=log.partition,
                partition_size=log.size,
                offset_lag=_lag(context, log),
                is_future_key=log.is_future,
            )
        )
    result.topics = list(topics.values())
    return result


def _lag(context: Context, log: LogDescription) -> int:
    """How far the high watermark is ahead of the log's end: never, for a replica in use. Of a
    copy in the making: what is still to be copied."""
    services = context.services
    if services.replicas.find(log.topic, log.partition) is None:
        return NO_LAG
    if not log.is_future:
        return 0
    lag = services.logs.moves.lag(log.topic, log.partition)
    return NO_LAG if lag is None else lag
