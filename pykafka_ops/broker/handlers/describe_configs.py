"""DescribeConfigs (32), v0-4: settings of topics, of this broker, of all brokers, and its loggers.

Counterpart of ``kafka.server.ConfigHelper``; error codes and texts are Kafka's.
"""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Context
from pykafka_ops.broker.state.configs.alter import ResourceType
from pykafka_ops.broker.state.configs.running import is_short
from pykafka_ops.broker.state.configs.sources import DescribedConfig
from pykafka_ops.errors import KafkaError
from pykafka_ops.settings.source import ConfigSource
from pykafka_ops.settings.topic import TOPIC
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
    DescribeConfigsResourceResult,
    DescribeConfigsResponse,
    DescribeConfigsResult,
    DescribeConfigsSynonym,
)

MEMO_LIMIT = 1000
"""Answers about topics that are kept: most topics of a cluster have the same settings."""


async def handle(context: Context, request: DescribeConfigsRequest) -> DescribeConfigsResponse:
    """Describe each resource; an error stands at it."""
    odd = (ResourceType.UNKNOWN, ResourceType.GROUP)
    if any(ResourceType.of(r.resource_type) in odd for r in request.resources):
        raise KafkaError(ErrorCode.INVALID_REQUEST)
    topics = [r.resource_name for r in request.resources if r.resource_type == ResourceType.TOPIC]
    overrides = await context.services.config_admin().overrides(topics)
    results = []
    for asked in request.resources:
        result = DescribeConfigsResult(
            resource_type=asked.resource_type, resource_name=asked.resource_name, error_message=""
        )
        own = overrides.get(asked.resource_name)
        try:
            result.configs = _configs(context, request, asked, own)
        except KafkaError as error:
            result.error_code = error.code
            result.error_message = error.message
        results.append(result)
    return DescribeConfigsResponse(results=results)


def _configs(
    context: Context,
    request: DescribeConfigsRequest,
    asked: DescribeConfigsResource,
    own: dict[str, str] | None,
) -> list[DescribeConfigsResourceResult]:
    """The settings of one resource, as they are sent. Raises KafkaError."""
    services, with_synonyms = context.services, request.include_synonyms
    keys, docs = asked.configuration_keys, request.include_documentation

    def describe() -> list[DescribeConfigsResourceResult]:
        entries = services.config_admin().describe(
            asked.resource_type, asked.resource_name, own, keys, docs=docs
        )
        return [_entry(entry, context.version, with_synonyms) for entry in entries]

    if asked.resource_type != ResourceType.TOPIC or own is None or not is_short(own):
        return describe()
    memo = services.configs.memo
    named = frozenset(TOPIC.keys() & keys) if keys else None
    key = (frozenset(own.items()), named, context.version == 0, with_synonyms, docs)
    found: list[DescribeConfigsResourceResult] | None = memo.get(key)
    if found is None:
        found = describe()
        if len(memo) < MEMO_LIMIT:
            memo[key] = found
    return found


def _entry(
    entry: DescribedConfig, version: int, with_synonyms: bool
) -> DescribeConfigsResourceResult:
    return DescribeConfigsResourceResult(
        name=entry.name,
        value=entry.value,
        read_only=entry.read_only,
        config_source=entry.source,
        is_default=version == 0 and entry.source is ConfigSource.DEFAULT_CONFIG,
        is_sensitive=entry.sensitive,
        synonyms=[
            DescribeConfigsSynonym(name=s.name, value=s.value, source=s.source)
            for s in entry.synonyms
        ]
        if with_synonyms
        else [],
        config_type=entry.type,
        documentation=entry.documentation,
    )
