"""Messages to bytes and back: ``encode``, ``encode_parts``, ``decode``.

For each struct and version a function is compiled at first use (``encoder``, ``decoder``) and kept
with its table. ``source_of`` shows what was compiled.
"""

from __future__ import annotations

import struct
from collections.abc import Generator, Iterable, Iterator
from functools import cache
from typing import Any, TypeVar

from pykafka_ops.errors import WireError
from pykafka_ops.wire.bulk import scrap
from pykafka_ops.wire.decoder import MAX_ITEMS, compile_decoder
from pykafka_ops.wire.encoder import compile_encoder
from pykafka_ops.wire.message import STEPS, VIEW, Function, MessageTable, table_of
from pykafka_ops.wire.types import Buffer, Part

T = TypeVar("T")

NOT_ENCODABLE = (struct.error, AttributeError, TypeError, ValueError)
"""What an encoder raises where a message does not fit its version."""

NOT_DECODABLE = (struct.error, IndexError, UnicodeDecodeError)
"""What a decoder raises where bytes do not follow the tables."""

JOIN_FROM = 4096
"""Pieces of a long message that are joined while others are still to be encoded."""


def encode(msg: object, version: int) -> bytes:
    """The bytes of ``msg`` in ``version``; WireError when that version cannot carry it."""
    return b"".join(_chunks(msg, version)[0])


def encode_parts(msg: object, version: int, parts: list[Part]) -> None:
    """Append the bytes of ``msg`` to ``parts``; long records stay the buffers they are."""
    _join(*_chunks(msg, version), parts)


class Ready:
    """Stands in a message for an array of ``count`` items that are encoded already."""

    def __init__(self, count: int, encoded: list[Part]) -> None:
        self.encoded = encoded
        self._count = count
        self._out: list[Any] = []
        self._at = 0

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[object]:
        """The encoder is where the items belong: nothing is left for it to do."""
        self._at = len(self._out)
        return iter(())

    def encode_around(self, msg: object, version: int, parts: list[Part]) -> None:
        """As ``encode_parts`` of the message that this stands in."""
        table = table_of(type(msg))
        self._out = []
        try:
            (table.encoders.get(version) or _encoder(table, version))(msg, self._out, [])
        except NOT_ENCODABLE as error:
            raise _not_encodable(table, version, error) from error
        parts += (b"".join(self._out[: self._at]), *self.encoded, b"".join(self._out[self._at :]))


def encode_items(
    cls: type, name: str, version: int, items: Iterable[object]
) -> Generator[None, None, list[Part]]:
    """The bytes of ``items`` for the array ``name`` of the message ``cls``; pauses in between."""
    table = table_of(cls)
    (kind,) = (field.kind for field in table.fields if field.name == name)
    assert isinstance(kind, type)
    run = _item_encoder(kind, version, table.is_flexible(version))
    parts: list[Part] = []
    chunks: list[Any] = []
    cuts: list[int] = []
    try:
        for item in items:
            for _ in run(item, chunks, cuts):
                if len(chunks) > JOIN_FROM:
                    _join(chunks, cuts, parts)
                    chunks.clear()
                    cuts.clear()
                yield
    except NOT_ENCODABLE as error:
        raise _not_encodable(table, version, error) from error
    _join(chunks, cuts, parts)
    return parts


def decode(cls: type[T], version: int, data: Buffer, offset: int = 0) -> T:
    """The ``cls`` of ``version`` that fills ``data`` from ``offset`` to its end.

    Records are views into ``data``. WireError for anything that does not follow the tables:
    short or left-over bytes, impossible sizes, null where it is not allowed, bad UTF-8.
    """
    msg, end = decode_at(cls, version, data, offset)
    if end != len(data):
        raise WireError(f"{cls.__name__} version {version}: {len(data) - end} bytes are left over")
    return msg


def decode_at(
    cls: type[T], version: int, data: Buffer, offset: int = 0, most: int = MAX_ITEMS
) -> tuple[T, int]:
    """As ``decode``, for a struct that other bytes may follow; also the position behind it.

    TooManyItemsError where its arrays hold more than ``most`` items.
    """
    table = table_of(cls)
    view = type(data) is memoryview
    run = table.decoders.get(version | VIEW if view else version) or _decoder(table, version, view)
    try:
        found: tuple[T, int] = run(data, offset, len(data), most)
    except NOT_DECODABLE as error:
        raise _malformed(table, version, error) from error
    if found[1] > len(data):
        raise _malformed(table, version, "it ends too early")
    return found


def decode_steps(
    cls: type[T], version: int, data: memoryview, offset: int, most: int
) -> Generator[None, None, T]:
    """As ``decode_at`` of a long struct, with a pause every few items; gives the struct."""
    table = table_of(cls)
    run = table.decoders.get(version | VIEW | STEPS) or _decoder(table, version, True, steps=True)
    steps = run(data, offset, len(data), most)
    found = next(steps)
    try:
        _, end = yield from steps
    except (*NOT_DECODABLE, WireError) as error:
        yield from scrap(found)
        raise error if isinstance(error, WireError) else _malformed(table, version, error) from None
    if end > len(data):
        raise _malformed(table, version, "it ends too early")
    return found  # type: ignore[no-any-return]  # what is compiled is not typed


def source_of(cls: type, version: int) -> str:
    """The Python source that encodes and decodes ``cls`` in ``version``."""
    table = table_of(cls)
    functions = (_encoder(table, version), _decoder(table, version, view=False))
    return "\n".join(f.__globals__["__loader__"].source for f in functions)


def _malformed(table: MessageTable, version: int, why: object) -> WireError:
    return WireError(f"{table.name} version {version} is malformed: {why}")


def _not_encodable(table: MessageTable, version: int, why: Exception) -> WireError:
    return WireError(f"{table.name} version {version} cannot be encoded: {why}")


def _chunks(msg: object, version: int) -> tuple[list[Any], list[int]]:
    table = table_of(type(msg))
    run = table.encoders.get(version) or _encoder(table, version)
    chunks: list[Any] = []
    cuts: list[int] = []
    try:
        run(msg, chunks, cuts)
    except NOT_ENCODABLE as error:
        raise _not_encodable(table, version, error) from error
    return chunks, cuts


def _join(chunks: list[Any], cuts: list[int], parts: list[Part]) -> None:
    start = 0
    for cut in cuts:
        if cut > start:
            parts.append(b"".join(chunks[start:cut]))
        parts.append(chunks[cut])
        start = cut + 1
    if start < len(chunks):
        parts.append(b"".join(chunks[start:]))


def _encoder(table: MessageTable, version: int) -> Function:
    _check(table, version)
    made = compile_encoder(table, version, table.is_flexible(version), steps=False)
    return table.encoders.setdefault(version, made)


@cache
def _item_encoder(cls: type, version: int, flexible: bool) -> Function:
    """Of a struct that stands in messages: which may differ in what is flexible."""
    return compile_encoder(table_of(cls), version, flexible, steps=True)


def _decoder(table: MessageTable, version: int, view: bool, *, steps: bool = False) -> Function:
    _check(table, version)
    made = compile_decoder(table, version, table.is_flexible(version), view=view, steps=steps)
    return table.decoders.setdefault(version | VIEW * view | STEPS * steps, made)


def _check(table: MessageTable, version: int) -> None:
    first, last = table.versions
    if not first <= version <= last:
        raise WireError(f"{table.name} has versions {first} to {last}, not {version}")
