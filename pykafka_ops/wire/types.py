"""Scalar types of the Kafka protocol, ranges of versions, and UUIDs in Kafka's text form.

Kafka counterpart: ``org.apache.kafka.common.protocol.types`` and ``common.Uuid``.
"""

from __future__ import annotations

from binascii import a2b_base64, b2a_base64
from collections.abc import Iterable
from typing import Final, Protocol, TypeAlias

from pykafka_ops.errors import WireError

ZERO_UUID: Final = bytes(16)
"""The UUID that stands for "none" (``Uuid.ZERO_UUID``)."""

MAX_STRING: Final = 0x7FFF
"""Longest string in bytes, in every encoding (Kafka refuses longer ones on both sides)."""

Buffer: TypeAlias = bytes | bytearray | memoryview
"""What the codec reads from and what may stand for bytes in a message."""


class LazyRecords(Protocol):
    """Records to be sent that stay in their file until their client takes them."""

    def __len__(self) -> int:
        """Bytes."""

    def cached(self, start: int, room: memoryview) -> memoryview:
        """As many of them from ``start`` on as fit in ``room``, there or elsewhere in memory; fewer
        where the disk would have to be waited for. OSError if it fails."""

    def let_go(self) -> None:
        """Hold none of them in memory: their client is behind."""

    def read(self, start: int, size: int) -> bytes:
        """Likewise, however long it takes. OSError if the disk fails, or has them no more."""


Part: TypeAlias = Buffer | LazyRecords
"""What an answer consists of."""


def joined(parts: Iterable[Part]) -> bytes:
    """All of ``parts``, in memory. OSError if the disk fails."""
    return b"".join(part if isinstance(part, Buffer) else part.read(0, len(part)) for part in parts)


Records: TypeAlias = (
    Buffer | LazyRecords | list[bytes] | list[memoryview] | list[Buffer] | list[Part] | None
)
"""Value of a RECORDS field: decoding gives a ``memoryview``, encoding takes any of these."""

Range: TypeAlias = tuple[int, int]

LAST: Final = 0x7FFF
"""Upper end of an open range ("3+")."""
NEVER: Final[Range] = (LAST, -1)
"""No version at all ("none")."""


class Scalar:
    """A type without inner fields.

    ``code`` is its ``struct`` format ("" where the size varies), ``size`` its bytes on the wire,
    ``zero`` the value a field has when nobody sets it.
    """

    __slots__ = ("code", "name", "size", "zero")

    def __init__(self, name: str, code: str, size: int, zero: object) -> None:
        self.name = name
        self.code = code
        self.size = size
        self.zero = zero

    def __repr__(self) -> str:
        return self.name.upper()


BOOL: Final = Scalar("bool", "?", 1, False)
INT8: Final = Scalar("int8", "b", 1, 0)
INT16: Final = Scalar("int16", "h", 2, 0)
UINT16: Final = Scalar("uint16", "H", 2, 0)
INT32: Final = Scalar("int32", "i", 4, 0)
INT64: Final = Scalar("int64", "q", 8, 0)
FLOAT64: Final = Scalar("float64", "d", 8, 0.0)
UUID: Final = Scalar("uuid", "16s", 16, ZERO_UUID)
STRING: Final = Scalar("string", "", 0, "")
BYTES: Final = Scalar("bytes", "", 0, b"")
RECORDS: Final = Scalar("records", "", 0, None)


def versions_of(text: str) -> Range:
    """The first and last version of ``"3"``, ``"3-5"``, ``"3+"`` or ``"none"``, as Kafka's JSON
    message specifications write them."""
    if text == "none":
        return NEVER
    if text.endswith("+"):
        return int(text[:-1]), LAST
    first, _, last = text.partition("-")
    return int(first), int(last or first)


def uuid_text(value: bytes) -> str:
    """The 22 characters Kafka prints for a UUID: URL-safe base64 without padding."""
    text = b2a_base64(value, newline=False).decode("ascii")
    return text.rstrip("=").replace("+", "-").replace("/", "_")


def parse_uuid(text: str) -> bytes:
    """The 16 bytes of a UUID in Kafka's text form; WireError when it is not one."""
    padded = text.replace("-", "+").replace("_", "/") + "=="
    try:
        value = a2b_base64(padded, strict_mode=True)
    except ValueError as error:
        raise WireError(f"not a Kafka UUID: {text!r}") from error
    if len(value) != 16:
        raise WireError(f"not a Kafka UUID: {text!r} has {len(value)} bytes, not 16")
    return value
