"""CreateTopics (19), v0-7: create topics and wait for their leaders."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pykafka_ops.broker.handlers.api import Context
from pykafka_ops.broker.handlers.shaping import code_and_text, made_once
from pykafka_ops.broker.services.topic_admin import Created
from pykafka_ops.broker.state.configs.sources import DescribedConfig
from pykafka_ops.broker.state.controller.topic_requests import TopicSpec
from pykafka_ops.wire.messages.create_topics import (
    CreatableTopic,
    CreatableTopicConfigs,
    CreatableTopicResult,
    CreateTopicsRequest,
    CreateTopicsResponse,
)

Configs = Callable[[Sequence[DescribedConfig]], list[CreatableTopicConfigs]]

_FIRST_VERSION_WITH_CONFIGS = 5
_FIRST_VERSION_REFUSED = 6


async def handle(context: Context, request: CreateTopicsRequest) -> CreateTopicsResponse:
    """Create topics; errors stand at each. Raises KafkaError NOT_CONTROLLER."""
    created = await context.services.topics.create(
        [_spec(topic) for topic in request.topics],
        request.timeout_ms,
        validate_only=request.validate_only,
        describe=context.version >= _FIRST_VERSION_WITH_CONFIGS,
        charge=context.mutations(_FIRST_VERSION_REFUSED),
    )
    configs = made_once(_setting)
    return CreateTopicsResponse(
        topics=[_result(topic.name, created[topic.name], configs) for topic in request.topics]
    )


def _spec(topic: CreatableTopic) -> TopicSpec:
    return TopicSpec(
        name=topic.name,
        partitions=topic.num_partitions,
        replication_factor=topic.replication_factor,
        assignments={each.partition_index: each.broker_ids for each in topic.assignments},
        config={each.name: each.value for each in topic.configs},
    )


def _result(name: str, created: Created, configs: Configs) -> CreatableTopicResult:
    code, text = code_and_text(created.error)
    result = CreatableTopicResult(
        name=name, topic_id=created.topic_id, error_code=code, error_message=text
    )
    if created.error is None:
        result.num_partitions = created.partitions
        result.replication_factor = created.replication_factor
        result.configs = configs(created.settings)
    return result


def _setting(entry: DescribedConfig) -> CreatableTopicConfigs:
    return CreatableTopicConfigs(
        name=entry.name,
        value=entry.value,
        read_only=entry.read_only,
        config_source=entry.source,
        is_sensitive=entry.sensitive,
    )
