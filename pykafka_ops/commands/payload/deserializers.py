"""Kafka's deserializers as text: what ``toString`` of the Java object shows of the bytes."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping

from pykafka_ops.disk.text import java_text
from pykafka_ops.errors import DeserializeError, UsageError
from pykafka_ops.java_numbers import java_decimal

Deserializer = Callable[[bytes], bytes]


def _number(name: str, form: str) -> Deserializer:
    size = struct.calcsize(form)

    def text(data: bytes) -> bytes:
        if len(data) != size:
            raise DeserializeError(f"Size of data received by {name} is not {size}")
        value = struct.unpack(form, data)[0]
        if form == ">d":
            return java_decimal(repr(value)).encode()
        return (java_decimal(_shortest_float(data)) if form == ">f" else str(value)).encode()

    return text


def _shortest_float(data: bytes) -> str:
    """The shortest decimal that is this 32-bit float."""
    value = struct.unpack(">f", data)[0]
    for digits in range(1, 10):
        text = f"{value:.{digits}g}"
        try:
            if struct.pack(">f", float(text)) == data:
                return text
        except OverflowError:
            continue
    return repr(value)


def _uuid(data: bytes) -> bytes:
    import uuid

    try:
        return str(uuid.UUID(data.decode("utf-8"))).encode()
    except ValueError as error:
        raise DeserializeError(f"Error parsing data into UUID: {error}") from None


def _boolean(data: bytes) -> bytes:
    if len(data) != 1:
        raise DeserializeError("Size of data received by BooleanDeserializer is not 1")
    if data[0] > 1:
        raise DeserializeError(f"Unexpected byte received by BooleanDeserializer: {data[0]}")
    return b"true" if data[0] else b"false"


def _void(data: bytes) -> bytes:
    raise DeserializeError("Data should be null for a VoidDeserializer.")


def _java_bytes(data: bytes) -> bytes:
    """``Bytes.toString``: printable ASCII as it is, the rest as ``\\xNN``."""
    if data.isascii() and data.decode("ascii").isprintable() and b"\\" not in data:
        return data
    return b"".join(bytes((b,)) if 32 <= b <= 126 and b != 0x5C else b"\\x%02X" % b for b in data)


DESERIALIZERS: dict[str, Deserializer | None] = {
    "StringDeserializer": lambda data: java_text(data).encode(),
    "ByteArrayDeserializer": None,
    "ByteBufferDeserializer": None,
    "BytesDeserializer": _java_bytes,
    "LongDeserializer": _number("LongDeserializer", ">q"),
    "IntegerDeserializer": _number("IntegerDeserializer", ">i"),
    "ShortDeserializer": _number("ShortDeserializer", ">h"),
    "DoubleDeserializer": _number("DoubleDeserializer", ">d"),
    "FloatDeserializer": _number("FloatDeserializer", ">f"),
    "UUIDDeserializer": _uuid,
    "BooleanDeserializer": _boolean,
    "VoidDeserializer": _void,
}


def deserializer(properties: Mapping[str, str], part: str) -> Deserializer | None:
    """Of ``PART.deserializer``, a Java class name; None leaves the bytes as they are.

    Its own settings are those that start with ``PART.deserializer.``; the one that matters is
    ``deserializer.encoding`` of StringDeserializer. UsageError for what is not known.
    """
    name = properties.get(f"{part}.deserializer")
    if not name:
        return None
    short = name.rpartition(".")[2]
    if short not in DESERIALIZERS:
        raise UsageError(
            f"deserializer {name} is not known here: use one of {', '.join(sorted(DESERIALIZERS))}"
        )
    if short == "StringDeserializer":
        for setting in (f"{part}.deserializer.encoding", "deserializer.encoding"):
            charset = properties.get(f"{part}.deserializer.{setting}")
            if charset:
                return _charset(charset)
    return DESERIALIZERS[short]


def _charset(name: str) -> Deserializer:
    import codecs

    try:
        decode = codecs.lookup(name).decode
    except LookupError:
        raise UsageError(f"deserializer.encoding {name}: no such character set") from None
    return lambda data: decode(data, "replace")[0].encode()
