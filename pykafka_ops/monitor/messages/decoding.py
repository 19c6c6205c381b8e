"""Keys and values of a topic, by its configuration, the registry, or what they look like."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from pykafka_ops.disk.record import Record
from pykafka_ops.errors import DeserializeError, UsageError
from pykafka_ops.monitor.messages.formats import (
    AUTO,
    DECODED_BYTES,
    REGISTRY,
    guessed_part,
    plain_part,
)
from pykafka_ops.monitor.messages.internal import internal_parts, marker_parts
from pykafka_ops.monitor.messages.masks import TopicMask
from pykafka_ops.monitor.messages.parts import DecodedPart, hex_part
from pykafka_ops.monitor.messages.registry import SchemaRegistry
from pykafka_ops.monitor.messages.settings import DecodeRule
from pykafka_ops.monitor.messages.shown import MOST_HEADERS, ShownRecord
from pykafka_ops.payload.avro import reader
from pykafka_ops.payload.exact_json import check_depth
from pykafka_ops.payload.protobuf import ProtobufFiles, read_indexes

HEADER_BYTES: Final = 5
"""A zero and the id of a schema (int32), before the data: Confluent's wire format."""
Read = Callable[[bytes], object]


class SchemaFiles:
    """Schemas that the configuration names, read when the monitor starts. UsageError."""

    def __init__(self, rules: tuple[DecodeRule, ...]) -> None:
        self._read: dict[str, Read] = {}
        for rule in rules:
            for spec in (rule.key, rule.value):
                if ":" in spec and spec not in self._read:
                    self._read[spec] = _file_reader(spec)

    def reader(self, spec: str) -> Read | None:
        """What reads by ``avro:FILE`` or ``protobuf:FILE:MESSAGE``; None of another format."""
        return self._read.get(spec)


def _file_reader(spec: str) -> Read:
    kind, _, rest = spec.partition(":")
    if kind == "avro":
        return reader(os.path.expanduser(rest))
    path, _, message = rest.rpartition(":")
    what = f"descriptors {path}"
    try:
        with open(os.path.expanduser(path), "rb") as file:
            data = file.read()
    except OSError as error:
        raise UsageError(f"{what}: {error.strerror}") from None
    return ProtobufFiles.of_set(data, what).by_name(message)


class TopicDecoder:
    """Makes of the records of a topic what may be seen of them.

    ``key`` and ``value`` are formats; ``seconds`` says how long the registry may be waited for.
    """

    def __init__(
        self,
        topic: str,
        mask: TopicMask,
        *,
        key: str = AUTO,
        value: str = AUTO,
        files: SchemaFiles,
        registry: SchemaRegistry | None,
        seconds: Callable[[], float],
    ) -> None:
        self._topic, self.mask = topic, mask
        self._formats = (key, value)
        self._files, self._registry, self._seconds = files, registry, seconds

    def shown(self, partition: int, record: Record, state: str) -> ShownRecord:
        """A record, decoded and masked; its parts still have their bytes where no mask is."""
        key, value = self._parts(record, state)
        headers = [
            (name, self.mask.header(name, _null() if data is None else guessed_part(data)))
            for name, data in record.headers[:MOST_HEADERS]
        ]
        return ShownRecord(
            partition, record.offset, record.timestamp, state,
            self.mask.key(key), self.mask.value(value),
            headers, len(record.headers) - len(headers),
        )  # fmt: skip

    def key(self, data: bytes | None) -> DecodedPart:
        """A key as it may be seen."""
        return self.mask.key(self._part(self._formats[0], data))

    def _parts(self, record: Record, state: str) -> tuple[DecodedPart, DecodedPart]:
        if state == "control":
            return marker_parts(record)
        internal = internal_parts(self._topic, record)
        if internal is not None and self._formats == (AUTO, AUTO):
            return internal
        key, value = self._formats
        return self._part(key, record.key), self._part(value, record.value)

    def _part(self, spec: str, data: bytes | None) -> DecodedPart:
        if data is None:
            return _null()
        read = self._files.reader(spec)
        if read is not None:
            return _by_file(spec, read, data)
        if spec == REGISTRY or (spec == AUTO and data[:1] == b"\x00"):
            return self._by_registry(spec, data)
        return guessed_part(data) if spec == AUTO else plain_part(spec, data)

    def _by_registry(self, spec: str, data: bytes) -> DecodedPart:
        if len(data) < HEADER_BYTES or data[0]:
            wrong = "it does not begin with a zero and the id of a schema"
            return guessed_part(data) if spec == AUTO else hex_part(data, f"not registry: {wrong}")
        number = int.from_bytes(data[1:HEADER_BYTES], "big")
        if spec == AUTO and number == 0:  # registries count from 1: a number of 8 bytes, perhaps
            return guessed_part(data)
        if self._registry is None:
            why = f"begins as of schema {number}; this cluster has no [schema-registry]"
            return hex_part(data, why, number)
        if len(data) > DECODED_BYTES:
            return replace(guessed_part(data), schema_id=number)
        try:
            schema = self._registry.schema(number, self._seconds())
        except DeserializeError as error:
            return hex_part(data, str(error), number)
        try:
            found = schema.read(data[HEADER_BYTES:])
            check_depth(found)
        except DeserializeError as error:
            return hex_part(data, f"not of schema {number} ({schema.kind}): {error}", number)
        return DecodedPart(schema.kind, found, len(data), data, number, schema.name)


def _null() -> DecodedPart:
    return DecodedPart("null", None, None)


def _by_file(spec: str, read: Read, data: bytes) -> DecodedPart:
    kind = spec.partition(":")[0]
    if len(data) > DECODED_BYTES:
        return guessed_part(data)
    confluent = len(data) > HEADER_BYTES and data[0] == 0
    number = int.from_bytes(data[1:HEADER_BYTES], "big") if confluent else None
    try:
        body = data
        if confluent and kind == "protobuf":  # no message of Protobuf begins with a zero
            body = data[HEADER_BYTES:]
            body = body[read_indexes(body)[1] :]
        found = read(body)
        check_depth(found)
    except DeserializeError as error:
        return hex_part(data, f"not {kind}: {error}", number)
    return DecodedPart(kind, found, len(data), data, number, spec.partition(":")[2])
