"""Which format keys and values have, by the options, and the columns that makes."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from pykafka_ops.errors import UsageError
from pykafka_ops.spark import schemas
from pykafka_ops.spark.sources.formats.codec import ValueCodec
from pykafka_ops.spark.sources.formats.decoded import Decoded, DecodedReader, Decoding
from pykafka_ops.spark.sources.formats.json_format import json_codec

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

    from pykafka_ops.spark.sources.filtered import FilteredReader
    from pykafka_ops.spark.sources.options import SourceOptions

FORMATS: Final = ("json", "avro", "protobuf")
_TYPE: Final = re.compile(r"\s*(variant|string|(array|map|struct)\s*<.*>)\s*$", re.I | re.S)


def has_formats(options: SourceOptions) -> bool:
    """Whether keys or values are to be decoded."""
    return any(options.has(f"{column}_format") for column in ("key", "value"))


def table(options: SourceOptions, usual: pa.Schema) -> StructType | str:
    """The columns for Spark, where there are formats; ``usual`` are those without them. In DDL as
    soon as the user has written a part of it."""
    from pykafka_ops.spark.schemas import struct

    codecs = _codecs(options)
    failfast = _failfast(options)
    names: list[str] = []
    for name in options.words("columns") or usual.names:
        names.append(name)
        if name in codecs and not failfast and not options.has("columns"):
            names.append(f"{name}_error")
    parts = []
    plain = {f.name: f for f in schemas.EVERY_LOG_RECORD}
    for name in dict.fromkeys(names):
        kind = _sql(options, codecs, name)
        if kind is None and name not in plain:
            raise UsageError(f"option columns: no column {name}: it has {', '.join(plain)}")
        parts.append((name, kind or struct(pa.schema([plain[name]]))[0].dataType.simpleString()))
    return ", ".join(f"`{name}` {kind}" for name, kind in parts)


def _sql(options: SourceOptions, codecs: dict[str, ValueCodec], name: str) -> str | None:
    """The type of a column that a format makes; None of another."""
    for column, codec in codecs.items():
        if name == f"{column}_error":
            return "string"
        if name == f"raw_{column}":
            return "binary"
        if name == column:
            if codec.kind is None:
                return _ddl(options.text(f"{column}_schema"))
            from pyspark.sql.pandas.types import from_arrow_type

            return str(from_arrow_type(codec.kind, prefer_timestamp_ntz=True).simpleString())
    return None


def _ddl(text: str) -> str:
    return text if _TYPE.match(text) else f"struct<{text}>"


def decoded_of(options: SourceOptions, schema: StructType, records: pa.Schema) -> Decoded:
    """From records to the columns of ``schema``; UsageError for one that there is not."""
    columns = schemas.arrow(schema)
    decodings = []
    for column, codec in _codecs(options).items():
        name = options.text(f"{column}_format").lower()
        if name == "json":
            there = column in columns.names
            kind = columns.field(column).type if there else pa.string()
            variant = there and schema[column].dataType.typeName() == "variant"
            codec = json_codec(kind, variant=variant)
        decodings.append(Decoding(column, name, codec, _failfast(options)))
    made = {n: t for one in decodings for n, t in (
        (one.column, None), (one.error, pa.string()), (one.raw, pa.binary()),
    )}  # fmt: skip
    for field in columns:
        if made.get(field.name, field.type) not in (None, field.type):
            raise UsageError(f"column {field.name} is {made[field.name]}, not {field.type}")
    plain = pa.schema([field for field in columns if field.name not in made])
    schemas.narrowed(plain, records, "a source of records")
    return Decoded(decodings, columns, records)


def decoded_reader(
    options: SourceOptions,
    schema: StructType,
    records: pa.Schema,
    make: Callable[[pa.Schema], FilteredReader],
) -> DecodedReader:
    """A reader of decoded columns over the one of records that ``make`` makes."""
    return DecodedReader(make, decoded_of(options, schema, records))


def _failfast(options: SourceOptions) -> bool:
    return options.one_of("decode_mode", ("permissive", "failfast")) == "failfast"


def _codecs(options: SourceOptions) -> dict[str, ValueCodec]:
    """By column; of JSON, whose type is the user's, without one."""
    found = {}
    for column in ("key", "value"):
        name = options.text(f"{column}_format").lower()
        if not name:
            continue
        if name not in FORMATS:
            raise UsageError(f"option {column}_format={name}: not one of {', '.join(FORMATS)}")
        found[column] = _codec(options, column, name)
    return found


def _codec(options: SourceOptions, column: str, name: str) -> ValueCodec:
    schema = options.text(f"{column}_schema")
    if name == "json":
        return ValueCodec(None if schema else pa.string(), lambda data: data)
    if name == "protobuf":
        from pykafka_ops.spark.sources.formats.protobuf_format import protobuf_of_file

        message = options.text(f"{column}_message")
        if not schema or not message:
            raise UsageError(
                f"option {column}_format=protobuf: {column}_schema names the file of protoc "
                f"--include_imports --descriptor_set_out, {column}_message the message"
            )
        return protobuf_of_file(schema, message)
    from pykafka_ops.spark.sources.formats import avro_format

    if not options.has("schema.registry.url"):
        if not schema:
            raise UsageError(
                f"option {column}_format=avro: {column}_schema names a schema file, or "
                "schema.registry.url a registry"
            )
        return avro_format.avro_of_file(schema)
    from pykafka_ops.spark.sources.formats.registry import Registry

    login, ca = options.text("basic.auth.user.info"), options.text("schema.registry.ca")
    registry = Registry(options.text("schema.registry.url"), login, ca)
    subject = "" if schema else _subject(options, column)
    return avro_format.avro_of_registry(registry, subject, schema)


def _subject(options: SourceOptions, column: str) -> str:
    if options.has(f"{column}_subject"):
        return options.text(f"{column}_subject")
    topics = options.words("subscribe")
    if len(topics) != 1:
        raise UsageError(
            f"option {column}_subject is missing: the subject in the registry whose newest schema "
            "the column has (of one topic in subscribe it is TOPIC-value or TOPIC-key)"
        )
    return f"{topics[0]}-{column}"
