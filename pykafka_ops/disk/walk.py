"""Where the records lie in a batch v2, without making them (Kafka: ``DefaultRecord.readFrom``).

This is the innermost loop of reading logs. Where ``hot.spans`` is not compiled, its source is put
together once from a piece that reads one variable-length integer in place: a call per integer would
cost a third more.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

from pykafka_ops.compiled import is_compiled
from pykafka_ops.disk.batch import BatchHeader
from pykafka_ops.disk.fault import EARLY_END as EARLY_END
from pykafka_ops.disk.fault import LATE_END as LATE_END
from pykafka_ops.disk.fault import fault
from pykafka_ops.disk.hot.spans import Span, Spans
from pykafka_ops.disk.varint import ZIGZAG, read_varint, read_varlong, signed64
from pykafka_ops.errors import CorruptBatchError

_MAX_BASE = 2**63 - 2**31
"""An offset beyond it may run over, as a long does in Java."""

Headers = Sequence[tuple[str, bytes | None]]

#: Reads a variable-length integer of ``data`` at ``at`` into ``name``, in place.
INTEGER = """
            byte = data[at]
            at += 1
            if byte > 127:
                following = data[at]
                if following > 127:
                    {name}, at = {read}(data, at - 1)
                else:
                    at += 1
                    byte = byte & 127 | following << 7
                    {name} = byte >> 1 ^ -(byte & 1)
            else:
                {name} = ZIGZAG[byte]
"""

_WALK = """
def walk(data, header):
    base_offset, base_time, time_factor = header.base_offset, header.base_timestamp, 1
    if header.is_log_append_time:
        base_time, time_factor = header.max_timestamp, 0
    sequence, wrap, step = header.base_sequence, 0x7FFF_FFFF, 1
    if sequence < 0:
        sequence, wrap, step = -1, -1, 0
    left, at, total = header.record_count, 0, len(data)
    while left:
        left -= 1
        start = at
        try:
            {size}
            end = at + size
            at += 1  # attributes, unused
            {time}
            {delta}
            {key_size}
            key_at = at
            if key_size > 0:
                at += key_size
            {value_size}
            value_at = at
            if value_size > 0:
                at += value_size
            rest = at
            at = skip_headers(data, at, end) if data[at] else at + 1
            if at != end or at > total:
                raise IndexError
        except (IndexError, CorruptBatchError):
            raise fault(data, start, streamed=header.attributes & 7 != 0) from None
        if not left and at != total:
            raise CorruptBatchError(LATE_END)
        time = base_time + time * time_factor
        if not MIN_LONG <= time <= MAX_LONG:
            time = signed64(time)
        yield (
            base_offset + delta,
            time,
            sequence + delta * step & wrap,
            key_at,
            key_size,
            value_at,
            value_size,
            rest,
        )
"""


def walk(data: bytes, header: BatchHeader) -> Iterator[Span]:
    """The place of every record in ``data``, the plain records section of a batch.

    Yields (offset, timestamp, sequence, start and size of the key, start and size of the value,
    start of the headers); a size is -1 for null, the sequence -1 without a producer's. Timestamps
    are in ms, with LogAppendTime the batch's. The headers are checked; ``read_headers`` reads
    them. Raises CorruptBatchError, in Kafka's words, at the record that is wrong.
    """
    if is_compiled():
        return _in_parts(data, header)
    spans = _compiled()(data, header)
    if abs(header.base_offset) <= _MAX_BASE:
        return spans
    return ((signed64(offset), *rest) for offset, *rest in spans)  # type: ignore[misc]


def _in_parts(data: bytes, header: BatchHeader) -> Iterator[Span]:
    some = Spans(data, header).some
    while found := some():
        yield from found


def skip_headers(data: bytes, at: int, end: int) -> int:
    """The end of the headers at ``at``; IndexError where they do not end by ``end``."""
    count, at = read_varint(data, at)
    if not 0 <= count <= (end - at) // 2:
        raise IndexError
    for _ in range(count):
        size, at = read_varint(data, at)
        if size < 0:
            raise IndexError
        size, at = read_varint(data, at + size)
        at += max(size, 0)
        if at > end:
            raise IndexError
    return at


def read_headers(data: bytes, at: int) -> list[tuple[str, bytes | None]]:
    """The headers at ``at``, which ``walk`` gave and thereby checked."""
    count, at = read_varint(data, at)
    headers = []
    for _ in range(count):
        size, at = read_varint(data, at)
        key = data[at : at + size].decode("utf-8", "surrogateescape")
        size, at = read_varint(data, at + size)
        headers.append((key, data[at : at + size] if size >= 0 else None))
        at += max(size, 0)
    return headers


def compile_reader(template: str, place: str, function: str, **more: object) -> Any:
    """``function`` of a template that steps through records, its integers read in place.

    ``place`` is the module's name in tracebacks; ``more`` is what the template uses beyond the
    parts of this module.
    """
    names = {"size": "", "time": "", "delta": "", "key_size": "", "value_size": ""}
    for name in names:
        # Only a timestamp may take more than 32 bits.
        read = "read_varlong" if name == "time" else "read_varint"
        names[name] = INTEGER.format(name=name, read=read).strip()
    source, name = template.format(**names), f"<{place}>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    space: dict[str, Any] = {
        "MAX_LONG": 2**63 - 1,
        "MIN_LONG": -(2**63),
        "signed64": signed64,
        "CorruptBatchError": CorruptBatchError,
        "LATE_END": LATE_END,
        "ZIGZAG": ZIGZAG,
        "skip_headers": skip_headers,
        "fault": fault,
        "read_varint": read_varint,
        "read_varlong": read_varlong,
        **more,
    }
    exec(compile(source, name, "exec"), space)
    return space[function]


@cache
def _compiled() -> Callable[[bytes, BatchHeader], Iterator[Span]]:
    made: Callable[[bytes, BatchHeader], Iterator[Span]] = compile_reader(
        _WALK, "pykafka_ops.disk.walk", "walk"
    )
    return made
