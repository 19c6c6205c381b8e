"""CreatePartitions (37), v0-3: let topics grow (KIP-195)."""

from __future__ import annotations

from collections import Counter

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.services.topic_admin import PartitionsSpec
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.create_partitions import (
    CreatePartitionsRequest,
    CreatePartitionsResponse,
    CreatePartitionsTopic,
    CreatePartitionsTopicResult,
)

_FIRST_VERSION_REFUSED = 3
"""Clients of older versions do not know THROTTLING_QUOTA_EXCEEDED (KIP-599)."""


def handle(context: Context, request: CreatePartitionsRequest) -> Answer:
    """Enlarge topics; errors stand at each. Raises KafkaError NOT_CONTROLLER."""
    return _enlarge(context, request)


async def _enlarge(context: Context, request: CreatePartitionsRequest) -> CreatePartitionsResponse:
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
    if error is None:
        return CreatePartitionsTopicResult(name=name)
    return CreatePartitionsTopicResult(
        name=name, error_code=error.code, error_message=error.message or None
    )


def failed(
    request: CreatePartitionsRequest | None, version: int, error: KafkaError
) -> CreatePartitionsResponse:
    """Every topic of the request with the same error."""
    topics = request.topics if request else ()
    return CreatePartitionsResponse(results=[_result(topic.name, error) for topic in topics])
