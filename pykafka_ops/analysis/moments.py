"""Moments, periods and spans of time as people write them, in ms; moments since 1970, UTC."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from pykafka_ops.errors import UsageError

UNITS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000}
#: Lengths of buckets, each a whole number of the one before it; beyond the last: times ten.
STEPS = (
    *(1, 10, 100),
    *(n * UNITS["s"] for n in (1, 5, 15, 30)),
    *(n * UNITS["m"] for n in (1, 5, 15, 30)),
    *(n * UNITS["h"] for n in (1, 3, 6, 12)),
    *(n * UNITS["d"] for n in (1, 7, 28)),
)

_PART = re.compile(r"(\d{1,12})(ms|s|m|h|d|w)")
_SPAN = re.compile(rf"(?:{_PART.pattern})+|\d{{1,12}}")
_AGO = re.compile(rf"-?((?:{_PART.pattern})+)")
_NUMBER = re.compile(r"\d{1,18}")
_DATE = re.compile(
    r"\d{4}-\d\d-\d\d(?:[T ]\d\d(?P<minute>:\d\d(?P<second>:\d\d(?P<part>[.,]\d+)?)?)?"
    r"(?P<zone>Z|[+-]\d\d:?\d\d)?)?"
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MOMENTS = "2026-11-21, 2026-11-21T08:00 (UTC unless a zone follows), 2h (ago) or ms since 1970"
"""Moments to write, as help and complaints say it."""
PERIODS = f"{MOMENTS}; all between two of them is FROM..TO, FROM.. or ..TO"
SPANS = "500ms, 30s, 5m, 1h30m, 7d; seconds without a unit"


def moment(text: str, now: int) -> tuple[int, int]:
    """(first ms, first ms after it) of a moment: a day, an hour, ... as exact as it is written.

    ``now`` is what ``2h`` and ``-2h`` count back from. UsageError for what is no moment.
    """
    ago = _AGO.fullmatch(text)
    if ago:
        at = now - _length(ago[1])
        return at, at + 1
    if _NUMBER.fullmatch(text):
        return int(text), int(text) + 1
    parts = _DATE.fullmatch(text)
    if parts is None:
        raise UsageError(f"{text!r} is not a time: write {MOMENTS}")
    try:
        found = datetime.fromisoformat(text)
    except ValueError as e:
        raise UsageError(f"{text!r} is not a time ({e}): write {MOMENTS}") from None
    if found.tzinfo is None:
        found = found.replace(tzinfo=UTC)
    at = (found - _EPOCH) // timedelta(milliseconds=1)
    if len(text) == 10:
        return at, at + UNITS["d"]
    for group, length in (("part", 1), ("second", UNITS["s"]), ("minute", UNITS["m"])):
        if parts[group]:
            return at, at + length
    return at, at + UNITS["h"]


def period(text: str, now: int) -> tuple[int | None, int | None]:
    """[first, end) of ``MOMENT``, ``FROM..TO``, ``FROM..`` or ``..TO``; TO is within the period.

    None where a side is open. UsageError for what is no period, or ends before it begins.
    """
    before, dots, after = text.partition("..")
    if not dots:
        return moment(text, now)
    first = moment(before, now)[0] if before else None
    end = moment(after, now)[1] if after else None
    if first is None and end is None:
        raise UsageError(f"{text!r} is not a period of time: write {PERIODS}")
    if first is not None and end is not None and end <= first:
        raise UsageError(f"{text!r}: the end is before the beginning")
    return first, end


def between(since: str | None, until: str | None, now: int) -> tuple[int | None, int | None]:
    """[first, end) of ``--since`` and ``--until``, as ``period`` of the two."""
    first = None if since is None else moment(since, now)[0]
    end = None if until is None else moment(until, now)[1]
    if first is not None and end is not None and end <= first:
        raise UsageError(f"--until {until} is before --since {since}")
    return first, end


def span(text: str) -> int:
    """A length of time such as ``5m`` in ms; UsageError unless it is one above 0."""
    length = _read(text)
    if not length:
        raise UsageError(f"{text!r} is not a length of time: write {SPANS}")
    return length


def span_or_none(text: str) -> int:
    """The same; ``0``, with a unit or without, is none: 0."""
    return 0 if _read(text) == 0 else span(text)


def _read(text: str) -> int | None:
    if not _SPAN.fullmatch(text):
        return None
    return int(text) * UNITS["s"] if text.isdigit() else _length(text)


def _length(text: str) -> int:
    """``1h30m`` in ms."""
    return sum(int(count) * UNITS[unit] for count, unit in _PART.findall(text))


def span_text(ms: int) -> str:
    """``5m`` of 300000."""
    for unit in ("d", "h", "m", "s"):
        if ms % UNITS[unit] == 0:
            return f"{ms // UNITS[unit]}{unit}"
    return f"{ms}ms"


def longer(step: int) -> int:
    """The step of ``STEPS`` above ``step``."""
    return next((known for known in STEPS if known > step), step * 10)


def moment_text(ms: int, *, parts: bool = True) -> str:
    """ISO 8601 in UTC, to the ms or (``parts`` off) without them where they are 0.

    A number of ms where the calendar of Python ends (before the year 1 or after 9999).
    """
    try:
        found = _EPOCH + timedelta(milliseconds=ms)
    except OverflowError:
        return str(ms)
    shown = found.strftime("%Y-%m-%dT%H:%M:%S")
    if found.year < 1000:
        shown = f"{found.year:04}" + shown[shown.index("-") :]
    return f"{shown}.{found.microsecond // 1000:03}Z" if parts or ms % 1000 else f"{shown}Z"
