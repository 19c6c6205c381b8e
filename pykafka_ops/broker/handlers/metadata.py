"""Metadata (3), v0-12: brokers, topics, leaders; creates topics that are asked for, if allowed.

A topic created here is in this answer if that takes no time; Kafka answers LEADER_NOT_AVAILABLE
and has the client ask again.
"""

from __future__ import annotations

from collections.abc import Collection

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.handlers.metadata_answer import answer
from pykafka_ops.broker.state.steps import Steps, begun
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.metadata import (
    MetadataRequest,
    MetadataResponse,
    MetadataResponseTopic,
)
from pykafka_ops.wire.types import ZERO_UUID

_FIRST_VERSION_WITH_IDS = 12


def handle(context: Context, request: MetadataRequest) -> Answer:
    """Answer from the image; wait only where a topic is to be created."""
    _check(request, context.version)
    image = context.services.image
    if request.topics is None or (context.version == 0 and not request.topics):
        return begun(answer(context, request, list(image.topics)))
    ids = dict.fromkeys(t.topic_id for t in request.topics if t.topic_id != ZERO_UUID)
    if ids:
        known = image.topic_names_by_id
        code = ErrorCode.UNKNOWN_TOPIC_ID
        unknown = [
            MetadataResponseTopic(error_code=code, name=None, topic_id=id_)
            for id_ in ids
            if id_ not in known
        ]
        names = [known[i] for i in ids if i in known]
        return begun(answer(context, request, names, first=unknown))
    names = list(dict.fromkeys(topic.name or "" for topic in request.topics))
    missing = [name for name in names if name not in image.topics]
    allowed = context.services.configs.value
    if missing and request.allow_auto_topic_creation and allowed("auto.create.topics.enable"):
        return _create_first(context, request, names, missing)
    return begun(answer(context, request, names))


def is_lasting(answer: object) -> bool:
    """Whether a request gets this answer until the cluster, or what its client may do, changes:
    nothing is refused, which is logged each time, and no topic is to be created."""
    return type(answer) is MetadataResponse and not any(t.error_code for t in answer.topics)


def _check(request: MetadataRequest, version: int) -> None:
    """Versions 10 and 11 have room for ids and null names, and forbid both."""
    if version >= _FIRST_VERSION_WITH_IDS:
        return
    for topic in request.topics or ():
        if topic.name is None:
            text = f"Topic name can not be null for version {version}"
            raise KafkaError(ErrorCode.INVALID_REQUEST, text)
        if topic.topic_id != ZERO_UUID:
            text = f"Topic IDs are not supported in requests for version {version}"
            raise KafkaError(ErrorCode.INVALID_REQUEST, text)


async def _create_first(
    context: Context, request: MetadataRequest, names: list[str], missing: Collection[str]
) -> MetadataResponse | Steps[MetadataResponse]:
    errors = await context.services.topics.auto.create(missing, context.mutations())
    return begun(answer(context, request, names, errors=errors))
