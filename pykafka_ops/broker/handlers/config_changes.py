"""What AlterConfigs and IncrementalAlterConfigs have in common: check, store, tell the outcome.

Counterpart of ``ConfigAdminManager`` and of the alter half of ``ZkAdminManager``; error codes and
texts are Kafka's.
"""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from pykafka_ops.broker.metadata.znodes.config import BROKERS, DEFAULT_ENTITY, TOPICS
from pykafka_ops.broker.services import broker_loggers, config_store
from pykafka_ops.broker.state.configs.alter import (
    Change,
    Resource,
    apply_changes,
    check_changes,
    describe_resource,
)
from pykafka_ops.errors import KafkaError, SettingError
from pykafka_ops.settings.broker import BROKER
from pykafka_ops.settings.topic import TOPIC
from pykafka_ops.wire.codes import ErrorCode

if TYPE_CHECKING:
    from pykafka_ops.broker.handlers.api import Context

log = logging.getLogger("kafka.server.ConfigAdminManager")

Shape = TypeVar("Shape")

_INTEGER = re.compile(r"[+-]?\d+")


class Item(NamedTuple):
    """One resource of a request; ``replace`` when it names all the settings there shall be."""

    kind: int
    name: str
    changes: list[Change]
    replace: bool


class Outcome(NamedTuple):
    """What became of an item; ``message`` is None where the code says it all."""

    code: int
    message: str | None


def shaped(
    resources: Sequence[Any], outcomes: Sequence[Outcome], shape: Callable[..., Shape]
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
    same = Outcome(error.code, error.message or ErrorCode.of(error.code).text)
    return shaped(resources, [same] * len(resources), shape)


def broker_id_of(name: str, what: str) -> int:
    """The number in a resource name. Raises KafkaError INVALID_REQUEST."""
    if not _INTEGER.fullmatch(name) or not -(2**31) <= int(name) < 2**31:
        text = f"{what} id must be an integer, but it is: {name}"
        raise KafkaError(ErrorCode.INVALID_REQUEST, text)
    return int(name)


def outcome(error: KafkaError | None) -> Outcome:
    """What to answer for an error; a text that only repeats Kafka's own is left out."""
    if error is None:
        return Outcome(ErrorCode.NONE, None)
    code = ErrorCode.of(error.code)
    return Outcome(code, error.message if error.message and error.message != code.text else None)


async def alter(context: Context, items: list[Item], validate_only: bool) -> list[Outcome]:
    """Change each item's settings; one that fails harms no other."""
    counted = Counter((item.kind, item.name) for item in items)
    outcomes = []
    for item in items:
        error: KafkaError | None = None
        try:
            if counted[item.kind, item.name] > 1:
                text = "Each resource must appear at most once."
                raise KafkaError(ErrorCode.INVALID_REQUEST, text)
            await _alter(context, item, validate_only)
        except KafkaError as found:
            error = found
        except SettingError as found:
            resource = describe_resource(Resource.of(item.kind), item.name)
            text = f"Invalid config value for resource {resource}: {found}"
            error = KafkaError(ErrorCode.INVALID_CONFIG, text)
        except Exception as found:
            log.error("altering configs of %s %s", item.kind, item.name, exc_info=found)
            error = KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)
        outcomes.append(outcome(error))
    return outcomes


async def _alter(context: Context, item: Item, validate_only: bool) -> None:
    check_changes(item.changes)
    kind = Resource.of(item.kind)
    if kind is Resource.TOPIC:
        await _alter_topic(context, item, validate_only)
    elif kind is Resource.BROKER:
        await _alter_broker(context, item, validate_only)
    elif kind is Resource.BROKER_LOGGER and not item.replace:
        _alter_loggers(context, item, validate_only)
    elif kind is Resource.CLIENT_METRICS:
        raise KafkaError(
            ErrorCode.INVALID_REQUEST,
            "AlterConfigs is only supported for topics and brokers, but resource type is "
            "CLIENT_METRICS",
        )
    else:
        raise KafkaError(ErrorCode.INVALID_REQUEST, f"Unknown resource type {item.kind}")


async def _alter_topic(context: Context, item: Item, validate_only: bool) -> None:
    services = context.services
    if not item.name:
        raise KafkaError(ErrorCode.INVALID_REQUEST, "Default topic resources are not allowed.")
    if item.name not in services.image.topics:
        text = f"The topic '{item.name}' does not exist."
        raise KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, text)

    def edit(present: dict[str, str]) -> Mapping[str, str]:
        values = apply_changes({} if item.replace else present, item.changes, TOPIC)
        services.configs.check_topic(values)
        return values

    await config_store.change(
        services.store, f"{TOPICS}/{item.name}", edit, validate_only=validate_only
    )


async def _alter_broker(context: Context, item: Item, validate_only: bool) -> None:
    services = context.services
    if item.name and broker_id_of(item.name, "Node") != services.broker_id:
        raise KafkaError(
            ErrorCode.INVALID_REQUEST,
            f"Unexpected broker id, expected {services.broker_id}, but received {item.name}",
        )
    per_broker = bool(item.name)
    entity = f"{BROKERS}/{services.broker_id if per_broker else DEFAULT_ENTITY}"

    def edit(present: dict[str, str]) -> Mapping[str, str]:
        usable = services.configs.stored_broker(present, per_broker=per_broker)
        values = apply_changes({} if item.replace else usable, item.changes, BROKER)
        services.configs.check_broker(values, per_broker=per_broker)
        return values

    await config_store.change(services.store, entity, edit, validate_only=validate_only)


def _alter_loggers(context: Context, item: Item, validate_only: bool) -> None:
    expected = context.services.broker_id
    if broker_id_of(item.name, "Node") != expected:
        text = f"Unexpected node id. Expected {expected}, but received {item.name}"
        raise KafkaError(ErrorCode.INVALID_REQUEST, text)
    broker_loggers.check(item.changes)
    if not validate_only:
        broker_loggers.change(item.changes)
        for changed in context.services.levels_changed:
            changed()
