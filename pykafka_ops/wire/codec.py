"""Messages to bytes and back: ``encode``, ``encode_parts``, ``decode``.

For each struct and version a function is compiled at first use (``encoder``, ``decoder``) and kept
with its table. ``source_of`` shows what was compiled.
"""

from __future__ import annotations

import struct
from typing import TypeVar

from pykafka_ops.errors import WireError
from pykafka_ops.wire.decoder import compile_decoder
from pykafka_ops.wire.encoder import compile_encoder
from pykafka_ops.wire.message import VIEW, Function, MessageTable, table_of
from pykafka_ops.wire.types import Buffer

T = TypeVar("T")


def encode(msg: object, version: int) -> bytes:
    """The bytes of ``msg`` in ``version``; WireError when that version cannot carry it."""
    return b"".join(_chunks(msg, version)[0])


def encode_parts(msg: object, version: int, parts: list[Buffer]) -> None:
    """Append the bytes of ``msg`` to ``parts``; long records stay the buffers they are."""
    chunks, cuts = _chunks(msg, version)
    start = 0
    for cut in cuts:
        if cut > start:
            parts.append(b"".join(chunks[start:cut]))
        parts.append(chunks[cut])
        start = cut + 1
    if start < len(chunks):
        parts.append(b"".join(chunks[start:]))


def decode(cls: type[T], version: int, data: Buffer, offset: int = 0) -> T:
    """The ``cls`` of ``version`` that fills ``data`` from ``offset`` to its end.

    Records are views into ``data``. WireError for anything that does not follow the tables:
    short or left-over bytes, impossible sizes, null where it is not allowed, bad UTF-8.
    """
    msg, end = decode_at(cls, version, data, offset)
    if end != len(data):
        raise WireError(f"{cls.__name__} version {version}: {len(data) - end} bytes are left over")
    return msg


def decode_at(cls: type[T], version: int, data: Buffer, offset: int = 0) -> tuple[T, int]:
    """As ``decode``, for a struct that other bytes may follow; also the position behind it."""
    table = table_of(cls)
    view = type(data) is memoryview
    run = table.decoders.get(version | VIEW if view else version) or _decoder(table, version, view)
    try:
        found: tuple[T, int] = run(data, offset, len(data))
    except (struct.error, IndexError, UnicodeDecodeError) as error:
        raise WireError(f"{table.name} version {version} is malformed: {error}") from error
    if found[1] > len(data):
        raise WireError(f"{table.name} version {version} is malformed: it ends too early")
    return found


def source_of(cls: type, version: int) -> str:
    """The Python source that encodes and decodes ``cls`` in ``version``."""
    table = table_of(cls)
    functions = (_encoder(table, version), _decoder(table, version, view=False))
    return "\n".join(f.__globals__["__loader__"].source for f in functions)


def _chunks(msg: object, version: int) -> tuple[list[Buffer], list[int]]:
    table = table_of(type(msg))
    run = table.encoders.get(version) or _encoder(table, version)
    chunks: list[Buffer] = []
    cuts: list[int] = []
    try:
        run(msg, chunks, cuts)
    except (struct.error, AttributeError, TypeError, ValueError) as error:
        raise WireError(f"{table.name} version {version} cannot be encoded: {error}") from error
    return chunks, cuts


def _encoder(table: MessageTable, version: int) -> Function:
    _check(table, version)
    made = compile_encoder(table, version, table.is_flexible(version))
    return table.encoders.setdefault(version, made)


def _decoder(table: MessageTable, version: int, view: bool) -> Function:
    _check(table, version)
    made = compile_decoder(table, version, table.is_flexible(version), view)
    return table.decoders.setdefault(version | VIEW if view else version, made)


def _check(table: MessageTable, version: int) -> None:
    first, last = table.versions
    if not first <= version <= last:
        raise WireError(f"{table.name} has versions {first} to {last}, not {version}")
