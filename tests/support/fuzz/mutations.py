"""Bytes with a few changes of the kinds that readers fall over."""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator, Sequence

ODD = (0, 1, 2, 7, 0x7F, 0x80, 0x81, 0xFE, 0xFF)
ODD_INTS = (-1, -2, 0, 1, 0x7FFF_FFFF, -0x8000_0000, 0x7FFF, 100_000)


def changed(rng: random.Random, seeds: Sequence[bytes]) -> bytes:
    """One of the seeds, or two, with a few changes."""
    data = bytearray(rng.choice(seeds))
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        change(rng, data, seeds)
    return bytes(data)


def change(rng: random.Random, data: bytearray, seeds: Sequence[bytes]) -> None:
    """One change of the kinds that find most: at the beginning more often than further on."""
    if not data:
        data += rng.choice(seeds)
    near = rng.random() < 0.5
    at = rng.randrange(min(len(data), 80) if near else len(data))
    kind = rng.randrange(9)
    if kind == 0:
        data[at] ^= 1 << rng.randrange(8)
    elif kind == 1:
        data[at] = rng.choice(ODD)
    elif kind == 2:
        data[at] = rng.randrange(256)
    elif kind == 3:
        number = struct.pack(rng.choice((">i", "<i")), rng.choice(ODD_INTS))
        data[at : at + 4] = number[: len(data) - at] or number
    elif kind == 4:
        del data[at : at + rng.choice((1, 1, 2, 8, 100))]
    elif kind == 5:
        data[at:at] = rng.randbytes(rng.choice((1, 1, 2, 5)))
    elif kind == 6:
        del data[at:]
    elif kind == 7:
        other = rng.choice(seeds)
        data[at:] = other[min(at, len(other)) :]
    else:
        data[at:at] = data[at : at + rng.choice((1, 4, 60))]


def each_damage(one: bytes, values: Sequence[int]) -> Iterator[bytes]:
    """With each byte changed to each value, left out, doubled; and cut behind each."""
    for at in range(len(one)):
        for value in {*values, one[at] ^ 1, one[at] + 1 & 255, one[at] - 1 & 255, one[at] ^ 0x80}:
            yield one[:at] + bytes((value,)) + one[at + 1 :]
        yield one[:at] + one[at + 1 :]
        yield one[:at] + one[at : at + 1] + one[at:]
        yield one[:at]
