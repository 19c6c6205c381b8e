"""Whether a group reaches its unread records before retention deletes them.

Times in ms since 1970, rates per second, spans in seconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Final

from pykafka_ops.analysis.commits.burrow import catch_up_seconds
from pykafka_ops.analysis.retention import LogStretch, RetentionPolicy, departures

SAFE: Final = "SAFE"
AT_RISK: Final = "AT_RISK"
"""Some of it will be deleted before the group gets there at its present rate."""
LOSING: Final = "LOSING"
"""Records it has not read are being deleted within the next check of retention, or were."""
ORDER: Final = (SAFE, AT_RISK, LOSING)


@dataclass(slots=True)
class Unread:
    """What a group has not read of a partition.

    ``unread_bytes``: on disk, in proportion where the offset is inside a segment (None: not
    known);
    ``deleted_in_seconds``: until the segment with the next record goes (0.0: now, or it is gone;
    inf: never at this rate; None: not known);
    ``catch_up_seconds``: until all is read (None: never, or unknown);
    ``records_lost``: records that go unread at present rates, those that are gone already among
    them (None: not known, as the ``status``).
    """

    lag: int
    unread_bytes: int | None
    oldest_unread: int | None
    deleted_in_seconds: float | None
    catch_up_seconds: float | None
    records_lost: int | None
    status: str | None


@dataclass(frozen=True, slots=True)
class GroupReader:
    """A group in one partition: the next offset to read, where the log ends, records per second
    read and written (None: not known; a reader of unknown rate counts as standing still)."""

    committed: int
    end: int
    rate_out: float | None
    rate_in: float | None


def unread(
    reader: GroupReader,
    segments: Sequence[LogStretch] | None,
    policy: RetentionPolicy,
    write_rate: float | None,
    now: int,
) -> Unread:
    """Where the reader stands against what retention takes from ``segments`` (a log's, in order;
    None: not known); ``write_rate`` in bytes per ms, as ``retention.departures`` takes it. None is
    that of a log whose times are not known: nobody knows either what goes when, if anything limits
    it."""
    lag = max(0, reader.end - reader.committed)
    catch_up = catch_up_seconds(lag, reader.rate_in, reader.rate_out)
    if not lag:
        return Unread(0, 0, None, None, 0.0, 0, SAFE)
    caught_up = None if catch_up is None else round(catch_up, 3)
    if segments is None:
        return Unread(lag, None, None, None, caught_up, None, None)
    is_known = write_rate is not None or not policy.limited
    leave = leaving(segments, policy, write_rate or 0.0, now)
    start = segments[0].base if segments else reader.end
    lost = max(0, min(start, reader.end) - reader.committed)
    gone_before = lost
    size, oldest, first_leave = 0, None, inf
    reading = max(0.0, reader.rate_out or 0.0)
    for segment, at in zip(segments, leave, strict=True):
        left = segment.last + 1 - max(segment.base, reader.committed)
        if left <= 0:
            continue
        size += _part(segment, left)
        if oldest is None:
            oldest, first_leave = _timestamp_at(segment, reader.committed), at
        lost += _missed(reader, segment, at, reading, now) if is_known else 0
    goes = until(0.0 if gone_before else first_leave, now)
    if not is_known and not gone_before:
        return Unread(lag, size, oldest, None, caught_up, None, None)
    status = LOSING if gone_before or (first_leave <= now and lost) else AT_RISK if lost else SAFE
    return Unread(lag, size, oldest, goes, caught_up, lost, status)


def leaving(
    segments: Sequence[LogStretch], policy: RetentionPolicy, rate: float, now: int
) -> list[float]:
    """When each segment goes, by time or by size, whichever is first."""
    by_time = departures(segments, policy, rate, now)
    if not policy.delete or policy.retention_bytes < 0:
        return by_time
    total, after, result = sum(s.size for s in segments), 0.0, []
    for i, (segment, at) in enumerate(zip(segments, by_time, strict=True)):
        total -= segment.size
        room = policy.retention_bytes - total
        if i == len(segments) - 1:
            room = max(room, policy.segment_bytes - segment.size)
        by_size = now if room <= 0 else now + room / rate if rate > 0 else inf
        after = max(after, min(at, by_size))
        result.append(after)
    return result


def until(moment: float, now: int) -> float:
    """Seconds until a moment (ms), 0.0 where that is over, inf for never."""
    return inf if moment == inf else max(0.0, round((moment - now) / 1000, 3))


def _part(segment: LogStretch, left: int) -> int:
    span = segment.last + 1 - segment.base
    return segment.size * left // span if span > left else segment.size


def _timestamp_at(segment: LogStretch, offset: int) -> int | None:
    """The time of an offset in a segment, in proportion between its first and its last."""
    first, last = segment.first_timestamp, segment.max_timestamp
    if first < 0 or last < 0:
        return None
    span = segment.last - segment.base
    into = max(0, offset - segment.base)
    return first + (last - first) * into // span if span > 0 else first


def _missed(
    reader: GroupReader, segment: LogStretch, leaves: float, reading: float, now: int
) -> int:
    """Records of a segment that the reader has not reached when the segment goes."""
    if leaves == inf:
        return 0
    reached = reader.committed + reading * max(0.0, leaves - now) / 1000
    first = max(segment.base, reader.committed)
    return max(0, segment.last + 1 - max(first, int(reached)))
