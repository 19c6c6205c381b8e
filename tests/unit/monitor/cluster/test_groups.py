"""A group in one row is the sum of its partitions' rows, however many of them are only counted."""

from __future__ import annotations

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.analysis.commits.burrow import Commit
from pykafka_ops.analysis.lag.rows import by_group
from pykafka_ops.client.group_describe import GroupDescription, MemberDescription
from pykafka_ops.monitor.cluster.clocks import BrokerClocks
from pykafka_ops.monitor.cluster.commits import CommitStore
from pykafka_ops.monitor.cluster.ends import LogEnds
from pykafka_ops.monitor.cluster.groups import GroupJudge, KnownFacts, partition_rows

OFFSETS = st.integers(-1, 6)


@st.composite
def facts(draw: st.DrawFn) -> tuple[KnownFacts, GroupDescription]:
    ends, commits = LogEnds(), CommitStore()
    size = draw(st.integers(1, 4))
    for at in range(3):
        known = draw(st.lists(OFFSETS, min_size=size, max_size=size))
        ends.record(at * 10_000, {"t": array("q", known), "u": array("q", known[:1])})
    for at in range(draw(st.integers(0, 8))):
        topic, n = draw(st.sampled_from(("t", "u", "gone"))), draw(st.integers(0, size))
        commits.add("g", topic, n, Commit(at * 4000, draw(OFFSETS), draw(st.none() | OFFSETS)))
    starts = {"t": array("q", draw(st.lists(OFFSETS, max_size=size))), "u": array("q", [0])}
    assigned = draw(st.lists(st.tuples(st.just("t"), st.integers(0, size)), unique=True))
    member = MemberDescription("m", None, "client", "/h", tuple(assigned))
    group = GroupDescription("g", "Stable", "Classic", "consumer", "range", 1, (member,))
    return KnownFacts(20_000, commits, ends, starts, {}, {}, BrokerClocks()), group


@given(facts())
def test_the_row_of_a_group_sums_up_its_partitions(
    made: tuple[KnownFacts, GroupDescription],
) -> None:
    known, group = made
    rows = partition_rows(known, group)
    found = GroupJudge(known).group(group)
    if not rows:
        assert (found.row.partitions, found.row.lag) == (0, None)
        return
    (expected,) = by_group(rows)
    for name in ("partitions", "unknown_partitions", "lag", "max_lag", "lag_seconds", "lead",
                 "catch_up_seconds", "status"):  # fmt: skip
        assert getattr(found.row, name) == getattr(expected, name), name
    for name in ("rate_in", "rate_out"):
        said = getattr(expected, name)
        assert getattr(found.row, name) == (None if said is None else pytest.approx(said, abs=0.01))
    assert found.topics == sorted({row.topic for row in rows})
