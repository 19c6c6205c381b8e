"""What a key or a value is made of, by its bytes alone.

Of Confluent's wire format (a zero, the schema's id as int32, the data) the bytes do not say of what
kind the schema is: what the data could be is told, for many of one id to be judged together.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from pykafka_ops.errors import DeserializeError
from pykafka_ops.payload.exact_json import read_json
from pykafka_ops.payload.protobuf import read_indexes, varint
from pykafka_ops.payload.text import readable_text, whole_characters

NULL, EMPTY, JSON, TEXT, NUMBER, UUID, BINARY = (
    "null", "empty", "json", "text", "number", "uuid", "binary",
)  # fmt: skip
AVRO, AVRO_FILE, PROTOBUF, JSON_SCHEMA = "avro", "avro-file", "protobuf", "json-schema"
REGISTRY: Final = "registry"
"""Confluent's wire format, of whatever schema."""
KINDS: Final = (
    JSON, AVRO, PROTOBUF, JSON_SCHEMA, AVRO_FILE, TEXT, NUMBER, UUID, BINARY, EMPTY, NULL,
)  # fmt: skip
HEADER_BYTES: Final = 5
LOOKED_AT: Final = 64 << 10
"""Of a larger value the beginning and the end are looked at."""
_MOST_ID: Final = 100_000_000
_CONTAINER: Final = b"Obj\x01"
_UUID: Final = re.compile(r"\{?[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\}?")
_NUMBER: Final = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,4})?")
_INTS: Final = (4, 8)
_MOST_FIELD: Final = (1 << 29) - 1


class PayloadKind(NamedTuple):
    """``kind``: one of ``KINDS``, or REGISTRY with the ``schema`` id and which of PROTOBUF and
    JSON_SCHEMA its data ``could_be``."""

    kind: str
    schema: int | None = None
    could_be: tuple[str, ...] = ()


def kind_of(data: bytes | None) -> PayloadKind:
    """What the bytes are; nothing is raised whatever they are."""
    if data is None:
        return PayloadKind(NULL)
    if not data:
        return PayloadKind(EMPTY)
    if data.startswith(_CONTAINER):
        return PayloadKind(AVRO_FILE)
    schema = _schema_id(data)
    if schema is not None:
        body = data[HEADER_BYTES:]
        fits = (PROTOBUF, _is_protobuf(body)), (JSON_SCHEMA, _is_json(body))
        return PayloadKind(REGISTRY, schema, tuple(kind for kind, does in fits if does))
    if _is_json(data):
        return PayloadKind(JSON)
    return PayloadKind(_plain(data))


def _schema_id(data: bytes) -> int | None:
    """The id where they may be of Confluent's format: a number of 8 bytes is taken for a number."""
    if len(data) <= HEADER_BYTES or data[0] or len(data) in _INTS:
        return None
    found = int.from_bytes(data[1:HEADER_BYTES], "big", signed=True)
    return found if 0 < found <= _MOST_ID else None


def _is_json(data: bytes) -> bool:
    """Whether it is an object or a list of JSON; of what is large by its ends."""
    begin = data[:LOOKED_AT].lstrip()[:1]
    if begin not in (b"{", b"["):
        return False
    if len(data) > LOOKED_AT:
        end = data[-LOOKED_AT:].rstrip()[-1:]
        head = data[:LOOKED_AT]
        sound = readable_text(head[: whole_characters(head)]) is not None
        return sound and end == (b"}" if begin == b"{" else b"]")
    try:
        read_json(data)
    except DeserializeError:
        return False
    return True


def _plain(data: bytes) -> str:
    head = data[:LOOKED_AT]
    text = readable_text(head if len(data) <= LOOKED_AT else head[: whole_characters(head)])
    if text is not None:
        if len(text) <= 64 and _UUID.fullmatch(text):
            return UUID
        return NUMBER if len(text) <= 64 and _NUMBER.fullmatch(text) else TEXT
    if len(data) == 16 and 1 <= data[6] >> 4 <= 8 and data[8] >> 6 == 2:  # RFC 9562
        return UUID
    return NUMBER if len(data) in _INTS else BINARY


def _is_protobuf(data: bytes) -> bool:
    """Whether message indexes are followed by fields of Protobuf up to the end; of what is large
    as far as it is looked at."""
    try:
        _, at = read_indexes(data)
    except DeserializeError:
        return False
    end = len(data)
    while at < end:
        if at > LOOKED_AT:
            return True
        tag, at = varint(data, at)
        if tag < 0 or not 1 <= tag >> 3 <= _MOST_FIELD:
            return False
        at = _behind(data, at, tag & 7)
        if at < 0:
            return False
    return at == end


def _behind(data: bytes, at: int, wire: int) -> int:
    """Where a field ends; -1 where it is none."""
    if wire == 0:
        value, at = varint(data, at)
        return at if value >= 0 else -1
    if wire == 2:
        size, at = varint(data, at)
        return at + size if 0 <= size <= len(data) - at else -1
    return {1: at + 8, 5: at + 4}.get(wire, -1)


def schema_kind(records: int, protobuf: int, json: int) -> str:
    """What a schema is of whose ``records`` so many could be Protobuf, or are JSON: that if nearly
    all are, else Avro, which fits any bytes."""
    if json * 20 >= records * 19:
        return JSON_SCHEMA
    return PROTOBUF if protobuf * 20 >= records * 19 else AVRO
