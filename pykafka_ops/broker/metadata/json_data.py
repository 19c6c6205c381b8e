"""JSON in znodes: compact out, suspicious in."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeVar

from pykafka_ops.errors import PkoError, WireError

T = TypeVar("T")


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
        raise ZnodeError(f"{what}: {type(error).__name__} {error}") from error
