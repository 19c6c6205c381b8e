"""Commits folded in a task say what a plain loop over all of them says."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from pykafka_ops.analysis.commits.fold import CommitPart, joined, part
from pykafka_ops.spark.reports.lag.fold import PART, folding

BORDERS = (100, 200, 300)
ROW = st.tuples(
    st.sampled_from(["g", "h"]), st.sampled_from(["t", "u"]), st.integers(0, 1),
    st.integers(-1, 9), st.integers(0, 40),
)  # fmt: skip
Row = tuple[str, str, int, int, int]
Key = tuple[str, str, int, int]


def batches(rows: list[Row], size: int) -> Iterator[pa.RecordBatch]:
    """Rows with times that rise with their places in the log, in batches."""
    time = 0
    table = []
    for at, (group, topic, partition, to, gap) in enumerate(rows):
        time += gap
        table.append({"group": group, "topic": topic, "partition": partition, "to": to,
                      "time": time, "at": at})  # fmt: skip
    schema = pa.schema([("group", pa.string()), ("topic", pa.string()), ("partition", pa.int32()),
                        ("to", pa.int64()), ("time", pa.int64()), ("at", pa.int64())])  # fmt: skip
    yield pa.RecordBatch.from_pylist([], schema)
    for i in range(0, len(table), size):
        yield pa.RecordBatch.from_pylist(table[i : i + size], schema)


@settings(deadline=None)
@given(st.lists(ROW, max_size=80), st.integers(1, 30))
def test_a_task_folds_as_a_plain_loop(rows: list[Row], size: int) -> None:
    found: dict[Key, list[CommitPart]] = {}
    for batch in folding(BORDERS)(batches(rows, size)):
        for row in batch.to_pylist():
            key = (row["group"], row["topic"], row["partition"], row["bucket"])
            found.setdefault(key, []).append(CommitPart(**{name: row[name] for name in PART.names}))
    wanted: dict[Key, tuple[list[int], list[int], list[int]]] = {}
    for batch in batches(rows, 1000):
        for row in batch.to_pylist():
            bucket = bisect_left(BORDERS, row["time"])
            key = (row["group"], row["topic"], row["partition"], bucket)
            columns = wanted.setdefault(key, ([], [], []))
            for column, name in zip(columns, ("at", "time", "to"), strict=True):
                column.append(row[name])
    assert {k: joined(v) for k, v in found.items()} == {
        k: part(k[3], *columns) for k, columns in wanted.items()
    }
