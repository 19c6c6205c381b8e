"""DeleteTopics: topics that the client may delete; by id, their names if it may describe them."""

from __future__ import annotations

from copy import copy
from typing import Any, Final

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.handlers.rights.checks import Each, Served, after
from pykafka_ops.security.acls.rules import Operation, ResourceType
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.delete_topics import (
    DeletableTopicResult,
    DeleteTopicsRequest,
    DeleteTopicsResponse,
)
from pykafka_ops.wire.types import ZERO_UUID

_IDS_FROM: Final = 6
_NAMES: Final = Each(
    Operation.DELETE, ResourceType.TOPIC, "topic_names", answered="name", empty=True
)


def guard(context: Context, request: DeleteTopicsRequest, served: Served) -> Answer:
    """TOPIC_AUTHORIZATION_FAILED for the others, also for names that are no topics."""
    if context.version < _IDS_FROM:
        return _NAMES.answer(context, request, served)
    refusals = [_refusal(context, asked) for asked in request.topics]
    if not any(refusals):
        return served.handle(context, request)
    rest = copy(request)
    pairs = list(zip(request.topics, refusals, strict=True))
    rest.topics = [asked for asked, refusal in pairs if refusal is None]

    def whole(answer: DeleteTopicsResponse) -> DeleteTopicsResponse:
        found = iter(answer.responses)
        answer.responses = [refusal or next(found) for refusal in refusals]
        return answer

    return after(served.handle(context, rest), whole)


def _refusal(context: Context, asked: Any) -> DeletableTopicResult | None:
    by_id = asked.name is None
    if not by_id and asked.topic_id != ZERO_UUID:  # both: the handler refuses the request
        return None
    name = context.services.image.topic_names_by_id.get(asked.topic_id) if by_id else asked.name
    if name is None:  # nobody knows the id: the handler says so
        return None
    hidden = by_id and not context.may(Operation.DESCRIBE, ResourceType.TOPIC, name)
    if not hidden and context.may(Operation.DELETE, ResourceType.TOPIC, name):
        return None
    return DeletableTopicResult(
        name=None if hidden else name,
        topic_id=asked.topic_id,
        error_code=ErrorCode.TOPIC_AUTHORIZATION_FAILED,
    )
