"""Produce (0), v0-11: append record batches to the partitions this broker leads.

v3 brought record batches v2 (older versions carry message sets, which are converted), v5 the
log start offset, v8 record errors, v9 flexible headers, v10 the current leader (KIP-951).
"""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.handlers.produce_answer import begin, conclude, partition_answer
from pykafka_ops.broker.hot.serving import Shape
from pykafka_ops.broker.partitions.refusals import Refused
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.produce import (
    ProduceRequest,
    ProduceResponse,
    TopicProduceResponse,
)


def handle(context: Context, request: ProduceRequest) -> Answer:
    """Append everything, then answer as ``acks`` asks."""
    acks = request.acks
    if acks not in (-1, 0, 1):
        return failed(request, context.version, KafkaError(ErrorCode.INVALID_REQUIRED_ACKS))
    batches = [(t.name, d.index, d.records) for t in request.topic_data for d in t.partition_data]
    results = begin(context, acks).run(batches, request.transactional_id, request.timeout_ms)
    return conclude(context, acks, request.topic_data, results)


def failed(request: ProduceRequest | None, version: int, error: KafkaError) -> Answer:
    """Every partition of the request with the same error."""
    if request is None or request.acks == 0:
        return None
    return ProduceResponse(
        responses=[
            TopicProduceResponse(
                name=topic.name,
                partition_responses=[
                    partition_answer(d.index, Refused(error)) for d in topic.partition_data
                ],
            )
            for topic in request.topic_data
        ]
    )


def shape(context: Context, request: ProduceRequest, frame: memoryview) -> Shape | None:
    """What serves the next requests like this one; None if it is not of the usual kind."""
    from pykafka_ops.broker.handlers import produce_several, produce_shape

    if request.acks not in (-1, 0, 1) or len(request.topic_data) != 1:
        return None
    if len(request.topic_data[0].partition_data) == 1:
        return produce_shape.shape(context, request, frame)
    return produce_several.shape(context, request, frame)
