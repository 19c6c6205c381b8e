"""JSON as Go's ``encoding/json`` writes it: no spaces, ``<``, ``>`` and ``&`` escaped, float32."""

from __future__ import annotations

import json
from struct import pack, unpack
from typing import Any

_ESCAPED = str.maketrans(
    {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
)


def encode(value: Any) -> str:
    """A value of dicts, lists, texts, whole numbers, None, booleans and float32."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{_text(k)}:{encode(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(encode, value)) + "]"
    if isinstance(value, float):
        return _float32(value)
    return _text(value) if isinstance(value, str) else json.dumps(value)


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False).translate(_ESCAPED)


def _float32(value: float) -> str:
    """The shortest digits that mean this float32; 1 for 1.0."""
    (exact,) = unpack("f", pack("f", value))
    for digits in range(1, 10):
        text = f"{exact:.{digits}g}"
        if unpack("f", pack("f", float(text)))[0] == exact:
            break
    return text
