"""Avro by a schema file or a schema registry, typed as Spark's own ``from_avro`` types it.

Unions of several types, and a type within itself, are JSON text; so are the times of a day.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import pyarrow as pa

from pykafka_ops.errors import DeserializeError, UsageError
from pykafka_ops.payload.avro import ParsedSchema, parsed, typed_reader
from pykafka_ops.spark.sources.formats.codec import (
    UTC_MICROS,
    Typed,
    ValueCodec,
    json_text,
    list_of,
    map_of,
    struct_of,
)
from pykafka_ops.spark.sources.formats.registry import Registry

HEADER: Final = 5
"""Confluent's wire format: a zero, the schema's id in the registry (int32), then the data."""
_PLAIN: Final[Mapping[str, pa.DataType]] = {
    "boolean": pa.bool_(),
    "int": pa.int32(),
    "long": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "bytes": pa.binary(),
    "string": pa.string(),
    "enum": pa.string(),
    "fixed": pa.binary(),
    "null": pa.string(),
}
_LOGICAL: Final[Mapping[str, Typed]] = {
    "date": Typed(pa.date32()),
    "timestamp-millis": Typed(UTC_MICROS),
    "timestamp-micros": Typed(UTC_MICROS),
    "local-timestamp-millis": Typed(pa.timestamp("us")),
    "local-timestamp-micros": Typed(pa.timestamp("us")),
    "time-millis": Typed(pa.string(), str),
    "time-micros": Typed(pa.string(), str),
    "uuid": Typed(pa.string(), str),
}
_WIDER: Final = (({"int", "long"}, pa.int64()), ({"int", "long", "float", "double"}, pa.float64()))
_JSON: Final = Typed(pa.string(), json_text)


def avro_of_file(path: str) -> ValueCodec:
    """By the schema in a file; a header of Confluent's before the data is left aside."""
    schema = parsed(_text_of(path), f"Avro schema {path}")
    made, read = typed(schema), typed_reader(schema)

    def value(data: bytes) -> Any:
        trouble: DeserializeError | None = None
        if len(data) >= HEADER and data[0] == 0:
            try:
                return made.of(read(data[HEADER:]))
            except DeserializeError as e:
                trouble = e
        try:
            return made.of(read(data))
        except DeserializeError:
            if trouble is None:
                raise
            raise trouble from None

    return ValueCodec(made.kind, value)


def avro_of_registry(registry: Registry, subject: str, path: str = "") -> ValueCodec:
    """By the newest schema of ``subject``, or the one in a file; what was written with others is
    read as Avro's schema resolution has it, by the schema whose id comes before the data."""
    schema = parsed(_text_of(path), f"Avro schema {path}") if path else registry.newest(subject)
    made = typed(schema)

    def reader_of(number: int) -> Callable[[bytes], object]:
        try:
            return typed_reader(registry.written(number), into=schema)
        except DeserializeError as e:
            return _refusing(str(e))

    readers: dict[int, Callable[[bytes], object]] = {}

    def value(data: bytes) -> Any:
        if len(data) < HEADER or data[0] != 0:
            raise DeserializeError("no id of a schema before it (Confluent's wire format)")
        number = int.from_bytes(data[1:HEADER], "big")
        if number not in readers:
            readers[number] = reader_of(number)
        return made.of(readers[number](data[HEADER:]))

    return ValueCodec(made.kind, value)


def _refusing(reason: str) -> Callable[[bytes], object]:
    """What reads nothing: a schema that there is not is asked for once, not for every record."""

    def read(data: bytes) -> object:
        raise DeserializeError(reason)

    return read


def typed(schema: ParsedSchema) -> Typed:
    """The type of a schema's values; UsageError for one that has no columns."""
    return _typed(schema.schema, dict(schema.named), ())


def _typed(schema: Any, named: dict[str, Any], above: tuple[str, ...]) -> Typed:
    if isinstance(schema, str):
        if schema in _PLAIN:
            return Typed(_PLAIN[schema])
        return _JSON if schema in above else _typed(named[schema], named, above)
    if isinstance(schema, list):
        return _union(schema, named, above)
    if "name" in schema:
        named[schema["name"]] = schema
    kind = schema["type"]
    if kind in ("record", "error"):
        inside = (*above, schema["name"])
        fields = {f["name"]: _typed(f["type"], named, inside) for f in schema["fields"]}
        return struct_of(fields) if fields else _JSON
    if kind == "array":
        return list_of(_typed(schema["items"], named, above))
    if kind == "map":
        return map_of(_typed(schema["values"], named, above))
    logical = schema.get("logicalType")
    if logical == "decimal" and schema.get("precision", 99) <= 38:
        return Typed(pa.decimal128(schema["precision"], schema.get("scale", 0)))
    if logical in _LOGICAL and not (logical == "uuid" and kind == "fixed"):
        return _LOGICAL[logical]
    return _typed(kind, named, above)


def _union(schemas: list[Any], named: dict[str, Any], above: tuple[str, ...]) -> Typed:
    some = [one for one in schemas if one != "null"]
    if len(some) == 1:
        return _typed(some[0], named, above)
    names = {one for one in some if isinstance(one, str)}
    for members, kind in _WIDER:
        if len(names) == len(some) > 0 and names <= members:
            return Typed(kind)
    for one in some:
        _typed(one, named, above)
    return _JSON


def _text_of(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError as e:
        raise UsageError(f"Avro schema {path}: {e.strerror}") from None
    except ValueError as e:
        raise UsageError(f"Avro schema {path}: no JSON: {e}") from None
