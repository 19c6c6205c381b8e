"""DescribeConfigs (32), v0-4: settings of topics, of this broker, of all brokers, and its loggers.

Counterpart of ``kafka.server.ConfigHelper``; error codes and texts are Kafka's.
"""

from __future__ import annotations

from functools import partial

from pykafka_ops.broker.handlers.api import Context
from pykafka_ops.broker.state.configs.sources import DescribedConfig
from pykafka_ops.errors import KafkaError
from pykafka_ops.settings.source import ConfigSource
from pykafka_ops.wire.messages.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsResourceResult,
    DescribeConfigsResponse,
    DescribeConfigsResult,
    DescribeConfigsSynonym,
)


async def handle(context: Context, request: DescribeConfigsRequest) -> DescribeConfigsResponse:
    """Describe each resource; an error stands at it."""
    form = (context.version == 0, request.include_synonyms)
    found = await context.services.config_admin().describe_all(
        [(r.resource_type, r.resource_name, r.configuration_keys) for r in request.resources],
        partial(_entry, *form),
        form,
        docs=request.include_documentation,
    )
    response = DescribeConfigsResponse()
    for asked, configs in zip(request.resources, found, strict=True):
        result = DescribeConfigsResult(
            resource_type=asked.resource_type, resource_name=asked.resource_name, error_message=""
        )
        response.results.append(result)
        if isinstance(configs, KafkaError):
            result.error_code, result.error_message = configs.code, configs.message
        else:
            result.configs = configs
    return response


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
