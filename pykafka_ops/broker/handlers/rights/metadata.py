"""Metadata: of topics that the client may describe. A topic is created for who may create it."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field
from typing import Final

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.handlers.operations import TOPIC_OPERATIONS
from pykafka_ops.broker.handlers.rights.checks import (
    Served,
    after,
    allowed_operations,
    refused,
    without_hidden,
)
from pykafka_ops.broker.handlers.rights.describe_cluster import cluster_operations
from pykafka_ops.broker.state.names import is_internal
from pykafka_ops.broker.state.steps import Steps, begun, each
from pykafka_ops.security.acls.rules import CLUSTER_NAME, Operation, ResourceType
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.metadata import (
    MetadataRequest,
    MetadataRequestTopic,
    MetadataResponse,
    MetadataResponseTopic,
)
from pykafka_ops.wire.types import ZERO_UUID

_IDS_FROM: Final = 12
_WITH_CLUSTER_OPERATIONS: Final = range(8, 11)


def guard(context: Context, request: MetadataRequest, served: Served) -> Answer:
    """TOPIC_AUTHORIZATION_FAILED for the others; who asks for all topics does not hear of those."""
    if request.topics is None or (context.version == 0 and not request.topics):
        about = ("topics", ResourceType.TOPIC, "name")
        answer = after(
            served.handle(context, request),
            lambda found: begun(without_hidden(context, found, *about)),
        )
    elif _is_usual(context, request):
        return served.handle(context, request)
    elif context.version < _IDS_FROM and any(t.topic_id != ZERO_UUID for t in request.topics):
        return served.handle(context, request)  # which refuses it
    else:
        split = _split(context, request)
        if not split.refusals:
            answer = served.handle(context, request)
        elif split.rest.topics or context.version:
            answer = after(served.handle(context, split.rest), split.joined)
        else:  # no topics would mean all of them
            answer = after(served.handle(context, split.rest), split.alone)
    return after(answer, lambda found: begun(_with_operations(context, request, found)))


def _is_usual(context: Context, request: MetadataRequest) -> bool:
    """Whether it names topics that exist and that the client may describe, and asks for nothing
    else: what clients ask for again and again."""
    acls, topics = context.services.acls, request.topics
    if (
        acls is None
        or topics is None
        or request.include_topic_authorized_operations
        or request.include_cluster_authorized_operations
    ):
        return False
    known = acls.authorizer.known(context, Operation.DESCRIBE, ResourceType.TOPIC)
    there = context.services.image.topics
    for topic in topics:
        name = topic.name
        if name not in known or name not in there or topic.topic_id != ZERO_UUID:
            return False
    return True


def _note(context: Context, names: list[str], hidden: set[str]) -> None:
    """Have requests for those that are not hidden be usual."""
    acls = context.services.acls
    if acls is not None:
        known = acls.authorizer.known(context, Operation.DESCRIBE, ResourceType.TOPIC)
        for name in names:
            if name not in hidden and name not in known:
                known.note(name)


@dataclass(slots=True)
class _Split:
    """What is left of a request, and the topics that are refused."""

    rest: MetadataRequest
    refusals: list[MetadataResponseTopic] = field(default_factory=list)

    def joined(self, answer: MetadataResponse) -> MetadataResponse:
        """The handler's answer with the refusals."""
        answer.topics = [*answer.topics, *self.refusals]
        return answer

    def alone(self, answer: MetadataResponse) -> MetadataResponse:
        """The brokers, and the refusals."""
        answer.topics = self.refusals
        return answer


def _split(context: Context, request: MetadataRequest) -> _Split:
    """By the rights to describe, and to create what there is not."""
    names = context.services.image.topic_names_by_id
    once = {(topic.name, topic.topic_id): topic for topic in request.topics or ()}
    by_id = any(topic.topic_id != ZERO_UUID for topic in once.values())  # then names do not count
    asked = [
        (topic, _name(topic, names))
        for topic in once.values()
        if not by_id or topic.topic_id != ZERO_UUID
    ]
    known = [name for _, name in asked if name is not None]
    hidden = refused(context, Operation.DESCRIBE, ResourceType.TOPIC, known)
    barred = _not_to_create(context, request, [name for name in known if name not in hidden])
    _note(context, known, hidden)
    split = _Split(copy(request))
    split.rest.topics = []
    for topic, name in asked:
        if name in hidden:
            split.refusals.append(_refusal(topic))
        elif name in barred:
            split.refusals.append(_refusal(topic, internal=is_internal(name or "")))
        else:
            split.rest.topics.append(topic)
    return split


def _name(topic: MetadataRequestTopic, names: dict[bytes, str]) -> str | None:
    """What a topic is called; None if nobody knows its id, or it has neither."""
    return names.get(topic.topic_id) if topic.topic_id != ZERO_UUID else topic.name


def _not_to_create(context: Context, request: MetadataRequest, names: list[str]) -> set[str]:
    """Of these topics those that there are not, and that the client may not create."""
    services = context.services
    if not (request.allow_auto_topic_creation and services.configs.value(
        "auto.create.topics.enable"
    )):  # fmt: skip
        return set()
    missing = [name for name in names if name not in services.image.topics]
    if not missing or context.may(Operation.CREATE, ResourceType.CLUSTER, CLUSTER_NAME, quiet=True):
        return set()
    return refused(context, Operation.CREATE, ResourceType.TOPIC, missing)


def _refusal(topic: MetadataRequestTopic, *, internal: bool = False) -> MetadataResponseTopic:
    """Of a topic that was asked for by its id the name is not said."""
    by_id = topic.topic_id != ZERO_UUID
    return MetadataResponseTopic(
        error_code=ErrorCode.TOPIC_AUTHORIZATION_FAILED,
        name=None if by_id else topic.name,
        topic_id=topic.topic_id,
        is_internal=internal,
    )


def _with_operations(
    context: Context, request: MetadataRequest, answer: MetadataResponse
) -> Steps[MetadataResponse]:
    """What the client may do with the topics and the cluster, if it asks for that (KIP-430)."""

    def one(topic: MetadataResponseTopic) -> None:
        if topic.error_code != ErrorCode.TOPIC_AUTHORIZATION_FAILED:
            topic.topic_authorized_operations = allowed_operations(
                context, ResourceType.TOPIC, topic.name or "", TOPIC_OPERATIONS
            )

    if request.include_topic_authorized_operations:
        yield from each(one, answer.topics)
    if (
        request.include_cluster_authorized_operations
        and context.version in _WITH_CLUSTER_OPERATIONS
    ):
        answer.cluster_authorized_operations = cluster_operations(context)
    return answer
