"""Records counted in every form, compiled and plain, and one by one as they are decoded: the same
figures and checksums, or all refuse them."""

from __future__ import annotations

from typing import Any

from pykafka_ops.disk.batch import HEADER_SIZE, BatchHeader, read_header
from pykafka_ops.disk.compression import decompress
from pykafka_ops.disk.contents import content_of
from pykafka_ops.disk.record import iter_records
from pykafka_ops.errors import CorruptBatchError
from tests.support.fuzz.forms import plain, running
from tests.support.fuzz.hot import exact

_WIDTH = 1 << 20
_MOST = 1 << 22
_INNERMOST = 1 << 62
Lines = dict[int, tuple[int, ...]] | None


def tallies(data: bytes) -> None:
    """A batch whose records are counted as they are, or decompressed."""
    if len(data) < HEADER_SIZE:
        return
    header = read_header(data)
    section = data[HEADER_SIZE:]
    if abs(header.base_offset) >= _INNERMOST:
        return
    if header.attributes & 7:
        try:
            section = decompress(header.codec, section, _MOST)
        except CorruptBatchError:
            return
    tallied_alike(section, header)
    _batches_alike(data)


def tallied_alike(records: bytes, header: BatchHeader) -> int:
    """How many records there are; -1 where they are refused."""
    wanted = _one_by_one(records, header)
    for form in (running, plain):
        tally = form("disk.hot.tally").Tally(_WIDTH, -_INNERMOST, _INNERMOST)
        try:
            tally.records(exact(records), 0, tuple(header))
        except CorruptBatchError:
            assert wanted is None, form
            continue
        assert lines_of(tally) == wanted, form
    return -1 if wanted is None else sum(line[0] for line in wanted.values())


def _batches_alike(data: bytes) -> None:
    """Whole batches from the first on."""
    found: list[Any] = []
    for form in (running, plain):
        tally = form("disk.hot.tally").Tally(_WIDTH, 0, _INNERMOST)
        try:
            found.append((tally.usual(exact(data), 0), lines_of(tally)))
        except CorruptBatchError:
            found.append("refused")
    assert found[0] == found[1]


def lines_of(tally: Any) -> dict[int, tuple[int, ...]]:
    """What was counted, by bucket."""
    return {
        start: (b.records, b.bytes, b.checksum, b.order, b.first_offset, b.last_offset,
                b.first_ms, b.last_ms)
        for start, b in tally.buckets.items()
        if b.records
    }  # fmt: skip


def _one_by_one(records: bytes, header: BatchHeader) -> Lines:
    """As it is said to be, without any of the quick ways."""
    tally = plain("disk.hot.tally").Tally(_WIDTH, -_INNERMOST, _INNERMOST)
    plainly = header._replace(
        attributes=header.attributes & ~7, batch_length=HEADER_SIZE - 12 + len(records)
    )
    try:
        for record in iter_records(bytes(HEADER_SIZE) + records, 0, plainly):
            content = content_of(record)
            tally.count(content, 0, len(content), record.offset, record.timestamp)
    except CorruptBatchError:
        return None
    return lines_of(tally)
