"""What the answers to all members of a generation begin with."""

from __future__ import annotations

from pykafka_ops.wire.codec import encode
from pykafka_ops.wire.frame import whole_head
from pykafka_ops.wire.message import table_of


def is_compact(kind: type, version: int) -> bool:
    """Whether lengths in answers of that class are."""
    return table_of(kind).is_flexible(version)


def common(answer: object, version: int, *, plain: int, compact: int) -> bytes:
    """An answer without its last bytes, which are different in others: ``plain`` of them, or
    ``compact`` where lengths are."""
    size = compact if is_compact(type(answer), version) else plain
    return encode(answer, version)[:-size]


def framed(answer: object, version: int, *, plain: int, compact: int) -> bytes:
    """The same behind what stands between it and the correlation id."""
    return whole_head(type(answer), version) + common(answer, version, plain=plain, compact=compact)
