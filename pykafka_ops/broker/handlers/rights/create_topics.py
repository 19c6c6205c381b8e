"""CreateTopics: by the right to create in the cluster, or this topic (KIP-277)."""

from __future__ import annotations

from functools import partial
from typing import Final

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.handlers.rights.checks import Each, Served, after
from pykafka_ops.security.acls.rules import CLUSTER_NAME, Operation, ResourceType
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.create_topics import CreateTopicsRequest, CreateTopicsResponse

_TOPICS: Final = Each(
    Operation.CREATE,
    ResourceType.TOPIC,
    "topics",
    "name",
    empty=True,
    text="Authorization failed.",
    doubles=True,
)


def guard(context: Context, request: CreateTopicsRequest, served: Served) -> Answer:
    """TOPIC_AUTHORIZATION_FAILED for the others. Settings are shown to who may describe them."""
    if context.may(Operation.CREATE, ResourceType.CLUSTER, CLUSTER_NAME, quiet=True):
        answer = served.handle(context, request)
    else:
        answer = _TOPICS.answer(context, request, served)
    return after(answer, lambda found: _shown(context, found))


def _shown(context: Context, answer: CreateTopicsResponse) -> CreateTopicsResponse:
    may = partial(context.may, Operation.DESCRIBE_CONFIGS, ResourceType.TOPIC, quiet=True)
    for topic in answer.topics:
        if not may(topic.name):
            topic.topic_config_error_code = ErrorCode.TOPIC_AUTHORIZATION_FAILED
            topic.num_partitions = topic.replication_factor = -1
            topic.configs = []
    return answer
