"""DescribeProducers (61), v0: idempotent and transactional producers of partitions (KIP-664).

``current_txn_start_offset`` is where an open transaction began: it shows hanging ones.
"""

from __future__ import annotations

from functools import partial

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.state import producer_state
from pykafka_ops.broker.state.names import check_name
from pykafka_ops.broker.state.steps import Steps, begun, each, in_turn
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.describe_producers import (
    DescribeProducersRequest,
    DescribeProducersResponse,
    PartitionResponse,
    ProducerState,
    TopicRequest,
    TopicResponse,
)


def handle(context: Context, request: DescribeProducersRequest) -> Answer:
    """The producers that each partition's log remembers; followers answer, too, as in Kafka."""
    return begun(_answer(context, request))


def _answer(
    context: Context, request: DescribeProducersRequest
) -> Steps[DescribeProducersResponse]:
    def topic(asked: TopicRequest) -> Steps[TopicResponse]:
        one = partial(_partition, context, asked.name)
        partitions = yield from in_turn(one, asked.partition_indexes)
        return TopicResponse(name=asked.name, partitions=partitions)

    topics = yield from in_turn(topic, request.topics)
    return DescribeProducersResponse(topics=topics)


def _partition(context: Context, topic: str, index: int) -> Steps[PartitionResponse]:
    services = context.services
    known = services.image.partition(topic, index) is not None
    try:
        check_name(topic)
        hosted = services.replicas.find(topic, index)
        hosted = hosted or services.replicas.leader(topic, index, known=known)
        producers = hosted.log.producers
    except KafkaError as error:
        code = ErrorCode.of(error.code)
        text = error.message if code is ErrorCode.INVALID_TOPIC_EXCEPTION else None
        if code is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION and topic not in services.image.topics:
            text = code.text
        return PartitionResponse(partition_index=index, error_code=code, error_message=text)
    active = yield from each(_described, list(producers))
    return PartitionResponse(partition_index=index, active_producers=active)


def _described(known: tuple[int, producer_state.ProducerState]) -> ProducerState:
    producer_id, state = known
    return ProducerState(
        producer_id=producer_id,
        producer_epoch=state.epoch,
        last_sequence=state.last_sequence,
        last_timestamp=state.last_timestamp,
        coordinator_epoch=state.coordinator_epoch,
        current_txn_start_offset=state.txn_first_offset,
    )
