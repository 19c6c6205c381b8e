"""The first bytes tell what a client speaks."""

from __future__ import annotations

import pytest

from pykafka_ops.broker.state.hello import Hello, spoken
from pykafka_ops.wire.frame import encode_request
from pykafka_ops.wire.messages.api_versions import ApiVersionsRequest


@pytest.mark.parametrize(
    ("first", "hello"),
    [
        (b"", Hello.UNKNOWN),
        (b"\x16", Hello.UNKNOWN),
        (b"\x16\x03", Hello.TLS),
        (bytes.fromhex("1603010200"), Hello.TLS),
        (b"\x16\x02", Hello.ELSE),
        (encode_request(ApiVersionsRequest(), 3, 1, "c"), Hello.KAFKA),
        (b"\x00\x00\x00", Hello.UNKNOWN),
        (bytes(6), Hello.ELSE),
        (b"GET / HTTP/1.1\r\n", Hello.ELSE),
        (b"G", Hello.ELSE),
        (b"\xff" * 10, Hello.ELSE),
    ],
)
def test_first_bytes(first: bytes, hello: Hello) -> None:
    assert spoken(first) is hello
