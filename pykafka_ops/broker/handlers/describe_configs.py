"""DescribeConfigs (32), v0-4: settings of topics, of this broker, of all brokers, and its loggers.

v1 brought sources and synonyms (KIP-226), v3 types and documentation (KIP-569). Counterpart of
``kafka.server.ConfigHelper``; error codes and texts are Kafka's.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from pykafka_ops.broker.handlers.config_changes import broker_id_of
from pykafka_ops.broker.metadata.znodes.config import TOPICS
from pykafka_ops.broker.services import broker_loggers, config_store
from pykafka_ops.broker.state.configs.alter import Resource
from pykafka_ops.broker.state.configs.sources import Entry
from pykafka_ops.broker.state.names import check_name
from pykafka_ops.errors import KafkaError
from pykafka_ops.settings.source import Source
from pykafka_ops.settings.types import Type
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.describe_configs import (
    DescribeConfigsResourceResult,
    DescribeConfigsResponse,
    DescribeConfigsResult,
    DescribeConfigsSynonym,
)

if TYPE_CHECKING:
    from pykafka_ops.broker.handlers.api import Answer, Context
    from pykafka_ops.wire.messages.describe_configs import (
        DescribeConfigsRequest,
        DescribeConfigsResource,
    )


Overrides = dict[str, dict[str, str]]
"""Own settings of topics, by topic."""

MEMO_LIMIT = 1000
"""Answers about topics that are kept: most topics of a cluster have the same settings."""


def handle(context: Context, request: DescribeConfigsRequest) -> Answer:
    """Describe each resource; at once where no topic is among them."""
    odd = (Resource.UNKNOWN, Resource.GROUP)
    if any(Resource.of(r.resource_type) in odd for r in request.resources):
        raise KafkaError(ErrorCode.INVALID_REQUEST)
    topics = {
        r.resource_name
        for r in request.resources
        if r.resource_type == Resource.TOPIC and r.resource_name in context.services.image.topics
    }
    if topics:
        return _with_topics(context, request, sorted(topics))
    return _answer(context, request, {})


async def _with_topics(
    context: Context, request: DescribeConfigsRequest, topics: list[str]
) -> DescribeConfigsResponse:
    found = await config_store.read(context.services.store, *(f"{TOPICS}/{t}" for t in topics))
    return _answer(context, request, dict(zip(topics, found, strict=True)))


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
    version, with_synonyms = context.version, request.include_synonyms
    docs = request.include_documentation
    own = overrides.get(asked.resource_name)
    if asked.resource_type != Resource.TOPIC or own is None:
        entries = _entries(context, asked, overrides, docs)
        return [_entry(entry, version, with_synonyms) for entry in entries]
    memo = context.services.configs.memo
    keys = frozenset(asked.configuration_keys or ())
    key = (frozenset(own.items()), keys, version == 0, with_synonyms, docs)
    found: list[DescribeConfigsResourceResult] | None = memo.get(key)
    if found is None:
        entries = _entries(context, asked, overrides, docs)
        found = [_entry(entry, version, with_synonyms) for entry in entries]
        if len(memo) < MEMO_LIMIT:
            memo[key] = found
    return found


def _entries(
    context: Context, asked: DescribeConfigsResource, overrides: Overrides, docs: bool
) -> Iterable[Entry]:
    """The settings of one resource. Raises KafkaError."""
    services = context.services
    keys, name = asked.configuration_keys, asked.resource_name
    match Resource.of(asked.resource_type):
        case Resource.TOPIC:
            check_name(name)
            if name not in overrides:
                raise KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
            return services.configs.describe_topic(overrides[name], keys, docs=docs)
        case Resource.BROKER:
            if not name:
                return services.configs.describe_default(keys, docs=docs)
            _check_broker(context, name, "or empty string, but received")
            return services.configs.describe_broker(keys, docs=docs)
        case Resource.BROKER_LOGGER:
            if not name:
                raise KafkaError(ErrorCode.INVALID_REQUEST, "Broker id must not be empty")
            _check_broker(context, name, "but received")
            return _loggers(keys)
        case _:
            text = "Client metrics subscription name must not be empty"
            if name:
                text = "Config type client-metrics is only supported on KRaft clusters"
            raise KafkaError(ErrorCode.INVALID_REQUEST, text)


def _check_broker(context: Context, name: str, words: str) -> None:
    expected = context.services.broker_id
    if broker_id_of(name, "Broker") != expected:
        text = f"Unexpected broker id, expected {expected} {words} {name}"
        raise KafkaError(ErrorCode.INVALID_REQUEST, text)


def _loggers(keys: list[str] | None) -> list[Entry]:
    return [
        Entry(name, level, Source.DYNAMIC_BROKER_LOGGER_CONFIG, False, False, Type.UNKNOWN)
        for name, level in broker_loggers.loggers().items()
        if not keys or name in keys
    ]


def _entry(entry: Entry, version: int, with_synonyms: bool) -> DescribeConfigsResourceResult:
    return DescribeConfigsResourceResult(
        name=entry.name,
        value=entry.value,
        read_only=entry.read_only,
        config_source=entry.source,
        is_default=version == 0 and entry.source is Source.DEFAULT_CONFIG,
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


def failed(
    request: DescribeConfigsRequest | None, version: int, error: KafkaError
) -> DescribeConfigsResponse:
    """Every resource of the request with the same error."""
    text = error.message or ErrorCode.of(error.code).text
    return DescribeConfigsResponse(
        results=[
            DescribeConfigsResult(
                error_code=error.code,
                error_message=text,
                resource_type=asked.resource_type,
                resource_name=asked.resource_name,
            )
            for asked in (request.resources if request else ())
        ]
    )
