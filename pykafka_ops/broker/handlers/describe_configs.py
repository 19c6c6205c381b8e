"""DescribeConfigs (32), v0-4: settings of topics, of this broker, of all brokers, and its loggers.

Counterpart of ``kafka.server.ConfigHelper``; error codes and texts are Kafka's.
"""

from __future__ import annotations

from functools import partial

from pykafka_ops.broker.handlers.api import Context
from pykafka_ops.broker.state.configs.alter import ConfigResourceType
from pykafka_ops.broker.state.configs.sources import DescribedConfig
from pykafka_ops.errors import KafkaError
from pykafka_ops.settings.source import ConfigSource
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsResourceResult,
    DescribeConfigsResponse,
    DescribeConfigsResult,
    DescribeConfigsSynonym,
)


async def handle(context: Context, request: DescribeConfigsRequest) -> DescribeConfigsResponse:
    """Describe each resource; an error stands at it."""
    odd = (ConfigResourceType.UNKNOWN, ConfigResourceType.GROUP)
    if any(ConfigResourceType.of(r.resource_type) in odd for r in request.resources):
        raise KafkaError(ErrorCode.INVALID_REQUEST)
    topics = [
        r.resource_name for r in request.resources if r.resource_type == ConfigResourceType.TOPIC
    ]
    admin = context.services.config_admin()
    overrides = await admin.overrides(topics)
    form = (context.version == 0, request.include_synonyms)
    results = []
    for asked in request.resources:
        result = DescribeConfigsResult(
            resource_type=asked.resource_type, resource_name=asked.resource_name, error_message=""
        )
        what = (asked.resource_type, asked.resource_name, asked.configuration_keys)
        own = overrides.get(asked.resource_name)
        try:
            result.configs = admin.shown(
                partial(_entry, *form), form, what, own, docs=request.include_documentation
            )
        except KafkaError as error:
            result.error_code = error.code
            result.error_message = error.message
        results.append(result)
    return DescribeConfigsResponse(results=results)


def _entry(
    is_first_version: bool, with_synonyms: bool, entry: DescribedConfig
) -> DescribeConfigsResourceResult:
    return DescribeConfigsResourceResult(
        name=entry.name,
        value=entry.value,
        read_only=entry.read_only,
        config_source=entry.source,
        is_default=is_first_version and entry.source is ConfigSource.DEFAULT_CONFIG,
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
