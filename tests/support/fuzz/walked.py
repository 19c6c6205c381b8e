"""The walk through records in its forms, compiled, plain, and by the source that ``disk.walk`` puts
together: the same places and lines, and the same words where a record is wrong."""

from __future__ import annotations

from typing import Any

from pykafka_ops.commands.dump_log.printing import records as printing
from pykafka_ops.commands.dump_log.printing.lines import Gaps
from pykafka_ops.disk import walk
from pykafka_ops.disk.batch import HEADER_SIZE, BatchHeader, read_header
from pykafka_ops.errors import CorruptBatchError
from tests.support.fuzz.forms import exposed, plain, running
from tests.support.fuzz.hot import exact, small_batches
from tests.support.fuzz.seeds import golden_batches

_MOST = 1 << 16
_INNERMOST = 1 << 62
"""Offsets up to it do not run over."""


def walks(data: bytes) -> None:
    """A batch whose records are walked as they are, compressed or not."""
    if len(data) < HEADER_SIZE:
        return
    header = read_header(data)
    walked_alike(data[HEADER_SIZE:], header)
    for content in (False, True):
        printed_alike(data[HEADER_SIZE:], header, content)


def walk_seeds() -> list[bytes]:
    """Batches of which nothing is compressed, and small ones."""
    some = [one for one in golden_batches() if one[16] == 2 and not one[22] & 7]
    return [*small_batches(), *(one for one in some if len(one) < _MOST)]


def walked_alike(records: bytes, header: BatchHeader) -> int:
    """How many records there are before one that is wrong, or the end."""
    wanted = _places(walk._compiled()(records, header))
    for form in (running, plain):
        spans = form("disk.hot.spans").Spans(exact(records), header)
        found = _places(part for some in iter(spans.some, []) for part in some)
        if abs(header.base_offset) < _INNERMOST:
            assert found == wanted, form
        else:  # places, as long as offsets do not run over
            assert [s[1:] for s in found[0]] == [s[1:] for s in wanted[0]], form
            assert found[1] == wanted[1], form
    return len(wanted[0])


def _places(spans: Any) -> tuple[list[Any], str]:
    found: list[Any] = []
    try:
        found.extend(spans)
    except CorruptBatchError as error:
        return found, str(error)
    return found, ""


def printed_alike(records: bytes, header: BatchHeader, content: bool) -> None:
    """The lines of dump-log about the records; ``content`` shows keys and values."""
    if abs(header.base_offset) >= _INNERMOST:
        return
    label = printing.timestamp_label(header).encode()
    seen = []
    for form in (None, plain, running):
        gaps: Any = Gaps() if form is None else form(_LINES).Gaps()
        gaps.last = header.base_offset - 1 if header.record_count % 2 else 3
        out: list[bytes] = []
        try:
            if form is None:
                printing._add_lines(records, header, gaps, out, content=content)
            else:
                lines = form(_LINES).Lines(gaps, printing.utf8, printing.header_keys)
                if form is running and (c := exposed()):
                    c.add_lines(lines, records, exact(records), header, label, out, content)
                else:
                    lines.add(records, header, label, out, content)
            said = ""
        except CorruptBatchError as error:
            said = str(error)
        seen.append((b"".join(out), said, gaps.found, None if said else gaps.last))
    assert seen[0] == seen[1] == seen[2]


_LINES = "commands.dump_log.printing.lines"
