"""The records behind buckets that differ: both tiers are read again, more and more narrowly."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from pykafka_ops.analysis.books.line import EMPTY, NO_TIME, BookLine
from pykafka_ops.analysis.books.places import moved
from pykafka_ops.analysis.books.told_apart import Finding, ToldRecord, told_apart
from pykafka_ops.audit.comparing import PartitionCompared
from pykafka_ops.audit.counting import BookTaker, Taker
from pykafka_ops.audit.source import (
    AuditPlace,
    PartitionKey,
    PartitionSource,
    PlaceReading,
    ReadSoFar,
)
from pykafka_ops.disk.batch import BatchHeader
from pykafka_ops.disk.contents import content_of
from pykafka_ops.disk.hot.hashing import record_hash
from pykafka_ops.disk.record import Record
from pykafka_ops.disk.walk import read_headers, walk
from pykafka_ops.errors import PkoError, UsageError

_FINER: Final = 60
"""By how much buckets get narrower in each round."""
_AT_ONCE: Final = 200_000
"""Records of a partition that are held in memory for a look at each of them."""
_KEY: Final = 256
"""Bytes of a key that are shown."""

Span = tuple[int, int]
Identify = Callable[[Record, tuple[int, int, int]], Hashable | None]
"""What a record is known by; beside it its producer's id, epoch and sequence."""


class KnownBy(NamedTuple):
    """How records are known again, and whether no two are known by the same."""

    of: Identify
    unique: bool


def identity(text: str) -> KnownBy:
    """``key``, ``header:NAME``, ``sequence`` or ``none``. Raises UsageError."""
    kind, colon, name = text.partition(":")
    if text == "key":
        return KnownBy(lambda record, _: record.key, unique=False)
    if text == "none":
        return KnownBy(lambda *_: None, unique=False)
    if text == "sequence":
        return KnownBy(lambda _, producer: producer if producer[2] >= 0 else None, unique=True)
    if kind == "header" and colon and name:
        return KnownBy(
            lambda record, _: next((v for n, v in record.headers if n == name), None), unique=True
        )
    raise UsageError(f"--identify-by {text}: write key, header:NAME, sequence or none")


class PartitionEnd(NamedTuple):
    """A tier to read a partition of again."""

    source: PartitionSource
    place: AuditPlace


class Details(NamedTuple):
    """What differs, and the keys of those records by tier (0, 1) and offset."""

    findings: Sequence[Finding]
    keys: Mapping[tuple[int, int], bytes | None]


def details(
    found: PartitionCompared, ends: tuple[PartitionEnd, PartitionEnd], width: int, how: KnownBy
) -> Details:
    """Which records differ in the wrong buckets of a partition.

    Raises PkoError where a tier cannot be read, UsageError where too much differs.
    """
    wrong = found.wrong
    spans = [_span(pair.start, width) for pair in wrong]
    ranges = _range(pair.a for pair in wrong), _range(pair.b for pair in wrong)
    count = sum(max(pair.a.records, pair.b.records) for pair in wrong)
    while count > _AT_ONCE and width > 1:
        width = max(1, width // _FINER)
        spans, count = _narrowed(ends, ranges, spans, width)
    if count > 10 * _AT_ONCE:
        raise UsageError(
            f"{found.topic}-{found.partition}: {count} records differ, too many to name each: "
            "narrow it by --since and --until"
        )
    takers = [RecordTaker(*ranges[i], spans, how.of) for i in (0, 1)]
    for end, taker, offsets in zip(ends, takers, ranges, strict=True):
        _read(end, taker, offsets)
    a, b = takers
    settled = _settled(found, ends, width) if len(a.records) > len(b.records) else None
    findings = told_apart(a.records, b.records, a_settled=settled, unique=how.unique)
    keys = {}
    for finding in findings:
        for number, record in enumerate((finding.a, finding.b)):
            if record is not None:
                keys[number, record.offset] = takers[number].keys.get(record.offset)
    return Details(findings, keys)


def _span(start: int, width: int) -> Span:
    """The times of a bucket; that of records without a timestamp has one."""
    return start, start + (1 if start == NO_TIME else width)


def _range(lines: Iterable[BookLine]) -> Span:
    """Offsets that hold all of these lines: the first, and that behind the last."""
    every = [line for line in lines if line.records]
    if not every:
        return 0, 0
    return min(line.first_offset for line in every), max(line.last_offset for line in every) + 1


def _narrowed(
    ends: tuple[PartitionEnd, PartitionEnd],
    ranges: tuple[Span, Span],
    spans: Sequence[Span],
    width: int,
) -> tuple[list[Span], int]:
    """The spans of this width that differ, within the given ones, and how many records they have
    at most in one tier."""
    lines: list[Mapping[int, BookLine]] = []
    for end, offsets in zip(ends, ranges, strict=True):
        taker = BookTaker(width, *offsets)
        _read(end, taker, offsets)
        lines.append(taker.take_lines())
    left, count, within = [], 0, _Spans(spans)
    pairs = [
        (start, lines[0].get(start, EMPTY), lines[1].get(start, EMPTY))
        for start in sorted({*lines[0], *lines[1]})
        if start in within
    ]
    elsewhere = moved(pair for pair in pairs if pair[1].same_records(pair[2]))
    for start, a, b in pairs:
        if a.same(b) and start not in elsewhere:
            continue
        left.append(_span(start, width))
        count += max(a.records, b.records)
    return left, count


def _read(end: PartitionEnd, taker: Taker, offsets: Span) -> None:
    """Raises PkoError."""
    first, stop = max(offsets[0], end.place.start), min(offsets[1], end.place.end)
    if first >= stop:
        return
    failed = end.source.read([PlaceReading(end.place, first, stop, taker)], _nothing)
    for error in failed.values():
        raise error


def _nothing(feed: ReadSoFar, reading: PlaceReading) -> None:
    pass


def _settled(
    found: PartitionCompared, ends: tuple[PartitionEnd, PartitionEnd], width: int
) -> int | None:
    """The offset of the first tier behind the last record that has come to the second; None where
    that is not to be found."""
    last = max((pair.b.last_offset for pair in found.pairs), default=-1)
    if last < 0:
        return None
    newest = RecordTaker(last, last + 1, None, lambda *_: None)
    _read(ends[1], newest, (last, last + 1))
    if not newest.records:
        return None
    wanted = newest.records[0]
    line = next((pair.a for pair in found.pairs if _holds(pair.a, wanted.timestamp)), EMPTY)
    taker = RecordTaker(
        *_range([line]), [(wanted.timestamp, wanted.timestamp + 1)], lambda *_: None
    )
    _read(ends[0], taker, _range([line]))
    return next((r.offset + 1 for r in reversed(taker.records) if r.hash == wanted.hash), None)


def _holds(line: BookLine, timestamp: int) -> bool:
    return line.records > 0 and line.first_ms <= timestamp <= line.last_ms


def keys_at(end: PartitionEnd, offsets: Sequence[int]) -> dict[int, bytes | None]:
    """The keys of the records at these offsets, of those that are still there. Raises PkoError."""
    if not offsets:
        return {}
    taker = RecordTaker(min(offsets), max(offsets) + 1, None, lambda *_: None)
    taker.only = set(offsets)
    _read(end, taker, (min(offsets), max(offsets) + 1))
    return taker.keys


class _Spans:
    """Spans of time that do not overlap."""

    def __init__(self, spans: Sequence[Span]) -> None:
        self._spans = sorted(spans)
        self._starts = [first for first, _ in self._spans]

    def __contains__(self, time: object) -> bool:
        assert isinstance(time, int)
        at = bisect_right(self._starts, time) - 1
        return at >= 0 and time < self._spans[at][1]


class RecordTaker:
    """Takes the records of some spans of time (None: of any), each with its hash and its key."""

    def __init__(
        self, first: int, stop: int, spans: Sequence[Span] | None, identify: Identify
    ) -> None:
        self._first, self._stop, self._identify = first, stop, identify
        self._spans = None if spans is None else _Spans(spans)
        self.only: set[int] | None = None
        """Offsets, where only these count."""
        self.records: list[ToldRecord] = []
        self.keys: dict[int, bytes | None] = {}

    def usual(self, data: bytes | memoryview, place: int) -> tuple[int, int]:
        """Nothing is simple here."""
        return place, -1

    def batch(self, data: bytes, header: BatchHeader) -> None:
        """As ``Taker``."""
        producer = header.producer_id, header.producer_epoch
        for offset, time, sequence, key_at, key_size, value_at, value_size, rest in walk(
            data, header
        ):
            if not self._is_wanted(offset, time):
                continue
            key = data[key_at : key_at + key_size] if key_size >= 0 else None
            value = data[value_at : value_at + value_size] if value_size >= 0 else None
            record = Record(offset, time, key, value, read_headers(data, rest))
            self._add(record, (*producer, sequence))

    def old(self, records: Iterator[Record]) -> None:
        """As ``Taker``."""
        for record in records:
            if self._is_wanted(record.offset, record.timestamp):
                self._add(record, (-1, -1, -1))

    def _is_wanted(self, offset: int, time: int) -> bool:
        if not self._first <= offset < self._stop:
            return False
        if self.only is not None and offset not in self.only:
            return False
        at = max(time, NO_TIME)
        return self._spans is None or at in self._spans

    def _add(self, record: Record, producer: tuple[int, int, int]) -> None:
        content = content_of(record)
        value = record_hash(content, 0, len(content), record.timestamp)
        plain = record_hash(content, 0, len(content), 0)
        self.records.append(
            ToldRecord(
                record.offset, record.timestamp, value, plain, self._identify(record, producer)
            )
        )
        self.keys[record.offset] = None if record.key is None else record.key[:_KEY]

    @property
    def is_full(self) -> bool:
        """Never: what is asked of it is bounded."""
        return False

    def ends_at(self, stop: int) -> None:
        """As ``Taker``."""
        self._stop = min(self._stop, stop)


def place_of(places: Sequence[AuditPlace], key: PartitionKey) -> AuditPlace:
    """The partition to read again. Raises PkoError where it is no more."""
    for place in places:
        if place.key == key:
            return place
    raise PkoError(f"{key[0]}-{key[1]}: there is no such partition now")
