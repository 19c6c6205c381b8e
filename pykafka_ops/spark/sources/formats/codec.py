"""What a format is made of: a type of Arrow, and values for it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import pyarrow as pa

UTC_MICROS: Final = pa.timestamp("us", tz="UTC")
Convert = Callable[[Any], Any]


class Typed(NamedTuple):
    """A type, and what makes of a library's value one for it (None: nothing is to be done)."""

    kind: pa.DataType
    convert: Convert | None = None

    def of(self, value: Any) -> Any:
        """The value for Arrow; None stays None."""
        return value if value is None or self.convert is None else self.convert(value)


class ValueCodec(NamedTuple):
    """``kind`` of the column; None where the user's schema says it. ``read`` makes a value of
    bytes, or raises DeserializeError."""

    kind: pa.DataType | None
    read: Callable[[bytes], Any]


def json_text(value: Any) -> str:
    """What has no type in a table: its JSON."""
    return json.dumps(value, ensure_ascii=False, default=_plain)


def _plain(value: Any) -> object:
    if isinstance(value, bytes):
        return value.decode("latin-1")
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def list_of(item: Typed) -> Typed:
    """A list of these."""
    kind = pa.list_(item.kind)
    return Typed(kind) if item.convert is None else Typed(kind, lambda v: [item.of(x) for x in v])


def map_of(item: Typed, key: pa.DataType | None = None) -> Typed:
    """A map to these."""
    kind = pa.map_(key or pa.string(), item.kind)
    return Typed(kind, lambda value: [(k, item.of(v)) for k, v in value.items()])


def struct_of(fields: dict[str, Typed]) -> Typed:
    """Named ones, of a value that is a dict."""
    kind = pa.struct([(name, one.kind) for name, one in fields.items()])
    if all(one.convert is None for one in fields.values()):
        return Typed(kind)
    pairs = list(fields.items())
    return Typed(kind, lambda value: {name: one.of(value.get(name)) for name, one in pairs})
