"""DescribeConfigs, AlterConfigs, IncrementalAlterConfigs: of topics by the rights on each, of
brokers and loggers by those on the cluster."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.handlers.rights.checks import REFUSALS, Served, after
from pykafka_ops.broker.state.configs.alter import ConfigResourceType
from pykafka_ops.security.acls.rules import CLUSTER_NAME, Operation, ResourceType
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.alter_configs import AlterConfigsResourceResponse
from pykafka_ops.wire.messages.describe_configs import DescribeConfigsResult

_OF_CLUSTER = (
    ConfigResourceType.BROKER,
    ConfigResourceType.BROKER_LOGGER,
    ConfigResourceType.CLIENT_METRICS,
)


def describe(context: Context, request: Any, served: Served) -> Answer:
    """Guard of DescribeConfigs."""

    def refusal(asked: Any, code: ErrorCode) -> DescribeConfigsResult:
        return DescribeConfigsResult(
            error_code=code,
            error_message=code.text,
            resource_type=asked.resource_type,
            resource_name=asked.resource_name,
        )

    return _answer(context, request, served, Operation.DESCRIBE_CONFIGS, "results", refusal)


def alter(context: Context, request: Any, served: Served) -> Answer:
    """Guard of AlterConfigs and IncrementalAlterConfigs."""

    def refusal(asked: Any, code: ErrorCode) -> AlterConfigsResourceResponse:
        return AlterConfigsResourceResponse(
            error_code=code,
            error_message=None,
            resource_type=asked.resource_type,
            resource_name=asked.resource_name,
        )

    return _answer(context, request, served, Operation.ALTER_CONFIGS, "responses", refusal)


def _answer(
    context: Context,
    request: Any,
    served: Served,
    operation: Operation,
    array: str,
    refusal: Callable[[Any, ErrorCode], object],
) -> Answer:
    """What the handler answers for the resources that the client has the right to, and ``refusal``
    for the others."""
    codes = [_refused(context, operation, asked) for asked in request.resources]
    if not any(codes):
        return served.handle(context, request)
    rest = copy(request)
    rest.resources = [r for r, code in zip(request.resources, codes, strict=True) if code is None]

    def whole(answer: Any) -> Any:
        found = iter(getattr(answer, array))
        items = [
            next(found, None) if code is None else refusal(asked, code)
            for asked, code in zip(request.resources, codes, strict=True)
        ]
        setattr(answer, array, [item for item in items if item is not None])
        return answer

    return after(served.handle(context, rest), whole)


def _refused(context: Context, operation: Operation, asked: Any) -> ErrorCode | None:
    """The error for a resource; None if the client has the right, or there is none to have."""
    kind = ConfigResourceType.of(asked.resource_type)
    if kind is ConfigResourceType.TOPIC:
        type_, name = ResourceType.TOPIC, asked.resource_name
    elif kind in _OF_CLUSTER:
        type_, name = ResourceType.CLUSTER, CLUSTER_NAME
    else:
        return None
    return None if context.may(operation, type_, name) else REFUSALS[type_]
