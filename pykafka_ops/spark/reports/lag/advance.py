"""What a partition of a group was like in the windows that are over, and what is kept of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pyspark.sql import DataFrame
from pyspark.sql import types as t

from pykafka_ops.analysis.commits.burrow import WINDOW as COMMITS
from pykafka_ops.analysis.commits.fold import CommitPart, joined, stretches
from pykafka_ops.analysis.lag.rows import Sample
from pykafka_ops.spark.arrow_map import map_arrow
from pykafka_ops.spark.reports.lag.fold import PART

if TYPE_CHECKING:
    import pyarrow as pa

KEPT_ENDS: Final = COMMITS
"""Windows before the last reported one whose ends are kept, for the lag at earlier commits."""
_LONG: Final = t.LongType()
_KEY: Final = (
    t.StructField("group", t.StringType()),
    t.StructField("topic", t.StringType()),
    t.StructField("partition", t.IntegerType()),
)
WINDOW: Final = t.StructType(
    [
        *(t.StructField(name, _LONG) for name in ("start", "end", "commits", "moved", "committed",
                                                  "log_end", "lag")),
        t.StructField("status", t.StringType()),
    ]
)  # fmt: skip
"""A window: times in ms; commits in it and offsets it moved on; at its end what was committed,
where the log ended, the lag and the verdict."""
_ADVANCED: Final = t.StructType(
    [
        *_KEY,
        t.StructField("windows", t.ArrayType(WINDOW, containsNull=False)),
        t.StructField("state", t.ArrayType(PART, containsNull=False)),
    ]
)


class WindowStep(NamedTuple):
    """Windows have numbers: window n of ``width`` ms ends at n times that. Those behind ``base`` up
    to ``closed`` are over now."""

    base: int
    closed: int
    width: int


def advanced(rows: DataFrame, step: WindowStep) -> DataFrame:
    """Key, windows and state of rows of key, parts (by number of window) and ends (pairs)."""
    return map_arrow(rows.select(*(f.name for f in _KEY), "parts", "ends"),
                     _advancing(step), _ADVANCED)  # fmt: skip


def _advancing(step: WindowStep) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def advance(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        from pykafka_ops.spark.schemas import arrow

        schema = arrow(_ADVANCED)
        for batch in batches:
            columns = [column.to_pylist() for column in batch.columns]
            made = [
                (
                    *key,
                    *one([CommitPart(**p) for p in parts], [(a, o) for a, o in ends or ()], step),
                )
                for *key, parts, ends in zip(*columns, strict=True)
            ]
            if made:
                arrays = [
                    pa.array(values, field.type)
                    for values, field in zip(zip(*made, strict=True), schema, strict=True)
                ]
                yield pa.RecordBatch.from_arrays(arrays, schema=schema)

    return advance


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
