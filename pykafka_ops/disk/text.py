"""Text as Java makes it from bytes, so that what is shown equals what Kafka's tools show."""

from __future__ import annotations

import codecs
import re
from math import isfinite

from pykafka_ops.java_numbers import java_double

_ESCAPES = {8: "\\b", 9: "\\t", 10: "\\n", 12: "\\f", 13: "\\r", 34: '\\"', 92: "\\\\"}
_JSON_UNSAFE = re.compile(r'[\x00-\x1f"\\]')


def _malformed(error: UnicodeError) -> tuple[str, int]:
    """One U+FFFD where Java has one: an encoded surrogate counts as one sequence, not three."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    data, at = error.object, error.start
    pair = data[at : at + 3]
    if pair[:1] == b"\xed" and len(pair) > 1 and 0xA0 <= pair[1] <= 0xBF:
        return "\ufffd", at + (3 if len(pair) == 3 and 0x80 <= pair[2] <= 0xBF else 2)
    return "\ufffd", error.end


JAVA_ERRORS = "pko-java"
codecs.register_error(JAVA_ERRORS, _malformed)


def java_text(data: bytes) -> str:
    """``new String(data, UTF_8)``: malformed bytes become U+FFFD."""
    return data.decode("utf-8", JAVA_ERRORS)


def java_json(value: object) -> str:
    """Compact JSON as Jackson writes it: no blanks, only control characters escaped."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return java_double(value) if isfinite(value) else _quoted(java_double(value))
    if isinstance(value, dict):
        pairs = [f"{_quoted(str(key))}:{java_json(item)}" for key, item in value.items()]
        return "{" + ",".join(pairs) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join([java_json(item) for item in value]) + "]"
    return _quoted(str(value))


def _quoted(text: str) -> str:
    return '"' + _JSON_UNSAFE.sub(_escape, text) + '"'


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    return _ESCAPES.get(code) or f"\\u{code:04X}"
