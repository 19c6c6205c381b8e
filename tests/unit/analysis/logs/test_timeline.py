"""Buckets of time against a plain count."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.analysis.logs import timeline
from pykafka_ops.analysis.logs.timeline import Timeline
from pykafka_ops.analysis.moments import STEPS
from pykafka_ops.errors import UsageError

TIMES = st.one_of(st.integers(0, 10_000), st.integers(0, 2**63 - 1))
EVENTS = st.lists(st.tuples(TIMES, st.integers(1, 9), st.integers(0, 99)), max_size=60)


def counted(events: list[tuple[int, int, int]], step: int) -> dict[int, tuple[int, int]]:
    found: dict[int, tuple[int, int]] = defaultdict(lambda: (0, 0))
    for at, records, size in events:
        before = found[at // step * step]
        found[at // step * step] = (before[0] + records, before[1] + size)
    return dict(found)


@given(EVENTS, st.sampled_from([1, 7, 1000, 86_400_000]))
def test_a_given_length_is_kept(events: list[tuple[int, int, int]], step: int) -> None:
    line = Timeline(step)
    for event in events:
        line.add(*event)
    rows = line.rows(50)
    assert line.step == step
    assert {r[0]: r[1:] for r in rows if r[1]} == counted(events, step)
    assert [r[0] for r in rows] == sorted(r[0] for r in rows)


@given(EVENTS, st.integers(1, 50))
def test_a_length_found_by_itself_makes_few_buckets_without_holes(
    events: list[tuple[int, int, int]], most: int
) -> None:
    line = Timeline()
    for event in events:
        line.add(*event)
    rows = line.rows(most)
    assert len(rows) <= most
    assert {r[0]: r[1:] for r in rows if r[1]} == counted(events, line.step)
    assert all(b[0] - a[0] == line.step for a, b in pairwise(rows))
    assert line.step in STEPS or line.step > STEPS[-1]


def test_memory_stays_bounded_while_the_length_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timeline, "_OPEN", 64)
    line, most = Timeline(), 0
    for n in range(5000):
        line.add(n * 977, 1, 2)
        most = max(most, len(line.buckets))
    assert most <= 65
    assert sum(row[1] for row in line.rows(40)) == 5000


def test_too_many_buckets_of_a_given_length_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timeline, "_FIXED", 10)
    line = Timeline(1)
    with pytest.raises(UsageError, match="choose a longer one"):
        for n in range(20):
            line.add(n, 1, 1)
