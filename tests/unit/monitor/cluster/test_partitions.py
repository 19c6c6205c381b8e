"""The partitions of a group as columns say what its rows say, whoever judged them."""

from __future__ import annotations

from array import array
from dataclasses import fields
from typing import Any

import pytest

from pykafka_ops.analysis.commits.burrow import Commit
from pykafka_ops.analysis.lag.rows import LagRow
from pykafka_ops.client.group_describe import GroupDescription, MemberDescription
from pykafka_ops.monitor.cluster.answers import Answers
from pykafka_ops.monitor.cluster.judged import MANY, JudgedPartitions
from pykafka_ops.monitor.cluster.watched import AT_ONCE, LOOKED_AT, WatchedCluster
from tests.support.monitor.rounds import answers

WIDE = 600


def wide(at: int, end: int, *, behind: int) -> Answers:
    """A round where ``billing`` has committed in ``WIDE`` partitions of two topics, is behind in
    some of each kind and reads one that it never committed in."""
    got = answers(at, end)
    one = got.topics["orders"]
    parts = [one.partitions[0]._replace(number=n) for n in range(WIDE)]
    names = ("orders", "ships")
    got.topics = {name: one._replace(name=name, partitions=parts) for name in names}
    got.ends = {"orders": array("q", [end] * WIDE), "ships": array("q", [end] * (WIDE - 1))}
    got.starts = {"orders": array("q", [0] * WIDE), "ships": array("q", [50] * WIDE)}
    got.commits = {
        ("billing", name, n): [Commit(at - 1000, end - (n % 7 if n < behind else 0))]
        for name in names
        for n in range(WIDE - 1)
    }
    got.commits["billing", "ships", 3] = [Commit(at - 1000, 10)]
    got.commits["billing", "ships", 4] = [Commit(at - 1000, end + 10)]
    members = tuple(
        MemberDescription(f"m-{k}", None, f"client-{k}", "/10.0.0.7",
                          tuple((name, n) for name in names for n in range(k, WIDE, 3)))
        for k in (1, 2)
    )  # fmt: skip
    got.described = {
        "billing": GroupDescription("billing", "Stable", "Classic", "consumer", "range", 1, members)
    }
    return got


@pytest.mark.parametrize("behind", [WIDE, 100])
def test_every_column_is_that_of_the_rows(behind: int) -> None:
    watched = WatchedCluster("local")
    watched.take(wide(100_000, 1000, behind=behind))
    watched.take(wide(115_000, 1100, behind=behind))
    rows = watched.rows("billing")
    assert len(rows) == 2 * WIDE
    assert {row.status for row in rows} >= {"OK", "LOST", "AHEAD", "UNKNOWN"}
    with watched.partitions("billing") as table:
        assert list(table.rows(range(len(table)))) == rows
        for name in (field.name for field in fields(LagRow)):
            assert name in table
            assert list(table[name]) == [getattr(row, name) for row in rows], name
        assert "colour" not in table
        with pytest.raises(KeyError):
            table["colour"]


def test_a_round_keeps_what_it_found_out_of_large_groups_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    judged: list[int] = []
    kept = JudgedPartitions.__init__

    def note(self: JudgedPartitions, rows: list[LagRow]) -> None:
        judged.append(len(rows))
        kept(self, rows)

    monkeypatch.setattr(JudgedPartitions, "__init__", note)
    watched = WatchedCluster("local")
    watched.take(wide(100_000, 1000, behind=WIDE))
    assert len(judged) == 1 and judged[0] > MANY
    with watched.partitions("billing") as table:
        table["status"]
    assert len(judged) == 1, "it was judged by the round"
    watched.take(wide(115_000, 1100, behind=100))
    assert len(judged) == 1
    with watched.partitions("billing") as table:
        assert set(table["status"]) >= {"OK", "LOST"}
    assert len(judged) == 2, "it is judged when it is looked at"


def test_columns_last_until_the_next_round_and_of_few_groups() -> None:
    watched = WatchedCluster("local")
    got = wide(100_000, 1000, behind=5)
    names = [f"group-{n}" for n in range(LOOKED_AT + 1)]
    assert got.listed is not None
    got.listed = {name: got.listed["billing"]._replace(id=name) for name in names}
    got.described = {name: got.described["billing"]._replace(id=name) for name in names}
    watched.take(got)
    with watched.partitions(names[0]) as first:
        pass
    with watched.partitions(names[0]) as again:
        assert again is first
    for name in names[1:]:
        with watched.partitions(name):
            pass
    with watched.partitions(names[0]) as later:
        assert later is not first
    watched.take(wide(115_000, 1100, behind=5))
    with watched.partitions("billing") as table:
        assert len(table) == 2 * WIDE
    with watched.partitions("nobody") as nothing:
        assert len(nothing) == 0
    assert watched.rows("nobody") == []


def test_a_round_lets_pages_in_while_it_takes_commits_in() -> None:
    """One that held the cluster for 100,000 commits kept pages waiting for half a second."""
    watched = WatchedCluster("local")
    watched.take(wide(100_000, 1000, behind=5))
    got = wide(115_000, 1100, behind=5)
    looks: list[int] = []

    class Commits(dict[Any, Any]):
        asked = 0

        def items(self) -> Any:
            self.asked += 1
            if self.asked == 1:  # clocks are heard in one go
                yield from super().items()
                return
            for number, item in enumerate(super().items()):
                if number % AT_ONCE == 0:
                    with watched.partitions("billing") as table:
                        looks.append(len(table))
                yield item

    got.commits = Commits(got.commits)
    watched.take(got)
    assert looks == [2 * WIDE] * 3, "of 1,198 commits"
