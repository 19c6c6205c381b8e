"""What a retention policy does to a log: what leaves when, what stays too long, and why.

Kafka deletes whole segments, the oldest first, and stops at the first that may stay
(``UnifiedLog.deletableSegments``): one goes once its greatest timestamp is older than
``retention.ms``, or while the log without it is still ``retention.bytes`` or more. The active
segment goes by time only, and by size never before it is rolled.

Times in ms since 1970, sizes in bytes, rates in bytes per ms.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Final, NamedTuple, TypeVar

N = TypeVar("N", int, float)

DAY: Final = 86_400_000
#: ``log.retention.check.interval.ms``: a segment due for less than that (ms) is not late.
CHECK_INTERVAL: Final = 300_000

OK: Final = "ok"
OVER: Final = "over"
"""Whole segments are there that should have been deleted."""
BLOCKED: Final = "blocked"
"""The same, since an older segment has a timestamp that is newer (often in the future)."""
OVERHANG: Final = "overhang"
"""Old records stay only because their segment is not finished or has newer ones."""
BY_SIZE: Final = "by-size"
"""The size limit deletes long before the time limit would."""
UNKNOWN: Final = "unknown"
"""Nobody knows what is there, or when it was written."""
FOREVER: Final = "forever"
"""Nothing limits it."""
COMPACT: Final = "compact"
"""Compaction alone limits it: one record per key stays."""
EMPTY: Final = "empty"
ORDER: Final = (EMPTY, OK, COMPACT, FOREVER, BY_SIZE, UNKNOWN, OVERHANG, BLOCKED, OVER)
"""From good to bad; a topic is as bad as its worst partition."""
#: This share of a log's bytes in overhang is worth a word.
NOTABLE: Final = 0.1


@dataclass(frozen=True, slots=True)
class RetentionPolicy:
    """Settings of a topic that say what goes; -1: no limit (Kafka's defaults)."""

    delete: bool = True
    compact: bool = False
    retention_ms: int = 604_800_000
    retention_bytes: int = -1
    segment_ms: int = 604_800_000
    segment_bytes: int = 1_073_741_824

    @property
    def limited(self) -> bool:
        """Whether anything is ever deleted by time or size."""
        return self.delete and (self.retention_ms >= 0 or self.retention_bytes >= 0)


def policy_of(configs: Mapping[str, str | None]) -> RetentionPolicy:
    """From a topic's settings by name; what is missing, or no number, has Kafka's default."""
    kinds = {word.strip() for word in (configs.get("cleanup.policy") or "delete").split(",")}
    plain = RetentionPolicy()
    return RetentionPolicy(
        "delete" in kinds,
        "compact" in kinds,
        number_of(configs, "retention.ms", plain.retention_ms),
        number_of(configs, "retention.bytes", plain.retention_bytes),
        number_of(configs, "segment.ms", plain.segment_ms),
        number_of(configs, "segment.bytes", plain.segment_bytes),
    )


def number_of(configs: Mapping[str, str | None], name: str, default: N) -> N:
    """A setting as a number of the kind of ``default``, which stands for what is none."""
    try:
        return type(default)(configs.get(name) or "")
    except ValueError:
        return default


class LogStretch(NamedTuple):
    """A segment, or where only a cluster was asked, a stretch of the log.

    Timestamps are -1 where no record has one. ``last`` is the greatest offset.
    """

    base: int
    last: int
    size: int
    first_timestamp: int
    max_timestamp: int


def dated(segments: Sequence[LogStretch]) -> list[LogStretch]:
    """A log's segments (in order), those without a timestamp with the first one that comes behind
    them. Kafka goes by when their files were last written to, which was no later
    (``LogSegment.largestTimestamp``); the last ones may have none then, either."""
    result, after = [], -1
    for segment in reversed(segments):
        if segment.max_timestamp < 0:
            segment = segment._replace(first_timestamp=after, max_timestamp=after)
        elif segment.first_timestamp >= 0:
            after = segment.first_timestamp
        result.append(segment)
    return result[::-1]


def departures(
    segments: Sequence[LogStretch], policy: RetentionPolicy, rate: float, now: int
) -> list[float]:
    """When each of a log's ``segments`` (in order) goes by time, if ``rate`` bytes/ms go on being
    written; inf: never by time.

    The last one is active: while there are writes it takes them until it is full or too old. What
    has no timestamp, and nothing behind it has, may have been written just now.
    """
    if not policy.delete or policy.retention_ms < 0:
        return [inf] * len(segments)
    result, after = [], 0.0
    for i, segment in enumerate(dated(segments)):
        newest: float = now if segment.max_timestamp < 0 else segment.max_timestamp
        if rate > 0 and i == len(segments) - 1:
            full = now + max(0, policy.segment_bytes - segment.size) / rate
            old = max(now, segment.first_timestamp + policy.segment_ms)
            newest = max(newest, min(full, old))
        after = max(after, newest + policy.retention_ms)
        result.append(after)
    return result


class Held(NamedTuple):
    """At a moment: bytes left of what is there now, and bytes written since that are there."""

    old: int
    new: int


def held(
    segments: Sequence[LogStretch],
    policy: RetentionPolicy,
    rate: float,
    now: int,
    moments: Iterable[int],
) -> list[Held]:
    """What a log holds at each of ``moments`` (ms, rising, from ``now`` on)."""
    leave = departures(segments, policy, rate, now)
    total = sum(s.size for s in segments)
    cap = policy.retention_bytes if policy.delete and policy.retention_bytes >= 0 else None
    steady = steady_bytes(policy, rate)
    most_new = inf if steady is None else steady
    gone, result = 0, []
    for at in moments:
        new = min(rate * max(0, at - now), most_new)
        while gone < len(segments):
            segment = segments[gone]
            by_time = leave[gone] < at
            last = gone == len(segments) - 1
            full = not last or segment.size + new >= policy.segment_bytes
            by_size = cap is not None and full and total + new - segment.size >= cap
            if not by_time and not by_size:
                break
            total -= segment.size
            gone += 1
        result.append(Held(total, round(new)))
    return result


def steady_bytes(policy: RetentionPolicy, rate: float) -> int | None:
    """Bytes a log tends to at ``rate`` bytes/ms, half a segment of overhang counted in.

    None where nothing limits it by time or size.
    """
    if not policy.limited:
        return None
    if rate <= 0:
        return 0
    segment = min(float(policy.segment_bytes), rate * policy.segment_ms)
    by_time = rate * policy.retention_ms if policy.retention_ms >= 0 else inf
    by_size = policy.retention_bytes if policy.retention_bytes >= 0 else inf
    return round(min(by_time, by_size) + segment / 2)


class Judged(NamedTuple):
    """What a log holds beyond its policy.

    ``late``: bytes of whole segments that should be gone; ``status``: why, or ok.
    """

    status: str
    late: int


def judge(
    segments: Sequence[LogStretch],
    policy: RetentionPolicy,
    now: int,
    *,
    old_bytes: int = 0,
    full_for: float | None = None,
) -> Judged:
    """The state of one log. ``old_bytes``: those of its batches older than the time limit;
    ``full_for``: ms in which it fills ``retention.bytes`` at its rate (None: unknown).
    """
    total = sum(s.size for s in segments)
    if not total:
        return Judged(EMPTY, 0)
    if not policy.delete:
        return Judged(COMPACT if policy.compact else FOREVER, 0)
    if not policy.limited:
        return Judged(FOREVER, 0)
    timed = dated(segments)
    late, blocked = _late(timed, policy, now)
    over_size = _over_size(segments, policy)
    if late or over_size:
        return Judged(OVER, max(late, over_size))
    if blocked:
        return Judged(BLOCKED, blocked)
    if policy.retention_ms >= 0:
        if old_bytes > NOTABLE * total:
            return Judged(OVERHANG, 0)
        if any(s.size and s.max_timestamp < 0 for s in timed):
            return Judged(UNKNOWN, 0)
    if _short(policy, full_for):
        return Judged(BY_SIZE, 0)
    return Judged(OK, 0)


def _late(segments: Sequence[LogStretch], policy: RetentionPolicy, now: int) -> tuple[int, int]:
    """Of segments that are ``dated``: bytes past their time that nothing holds back, and bytes past
    it that a newer timestamp in an older segment does."""
    if policy.retention_ms < 0:
        return 0, 0
    limit = now - policy.retention_ms - CHECK_INTERVAL
    late = blocked = 0
    free = True
    for segment in segments:
        expired = 0 <= segment.max_timestamp < limit
        free = free and expired
        if expired and segment.size:
            late += segment.size if free else 0
            blocked += 0 if free else segment.size
    return late, blocked


def _over_size(segments: Sequence[LogStretch], policy: RetentionPolicy) -> int:
    """Bytes of whole segments beyond the size limit, the active one left out."""
    if policy.retention_bytes < 0:
        return 0
    over = sum(s.size for s in segments) - policy.retention_bytes
    found = 0
    for segment in segments[:-1]:
        if over - segment.size < 0:
            break
        over -= segment.size
        found += segment.size
    return found


def _short(policy: RetentionPolicy, full_for: float | None) -> bool:
    """Whether the size limit comes in less than half the time the time limit promises."""
    if policy.retention_bytes < 0 or full_for is None:
        return False
    return policy.retention_ms < 0 or full_for < policy.retention_ms / 2


def worst(statuses: Iterable[str]) -> str:
    """The status of a topic whose partitions have these."""
    return max(statuses, key=ORDER.index, default=EMPTY)
