"""DescribeConfigs (32): settings of topics, brokers and loggers (KIP-133).

Version 0 says only whether a value is the default, 1 where it comes from and its synonyms
(KIP-226), 3 its type and documentation (KIP-569).
"""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.types import BOOL, INT8, INT16, INT32, STRING


@struct
class DescribeConfigsResource:
    """One resource and the settings wanted (null: all)."""

    resource_type: int = wire(INT8)
    resource_name: str = wire(STRING)
    configuration_keys: list[str] | None = wire([STRING], nullable="0+")


@message(ApiKey.DESCRIBE_CONFIGS)
class DescribeConfigsRequest:
    """Resources to describe."""

    resources: list[DescribeConfigsResource] = wire([DescribeConfigsResource])
    include_synonyms: bool = wire(BOOL, "1+")
    include_documentation: bool = wire(BOOL, "3+")


@struct
class DescribeConfigsSynonym:
    """Another setting that could supply the value, in order of precedence."""

    name: str = wire(STRING, "1+")
    value: str | None = wire(STRING, "1+", nullable="1+")
    source: int = wire(INT8, "1+")


@struct
class DescribeConfigsResourceResult:
    """One setting; ``value`` is null when sensitive."""

    name: str = wire(STRING)
    value: str | None = wire(STRING, nullable="0+")
    read_only: bool = wire(BOOL)
    config_source: int = wire(INT8, "1+", default=-1, ignorable=True)
    is_default: bool = wire(BOOL, "0")
    is_sensitive: bool = wire(BOOL)
    synonyms: list[DescribeConfigsSynonym] = wire([DescribeConfigsSynonym], "1+", ignorable=True)
    config_type: int = wire(INT8, "3+", ignorable=True)
    documentation: str | None = wire(STRING, "3+", nullable="3+", ignorable=True)


@struct
class DescribeConfigsResult:
    """The settings of one resource, or the error for it."""

    error_code: int = wire(INT16)
    error_message: str | None = wire(STRING, nullable="0+")
    resource_type: int = wire(INT8)
    resource_name: str = wire(STRING)
    configs: list[DescribeConfigsResourceResult] = wire([DescribeConfigsResourceResult])


@message(ApiKey.DESCRIBE_CONFIGS)
class DescribeConfigsResponse:
    """The settings of each resource."""

    throttle_time_ms: int = wire(INT32)
    results: list[DescribeConfigsResult] = wire([DescribeConfigsResult])
