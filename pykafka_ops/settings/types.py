"""Value types of settings: text in, typed value out, and back to the text Kafka shows.

Counterpart of ``org.apache.kafka.common.config.ConfigDef.parseType`` and ``convertToString``;
error texts are the same.
"""

from __future__ import annotations

import re
from enum import IntEnum
from typing import TypeAlias

from pykafka_ops.errors import SettingError
from pykafka_ops.java_numbers import java_double

Value: TypeAlias = bool | int | float | str | tuple[str, ...] | None

_BLANKS = "".join(map(chr, range(0x21)))  # what Java's String.trim removes
_INTEGER = re.compile(r"[+-]?\d+")
_DOUBLE = re.compile(r"[+-]?(NaN|Infinity|(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?[fFdD]?)", re.ASCII)
_HEX_DOUBLE = r"(?a)[+-]?0[xX]([0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)[pP][+-]?\d+[fFdD]?"
_COMMA = re.compile(r"\s*,\s*", re.ASCII)
_BITS = {"SHORT": 16, "INT": 32, "LONG": 64}


class Type(IntEnum):
    """Type of a setting; the number is ``config_type`` in a DescribeConfigs response (KIP-569)."""

    UNKNOWN = 0
    BOOLEAN = 1
    STRING = 2
    INT = 3
    SHORT = 4
    LONG = 5
    DOUBLE = 6
    LIST = 7
    CLASS = 8
    PASSWORD = 9


def invalid(name: str, value: Value, why: str = "") -> SettingError:
    """The error Kafka's ``ConfigException(name, value, message)`` would carry."""
    shown = java_list(value) if isinstance(value, tuple) else _plain(value)
    return SettingError(f"Invalid value {shown} for configuration {name}{': ' if why else ''}{why}")


def parse(name: str, kind: Type, text: str | None) -> Value:
    """Turn ``text`` into the value of setting ``name``; ``None`` stays ``None``.

    Surrounding blanks are dropped, a LIST is split at commas. Raises SettingError with
    Kafka's text where the value is not of type ``kind``.
    """
    if text is None:
        return None
    trimmed = text.strip(_BLANKS)
    if kind is Type.BOOLEAN:
        if trimmed.lower() not in ("true", "false"):
            raise invalid(name, text, "Expected value to be either true or false")
        return trimmed.lower() == "true"
    if kind in (Type.INT, Type.SHORT, Type.LONG):
        return _parse_integer(name, kind, text, trimmed)
    if kind is Type.DOUBLE:
        return _parse_double(name, text, trimmed)
    if kind is Type.LIST:
        return tuple(_COMMA.split(trimmed)) if trimmed else ()
    return trimmed


def _parse_integer(name: str, kind: Type, text: str, trimmed: str) -> int:
    if _INTEGER.fullmatch(trimmed) and len(trimmed) < 100:
        number = int(trimmed)
        limit = 1 << _BITS[kind.name] - 1
        if -limit <= number < limit:
            return number
    raise invalid(name, text, f"Not a number of type {kind.name}")


def _parse_double(name: str, text: str, trimmed: str) -> float:
    if _DOUBLE.fullmatch(trimmed):
        return float(trimmed.rstrip("fFdD") if trimmed[-1] in "fFdD" else trimmed)
    if re.fullmatch(_HEX_DOUBLE, trimmed):
        return float.fromhex(re.sub(r"([pP][+-]?\d+)[fFdD]$", r"\1", trimmed))
    raise invalid(name, text, "Not a number of type DOUBLE")


def show(value: Value) -> str | None:
    """The text Kafka prints for a value: ``true``, ``0.5``, ``a,b``; ``None`` for no value."""
    if value is None:
        return None
    return ",".join(value) if isinstance(value, tuple) else _plain(value)


def java_list(items: tuple[str, ...]) -> str:
    """``java.util.List.toString``."""
    return f"[{', '.join(items)}]"


def _plain(value: bool | int | float | str | None) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return java_double(value)
    return str(value)
