"""A line of dump-log about a record, made at once. Compiled, ``raw.pxd`` has it in C; this file is
left out then.
"""

from __future__ import annotations

from pykafka_ops.compiled.raw import plus as plus
from pykafka_ops.compiled.raw import record as record

Numbers = tuple[int, int, int, int, int]
"""Offset, timestamp, size of key, of value, sequence."""


def is_ascii(data: bytes, at: int, size: int) -> bool:
    """Whether these bytes, which are there, are ASCII; no bytes (-1) are."""
    return size < 0 or data[at : at + size].isascii()


def line(
    label: bytes, numbers: Numbers, names: bytes, data: bytes, key_at: int, value_at: int
) -> bytes:
    """The line of a record with keys of headers of these ``names``. ``data`` has its key and its
    value, which are left out where their place is -1, or they are null."""
    offset, time, key_size, value_size, sequence = numbers
    made = b"| offset: %d %b: %d keySize: %d valueSize: %d sequence: %d headerKeys: [%b]" % (
        offset, label, time, key_size, value_size, sequence, names,
    )  # fmt: skip
    if key_at >= 0 and key_size >= 0:
        made += b" key: " + data[key_at : key_at + key_size]
    if value_at >= 0 and value_size >= 0:
        made += b" payload: " + data[value_at : value_at + value_size]
    return made + b"\n"
