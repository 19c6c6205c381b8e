"""JSON in znodes: compact out, suspicious in."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, TypeVar

from pykafka_ops.errors import PkoError, WireError

T = TypeVar("T")
_MAX_INT = 2**31 - 1
_NO_NUMBER = r"invalid literal for int\(\) with base 10: b?(.*)"


class ZnodeError(PkoError):
    """The data of a znode is not what its path promises."""


def encode_json(value: object) -> bytes:
    """Compact JSON in UTF-8."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def decode_json(what: str, data: bytes | None) -> dict[str, Any]:
    """A JSON object. Raises ZnodeError naming ``what``."""
    try:
        value = json.loads(data or b"")
    except (ValueError, RecursionError) as error:
        raise ZnodeError(f"{what}: not JSON ({error})") from error
    if not isinstance(value, dict):
        raise ZnodeError(f"{what}: not a JSON object")
    return value


def understood(what: str, build: Callable[[], T]) -> T:
    """``build()``, its complaints about missing or odd fields turned into ZnodeError."""
    try:
        return build()
    except (
        LookupError,
        TypeError,
        ValueError,
        ArithmeticError,
        AttributeError,
        WireError,
    ) as error:
        raise ZnodeError(f"{what}: {_complaint(error)}") from error


def whole(value: object, low: int = 0) -> int:
    """A number of 32 bits, as all of Kafka's requests carry it; ValueError for any other."""
    number = int(value)  # type: ignore[call-overload]
    if not low <= number <= _MAX_INT:
        raise ValueError(f"{number} is out of range")
    return int(number)


def _complaint(error: Exception) -> str:
    """For people, who know Kafka but not Python."""
    if isinstance(error, KeyError):
        return f"no field {error}"
    number = re.fullmatch(_NO_NUMBER, str(error))
    return f"{number[1]} is no number" if number else str(error)
