"""DeleteTopics (20), v0-6: delete topics by name, from v6 also by id (KIP-516)."""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Context
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.delete_topics import (
    DeletableTopicResult,
    DeleteTopicsRequest,
    DeleteTopicsResponse,
)
from pykafka_ops.wire.types import ZERO_UUID

_FIRST_VERSION_WITH_IDS = 6
_FIRST_VERSION_THAT_KNOWS_DISABLED = 3
_FIRST_VERSION_REFUSED = 5


async def handle(context: Context, request: DeleteTopicsRequest) -> DeleteTopicsResponse:
    """Delete topics; errors stand at each."""
    asked: list[tuple[str | None, bytes]] = [(name, ZERO_UUID) for name in request.topic_names]
    if context.version >= _FIRST_VERSION_WITH_IDS:
        asked = [(topic.name, topic.topic_id) for topic in request.topics]
    charge = context.mutations(_FIRST_VERSION_REFUSED)
    try:
        found = await context.services.topics.delete(asked, request.timeout_ms, charge=charge)
    except KafkaError as error:
        disabled = error.code == ErrorCode.TOPIC_DELETION_DISABLED
        if disabled and context.version < _FIRST_VERSION_THAT_KNOWS_DISABLED:
            raise KafkaError(ErrorCode.INVALID_REQUEST) from error
        raise
    return DeleteTopicsResponse(
        responses=[
            DeletableTopicResult(name=name, topic_id=topic_id, error_code=code)
            for (_, topic_id), (name, code) in zip(asked, found, strict=True)
        ]
    )
