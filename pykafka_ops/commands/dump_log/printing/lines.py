"""The lines of records that dump-log prints: ``records.record_lines`` has them made here where this
is compiled."""

from __future__ import annotations

from collections.abc import Callable

import pykafka_ops.commands.dump_log.printing.raw as at
from pykafka_ops.disk.batch import BatchHeader
from pykafka_ops.disk.fault import LATE_END, fault
from pykafka_ops.errors import CorruptBatchError

_MOST = 2**63 - 1
_WRAP = 2**31 - 1


class Gaps:
    """Offsets that do not follow each other: ``last`` is the offset seen last, -1 before any."""

    __slots__ = ("found", "last")

    def __init__(self) -> None:
        self.last = -1
        self.found: list[tuple[int, int]] = []

    def see(self, offset: int) -> None:
        """The next record has ``offset``."""
        if self.last not in (-1, offset - 1):
            self.found.append((self.last, offset))
        self.last = offset


class Lines:
    """Prints records. ``text(data)`` says what stands for bytes that are not ASCII, ``names(data,
    at)`` which keys the headers have."""

    __slots__ = ("_gaps", "_names", "_text")

    def __init__(
        self, gaps: Gaps, text: Callable[[bytes], bytes], names: Callable[[bytes, int], bytes]
    ) -> None:
        self._gaps, self._text, self._names = gaps, text, names

    def add(
        self, data: bytes, header: BatchHeader, label: bytes, out: list[bytes], content: bool
    ) -> None:
        """Append the lines of the records in ``data``. Raises CorruptBatchError at a malformed one,
        after the lines before it."""
        self.add_in(data, data, header, label, out, content)

    def add_in(
        self,
        data: bytes,
        view: bytes,
        header: BatchHeader,
        label: bytes,
        out: list[bytes],
        content: bool,
    ) -> None:
        """The same; ``view`` is ``data`` once more."""
        base, first, left = header.base_offset, header.base_sequence, header.record_count
        varies = not header.is_log_append_time
        base_time = header.base_timestamp if varies else header.max_timestamp
        gaps: Gaps = self._gaps
        last, place, total, end = gaps.last, 0, len(view), 0
        while left:
            end, time, delta, key_at, key_size, value_at, value_size, rest = at.record(view, place)
            if end < 0 or (left == 1 and end != total):
                break
            left -= 1
            place = end
            time = at.plus(base_time, time) if varies else base_time
            offset = at.plus(base, delta)
            if last != -1 and (last == _MOST or last + 1 != offset):
                gaps.found.append((last, offset))
            last = offset
            sequence = first + delta & _WRAP if first >= 0 else -1
            numbers = (offset, time, key_size, value_size, sequence)
            names = self._names(data, rest) if view[rest] else b""
            if not content:
                out.append(at.line(label, numbers, names, view, -1, -1))
            elif at.is_ascii(view, key_at, key_size) and at.is_ascii(view, value_at, value_size):
                out.append(at.line(label, numbers, names, view, key_at, value_at))
            else:
                out.append(at.line(label, numbers, names, view, -1, -1)[:-1])
                if key_size >= 0:
                    out.append(b" key: " + self._text(data[key_at : key_at + key_size]))
                if value_size >= 0:
                    out.append(b" payload: " + self._text(data[value_at : value_at + value_size]))
                out.append(b"\n")
        gaps.last = last
        if not left:
            return
        if end >= 0:
            raise CorruptBatchError(LATE_END)
        raise fault(data, place, streamed=header.attributes & 7 != 0)
