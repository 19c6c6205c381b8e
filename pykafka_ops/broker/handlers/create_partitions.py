"""CreatePartitions (37), v0-3: let topics grow (KIP-195)."""

from __future__ import annotations

from collections import Counter

from pykafka_ops.broker.handlers.api import Context
from pykafka_ops.broker.handlers.shaping import code_and_text
from pykafka_ops.broker.state.controller.topic_requests import PartitionsSpec
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.create_partitions import (
    CreatePartitionsRequest,
    CreatePartitionsResponse,
    CreatePartitionsTopic,
    CreatePartitionsTopicResult,
)

_FIRST_VERSION_REFUSED = 3


async def handle(context: Context, request: CreatePartitionsRequest) -> CreatePartitionsResponse:
    """Enlarge topics; errors stand at each. Raises KafkaError NOT_CONTROLLER."""
    times = Counter(topic.name for topic in request.topics)
    duplicate = KafkaError(ErrorCode.INVALID_REQUEST, "Duplicate topic in request.")
    errors: dict[str, KafkaError | None] = {n: duplicate for n, count in times.items() if count > 1}
    specs = [_spec(topic) for topic in request.topics if topic.name not in errors]
    errors |= await context.services.topics.add_partitions(
        specs,
        request.timeout_ms,
        validate_only=request.validate_only,
        charge=context.mutations(_FIRST_VERSION_REFUSED),
    )
    return CreatePartitionsResponse(results=[_result(n, error) for n, error in errors.items()])


def _spec(topic: CreatePartitionsTopic) -> PartitionsSpec:
    wanted = topic.assignments
    return PartitionsSpec(
        name=topic.name,
        count=topic.count,
        brokers=None if wanted is None else [each.broker_ids for each in wanted],
    )


def _result(name: str, error: KafkaError | None) -> CreatePartitionsTopicResult:
    code, text = code_and_text(error)
    return CreatePartitionsTopicResult(name=name, error_code=code, error_message=text)
