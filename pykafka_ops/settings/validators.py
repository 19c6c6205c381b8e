"""Range and choice checks of settings, with Kafka's own error texts.

A validator is called with (setting name, parsed value) and raises SettingError. ``str()`` of it
is what Kafka's documentation shows under "Valid values".
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from pykafka_ops.errors import SettingError
from pykafka_ops.settings.types import Value, invalid
from pykafka_ops.settings.versions import is_version

Validator: TypeAlias = Callable[[str, Value], None]

_REPLICAS = re.compile(r"\d+:\d+", re.ASCII)
_VOTER = re.compile(r"[0-9]+@[^:@]+:[0-9]+|[0-9]+@\[[0-9a-fA-F:.%]+\]:[0-9]+", re.ASCII)
_HOST_PORT = re.compile(r"\[?(.*?)\]?:(\d+)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Range:
    """``low <= value <= high``; a missing bound is open (ConfigDef.Range)."""

    low: int | float | None = None
    high: int | float | None = None

    def __call__(self, name: str, value: Value) -> None:
        if not isinstance(value, int | float):
            raise invalid(name, value, "Value must be non-null")
        if self.low is not None and value < self.low:
            raise invalid(name, value, f"Value must be at least {self.low}")
        if self.high is not None and value > self.high:
            raise invalid(name, value, f"Value must be no more than {self.high}")

    def __str__(self) -> str:
        if self.low is None:
            return f"[...,{self.high}]"
        return f"[{self.low},...]" if self.high is None else f"[{self.low},...,{self.high}]"


@dataclass(frozen=True, slots=True)
class HostPort:
    """One address, as ``127.0.0.1:9404`` or ``[::1]:0``."""

    def __call__(self, name: str, value: Value) -> None:
        if value is not None:
            host_and_port(name, str(value))

    def __str__(self) -> str:
        return "host:port"


def host_and_port(name: str, text: str) -> tuple[str, int]:
    """Host without brackets, and port. Raises SettingError."""
    found = _HOST_PORT.fullmatch(text.strip())
    if found is None or not found[1] or int(found[2]) > 65535:
        raise invalid(name, text, "write host:port, as in 127.0.0.1:9404")
    return found[1], int(found[2])


@dataclass(frozen=True, slots=True)
class OneOf:
    """The string, or each string of a list, is one of ``choices`` (ValidString, ValidList)."""

    choices: tuple[str, ...]

    def __call__(self, name: str, value: Value) -> None:
        for item in value if isinstance(value, tuple) else (value,):
            if item not in self.choices:
                raise invalid(name, item, f"String must be one of: {', '.join(self.choices)}")

    def __str__(self) -> str:
        return f"[{', '.join(self.choices)}]"


@dataclass(frozen=True, slots=True)
class OneOfAnyCase:
    """The string is one of ``choices``, small or capital letters (CaseInsensitiveValidString)."""

    choices: tuple[str, ...]

    def __call__(self, name: str, value: Value) -> None:
        if str(value).upper() not in self.choices:
            why = f"String must be one of (case insensitive): {', '.join(self.choices)}"
            raise invalid(name, value, why)

    def __str__(self) -> str:
        return f"(case insensitive) [{', '.join(self.choices)}]"


@dataclass(frozen=True, slots=True)
class LevelOrDefault:
    """A compression level in a range, or the codec's own default outside of it."""

    low: int
    high: int
    default: int

    def __call__(self, name: str, value: Value) -> None:
        if not isinstance(value, int):
            raise invalid(name, value, "Value must be non-null")
        if value != self.default and not self.low <= value <= self.high:
            why = f"Value must be between {self.low} and {self.high} or equal to {self.default}"
            raise invalid(name, value, why)

    def __str__(self) -> str:
        return f"[{self.low},...,{self.high}] or {self.default}"


def non_empty(name: str, value: Value) -> None:
    """A string that may be missing but not empty (ConfigDef.NonEmptyString)."""
    if value == "":
        raise invalid(name, value, "String must be non-empty")


def non_null(name: str, value: Value) -> None:
    """Any value but none (ConfigDef.NonNullValidator)."""
    if value is None:
        raise invalid(name, value, "entry must be non null")


def metadata_version(name: str, value: Value) -> None:
    """A release ("3.9", "3.9.1") or protocol version ("3.9-IV0") of Kafka."""
    if not is_version(str(value)):
        raise invalid(name, value, f"Version {value} is not a valid version")


def pool_size(name: str, value: Value) -> None:
    """A number of threads, or -1 for "as another setting says"."""
    if not isinstance(value, int) or value < -1 or value == 0:
        raise invalid(name, value, "Value can be -1 or greater than 0")


def throttled_replicas(name: str, value: Value) -> None:
    """``*``, nothing, or ``partition:broker`` pairs (ThrottledReplicaListValidator)."""
    items = value if isinstance(value, tuple) else (str(value),)
    if items and items != ("*",) and not all(_REPLICAS.fullmatch(i) for i in items):
        why = (
            f"{name} must be the literal '*' or a list of replicas in the following format: "
            "[partitionId]:[brokerId],[partitionId]:[brokerId],..."
        )
        raise invalid(name, items, why)


def quorum_voters(name: str, value: Value) -> None:
    """``id@host:port`` entries of a KRaft quorum."""
    for item in value if isinstance(value, tuple) else ():
        if not _VOTER.fullmatch(item):
            why = f"Invalid configuration value for {name}. Each entry should be in the form "
            raise SettingError(why + "`{id}@{host}:{port}`.")


def host_ports(name: str, value: Value) -> None:
    """``host:port`` entries."""
    for item in value if isinstance(value, tuple) else ():
        if not _HOST_PORT.fullmatch(item):
            why = f"Failed to parse host name from {item} for the configuration {name}. "
            raise SettingError(why + 'Each entry should be in the form "{host}:{port}"')
