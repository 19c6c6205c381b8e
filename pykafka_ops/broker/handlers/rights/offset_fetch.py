"""OffsetFetch: of groups that the client may describe, offsets of topics that it may describe."""

from __future__ import annotations

from collections.abc import Collection
from copy import copy
from functools import partial
from typing import Any, Final

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.handlers.rights.checks import Each, Need, Served, after, refused
from pykafka_ops.errors import KafkaError
from pykafka_ops.security.acls.rules import Operation, ResourceType
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchResponse,
    OffsetFetchResponseGroup,
)

_SEVERAL_FROM: Final = 8
_GROUP: Final = Need(Operation.DESCRIBE, ResourceType.GROUP, "group_id")
_TOPICS: Final = Each(Operation.DESCRIBE, ResourceType.TOPIC, "topics", "name", empty=True)


def guard(context: Context, request: OffsetFetchRequest, served: Served) -> Answer:
    """An error for the others; who asks for all topics does not hear of those."""
    if context.version >= _SEVERAL_FROM:
        return _several(context, request, served)
    _GROUP.require(context, request)
    if request.topics is not None:
        return _TOPICS.answer(context, request, served)
    return after(served.handle(context, request), partial(_without_hidden, context))


def _without_hidden(context: Context, answer: Any) -> Any:
    """An answer, or one group of it, without the topics that the client may not describe."""
    names = [topic.name for topic in answer.topics]
    hidden = refused(context, Operation.DESCRIBE, ResourceType.TOPIC, names, quiet=True)
    answer.topics = [topic for topic in answer.topics if topic.name not in hidden]
    return answer


def _several(context: Context, request: OffsetFetchRequest, served: Served) -> Answer:
    """Each group on its own, in the order of the request."""
    hidden: list[Collection[str] | None] = []
    rest = copy(request)
    rest.groups = []
    for group in request.groups:
        names = _hidden(context, group)
        hidden.append(names)
        if names is not None:
            rest.groups.append(_without(group, names))

    def whole(answer: OffsetFetchResponse) -> OffsetFetchResponse:
        found = iter(answer.groups)
        answer.groups = [
            _refusal(group) if names is None else _finished(context, group, names, next(found))
            for group, names in zip(request.groups, hidden, strict=True)
        ]
        return answer

    def _finished(
        context: Context,
        asked: OffsetFetchRequestGroup,
        names: Collection[str],
        answer: OffsetFetchResponseGroup,
    ) -> OffsetFetchResponseGroup:
        if answer.error_code:
            return answer
        if asked.topics is None:
            return _without_hidden(context, answer)  # type: ignore[no-any-return]
        refused_topics = OffsetFetchRequest(topics=[t for t in asked.topics if t.name in names])
        error = KafkaError(ErrorCode.TOPIC_AUTHORIZATION_FAILED)
        errors: Any = served.items_failed(refused_topics, _SEVERAL_FROM - 1, error)
        answer.topics = [*answer.topics, *errors.topics]
        return answer

    return after(served.handle(context, rest), whole)


def _hidden(context: Context, group: OffsetFetchRequestGroup) -> Collection[str] | None:
    """The topics that the client may not describe; None if it may not describe the group."""
    if not _GROUP.allows(context, group):
        return None
    return () if group.topics is None else _TOPICS.refused(context, group)


def _without(group: OffsetFetchRequestGroup, names: Collection[str]) -> OffsetFetchRequestGroup:
    """What may be asked of a group; all topics stay all."""
    if not names:
        return group
    rest = copy(group)
    rest.topics = [topic for topic in group.topics or () if topic.name not in names]
    return rest


def _refusal(group: OffsetFetchRequestGroup) -> OffsetFetchResponseGroup:
    code = ErrorCode.GROUP_AUTHORIZATION_FAILED
    return OffsetFetchResponseGroup(group_id=group.group_id, error_code=code)
