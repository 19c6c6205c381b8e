"""Where whole batches begin again behind damage (no counterpart in Kafka, which cuts there).

A batch of format 2 is recognised by fields that cannot be otherwise: its magic, a length that can
be, offsets behind those before it, a known codec, a count that its bytes can hold. Whoever calls
checks the CRC of what is found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from struct import Struct

from pykafka_ops.disk.batch import HEADER_SIZE, LOG_OVERHEAD
from pykafka_ops.disk.record import MIN_RECORD_SIZE

_HEADER = Struct(">qiibIhiqqqhii")
_KNOWN_ATTRIBUTES = 0x7F
_MAGIC_AT = 16
#: Magic, CRC, and attributes of which only the low seven bits are in use.
_LOOKS_SO = re.compile(rb"\x02(?=[\s\S]{4}\x00[\x00-\x7f])")


def plausible(buf: bytes | memoryview, at: int, left: int, offsets: tuple[int, int]) -> bool:
    """Whether the 61 bytes at ``at`` look like the header of a batch that fits in ``left`` bytes.

    ``offsets``: the lowest and the highest offset it may begin with.
    """
    base, length, epoch, magic, _, attributes, delta, *_, count = _HEADER.unpack_from(buf, at)
    return bool(
        magic == 2
        and offsets[0] <= base <= offsets[1]
        and HEADER_SIZE - LOG_OVERHEAD <= length <= left - LOG_OVERHEAD
        and epoch >= -1
        and 0 <= attributes <= _KNOWN_ATTRIBUTES
        and attributes & 7 <= 4
        and delta >= 0
        and 0 <= count <= delta + 1
        and not (
            attributes & 7 == 0 and count * MIN_RECORD_SIZE > length - HEADER_SIZE + LOG_OVERHEAD
        )
    )


def candidates(buf: bytes, start: int, left: int, offsets: tuple[int, int]) -> Iterator[int]:
    """Places in ``buf`` from ``start`` on where a batch may begin whose header lies in ``buf``.

    ``left``: bytes of the file from the beginning of ``buf`` on. ``offsets`` as in ``plausible``.
    """
    for found in _LOOKS_SO.finditer(buf, start + _MAGIC_AT):
        at = found.start() - _MAGIC_AT
        if at + HEADER_SIZE > len(buf):
            return
        if plausible(buf, at, left - at, offsets):
            yield at
