"""DeleteTopics (20), v0-6: delete topics by name, from v6 also by id (KIP-516)."""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.state.image import MetadataImage
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.delete_topics import (
    DeletableTopicResult,
    DeleteTopicsRequest,
    DeleteTopicsResponse,
    DeleteTopicState,
)
from pykafka_ops.wire.types import ZERO_UUID

_FIRST_VERSION_WITH_IDS = 6
_FIRST_VERSION_THAT_KNOWS_DISABLED = 3
_FIRST_VERSION_REFUSED = 5
"""Clients of older versions do not know THROTTLING_QUOTA_EXCEEDED (KIP-599)."""


def handle(context: Context, request: DeleteTopicsRequest) -> Answer:
    """Check what concerns the request as a whole, then delete."""
    services, version = context.services, context.version
    services.topics.require_controller()
    if not services.configs.value("delete.topic.enable"):
        known = version >= _FIRST_VERSION_THAT_KNOWS_DISABLED
        code = ErrorCode.TOPIC_DELETION_DISABLED if known else ErrorCode.INVALID_REQUEST
        return failed(request, version, KafkaError(code))
    asked = _asked(request, version)
    if any(topic.name is not None and topic.topic_id != ZERO_UUID for topic in asked):
        raise KafkaError(
            ErrorCode.INVALID_REQUEST, "Topic name and topic ID can not both be specified."
        )
    return _delete(context, asked, request.timeout_ms)


def _asked(request: DeleteTopicsRequest, version: int) -> list[DeleteTopicState]:
    if version >= _FIRST_VERSION_WITH_IDS:
        return request.topics
    return [DeleteTopicState(name=name) for name in request.topic_names]


async def _delete(
    context: Context, asked: list[DeleteTopicState], timeout_ms: int
) -> DeleteTopicsResponse:
    image = context.services.image
    results = [_resolved(topic, image) for topic in asked]
    names = {r.name for r in results if r.name is not None and r.error_code == ErrorCode.NONE}
    if names:
        charge = context.mutations(_FIRST_VERSION_REFUSED)
        deleted = await context.services.topics.delete(names, timeout_ms, charge=charge)
        for result in results:
            if result.name in deleted:
                result.error_code = deleted[result.name]
    return DeleteTopicsResponse(responses=results)


def _resolved(topic: DeleteTopicState, image: MetadataImage) -> DeletableTopicResult:
    result = DeletableTopicResult(name=topic.name, topic_id=topic.topic_id)
    if topic.topic_id != ZERO_UUID:
        result.name = image.topic_names_by_id.get(topic.topic_id)
        if result.name is None:
            result.error_code = ErrorCode.UNKNOWN_TOPIC_ID
    elif topic.name not in image.topics:
        result.error_code = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    return result


def failed(
    request: DeleteTopicsRequest | None, version: int, error: KafkaError
) -> DeleteTopicsResponse:
    """Every topic of the request with the same error."""
    return DeleteTopicsResponse(
        responses=[
            DeletableTopicResult(
                name=topic.name,
                topic_id=topic.topic_id,
                error_code=error.code,
                error_message=error.message or None,
            )
            for topic in (_asked(request, version) if request else ())
        ]
    )
