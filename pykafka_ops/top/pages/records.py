"""Records of a partition, and one of them whole."""

from __future__ import annotations

from typing import Final

from rich.cells import chop_cells

from pykafka_ops.monitor.wording.line import DIM, Line
from pykafka_ops.monitor.wording.text import escaped, moment, safe, whole
from pykafka_ops.top.records import MOST, SeenRecord
from pykafka_ops.top.seen import SeenCluster
from pykafka_ops.top.table import Entry, Page, TopColumn, ViewPlace

PREVIEW: Final = 300
"""Bytes of a key or a value that a row shows."""
RECORDS: Final = (
    TopColumn("offset", "OFFSET", 10, right=True, text=whole),
    TopColumn("time", "TIME", 19, text=moment, rank=1),
    TopColumn("key", "KEY", 16),
    TopColumn("value", "VALUE"),
)
TEXT: Final = (TopColumn("text", "RECORD", text=str),)


def messages_page(seen: SeenCluster, place: ViewPlace) -> Page:
    """Records from ``place.offset`` on, or the newest."""
    page = seen.records
    title = f"messages of {safe(place.name)}-{place.partition}"
    offset = str(place.offset) if place.offset >= 0 else "latest"
    command = (
        *("pko", "consume", place.name, "--partition", str(place.partition)),
        *(("--offset", offset) if place.offset >= 0 else ("--last", str(MOST))),
    )
    if page is None:
        return Page(title, RECORDS, [], command=command, empty=seen.waiting)
    about = (
        f"offsets {page.start} to {page.end}, shown from {page.at}; read without a group. "
        "Keys: n next, p before, [ first, ] newest, o OFFSET"
    )
    entries = [
        Entry(
            r.offset,
            (
                *(r.offset, r.timestamp if r.timestamp >= 0 else None),
                escaped(r.key, PREVIEW, r.key_size),
                escaped(r.value, PREVIEW, r.value_size),
            ),
            ViewPlace("record", place.name, place.partition, r.offset),
        )
        for r in page.records
    ]
    empty = "no record there" if page.end > page.start else "the partition is empty"
    return Page(title, RECORDS, entries, [Line(about, DIM)], command, empty)


def record_page(seen: SeenCluster, place: ViewPlace) -> Page:
    """One record of the page that was read, in lines as wide as the terminal."""
    title = f"record {place.offset} of {safe(place.name)}-{place.partition}"
    offset = str(place.offset)
    command = (
        *("pko", "consume", place.name, "--partition", str(place.partition)),
        *("--offset", f"{offset}..{offset}", "-o", "json"),
    )
    found = () if seen.records is None else seen.records.records
    record = next((r for r in found if r.offset == place.offset), None)
    if record is None:
        return Page(title, TEXT, [], command=command, empty="not read any more")
    texts = _texts(record, max(20, seen.width - 2))
    entries = [Entry(n, (text,)) for n, text in enumerate(texts)]
    return Page(title, TEXT, entries, command=command)


def _texts(record: SeenRecord, width: int) -> list[str]:
    whole_ = 1 << 30
    lines = [
        f"time   {moment(record.timestamp)} UTC ({record.timestamp} ms)",
        f"key    {record.key_size} bytes" if record.key is not None else "key    null",
        *_wrapped(escaped(record.key, whole_, record.key_size), width, record.key is None),
        f"value  {record.value_size} bytes" if record.value is not None else "value  null",
        *_wrapped(escaped(record.value, whole_, record.value_size), width, record.value is None),
    ]
    for name, value in record.headers:
        text = f"header {safe(name)} = {escaped(value, whole_)}"
        lines += _wrapped(text, width, False)
    return lines


def _wrapped(text: str, width: int, nothing: bool) -> list[str]:
    if nothing:
        return []
    return chop_cells(text, width)
