"""Rows of a group: who reads what, and how far behind."""

from __future__ import annotations

from pykafka_ops.analysis.lag.standing import (
    AssignedMember,
    Standing,
    lag_of,
    partitions_of,
    standings,
)

A = AssignedMember("a-1", "/h", "a", [("t", 1), ("t", 0)])
B = AssignedMember("b-1", "/h", "b", [("t", 2), ("u", 0), ("u", 1)])
IDLE = AssignedMember("c-1", "/h", "c", [])


def test_members_with_most_partitions_come_first_then_what_nobody_reads() -> None:
    committed = {("t", 0): 5, ("old", 3): 1}
    ends = {("t", 0): 7, ("t", 1): 2, ("old", 3): 9}
    assert standings([A, IDLE, B], committed, ends) == [
        Standing("t", 2, None, None, None, B),
        Standing("u", 0, None, None, None, B),
        Standing("u", 1, None, None, None, B),
        Standing("t", 0, 5, 7, 2, A),
        Standing("t", 1, None, 2, None, A),
        Standing("old", 3, 1, 9, 8, None),
    ]


def test_a_partition_is_asked_for_if_it_is_assigned_or_committed() -> None:
    assert partitions_of([A], {("old", 3): 1}) == {("t", 0), ("t", 1), ("old", 3)}


def test_lag_is_unknown_without_a_commit_and_negative_after_a_truncation() -> None:
    assert lag_of(None, 3) is None
    assert lag_of(3, None) is None
    assert lag_of(5, 3) == -2
