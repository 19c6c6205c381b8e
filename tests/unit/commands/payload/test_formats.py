"""Keys and values by their format, there and back."""

from __future__ import annotations

import io
import json
import struct
import sys
from pathlib import Path
from typing import Any

import fastavro
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.commands.payload.formats import encoded, payload_format
from pykafka_ops.errors import DeserializeError, UsageError
from tests.support.raising import raises_nothing

SCHEMA = {
    "type": "record",
    "name": "Order",
    "fields": [
        {"name": "id", "type": "long"},
        {"name": "who", "type": ["null", "string"]},
        {"name": "raw", "type": "bytes"},
        {"name": "tags", "type": {"type": "map", "values": "double"}},
        {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}},
    ],
}
ORDER = {"id": 17, "who": "ż", "raw": b"\xff\x00", "tags": {"x": 1.5}, "at": 1_700_000_000_000}
SHOWN = {
    "id": 17, "who": "ż", "raw": "ÿ\x00", "tags": {"x": 1.5}, "at": "2023-11-14T22:13:20+00:00",
}  # fmt: skip
NODE = {
    "type": "record",
    "name": "Node",
    "fields": [{"name": "next", "type": ["null", "Node"]}],
}


def show(spec: str, data: bytes) -> object:
    return payload_format(spec, "--value-format").plain(data)


@pytest.fixture
def schema_file(tmp_path: Path) -> Path:
    path = tmp_path / "order.avsc"
    path.write_text(json.dumps(SCHEMA))
    return path


def avro(value: Any, schema: Any = SCHEMA) -> bytes:
    out = io.BytesIO()
    fastavro.schemaless_writer(out, fastavro.parse_schema(schema), value)
    return out.getvalue()


@pytest.mark.parametrize(
    ("spec", "data", "plain", "text"),
    [
        ("utf-8", "ż".encode(), "ż", "ż"),
        ("hex", b"\x00\xff", "00ff", "00ff"),
        ("base64", b"\x00\xff", "AP8=", "AP8="),
        ("int", b"\xff\xff\xff\xfe", -2, "-2"),
        ("long", struct.pack(">q", 2**40), 2**40, str(2**40)),
        ("json", b' {"b": [1, null]}', {"b": [1, None]}, '{"b":[1,null]}'),
    ],
)
def test_formats_show_bytes(spec: str, data: bytes, plain: object, text: str) -> None:
    made = payload_format(spec, "--x")
    assert made.plain(data) == plain and made.text(data) == made.line(data) == text
    assert made.shown("key", data) == {"key": plain, "key_encoding": spec}
    assert made.shown("key", None) == {"key": None, "key_encoding": None}


@pytest.mark.parametrize(
    ("spec", "data", "why"),
    [
        ("utf-8", b"a\xff", "invalid start byte at byte 1"),
        ("int", b"123", "Size of data received by IntegerDeserializer is not 4"),
        ("long", b"", "Size of data received by LongDeserializer is not 8"),
        ("json", b"{", "Expecting property name"),
        ("json", b"NaN", "NaN is no JSON"),
        ("json", b"[" * 100_000, "nested too deep"),
        ("json", b"\xff\xff", "decode"),
    ],
)
def test_bytes_of_another_format_are_kept_and_told(spec: str, data: bytes, why: str) -> None:
    made = payload_format(spec, "--x")
    with pytest.raises(DeserializeError, match=why):
        made.plain(data)
    shown = made.shown("value", data)
    assert shown["value_encoding"] == "base64" and why in str(shown["value_error"])
    if spec != "utf-8":
        assert f"(not {spec}: " in made.line(data)


@given(st.binary(max_size=20), st.integers(-(2**31), 2**31 - 1), st.integers(-(2**63), 2**63 - 1))
def test_what_was_shown_can_be_written_again(data: bytes, small: int, large: int) -> None:
    for spec in ("hex", "base64"):
        assert encoded(spec, show(spec, data)) == data
    assert encoded("int", show("int", small.to_bytes(4, "big", signed=True))) == small.to_bytes(
        4, "big", signed=True
    )
    assert show("long", encoded("long", large)) == large


@pytest.mark.parametrize("value", [None, "text", 5, {"a": [1]}])
def test_json_is_written_again_as_json(value: object) -> None:
    assert json.loads(encoded("json", value)) == value


@pytest.mark.parametrize(("name", "value"), [("avro", {}), ("int", "x"), ("hex", "0"), ("no", 1)])
def test_what_cannot_be_written_is_a_value_error(name: str, value: object) -> None:
    with pytest.raises(ValueError, match=r"cannot be written|is no (int|hex)"):
        encoded(name, value)


@pytest.mark.parametrize("spec", ["xml", "avro", "avro:", "int:3", ""])
def test_unknown_formats_are_usage_errors(spec: str) -> None:
    with pytest.raises(UsageError, match="--key-format"):
        payload_format(spec, "--key-format")


def test_avro_is_read_by_its_schema_with_confluents_header_or_without(schema_file: Path) -> None:
    data = avro(ORDER)
    assert show(f"avro:{schema_file}", data) == SHOWN
    assert show(f"avro:{schema_file}", b"\x00\x00\x00\x00\x2a" + data) == SHOWN
    text = payload_format(f"avro:{schema_file}", "--x").text(data)
    assert json.loads(text) == SHOWN


def test_avro_that_begins_with_a_zero_needs_no_header(tmp_path: Path) -> None:
    path = tmp_path / "long.avsc"
    path.write_text('{"type": "record", "name": "R", "fields": ['
                    '{"name": "a", "type": "long"}, {"name": "b", "type": "string"}]}')  # fmt: skip
    schema = json.loads(path.read_text())
    assert show(f"avro:{path}", avro({"a": 0, "b": "twelve"}, schema)) == {"a": 0, "b": "twelve"}


@given(st.binary(max_size=200))
def test_hostile_avro_is_refused_or_read_to_its_end(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "hostile.avsc"
    path.write_text(json.dumps(SCHEMA))
    made = payload_format(f"avro:{path}", "--x")
    with raises_nothing():
        json.dumps(made.shown("value", data), allow_nan=False)


def test_avro_cut_short_or_with_bytes_left_over_is_told(schema_file: Path) -> None:
    made = payload_format(f"avro:{schema_file}", "--x")
    with pytest.raises(DeserializeError):
        made.plain(avro(ORDER)[:-1])
    with pytest.raises(DeserializeError, match="3 bytes are left over"):
        made.plain(avro(ORDER) + b"abc")


def test_deep_avro_ends_in_one_line_not_in_a_crash(tmp_path: Path) -> None:
    path = tmp_path / "node.avsc"
    path.write_text(json.dumps(NODE))
    made = payload_format(f"avro:{path}", "--x")
    assert made.plain(b"\x02\x02\x00") == {"next": {"next": {"next": None}}}
    with pytest.raises(DeserializeError, match="recursion"):
        made.plain(b"\x02" * 1_000_000 + b"\x00")


@pytest.mark.parametrize(
    "items",
    [
        "null",
        {"type": "fixed", "name": "F", "size": 0},
        {"type": "record", "name": "E", "fields": [{"name": "n", "type": "null"}]},
    ],
)
def test_arrays_of_nothing_are_refused(tmp_path: Path, items: object) -> None:
    path = tmp_path / "nothing.avsc"
    path.write_text(json.dumps({"type": "array", "items": items}))
    with pytest.raises(UsageError, match="items that take no bytes"):
        payload_format(f"avro:{path}", "--x")


@pytest.mark.parametrize(
    ("text", "why"),
    [("{", "no JSON"), ('{"type": "strange"}', "Avro schema"), ("[" * 99_999, "no JSON")],
)
def test_a_file_that_is_no_schema_is_told(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "bad.avsc"
    path.write_text(text)
    with pytest.raises(UsageError, match=why):
        payload_format(f"avro:{path}", "--x")
    with pytest.raises(UsageError, match="No such file"):
        payload_format(f"avro:{path}.none", "--x")


def test_without_fastavro_one_line_says_what_to_install(
    schema_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "fastavro.schema", None)
    with pytest.raises(UsageError, match=r"pip install 'pykafka-ops\[avro\]'"):
        payload_format(f"avro:{schema_file}", "--x")
