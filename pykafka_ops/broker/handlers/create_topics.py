"""CreateTopics (19), v0-7: create topics and wait for their leaders."""

from __future__ import annotations

from collections import Counter

from pykafka_ops.broker.handlers.api import Context
from pykafka_ops.broker.services.topic_admin import Created
from pykafka_ops.broker.state.configs.sources import DescribedConfig
from pykafka_ops.broker.state.controller.topic_requests import TopicSpec
from pykafka_ops.broker.state.names import CLUSTER_METADATA_TOPIC
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.create_topics import (
    CreatableTopic,
    CreatableTopicConfigs,
    CreatableTopicResult,
    CreateTopicsRequest,
    CreateTopicsResponse,
)

Shaped = dict[int, list[CreatableTopicConfigs]]
"""The settings of topics by the ``id`` of what the service says, which is alike for many topics."""

_FIRST_VERSION_WITH_CONFIGS = 5
_FIRST_VERSION_REFUSED = 6
"""Clients of older versions do not know THROTTLING_QUOTA_EXCEEDED (KIP-599)."""


async def handle(context: Context, request: CreateTopicsRequest) -> CreateTopicsResponse:
    """Create topics; errors stand at each. Raises KafkaError NOT_CONTROLLER."""
    times = Counter(topic.name for topic in request.topics)
    results = [_refused(topic, times[topic.name]) for topic in request.topics]
    created = await context.services.topics.create(
        [_spec(t) for t, r in zip(request.topics, results, strict=True) if not r.error_code],
        request.timeout_ms,
        validate_only=request.validate_only,
        describe=context.version >= _FIRST_VERSION_WITH_CONFIGS,
        charge=context.mutations(_FIRST_VERSION_REFUSED),
    )
    shaped: Shaped = {}
    for result in results:
        if not result.error_code:
            _fill(result, created[result.name], shaped)
    return CreateTopicsResponse(topics=results)


def _refused(topic: CreatableTopic, times: int) -> CreatableTopicResult:
    result = CreatableTopicResult(name=topic.name, error_message=None, configs=[])
    if topic.name == CLUSTER_METADATA_TOPIC:
        result.error_code = ErrorCode.INVALID_REQUEST
        result.error_message = f"Creation of internal topic {topic.name} is prohibited."
    elif times > 1:
        result.error_code = ErrorCode.INVALID_REQUEST
        result.error_message = "Found multiple entries for this topic."
    return result


def _spec(topic: CreatableTopic) -> TopicSpec:
    return TopicSpec(
        name=topic.name,
        partitions=topic.num_partitions,
        replication_factor=topic.replication_factor,
        assignments={each.partition_index: each.broker_ids for each in topic.assignments},
        config={each.name: each.value for each in topic.configs},
    )


def _fill(result: CreatableTopicResult, created: Created, shaped: Shaped) -> None:
    result.topic_id = created.topic_id
    if created.error is not None:
        result.error_code = created.error.code
        result.error_message = created.error.message or None
        return
    result.num_partitions = created.partitions
    result.replication_factor = created.replication_factor
    settings = created.settings
    if id(settings) not in shaped:
        shaped[id(settings)] = [_setting(entry) for entry in settings]
    result.configs = shaped[id(settings)]


def _setting(entry: DescribedConfig) -> CreatableTopicConfigs:
    return CreatableTopicConfigs(
        name=entry.name,
        value=entry.value,
        read_only=entry.read_only,
        config_source=entry.source,
        is_sensitive=entry.sensitive,
    )
