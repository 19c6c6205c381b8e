"""OffsetForLeaderEpoch (23), v0-4: where an epoch ends, so that a reader can find truncation.

Consumers and followers get the same answer.
"""

from __future__ import annotations

import logging

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.offset_for_leader_epoch import (
    EpochEndOffset,
    OffsetForLeaderEpochRequest,
    OffsetForLeaderEpochResponse,
    OffsetForLeaderPartition,
    OffsetForLeaderTopicResult,
)

log = logging.getLogger("kafka.server.ReplicaManager")


def handle(context: Context, request: OffsetForLeaderEpochRequest) -> Answer:
    """The end of every epoch asked for; -1 where the log knows nothing about it."""
    return OffsetForLeaderEpochResponse(
        topics=[
            OffsetForLeaderTopicResult(
                topic=topic.topic,
                partitions=[_answer(context, topic.topic, asked) for asked in topic.partitions],
            )
            for topic in request.topics
        ]
    )


def _answer(context: Context, topic: str, asked: OffsetForLeaderPartition) -> EpochEndOffset:
    answer = EpochEndOffset(partition=asked.partition)
    try:
        known = context.services.image.partition(topic, asked.partition) is not None
        partition = context.services.replicas.leader(
            topic, asked.partition, known=known, epoch=asked.current_leader_epoch
        )
        epoch, end = partition.log.end_offset_for_epoch(asked.leader_epoch)
        answer.leader_epoch, answer.end_offset = epoch, end
    except KafkaError as error:
        answer.error_code = error.code
    except Exception as error:
        log.error("epochs of %s-%d", topic, asked.partition, exc_info=error)
        answer.error_code = ErrorCode.UNKNOWN_SERVER_ERROR
    return answer
