"""Changes of settings as AlterConfigs and IncrementalAlterConfigs ask for them.

Counterpart of ``kafka.server.ConfigAdminManager`` (KIP-133, KIP-339); error codes and texts are
Kafka's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import NamedTuple

from pykafka_ops.errors import KafkaError
from pykafka_ops.settings.setting import Setting
from pykafka_ops.settings.types import Type
from pykafka_ops.wire.codes import ErrorCode


class Op(IntEnum):
    """``config_operation`` of IncrementalAlterConfigs."""

    SET = 0
    DELETE = 1
    APPEND = 2
    SUBTRACT = 3


class ConfigResourceType(IntEnum):
    """``resource_type`` of the configs APIs."""

    UNKNOWN = 0
    TOPIC = 2
    BROKER = 4
    BROKER_LOGGER = 8
    CLIENT_METRICS = 16
    GROUP = 32

    @classmethod
    def of(cls, number: int) -> ConfigResourceType:
        """The type with that number, UNKNOWN if there is none."""
        try:
            return cls(number)
        except ValueError:
            return cls.UNKNOWN


class Change(NamedTuple):
    """One key of a request; ``op`` is a plain number since a client may send any."""

    name: str
    op: int
    value: str | None


def describe_resource(kind: ConfigResourceType, name: str) -> str:
    """A resource as Kafka's error texts name it."""
    return f"ConfigResource(type={kind.name}, name='{name}')"


def check_changes(changes: Sequence[Change]) -> None:
    """Raise KafkaError INVALID_REQUEST for a key given twice or a value that is missing."""
    names = [change.name for change in changes]
    if len(set(names)) != len(names):
        raise KafkaError(ErrorCode.INVALID_REQUEST, "Error due to duplicate config keys")
    missing = [c.name for c in changes if c.value is None and c.op != Op.DELETE]
    if missing:
        text = f"Null value not supported for : {', '.join(missing)}"
        raise KafkaError(ErrorCode.INVALID_REQUEST, text)


def apply_changes(
    current: Mapping[str, str], changes: Sequence[Change], table: Mapping[str, Setting]
) -> dict[str, str]:
    """The settings after ``changes``; values are not checked here.

    Raises KafkaError: INVALID_REQUEST for an unknown operation, INVALID_CONFIG for an
    append to or a subtraction from a setting that is no list.
    """
    result = dict(current)
    for name, op, value in changes:
        if op == Op.DELETE:
            result.pop(name, None)
        elif op == Op.SET:
            result[name] = value or ""
        elif op in (Op.APPEND, Op.SUBTRACT):
            held = _held(result, name, Op(op), table)
            asked = (value or "").split(",")
            if op == Op.APPEND:
                held += [item for item in asked if item not in held]
            else:
                held = [item for item in held if item not in asked]
            result[name] = ",".join(held)
        else:
            raise KafkaError(ErrorCode.INVALID_REQUEST, f"Unknown operations type {op}")
    return result


def _held(values: Mapping[str, str], name: str, op: Op, table: Mapping[str, Setting]) -> list[str]:
    """The list that ``name`` holds now; unset, that of Kafka's default."""
    setting = table.get(name)
    if setting is None:
        raise KafkaError(ErrorCode.INVALID_CONFIG, f"Unknown config name: {name}")
    if setting.type is not Type.LIST:
        text = f"Config value {op.name.lower()} is not allowed for config key: {name}"
        raise KafkaError(ErrorCode.INVALID_CONFIG, text)
    text = values.get(name, setting.default or "")
    return text.split(",") if text else []
