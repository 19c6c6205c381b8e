"""Text and JSON as Java makes them."""

from __future__ import annotations

import pytest

from pykafka_ops.disk.text import java_json, java_text


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"plain \xc3\xa9 \xf0\x9f\x98\x80", "plain é 😀"),
        (b"\xff\xfe", "\ufffd\ufffd"),
        (b"a\xed\xa0\x80b", "a\ufffdb"),
        (b"\xed\xa0\x80\xed\xb0\x80", "\ufffd\ufffd"),
        (b"\xed\xa0A", "\ufffdA"),
        (b"\xed\xa0", "\ufffd"),
        (b"\xe2\x82", "\ufffd"),
        (b"\xe0\x80A", "\ufffd\ufffdA"),
        (b"\xf0\x9fA", "\ufffdA"),
        (b"\xf0\x80\x80A", "\ufffd\ufffd\ufffdA"),
        (b"\xc0\x80", "\ufffd\ufffd"),
        (b"\xf5\x80", "\ufffd\ufffd"),
    ],
)
def test_malformed_utf8_is_replaced_as_java_does(data: bytes, text: str) -> None:
    assert java_text(data) == text


def test_json_is_compact_and_escapes_like_jackson() -> None:
    value = {"a": None, "b": [1, True, 'é\u0000\u001f\t"\\/'], "c": {}}
    assert java_json(value) == '{"a":null,"b":[1,true,"é\\u0000\\u001F\\t\\"\\\\/"],"c":{}}'
