"""What a partition of a group was like in the windows that are over, and what is kept of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pykafka_ops.analysis.commits.burrow import WINDOW as COMMITS
from pykafka_ops.analysis.commits.fold import CommitPart, joined, stretches
from pykafka_ops.analysis.lag.rows import Sample
from pykafka_ops.spark.arrow import map_rows
from pykafka_ops.spark.reports.lag.fold import KEY, PART
from pykafka_ops.spark.schemas import Row, array_of, columns

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

KEPT_ENDS: Final = COMMITS
"""Windows before the last reported one whose ends are kept, for the lag at earlier commits."""
WINDOW: Final = columns(
    "start bigint, end bigint, commits bigint, moved bigint, committed bigint, log_end bigint,"
    "lag bigint, status string"
)
"""A window: times in ms; commits in it and offsets it moved on; at its end what was committed,
where the log ended, the lag and the verdict."""
_ADVANCED: Final = columns(
    "group string, topic string, partition int, windows windows, state parts",
    windows=array_of(WINDOW),
    parts=array_of(PART),
)


class WindowStep(NamedTuple):
    """Windows have numbers: window n of ``width`` ms ends at n times that. Those behind ``base`` up
    to ``closed`` are over now."""

    base: int
    closed: int
    width: int


def advanced(rows: DataFrame, step: WindowStep) -> DataFrame:
    """Key, windows and state of rows of key, parts (by number of window) and ends (pairs)."""

    def advance(row: Mapping[str, Any]) -> Iterator[Row]:
        parts = [CommitPart(**part) for part in row["parts"]]
        ends = [(at, offset) for at, offset in row["ends"] or ()]
        yield *(row[name] for name in KEY), *one(parts, ends, step)

    return map_rows(rows.select(*KEY, "parts", "ends"), advance, _ADVANCED)


def one(
    parts: Sequence[CommitPart], ends: Sequence[Sample], step: WindowStep
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The windows of a partition that are over, and the parts to go on with.

    There is no window before the first commit, nor behind a deletion that nothing follows.
    """
    over = range(step.base, step.closed + 1)
    times = [number * step.width for number in over]
    placed = [replace(p, bucket=min(max(p.bucket - step.base, 0), len(over))) for p in parts]
    log_ends = dict(ends)
    windows = [
        {
            "start": start,
            "end": start + step.width,
            "commits": found.commits,
            "moved": found.moved,
            "committed": found.offset,
            "log_end": log_ends.get(start + step.width),
            "lag": found.lag,
            "status": found.status,
        }
        for start, found in zip(times, stretches(placed, times, times, ends), strict=False)
        if found.offset is not None or found.commits
    ]
    done = [p for p in parts if p.bucket <= step.closed]
    later = [p for p in parts if p.bucket > step.closed]
    known = [replace(joined(done), bucket=step.closed)] if done else []
    if known and known[0].offsets[-1] < 0 and not later:
        known = []
    return windows, [{name: getattr(p, name) for name in PART.names} for p in (*known, *later)]
