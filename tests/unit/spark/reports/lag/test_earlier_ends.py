"""The ends that are asked for give the same row as all ends of the span would."""

from __future__ import annotations

from bisect import bisect_left
from itertools import groupby
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.analysis.commits.fold import part
from pykafka_ops.spark.inputs.asked_ends import first_of
from pykafka_ops.spark.reports.lag.fold import PART
from pykafka_ops.spark.reports.lag.judge import one
from pykafka_ops.spark.reports.lag.span import ReportSpan

NOW = 10_000_000
SPAN = ReportSpan.of(NOW, NOW - 5_000_000, None, 250_000)
END = 1000


def parts_of(commits: list[tuple[int, int]]) -> list[dict[str, Any]]:
    """As ``folding`` gives them: one for each stretch between borders."""
    placed = [(bisect_left(SPAN.borders, t), at, t, to) for at, (t, to) in enumerate(commits)]
    made = []
    for bucket, rows in groupby(placed, key=lambda row: row[0]):
        _, at, times, offsets = map(list, zip(*rows, strict=True))
        found = part(bucket, at, times, offsets)
        made.append({name: getattr(found, name) for name in PART.names})
    return made


def row_of(ends: list[tuple[int, int]], parts: list[dict[str, Any]], more: dict[str, Any]) -> Any:
    return one(
        {
            "group": "g", "state": "Stable", "topic": "t", "partition": 0, "client_id": None,
            "start": 0, "end": END, "newest": NOW, "listed": True, "readers_known": True,
            "leaves": None, "ends": [e for e in ends if e[0] == SPAN.samples[0]],
            "earlier": [e for e in ends if e[0] != SPAN.samples[0]], "parts": parts, **more,
        },
        SPAN,
    )  # fmt: skip


@given(st.data())
def test_a_row_is_the_same_without_moments_before_the_first_commit(data: st.DataObject) -> None:
    draw, every = data.draw, SPAN.asked
    offsets = sorted(draw(st.lists(st.integers(0, END), min_size=len(every), max_size=len(every))))
    ends = list(zip(every, offsets, strict=True))
    first = draw(st.integers(SPAN.times[0] - 300_000, NOW))
    times = sorted(draw(st.lists(st.integers(first, NOW), max_size=30)))
    commits = [(t, draw(st.integers(-1, END))) for t in times]
    committed = draw(st.none() | st.integers(0, END + 1))
    stamp = None if committed in (None, END, END + 1) else draw(st.integers(0, NOW))
    more = {"committed": committed, "next_timestamp": stamp}
    known = SPAN.samples[0]
    others = [t for t in every if t != known]
    after = min(t for t in others if t > known)
    since = after if times and known <= times[0] < after else times[0] if times else NOW
    from_then = first_of(others, since) if times else NOW
    asked = [e for e in ends if e[0] >= from_then or e[0] == SPAN.samples[0]]
    parts = parts_of(commits)
    assert row_of(asked, parts, more) == row_of(ends, parts, more)
