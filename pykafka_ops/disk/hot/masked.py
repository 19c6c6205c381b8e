"""Whether bytes are as expected where a mask has bits.

Not compiled, mask and bytes are numbers, compared at once. Compiled, ``masked.pxd`` has functions
of C for the same names; this file is left out then.
"""

from __future__ import annotations

Pattern = int


def pattern(data: bytes) -> Pattern:
    """The form in which bytes are compared."""
    return int.from_bytes(data, "big")


def under(data: bytes, mask: bytes) -> Pattern:
    """What ``data`` has under a mask of the same size."""
    return int.from_bytes(data, "big") & int.from_bytes(mask, "big")


def fits(data: bytes, place: int, size: int, mask: Pattern, expected: Pattern) -> bool:
    """Whether the ``size`` bytes at ``place``, which are there, have what is expected."""
    return int.from_bytes(data[place : place + size], "big") & mask == expected
