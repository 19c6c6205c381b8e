"""Payloads are shown as the Java objects that Kafka's deserializers make."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.commands.payload.deserializers import deserializer
from pykafka_ops.errors import DeserializeError, UsageError
from pykafka_ops.java_numbers import java_decimal

PACKAGE = "org.apache.kafka.common.serialization."


def show(name: str, data: bytes) -> bytes:
    convert = deserializer({"value.deserializer": PACKAGE + name}, "value")
    return data if convert is None else convert(data)


@pytest.mark.parametrize(
    ("name", "data", "text"),
    [
        ("LongDeserializer", b"\0\0\0\0\0\0\0\x07", b"7"),
        ("IntegerDeserializer", b"\xff\xff\xff\xff", b"-1"),
        ("ShortDeserializer", b"\0\x02", b"2"),
        ("DoubleDeserializer", b"\x3f\xf8\0\0\0\0\0\0", b"1.5"),
        ("FloatDeserializer", struct.pack(">f", 0.1), b"0.1"),
        ("BytesDeserializer", b"a\xff\n", b"a\\xFF\\x0A"),
        ("BytesDeserializer", b"plain", b"plain"),
        ("StringDeserializer", "zażółć".encode(), "zażółć".encode()),
        ("StringDeserializer", b"a\xff", "a\ufffd".encode()),
        ("ByteArrayDeserializer", b"\xff", b"\xff"),
        ("BooleanDeserializer", b"\1", b"true"),
        ("UUIDDeserializer", b"0E22FEDF-2707-415A-BBF6-CDA89A9C6993",
         b"0e22fedf-2707-415a-bbf6-cda89a9c6993"),
    ],
)  # fmt: skip
def test_kafkas_deserializers_are_known(name: str, data: bytes, text: bytes) -> None:
    assert show(name, data) == text


@pytest.mark.parametrize(
    ("name", "data", "text"),
    [
        ("LongDeserializer", b"xx", "Size of data received by LongDeserializer is not 8"),
        ("BooleanDeserializer", b"\2", "Unexpected byte received by BooleanDeserializer: 2"),
        ("UUIDDeserializer", b"x", "Error parsing data into UUID"),
        ("VoidDeserializer", b"", "Data should be null for a VoidDeserializer"),
    ],
)
def test_what_does_not_fit_is_told_with_kafkas_words(name: str, data: bytes, text: str) -> None:
    with pytest.raises(DeserializeError, match=text):
        show(name, data)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (1.0, "1.0"),
        (100.0, "100.0"),
        (123456.789, "123456.789"),
        (9999999.0, "9999999.0"),
        (1e7, "1.0E7"),
        (1.25e10, "1.25E10"),
        (0.001, "0.001"),
        (0.00099, "9.9E-4"),
        (-1.5e-300, "-1.5E-300"),
        (float("nan"), "NaN"),
        (float("-inf"), "-Infinity"),
    ],
)
def test_numbers_are_written_as_java_writes_them(value: float, text: str) -> None:
    assert java_decimal(repr(value)) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_written_number_is_still_the_same(value: float) -> None:
    assert float(java_decimal(repr(value))) == value


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_a_written_float_is_still_the_same(value: float) -> None:
    data = struct.pack(">f", value)
    assert struct.pack(">f", float(show("FloatDeserializer", data))) == data


def test_a_character_set_can_be_chosen() -> None:
    properties = {
        "key.deserializer": PACKAGE + "StringDeserializer",
        "key.deserializer.deserializer.encoding": "UTF-16",
    }
    convert = deserializer(properties, "key")
    assert convert is not None
    assert convert("hé".encode("utf-16")) == "hé".encode()
    properties["key.deserializer.key.deserializer.encoding"] = "klingon"
    with pytest.raises(UsageError, match="klingon"):
        deserializer(properties, "key")


def test_none_leaves_bytes_alone_and_an_unknown_one_is_refused() -> None:
    assert deserializer({}, "key") is None
    with pytest.raises(UsageError, match=r"no\.such"):
        deserializer({"headers.deserializer": "no.such"}, "headers")
