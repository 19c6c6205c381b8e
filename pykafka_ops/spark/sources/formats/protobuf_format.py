"""Protobuf by a descriptor file and the name of a message, typed as Spark's ``from_protobuf``.

Numbers without sign get the next wider type. A message within itself, ``Any``, ``Struct`` and
``Value`` are JSON text. What Confluent's serializers write before a message is left aside.
"""

from __future__ import annotations

from datetime import UTC
from typing import Any, Final

import pyarrow as pa

from pykafka_ops.errors import DeserializeError, UsageError
from pykafka_ops.payload.protobuf import ProtobufFiles, read_indexes
from pykafka_ops.spark.sources.formats.codec import UTC_MICROS, Typed, ValueCodec

_HEADER: Final = 5
_GOOGLE: Final = "google.protobuf."
_ANY: Final = tuple(_GOOGLE + name for name in ("Any", "Struct", "Value", "ListValue"))
_WRAPPERS: Final = tuple(
    _GOOGLE + name
    for name in (
        "BoolValue", "BytesValue", "DoubleValue", "FloatValue", "Int32Value", "Int64Value",
        "StringValue", "UInt32Value", "UInt64Value",
    )
)  # fmt: skip
_KINDS: Final = {
    1: pa.float64(), 2: pa.float32(), 3: pa.int64(), 4: pa.decimal128(20, 0), 5: pa.int32(),
    6: pa.decimal128(20, 0), 7: pa.int64(), 8: pa.bool_(), 9: pa.string(), 12: pa.binary(),
    13: pa.int64(), 15: pa.int32(), 16: pa.int64(), 17: pa.int32(), 18: pa.int64(),
}  # fmt: skip
"""By FieldDescriptor.TYPE_*."""
_ENUM: Final = 14


def protobuf_of_file(path: str, message: str) -> ValueCodec:
    """By a descriptor set (``protoc --include_imports --descriptor_set_out``)."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as e:
        raise UsageError(f"descriptors {path}: {e.strerror}") from None
    descriptor = ProtobufFiles.of_set(data, f"descriptors {path}").descriptor(message)
    made = _message(descriptor, ())
    from google.protobuf import message_factory

    kind: Any = message_factory.GetMessageClass(descriptor)

    def read(raw: bytes) -> Any:
        if raw[:1] == b"\0":  # no message begins so
            if len(raw) < _HEADER:
                raise DeserializeError("cut short")
            raw = raw[_HEADER + read_indexes(raw[_HEADER:])[1] :]
        one = kind()
        try:
            one.ParseFromString(raw)
            return made.of(one)
        except (ValueError, OverflowError) as e:
            raise DeserializeError(f"no {message}: {' '.join(str(e).split())}") from None
        except Exception:  # DecodeError, which says nothing of where
            raise DeserializeError(f"no {message}: cut short or of another") from None

    return ValueCodec(made.kind, read)


def _message(descriptor: Any, above: tuple[str, ...]) -> Typed:
    name = descriptor.full_name
    if name == _GOOGLE + "Timestamp":
        return Typed(UTC_MICROS, lambda value: value.ToDatetime(tzinfo=UTC))
    if name == _GOOGLE + "Duration":
        return Typed(pa.duration("us"), lambda value: value.ToTimedelta())
    if name in _WRAPPERS:
        (field,) = descriptor.fields
        inner = _single(field, above)
        return Typed(inner.kind, lambda value: inner.of(value.value))
    if name in _ANY or name in above or not descriptor.fields:
        return Typed(pa.string(), _json)
    fields = [(f.name, f.has_presence, _field(f, (*above, name))) for f in descriptor.fields]
    kind = pa.struct([(name, one.kind) for name, _, one in fields])

    def convert(value: Any) -> dict[str, Any]:
        return {
            name: None if presence and not value.HasField(name) else one.of(getattr(value, name))
            for name, presence, one in fields
        }

    return Typed(kind, convert)


def _field(field: Any, above: tuple[str, ...]) -> Typed:
    if not _repeated(field):
        return _single(field, above)
    entry = field.message_type
    if entry is not None and entry.GetOptions().map_entry:
        key, item = (_single(entry.fields_by_name[name], above) for name in ("key", "value"))
        return Typed(
            pa.map_(key.kind, item.kind),
            lambda value: [(key.of(k), item.of(value[k])) for k in value],
        )
    one = _single(field, above)
    return Typed(pa.list_(one.kind), lambda value: [one.of(item) for item in value])


def _single(field: Any, above: tuple[str, ...]) -> Typed:
    if field.message_type is not None:
        return _message(field.message_type, above)
    if field.type == _ENUM:
        names = {number: value.name for number, value in field.enum_type.values_by_number.items()}
        return Typed(pa.string(), lambda number: names.get(number, str(number)))
    return Typed(_KINDS[field.type])


def _repeated(field: Any) -> bool:
    known = getattr(field, "is_repeated", None)  # of protobuf 6 and newer
    return bool(field.label == field.LABEL_REPEATED if known is None else known)


def _json(value: Any) -> str:
    from google.protobuf import json_format

    text: str = json_format.MessageToJson(value, preserving_proto_field_name=True, indent=None)
    return text
