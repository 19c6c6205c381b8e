"""Requests as large as can be: one of their arrays holds as many items as asked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pykafka_ops.disk.compression import Codec, compress
from pykafka_ops.wire.apis import APIS
from pykafka_ops.wire.frame import encode_request
from pykafka_ops.wire.message import Field, table_of
from pykafka_ops.wire.types import STRING, UUID, Scalar
from tests.support.wire import raw


def paths(cls: type, version: int) -> Iterator[tuple[Field, ...]]:
    """Every array of a message in ``version``, as the fields that lead to it."""
    for field in table_of(cls).fields:
        if not field.exists(version):
            continue
        inner = field.kind if isinstance(field.kind, type) else None
        if field.array:
            yield (field,)
        if inner is not None:
            yield from ((field, *rest) for rest in paths(inner, version))


def request(key: int, version: int, path: tuple[Field, ...], count: int, **fields: object) -> bytes:
    """The frame, with its length, of a request with ``count`` items at ``path``, all different, and
    with these other fields where its version has them."""
    message = filled(APIS[key].request, version, path, count)
    for field in table_of(type(message)).fields:
        if field.name in fields and field.exists(version):
            setattr(message, field.name, fields[field.name])
    return encode_request(message, version, 1, "large")


def filled(cls: type, version: int, path: tuple[Field, ...], count: int) -> Any:
    """A message with one item on the way to ``path``, and ``count`` there."""
    message = cls()
    field, *rest = path
    if rest:
        inner = filled(field.kind, version, tuple(rest), count)  # type: ignore[arg-type]
        named(inner, version, 0)
        value: object = [inner] if field.array else inner
    else:
        value = [item(field, version, n) for n in range(count)]
    setattr(message, field.name, value)
    return message


def item(field: Field, version: int, number: int) -> object:
    """The item with this number in an array."""
    if isinstance(field.kind, Scalar):
        return f"n{number}" if field.kind is STRING else number
    made = field.kind()
    named(made, version, number)
    return made


def named(item: object, version: int, number: int) -> None:
    """Give an item a name, an id and a number of its own, as far as it has such fields."""
    for field in table_of(type(item)).fields:
        if not field.exists(version) or field.array or not isinstance(field.kind, Scalar):
            continue
        if field.kind is STRING:
            setattr(item, field.name, f"n{number}")
        elif field.kind is UUID:
            setattr(item, field.name, bytes(16))
        elif field.name in ("partition", "partition_index", "partition_id", "index"):
            setattr(item, field.name, number)


def dense(codec: Codec, count: int) -> bytes:
    """A batch of very many records without contents, one ms after the other."""
    records = b"".join(raw.record(n, b"", timestamp_delta=n) for n in range(count))
    payload = compress(codec, records) if codec else records
    return raw.batch(attributes=codec, count=count, payload=payload)
