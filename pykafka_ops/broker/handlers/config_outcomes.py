"""How AlterConfigs and IncrementalAlterConfigs answer what became of each resource."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from pykafka_ops.broker.services.config_admin import ConfigOutcome
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode

Shape = TypeVar("Shape")


def shaped(
    resources: Sequence[Any], outcomes: Sequence[ConfigOutcome], shape: Callable[..., Shape]
) -> list[Shape]:
    """The outcome of each resource as its API answers it."""
    return [
        shape(
            error_code=code,
            error_message=message,
            resource_type=resource.resource_type,
            resource_name=resource.resource_name,
        )
        for resource, (code, message) in zip(resources, outcomes, strict=True)
    ]


def all_failed(
    resources: Sequence[Any], error: KafkaError, shape: Callable[..., Shape]
) -> list[Shape]:
    """Every resource with the same error."""
    same = ConfigOutcome(error.code, error.message or ErrorCode.of(error.code).text)
    return shaped(resources, [same] * len(resources), shape)
