"""XXH3 in 64 bits with seed 0, by which Kafka 4 hashes the topics of a group (``Hashing.xxh3_64``).

Written after the description of the algorithm (xxHash specification, XXH3).
"""

from __future__ import annotations

from struct import Struct, unpack_from
from typing import Final

_MASK: Final = (1 << 64) - 1
_MASK32: Final = (1 << 32) - 1
_P32: Final = (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D)
_P64: Final = (
    0x9E3779B185EBCA87,
    0xC2B2AE3D27D4EB4F,
    0x165667B19E3779F9,
    0x85EBCA77C2B2AE63,
    0x27D4EB2F165667C5,
)
_MX1: Final = 0x165667919E3779F9
_MX2: Final = 0x9FB21C651E98DF25
_SECRET: Final = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f"
    "cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c"
    "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364"
    "eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e"
    "2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e"
)
_Q: Final = Struct("<Q").unpack_from
_LANES: Final = Struct("<8Q").unpack_from
_STRIPE, _STEP = 64, 8
_LAST_SECRET = 7
_MERGE_SECRET = 11


def xxh3_64(data: bytes) -> int:
    """The hash of some bytes, unsigned."""
    size = len(data)
    if size > 240:
        return _long(data)
    if size > 128:
        return _middle(data)
    if size > 16:
        return _few(data)
    return _short(data)


def signed(value: int) -> int:
    """The same 64 bits as Java reads them."""
    return value - (1 << 64) if value >> 63 else value


def _fold(left: int, right: int) -> int:
    product = left * right
    return (product & _MASK) ^ (product >> 64)


def _avalanche(value: int) -> int:
    value ^= value >> 37
    value = value * _MX1 & _MASK
    return value ^ value >> 32


def _avalanche_64(value: int) -> int:
    value ^= value >> 33
    value = value * _P64[1] & _MASK
    value ^= value >> 29
    value = value * _P64[2] & _MASK
    return value ^ value >> 32


def _word(data: bytes, at: int) -> int:
    return int(_Q(data, at)[0])


def _swapped(value: int) -> int:
    return int.from_bytes(value.to_bytes(8, "little"), "big")


def _short(data: bytes) -> int:
    size = len(data)
    if size > 8:
        low = _word(data, 0) ^ (_word(_SECRET, 24) ^ _word(_SECRET, 32))
        high = _word(data, size - 8) ^ (_word(_SECRET, 40) ^ _word(_SECRET, 48))
        return _avalanche((size + _swapped(low) + high + _fold(low, high)) & _MASK)
    if size >= 4:
        first, last = unpack_from("<I", data)[0], unpack_from("<I", data, size - 4)[0]
        mixed = (last + (first << 32)) ^ (_word(_SECRET, 8) ^ _word(_SECRET, 16))
        return _rrmxmx(mixed, size)
    if size:
        mixed = data[0] << 16 | data[size >> 1] << 24 | data[size - 1] | size << 8
        flip = unpack_from("<I", _SECRET)[0] ^ unpack_from("<I", _SECRET, 4)[0]
        return _avalanche_64(mixed ^ flip)
    return _avalanche_64(_word(_SECRET, 56) ^ _word(_SECRET, 64))


def _rrmxmx(value: int, size: int) -> int:
    value ^= (value << 49 | value >> 15) & _MASK ^ (value << 24 | value >> 40) & _MASK
    value = value * _MX2 & _MASK
    value ^= (value >> 35) + size
    value = value * _MX2 & _MASK
    return value ^ value >> 28


def _mix(data: bytes, at: int, secret: int) -> int:
    return _fold(
        _word(data, at) ^ _word(_SECRET, secret), _word(data, at + 8) ^ _word(_SECRET, secret + 8)
    )


def _few(data: bytes) -> int:
    size = len(data)
    total = size * _P64[0]
    for part in range((size - 1) // 32, -1, -1):
        total += _mix(data, 16 * part, 32 * part)
        total += _mix(data, size - 16 * (part + 1), 32 * part + 16)
    return _avalanche(total & _MASK)


def _middle(data: bytes) -> int:
    size = len(data)
    total = size * _P64[0]
    for part in range(8):
        total += _mix(data, 16 * part, 16 * part)
    total = _avalanche(total & _MASK)
    for part in range(8, size // 16):
        total += _mix(data, 16 * part, 16 * (part - 8) + 3)
    total += _mix(data, size - 16, 136 - 17)
    return _avalanche(total & _MASK)


def _long(data: bytes) -> int:
    lanes = [_P32[2], *_P64[:4], _P32[1], _P64[4], _P32[0]]
    size = len(data)
    per_block = (len(_SECRET) - _STRIPE) // _STEP
    blocks = (size - 1) // (_STRIPE * per_block)
    for block in range(blocks):
        _stripes(lanes, data, block * _STRIPE * per_block, per_block)
        scramble = _LANES(_SECRET, len(_SECRET) - _STRIPE)
        for n, key in enumerate(scramble):
            lane = lanes[n]
            lanes[n] = (lane ^ lane >> 47 ^ key) * _P32[0] & _MASK
    begin = blocks * _STRIPE * per_block
    _stripes(lanes, data, begin, (size - 1 - begin) // _STRIPE)
    _accumulate(lanes, data, size - _STRIPE, len(_SECRET) - _STRIPE - _LAST_SECRET)
    total = size * _P64[0]
    for n in range(4):
        at = _MERGE_SECRET + 16 * n
        total += _fold(lanes[2 * n] ^ _word(_SECRET, at), lanes[2 * n + 1] ^ _word(_SECRET, at + 8))
    return _avalanche(total & _MASK)


def _stripes(lanes: list[int], data: bytes, at: int, count: int) -> None:
    for n in range(count):
        _accumulate(lanes, data, at + n * _STRIPE, n * _STEP)


def _accumulate(lanes: list[int], data: bytes, at: int, secret: int) -> None:
    values, keys = _LANES(data, at), _LANES(_SECRET, secret)
    for n in range(8):
        value = values[n]
        key = value ^ keys[n]
        lanes[n ^ 1] = (lanes[n ^ 1] + value) & _MASK
        lanes[n] = (lanes[n] + (key & _MASK32) * (key >> 32)) & _MASK
