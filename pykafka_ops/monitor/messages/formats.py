"""Formats that need no schema: text, JSON, numbers, hexadecimal."""

from __future__ import annotations

from base64 import b64encode
from typing import Final

from pykafka_ops.errors import DeserializeError
from pykafka_ops.monitor.messages.parts import DecodedPart, hex_part
from pykafka_ops.payload.exact_json import NumberText, read_json
from pykafka_ops.payload.text import readable_text, whole_characters

AUTO, REGISTRY = "auto", "registry"
NAMES: Final = (AUTO, "utf-8", "json", "hex", "base64", "int", "long", REGISTRY)
"""What may be asked for; Avro and Protobuf with a file are for the configuration alone."""
DECODED_BYTES: Final = 2 << 20
"""A larger key or value is not decoded: its beginning is shown."""
SHOWN_BYTES: Final = 64 << 10
_INTS: Final = {"int": 4, "long": 8}


def plain_part(name: str, data: bytes) -> DecodedPart:
    """Bytes by the name of a format; in hexadecimal, and with the reason, if they are not of it."""
    if len(data) > DECODED_BYTES:
        return _large(name, data)
    try:
        return DecodedPart(name, _read(name, data), len(data), data)
    except DeserializeError as error:
        return hex_part(data, f"not {name}: {error}")


def guessed_part(data: bytes) -> DecodedPart:
    """JSON, else text, else hexadecimal."""
    if len(data) > DECODED_BYTES:
        return _large(AUTO, data)
    error = ""
    if data.lstrip()[:1] in (b"{", b"["):
        try:
            return DecodedPart("json", read_json(data), len(data), data)
        except DeserializeError as why:
            error = f"not json: {why}"
    text = readable_text(data)
    if text is None:
        return hex_part(data, error)
    return DecodedPart("utf-8", text, len(data), data, error=error)


def _read(name: str, data: bytes) -> object:
    if name == "json":
        return read_json(data)
    if name == "utf-8":
        try:
            return data.decode()
        except UnicodeDecodeError as e:
            raise DeserializeError(f"{e.reason} at byte {e.start}") from None
    if name == "hex":
        return data.hex(" ")
    if name == "base64":
        return b64encode(data).decode()
    if len(data) != _INTS[name]:
        raise DeserializeError(f"{_INTS[name]} bytes are expected, {len(data)} are there")
    return NumberText(int.from_bytes(data, "big", signed=True))


def _large(name: str, data: bytes) -> DecodedPart:
    why = (
        f"{len(data):,} bytes: more than {DECODED_BYTES:,} are not decoded, the beginning is shown"
    )
    head = data[:SHOWN_BYTES]
    if name in (AUTO, "utf-8", "json"):
        text = readable_text(head[: whole_characters(head)])
        if text is not None:
            return DecodedPart("utf-8", text, len(data), data, error=why, cut=True)
    return hex_part(data, why)
