"""Versioned structs inside record keys and values, as tables on dataclasses.

Kafka generates such code from ``*Key.json``, ``*Value.json`` and ``ConsumerProtocol*.json``. A
class lists its fields once with ``kept``; ``read_struct``, ``write_struct`` and ``to_json`` walk
that table. Error texts are those of Kafka's generated readers, since ``dump-log`` prints them.
"""

from __future__ import annotations

import dataclasses
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable
from struct import Struct as Packer
from typing import Any, ClassVar, NamedTuple, TypeVar, dataclass_transform

from pykafka_ops.disk.text import java_text
from pykafka_ops.disk.varint import unsigned
from pykafka_ops.errors import CorruptError

NEVER = 1 << 15
_INTS = {
    "int8": Packer(">b"),
    "int16": Packer(">h"),
    "uint16": Packer(">H"),
    "int32": Packer(">i"),
    "int64": Packer(">q"),
    "uint32": Packer(">I"),
    "bool": Packer(">?"),
    "float64": Packer(">d"),
}
DEFAULTS: dict[str, Any] = {"string": "", "bytes": b"", "uuid": bytes(16)}


class RecordField(NamedTuple):
    """One field: ``kind`` is a scalar's name or a Struct class, ``many`` makes it an array."""

    attr: str
    kind: str | type[RecordStruct]
    many: bool
    first: int
    last: int
    nullable: int
    tag: int | None
    default: Any
    name: str


class RecordStruct:
    """Base of all: ``FIELDS`` in order, ``FLEXIBLE`` the first version with tagged fields."""

    __slots__ = ()
    FIELDS: ClassVar[tuple[RecordField, ...]] = ()
    FLEXIBLE: ClassVar[int] = NEVER


S = TypeVar("S", bound=RecordStruct)


def kept(
    kind: str | type[RecordStruct],
    *,
    many: bool = False,
    first: int = 0,
    last: int = NEVER,
    nullable: int = NEVER,
    tag: int | None = None,
    default: Any = dataclasses.MISSING,
) -> Any:
    """Declare a field of versions ``first`` to ``last``; null is allowed from ``nullable`` on."""
    names = ("kind", "many", "first", "last", "nullable", "tag")
    meta = dict(zip(names, (kind, many, first, last, nullable, tag), strict=True))
    if many and default is dataclasses.MISSING:
        return dataclasses.field(default_factory=list, metadata=meta)
    if default is dataclasses.MISSING:
        default = DEFAULTS.get(kind, 0) if isinstance(kind, str) else None
    return dataclasses.field(default=default, metadata=meta)


@dataclass_transform(kw_only_default=True, field_specifiers=(kept,))
def table(*, flexible: int = NEVER) -> Callable[[type[S]], type[S]]:
    """Make a slotted, keyword-only dataclass with its ``FIELDS`` and ``FLEXIBLE``."""

    def make(plain: type[S]) -> type[S]:
        cls: Any = dataclasses.dataclass(slots=True, kw_only=True)(plain)
        rows = []
        for item in dataclasses.fields(cls):
            head, *words = item.name.split("_")
            name = head + "".join(word.capitalize() for word in words)
            rows.append(
                RecordField(attr=item.name, default=item.default, name=name, **item.metadata)
            )
        cls.FIELDS = tuple(rows)
        cls.FLEXIBLE = flexible
        made: type[S] = cls
        return made

    return make


class ByteReader:
    """A place in bytes; every read is held against what remains (CorruptError)."""

    __slots__ = ("data", "pos")

    def __init__(self, data: bytes, pos: int = 0) -> None:
        self.data = data
        self.pos = pos

    def integer(self, packer: Packer) -> int:
        """A fixed-width integer (or boolean, or double)."""
        pos = self.pos
        end = pos + packer.size
        if end > len(self.data):
            raise CorruptError("null")  # the message of Java's BufferUnderflowException
        self.pos = end
        value: int = packer.unpack_from(self.data, pos)[0]
        return value

    def unsigned(self) -> int:
        """An unsigned varint of at most 32 bits."""
        value = shift = 0
        while True:
            if self.pos >= len(self.data):
                raise CorruptError("null")
            byte = self.data[self.pos]
            self.pos += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7
            if shift > 28:
                raise CorruptError(
                    "Varint is too long, the most significant bit in the 5th byte is set"
                )

    def take(self, size: int) -> bytes:
        """``size`` bytes."""
        left = len(self.data) - self.pos
        if size > left:
            raise CorruptError(
                f"Error reading byte array of {size} byte(s): only {left} byte(s) available"
            )
        start = self.pos
        self.pos += size
        return self.data[start : self.pos]


def _length(reader: ByteReader, field: RecordField, flexible: bool, width: Packer) -> int:
    """A length or count, -1 for an allowed null."""
    size = reader.unsigned() - 1 if flexible else reader.integer(width)
    return max(size, -1)


def _checked(field: RecordField, version: int) -> None:
    if version < field.nullable:
        raise CorruptError(f"non-nullable field {field.name} was serialized as null")


def _is_there(reader: ByteReader, field: RecordField) -> bool:
    """What stands before a struct that may be null."""
    if field.tag is not None:
        return reader.unsigned() > 0
    return reader.integer(_INTS["int8"]) >= 0


def _scalar(reader: ByteReader, field: RecordField, version: int, flexible: bool) -> Any:
    kind = field.kind
    if not isinstance(kind, str):
        if version >= field.nullable and not _is_there(reader, field):
            return None
        return read_struct(kind, reader, version)
    packer = _INTS.get(kind)
    if packer is not None:
        return reader.integer(packer)
    if kind == "uuid":
        if len(reader.data) - reader.pos < 16:
            raise CorruptError("null")  # Java reads two integers
        return reader.take(16)
    text = kind == "string"
    size = _length(reader, field, flexible, _INTS["int16" if text else "int32"])
    if size < 0:
        _checked(field, version)
        return None
    if text and size > 0x7FFF:
        raise CorruptError(f"string field {field.name} had invalid length {size}")
    content = reader.take(size)
    return java_text(content) if text else content


def _value(reader: ByteReader, field: RecordField, version: int, flexible: bool) -> Any:
    if not field.many:
        return _scalar(reader, field, version, flexible)
    count = _length(reader, field, flexible, _INTS["int32"])
    if count < 0:
        _checked(field, version)
        return None
    left = len(reader.data) - reader.pos
    if count > left:
        raise CorruptError(
            f"Tried to allocate a collection of size {count}, but there are only {left} bytes "
            "remaining."
        )
    element = field._replace(name=f"{field.name} element", nullable=NEVER)
    return [_scalar(reader, element, version, flexible) for _ in range(count)]


def read_struct(cls: type[S], reader: ByteReader, version: int) -> S:
    """A ``cls`` at the reader's place; CorruptError where the bytes do not hold one."""
    flexible = version >= cls.FLEXIBLE
    values: dict[str, Any] = {}
    for field in cls.FIELDS:
        if field.tag is None and field.first <= version <= field.last:
            values[field.attr] = _value(reader, field, version, flexible)
    if flexible:
        tagged = {field.tag: field for field in cls.FIELDS if field.tag is not None}
        for _ in range(reader.unsigned()):
            tag, size = reader.unsigned(), reader.unsigned()
            known = tagged.get(tag)
            if known is None:
                reader.take(size)
            elif not known.first <= version <= known.last:
                raise CorruptError(f"Tag {tag} is not valid for version {version}")
            else:
                values[known.attr] = _value(reader, known, version, flexible)
    return cls(**values)


def _write_length(out: bytearray, size: int, flexible: bool, width: Packer) -> None:
    out += unsigned(size + 1) if flexible else width.pack(size)


def _write_scalar(
    out: bytearray, field: RecordField, value: Any, version: int, flexible: bool
) -> None:
    kind = field.kind
    if not isinstance(kind, str):
        if version >= field.nullable:
            out.append(1)
        write_struct(out, value, version)
    elif kind in _INTS:
        out += _INTS[kind].pack(value)
    elif kind == "uuid":
        out += value
    else:
        text = kind == "string"
        content = value.encode() if text else value
        _write_length(out, len(content), flexible, _INTS["int16" if text else "int32"])
        out += content


def _write_value(
    out: bytearray, field: RecordField, value: Any, version: int, flexible: bool
) -> None:
    if value is None:
        if version < field.nullable:
            raise ValueError(f"{field.name} may not be null in version {version}")
        if not (field.many or isinstance(field.kind, str)):
            out += b"\x00" if field.tag is not None else b"\xff"
            return
        width = "int16" if field.kind == "string" and not field.many else "int32"
        _write_length(out, -1, flexible, _INTS[width])
    elif field.many:
        _write_length(out, len(value), flexible, _INTS["int32"])
        element = field._replace(nullable=NEVER)
        for item in value:
            _write_scalar(out, element, item, version, flexible)
    else:
        _write_scalar(out, field, value, version, flexible)


def write_struct(out: bytearray, struct: RecordStruct, version: int) -> None:
    """Append ``struct`` in ``version``; fields that version lacks are left out.

    Raises ValueError on a null where the version allows none.
    """
    flexible = version >= struct.FLEXIBLE
    tagged: list[tuple[int, bytearray]] = []
    for field in struct.FIELDS:
        value = getattr(struct, field.attr)
        if not field.first <= version <= field.last:
            continue
        if field.tag is None:
            _write_value(out, field, value, version, flexible)
        elif flexible and value != field.default:
            content = bytearray()
            _write_value(content, field, value, version, flexible)
            tagged.append((field.tag, content))
    if flexible:
        out += unsigned(len(tagged))
        for tag, content in sorted(tagged):
            out += unsigned(tag) + unsigned(len(content)) + content


def to_json(struct: RecordStruct, version: int) -> dict[str, Any]:
    """What Kafka's ``JsonConverter`` gives: camelCase, bytes as base64, uuids as 22 characters."""
    found = {}
    for field in struct.FIELDS:
        value = getattr(struct, field.attr)
        if not field.first <= version <= field.last:
            continue
        if field.tag is not None and value == field.default:
            continue
        found[field.name] = _json(value, field.kind == "uuid", version)
    return found


def _json(value: Any, uuid: bool, version: int) -> Any:
    if isinstance(value, list):
        return [_json(item, uuid, version) for item in value]
    if isinstance(value, RecordStruct):
        return to_json(value, version)
    if isinstance(value, bytes):
        if uuid:
            return urlsafe_b64encode(value).decode().rstrip("=")
        return b64encode(value).decode()
    return value
