"""Variable-length integers of record format v2: zig-zag, 7 bits a byte (Kafka: ``ByteUtils``)."""

from __future__ import annotations

from pykafka_ops.errors import CorruptBatchError

#: Values of the one-byte encodings.
ZIGZAG = tuple(byte >> 1 ^ -(byte & 1) for byte in range(0x80))


def read_varlong(data: bytes, pos: int, bits: int = 64, name: str = "Varlong") -> tuple[int, int]:
    """(value, position after it); CorruptBatchError past ``bits`` bits, IndexError past the end."""
    value = shift = 0
    while True:
        byte = data[pos]
        pos += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            break
        shift += 7
        if shift >= bits:
            raise CorruptBatchError(f"{name} is too long, the most significant bit is still set")
    value &= (1 << bits) - 1
    return (value >> 1) ^ -(value & 1), pos


def read_varint(data: bytes, pos: int) -> tuple[int, int]:
    """(value, position after it); CorruptBatchError past 5 bytes, IndexError past the end."""
    byte = data[pos]
    if byte < 0x80:
        return ZIGZAG[byte], pos + 1
    following = data[pos + 1]
    if following < 0x80:
        byte = byte & 0x7F | following << 7
        return byte >> 1 ^ -(byte & 1), pos + 2
    return read_varlong(data, pos, 32, "Varint")


def signed64(value: int) -> int:
    """``value`` as Java's arithmetic on longs leaves it."""
    return (value + 2**63 & 2**64 - 1) - 2**63


def unsigned(value: int) -> bytes:
    """The bytes of a number that is not negative, without zig-zag."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


class _Encodings(dict[int, bytes]):
    """The bytes of small numbers, each made when it is first asked for."""

    def __missing__(self, value: int) -> bytes:
        made = unsigned((value << 1) ^ (value >> 63))
        if -(1 << 10) <= value < 1 << 13:
            self[value] = made
        return made


_ENCODINGS = _Encodings()


def varint(value: int) -> bytes:
    """The bytes of ``value``, any number of at most 64 bits with its sign."""
    return _ENCODINGS[value]
