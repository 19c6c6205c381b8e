"""Why records are refused, in Kafka's words (``DefaultRecord.readFrom``)."""

from __future__ import annotations

from pykafka_ops.disk.varint import read_varint, read_varlong
from pykafka_ops.errors import CorruptBatchError

EARLY_END = "Incorrect declared batch size, premature EOF reached"
LATE_END = "Incorrect declared batch size, records still remaining in file"


def fault(data: bytes, at: int, *, streamed: bool) -> CorruptBatchError:
    """Why the malformed record at ``at`` is refused, in the words of ``DefaultRecord.readFrom``.

    ``streamed``: the batch is compressed, which Kafka reads by another path.
    """
    try:
        size, at = read_varint(data, at)
    except (IndexError, CorruptBatchError):
        return CorruptBatchError(EARLY_END)
    left = len(data) - at
    if streamed and size < 0:
        return CorruptBatchError(EARLY_END)
    if size > left:
        seen = f"instead the buffer has only {left} remaining bytes"
        return CorruptBatchError(
            f"Invalid record size: expected {size} bytes in record payload, but "
            + ("the record payload reached EOF." if streamed else f"{seen}.")
        )
    stop = at + size if streamed else len(data)
    try:
        end = _step_through(data, at, stop)
    except (IndexError, ValueError):
        return CorruptBatchError("Found invalid record structure")
    except CorruptBatchError as e:
        return e
    return CorruptBatchError(
        f"Invalid record size: expected to read {size} bytes in record payload, but instead read "
        f"{end - at}"
    )


def _step_through(data: bytes, at: int, stop: int) -> int:
    """Where a record's fields end; ValueError where they run past ``stop``."""
    _, at = read_varlong(data, at + 1)
    _, at = read_varint(data, at)
    at = _skip(data, _skip(data, at, stop), stop)
    count, at = read_varint(data, at)
    if count < 0:
        raise CorruptBatchError(f"Found invalid number of record headers {count}")
    if count > stop - at:
        raise CorruptBatchError(
            f"Found invalid number of record headers. {count} is larger than the remaining size "
            "of the buffer"
        )
    for _ in range(count):
        size, after = read_varint(data, at)
        if size < 0:
            raise CorruptBatchError(f"Invalid negative header key size {size}")
        at = _skip(data, _skip(data, at, stop), stop)
        if at > stop or after > stop:
            raise ValueError
    return at


def _skip(data: bytes, at: int, stop: int) -> int:
    try:
        size, at = read_varint(data, at)
    except CorruptBatchError:
        raise ValueError from None
    if size > stop - at:
        raise ValueError
    return at + max(size, 0)
