"""A row of facts about a partition of a group to its figures, by the rules of ``analysis``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from pykafka_ops.analysis.clocks import age_of
from pykafka_ops.analysis.commits.burrow import LEAST, Commit
from pykafka_ops.analysis.commits.fold import CommitPart, joined, rank, stretches
from pykafka_ops.analysis.lag.loss import Departure, loss_in_seconds, retained_share
from pykafka_ops.analysis.lag.rows import PartitionFacts, Sample, lag_row, time_at
from pykafka_ops.spark.arrow import map_rows
from pykafka_ops.spark.reports.lag.departures import LEAVES
from pykafka_ops.spark.reports.lag.fold import PART
from pykafka_ops.spark.reports.lag.span import ReportSpan
from pykafka_ops.spark.schemas import array_of, columns

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

FACTS: Final = columns(
    "group string, state string, topic string, partition int, client_id string,"
    "committed bigint, start bigint, end bigint, next_timestamp bigint, newest bigint,"
    "listed boolean, readers_known boolean, leaves leaves, ends ends, earlier ends,"
    "parts parts",
    leaves=LEAVES,
    ends=array_of(array_of(pa.int64())),
    parts=array_of(PART),
)
"""What is known of a partition of a group; times in ms. ``ends`` and ``earlier`` are pairs of a
time and where the log ended then, ``leaves`` says when retention takes what; ``listed`` is false
where there are commits in the history and no longer an offset."""
ROW: Final = columns(
    "group string, state string, topic string, partition int, client_id string,"
    "current_offset bigint, log_end_offset bigint, lag bigint, lag_seconds double,"
    "rate_in double, rate_out double, catch_up_seconds double, lead bigint, status string,"
    "since bigint, last_commit bigint, last_commit_age_seconds double,"
    "loss_in_seconds double, retained_share double"
)
"""The fields of ``analysis.lag.rows.LagRow``, and what only reports have."""
_BUCKETS: Final = columns(
    "listed boolean, commits counts, moved counts, lags counts, ranks counts",
    counts=array_of(pa.int64(), nulls=True),
)
JUDGED: Final = pa.schema([*ROW, *_BUCKETS])
"""ROW; and for each bucket of time commits, offsets moved, lag and the rank of the verdict."""
Fact = Mapping[str, Any]


def judged(facts: DataFrame, span: ReportSpan) -> DataFrame:
    """JUDGED of a frame of FACTS."""
    return map_rows(facts.select(*FACTS.names), lambda fact: [one(fact, span)], JUDGED)


def one(fact: Fact, span: ReportSpan) -> tuple[object, ...]:
    """The values of JUDGED for one row of FACTS."""
    parts = [CommitPart(**part) for part in fact["parts"] or ()]
    pairs = [*(fact["ends"] or ()), *(fact["earlier"] or ())]
    ends: list[Sample] = sorted({(at, offset) for at, offset in pairs if at < span.now})
    end = fact["end"]
    every = ends if end is None else [*ends, (span.now, end)]
    facts = _facts(fact, span, parts, ends, every)
    row = lag_row(facts, span.now)
    last = max((p.times[-1] for p in parts if p.offsets[-1] >= 0), default=None)
    stretched = stretches(parts, span.borders, span.times, every) if parts else []
    return (
        *(getattr(row, name) for name in row.__slots__),
        last,
        _seconds_ago(last, span.now),
        loss_in_seconds(
            [Departure(**one) for one in fact["leaves"] or ()],
            span.now,
            committed=row.current_offset,
            lag=row.lag,
            lead=row.lead,
        ),
        retained_share(row.lag, facts.start, facts.end),
        fact["listed"],
        [s.commits for s in stretched],
        [s.moved for s in stretched],
        [s.lag for s in stretched],
        [rank(s.status) for s in stretched],
    )


def _seconds_ago(at: int | None, now: int) -> float | None:
    age = None if at is None else age_of(at, now)
    return None if age is None else age / 1000


def _facts(
    fact: Fact,
    span: ReportSpan,
    parts: Sequence[CommitPart],
    ends: Sequence[Sample],
    every: Sequence[Sample],
) -> PartitionFacts:
    begin = span.now - span.window
    recent = [p for p in parts if p.bucket >= span.begin]
    commits = joined(recent).kept() if recent else []
    history: Sequence[Commit] = ()
    if len(commits) < LEAST and len(recent) < len(parts):
        history = joined(parts).kept()
    committed, stamp = fact["committed"], fact["next_timestamp"]
    if stamp is None and committed is not None:
        stamp = time_at(every, committed)
    return PartitionFacts(
        fact["group"],
        fact["state"],
        fact["topic"],
        fact["partition"],
        fact["client_id"],
        committed,
        fact["start"],
        fact["end"],
        stamp,
        fact["newest"],
        [s for s in ends if s[0] >= begin],
        commits,
        [s for s in ends if s[0] < begin],
        history,
        fact["readers_known"],
    )
