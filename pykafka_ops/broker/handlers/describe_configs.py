"""DescribeConfigs (32), v0-4: settings of topics, of this broker, of all brokers, and its loggers.

v1 brought sources and synonyms (KIP-226), v3 types and documentation (KIP-569). Counterpart of
``kafka.server.ConfigHelper``; error codes and texts are Kafka's.
"""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.state.configs.alter import ResourceType
from pykafka_ops.broker.state.configs.sources import DescribedConfig
from pykafka_ops.errors import KafkaError
from pykafka_ops.settings.source import ConfigSource
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
    DescribeConfigsResourceResult,
    DescribeConfigsResponse,
    DescribeConfigsResult,
    DescribeConfigsSynonym,
)

Overrides = dict[str, dict[str, str]]
"""Own settings of topics, by topic."""

MEMO_LIMIT = 1000
"""Answers about topics that are kept: most topics of a cluster have the same settings."""


def handle(context: Context, request: DescribeConfigsRequest) -> Answer:
    """Describe each resource; at once where no topic is among them."""
    odd = (ResourceType.UNKNOWN, ResourceType.GROUP)
    if any(ResourceType.of(r.resource_type) in odd for r in request.resources):
        raise KafkaError(ErrorCode.INVALID_REQUEST)
    topics = [r.resource_name for r in request.resources if r.resource_type == ResourceType.TOPIC]
    if any(topic in context.services.image.topics for topic in topics):
        return _with_topics(context, request, topics)
    return _answer(context, request, {})


async def _with_topics(
    context: Context, request: DescribeConfigsRequest, topics: list[str]
) -> DescribeConfigsResponse:
    return _answer(context, request, await context.services.config_admin.overrides(topics))


def _answer(
    context: Context, request: DescribeConfigsRequest, overrides: Overrides
) -> DescribeConfigsResponse:
    return DescribeConfigsResponse(
        results=[_resource(context, request, asked, overrides) for asked in request.resources]
    )


def _resource(
    context: Context,
    request: DescribeConfigsRequest,
    asked: DescribeConfigsResource,
    overrides: Overrides,
) -> DescribeConfigsResult:
    result = DescribeConfigsResult(
        resource_type=asked.resource_type, resource_name=asked.resource_name, error_message=""
    )
    try:
        result.configs = _configs(context, request, asked, overrides)
    except KafkaError as error:
        result.error_code = error.code
        result.error_message = error.message
    return result


def _configs(
    context: Context,
    request: DescribeConfigsRequest,
    asked: DescribeConfigsResource,
    overrides: Overrides,
) -> list[DescribeConfigsResourceResult]:
    """The settings of one resource, as they are sent. Raises KafkaError."""
    services, with_synonyms = context.services, request.include_synonyms
    own = overrides.get(asked.resource_name)
    keys, docs = asked.configuration_keys, request.include_documentation

    def describe() -> list[DescribeConfigsResourceResult]:
        entries = services.config_admin.describe(
            asked.resource_type, asked.resource_name, own, keys, docs=docs
        )
        return [_entry(entry, context.version, with_synonyms) for entry in entries]

    if asked.resource_type != ResourceType.TOPIC or own is None:
        return describe()
    memo = services.configs.memo
    key = (frozenset(own.items()), frozenset(keys or ()), context.version == 0, with_synonyms, docs)
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
