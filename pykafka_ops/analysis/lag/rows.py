"""How far behind groups are, in records and in time: one row per partition, one per group.

All times in ms since 1970, rates in records per second, spans in seconds.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from operator import itemgetter
from typing import Final

from pykafka_ops.analysis.clocks import age_of, difference
from pykafka_ops.analysis.commits.burrow import (
    LEAST,
    OK,
    ORDER,
    STALL,
    STOP,
    UNKNOWN,
    WARN,
    WINDOW,
    Commit,
    catch_up_seconds,
    judge,
    rate,
)
from pykafka_ops.analysis.lag.shared import judge_shared

Sample = tuple[int, int]
"""A time, and the end offset of the log then."""
_time = itemgetter(0)
LOST = "LOST"
"""The log begins behind the committed offset: records were deleted before they were read."""
AHEAD = "AHEAD"
"""The committed offset is behind the end of the log, which was cut or made anew."""
STATUSES: Final = (*ORDER, AHEAD, LOST)
"""Every verdict, from good to bad."""
_OF_LAG: Final = frozenset({
    "lag", "max_lag", "lag_change", "lag_seconds", "catch_up_seconds", "loss_in_seconds",
    "retained_share",
})  # fmt: skip


@dataclass(slots=True)
class PartitionFacts:
    """What is known of one partition of a group. Offsets; None where unknown.

    ``ends`` are earlier end offsets by time, ``commits`` those of the window, both in order;
    ``next_timestamp`` belongs to the record at the committed offset, ``newest`` to the newest
    record. ``client_id`` is who reads it, None if nobody does (or, without ``readers_known``, if
    it is unknown). ``past`` and ``history`` are ends and commits from before the window, too:
    for the verdict where the window has too few commits. ``counted``: of a share group, whose
    lag is ``said`` by its coordinator (None: it does not say) and whose ``commits`` are how it was
    seen.
    """

    group: str
    state: str
    topic: str
    partition: int
    client_id: str | None
    committed: int | None
    start: int | None
    end: int | None
    next_timestamp: int | None = None
    newest: int | None = None
    ends: Sequence[Sample] = ()
    commits: Sequence[Commit] = field(default_factory=list)
    past: Sequence[Sample] = ()
    history: Sequence[Commit] = ()
    readers_known: bool = True
    counted: bool = False
    said: int | None = None


@dataclass(slots=True)
class LagRow:
    """Where a partition of a group stands; the fields are those of the report."""

    group: str
    state: str
    topic: str
    partition: int
    client_id: str | None
    current_offset: int | None
    log_end_offset: int | None
    lag: int | None
    lag_seconds: float | None
    rate_in: float | None
    rate_out: float | None
    catch_up_seconds: float | None
    lead: int | None
    status: str
    since: int | None


def understated(row: Mapping[str, object], name: str) -> bool:
    """Whether a figure of a lag report says less than the truth: records were lost, or nobody
    knows how far behind some of it is. For conditions, which such a figure always meets."""
    return name in _OF_LAG and (
        row.get("status") in (LOST, AHEAD) or bool(row.get("unknown_partitions"))
    )


def lag_row(facts: PartitionFacts, now: int) -> LagRow:
    """The row for what is known at ``now``. A lag is never negative: of a group beyond the end of
    the log it is not known. Of an empty log it is 0, whatever was committed."""
    committed, end = facts.committed, facts.end
    lag = lag_of(committed, facts.start, end)
    if facts.counted and lag:
        lag = facts.said
    lead = None if committed is None or facts.start is None else committed - facts.start
    samples = [*facts.ends, *([(now, end)] if end is not None else [])]
    rate_in = growth(samples)
    rate_out = _done_rate(facts, samples) if facts.counted else rate(facts.commits)
    status, since = _status(facts, lag, lead, samples, now)
    if since is not None and age_of(since, now) is None:
        since = None
    return LagRow(
        facts.group,
        facts.state,
        facts.topic,
        facts.partition,
        facts.client_id,
        committed,
        end,
        lag,
        _behind(facts, lag),
        _rounded(rate_in),
        _rounded(rate_out),
        None if lag is None else _rounded(catch_up_seconds(lag, rate_in, rate_out)),
        lead,
        status,
        since,
    )


def lag_of(committed: int | None, start: int | None, end: int | None) -> int | None:
    """Records behind, of offsets: never negative; None: not known; of an empty log it is 0."""
    if committed is None:
        return 0 if start is not None and start == end else None
    return None if end is None or committed > end else end - committed


def _status(
    facts: PartitionFacts, lag: int | None, lead: int | None, samples: Sequence[Sample], now: int
) -> tuple[str, int | None]:
    if facts.committed is not None and facts.end is not None and facts.committed > facts.end:
        return AHEAD, None
    if lag is None:
        return UNKNOWN, None
    if lead is not None and lead < 0:
        return LOST, None
    if not lag:
        return OK, None
    if facts.counted:
        return _shared_status(facts, lag)
    found = facts.commits
    if len(found) < LEAST and facts.history:
        found, samples = facts.history, [*facts.past, *samples]
    if len(found) < LEAST:  # nobody looks at the lags of so few
        commits = found
    else:
        commits = [*found[:-WINDOW], *with_lags(found[-WINDOW:], samples)]
    status, since = judge(commits, lag, now)
    if status == UNKNOWN and facts.client_id is None and facts.readers_known:
        return STOP, commits[-1].timestamp if commits else None
    return status, since


def _shared_status(facts: PartitionFacts, lag: int) -> tuple[str, int | None]:
    """Of a share group: what nobody reads does not go on, whatever was seen before."""
    status, since = judge_shared(facts.commits, lag)
    if status in (UNKNOWN, STALL, WARN) and facts.client_id is None and facts.readers_known:
        return STOP, since
    return status, since


def _done_rate(facts: PartitionFacts, samples: Sequence[Sample]) -> float | None:
    """Records per second that a share group is done with, behind its start, too."""
    done = []
    for seen in facts.commits:
        end = end_at(samples, seen.timestamp)
        if end is not None and seen.lag is not None:
            done.append((seen.timestamp, end - seen.lag))
    return growth([done[0], done[-1]]) if done else None


def _behind(facts: PartitionFacts, lag: int | None) -> float | None:
    """How much older the next record to read is than the newest one; None also where clocks say
    that it is younger."""
    if lag == 0:
        return 0.0
    if facts.next_timestamp is None or facts.newest is None:
        return None
    found = difference(facts.newest, facts.next_timestamp)
    return None if found is None else found / 1000


def growth(samples: Sequence[Sample]) -> float | None:
    """Records per second into a log between the first and the last sample of its end, by time; None
    where it was cut, or its topic made anew."""
    found = rate(samples)
    return None if found is not None and found < 0 else found


def end_at(samples: Sequence[Sample], timestamp: int) -> int | None:
    """The end offset at a time between two samples, in proportion; None before the first.

    ``samples`` by time. Behind the last sample it is that of the last.
    """
    behind = bisect_left(samples, timestamp, key=_time)
    if behind == len(samples):
        return samples[-1][1] if samples else None
    if not behind:
        if samples[0][0] > timestamp or len(samples) == 1:
            return None
        behind = 1
    (t0, o0), (t1, o1) = samples[behind - 1], samples[behind]
    return o0 + round((o1 - o0) * (timestamp - t0) / (t1 - t0)) if t1 > t0 else o1


def with_lags(commits: Sequence[Commit], samples: Sequence[Sample]) -> list[Commit]:
    """The commits with how far behind they were, where the end of the log then is known."""
    result = []
    for c in commits:
        at = end_at(samples, c.timestamp)
        result.append(c if at is None else Commit(c.timestamp, c.offset, max(0, at - c.offset)))
    return result


def time_at(samples: Sequence[Sample], offset: int) -> int | None:
    """About when the record at ``offset`` was written: between two samples, in proportion.

    None where the log ended behind it before the first sample, or has not come to it.
    """
    for (t0, o0), (t1, o1) in pairwise(samples):
        if o0 <= offset < o1:
            return t0 + round((t1 - t0) * (offset - o0) / (o1 - o0))
    return None


def spread(found: Sequence[int], most: int) -> list[int]:
    """At most ``most`` of these, evenly chosen, the first and the last among them."""
    if len(found) <= most:
        return list(found)
    return [found[i * (len(found) - 1) // (most - 1)] for i in range(most)]


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


@dataclass(slots=True)
class GroupLag:
    """A group in one row: sums of lag and rates, the worst of all else, of the partitions of which
    it is known. ``unknown_partitions`` are those without a lag."""

    group: str
    state: str
    partitions: int
    unknown_partitions: int
    lag: int | None
    max_lag: int | None
    lag_seconds: float | None
    rate_in: float | None
    rate_out: float | None
    catch_up_seconds: float | None
    lead: int | None
    status: str


def by_group(rows: Iterable[LagRow]) -> list[GroupLag]:
    """One row per group, by name."""
    groups: dict[str, list[LagRow]] = {}
    for row in rows:
        groups.setdefault(row.group, []).append(row)
    return [_sum(name, groups[name]) for name in sorted(groups)]


def _sum(name: str, rows: Sequence[LagRow]) -> GroupLag:
    lags = [r.lag for r in rows if r.lag is not None]
    rates_in = [r.rate_in for r in rows if r.rate_in is not None]
    rates_out = [r.rate_out for r in rows if r.rate_out is not None]
    return GroupLag(
        name,
        rows[0].state,
        len(rows),
        len(rows) - len(lags),
        sum(lags) if lags else None,
        max(lags, default=None),
        _latest(rows),
        _rounded(sum(rates_in)) if rates_in else None,
        _rounded(sum(rates_out)) if rates_out else None,
        _slowest(rows),
        min((r.lead for r in rows if r.lead is not None), default=None),
        max((r.status for r in rows), key=STATUSES.index),
    )


def _latest(rows: Sequence[LagRow]) -> float | None:
    """The greatest delay; None where it is not known of a partition that is behind, and no other
    is late."""
    known = max((r.lag_seconds for r in rows if r.lag_seconds is not None), default=None)
    if not known and any(r.lag_seconds is None and r.lag != 0 for r in rows):
        return None
    return known


def _slowest(rows: Sequence[LagRow]) -> float | None:
    """Seconds until the last partition has caught up; None: never, or not known of one."""
    spans = [r.catch_up_seconds for r in rows if r.lag != 0]
    known = [s for s in spans if s is not None]
    return max(known, default=0.0) if len(known) == len(spans) else None
