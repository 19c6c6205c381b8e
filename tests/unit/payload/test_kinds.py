"""What bytes are taken for, and that nobody's bytes do harm."""

from __future__ import annotations

import io
import json
import struct
import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.payload import kinds as k
from tests.support.monitor.payloads import ORDER, avro, framed, protobuf


def container() -> bytes:
    """What Avro's own library writes into a file."""
    from fastavro import writer

    out = io.BytesIO()
    writer(out, {"type": "record", "name": "r", "fields": []}, [{}])
    return out.getvalue()


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (None, k.NULL), (b"", k.EMPTY),
        (b'{"a": [1, {"b": null}]}', k.JSON), (b" [1]\n", k.JSON), (b'{"a": 1', k.TEXT),
        (b"[" * 100_000, k.TEXT), (b'{"a": NaN}', k.TEXT),
        (b'{"a": "' + b"x" * k.LOOKED_AT + "é".encode() * 9 + b'"}', k.JSON),
        (b"[" + b"\xff" * k.LOOKED_AT + b"]", k.BINARY),
        (b"hello", k.TEXT), ("Grüße".encode(), k.TEXT), (b"two\nlines\t", k.TEXT),
        (b"17", k.NUMBER), (b"-1.5e3", k.NUMBER), (struct.pack(">q", 5), k.NUMBER),
        (struct.pack(">i", 5), k.NUMBER), (struct.pack(">q", 1_764_000_000_000), k.NUMBER),
        (str(uuid.UUID(int=7)).encode(), k.UUID),
        (uuid.UUID(int=7 << 120, version=4).bytes, k.UUID),
        (b"\x00" * 16, k.BINARY), (b"\xff\xfe\x00", k.BINARY), (b"a\x00b", k.BINARY),
        (b"\x00" + struct.pack(">i", -1) + b"abcdef", k.BINARY),
        (b"\x00" * 5 + b"abcdef", k.BINARY),
    ],
)  # fmt: skip
def test_bytes_are_told_apart(data: bytes | None, kind: str) -> None:
    assert k.kind_of(data) == (kind, None, ())


def test_a_file_of_avro_is_one() -> None:
    assert k.kind_of(container()).kind == k.AVRO_FILE


def test_what_a_registry_holds_is_judged_by_all_of_its_records() -> None:
    found = k.kind_of(framed(7, avro(ORDER)))
    assert (found.kind, found.schema) == (k.REGISTRY, 7)
    message = framed(8, b"\x00" + protobuf(id=5, card="x", lines=[{"sku": "a"}]))
    assert k.kind_of(message) == (k.REGISTRY, 8, (k.PROTOBUF,))
    assert k.kind_of(framed(9, json.dumps({"a": 1}).encode())).could_be == (k.JSON_SCHEMA,)
    assert k.kind_of(message[:-1]).could_be == ()
    assert k.schema_kind(100, 100, 0) == k.PROTOBUF
    assert k.schema_kind(100, 20, 0) == k.AVRO  # some Avro looks like Protobuf
    assert k.schema_kind(100, 0, 96) == k.JSON_SCHEMA


@given(st.binary(max_size=300), st.sampled_from([b"", b"Obj\x01", b"\x00\x00\x00\x00\x07", b"{"]))
def test_whatever_bytes_there_are_have_a_kind(data: bytes, head: bytes) -> None:
    found = k.kind_of(head + data)
    assert found.kind in (*k.KINDS, k.REGISTRY)
    assert (found.schema is None) == (found.kind != k.REGISTRY)
