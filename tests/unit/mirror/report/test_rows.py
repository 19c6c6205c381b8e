"""Rows of partitions and topics: states, sums, what is not known."""

from __future__ import annotations

from typing import Any

import pytest

from pykafka_ops.mirror.report.rows import (
    BEHIND,
    IDLE,
    LOST,
    NEW,
    OK,
    PAUSED,
    UNKNOWN,
    SeenPartition,
    by_topic,
    partition_state,
)


def seen(partition: int, **fields: Any) -> SeenPartition:
    row = SeenPartition("a->b", "t", partition, "a.t", 1, 0, 1, 0, 0, 0.0, 1.5, 2.0, 0.0, "m", OK)
    return row._replace(**fields)


def test_a_topic_has_the_sums_and_the_worst_of_its_partitions() -> None:
    (row,) = by_topic([seen(0, lag=5, state=BEHIND, lag_seconds=3.0), seen(1, member="n")])
    assert (row["lag"], row["lag_seconds"], row["state"], row["partitions"]) == (5, 3.0, BEHIND, 2)
    assert (row["copied_per_second"], row["processes"]) == (3.0, 2)
    (row,) = by_topic([seen(0, lag=5, state=BEHIND), seen(1, state=IDLE, member=None)])
    assert row["state"] == IDLE


def test_what_is_not_known_of_a_partition_is_not_known_of_its_topic() -> None:
    (row,) = by_topic([seen(0), seen(1, lag=None, lag_seconds=None, eta_seconds=None)])
    assert row["lag"] is None and row["lag_seconds"] is None and row["eta_seconds"] is None


@pytest.mark.parametrize(
    ("facts", "state"),
    [
        ((5, 0, 0), OK),
        ((5, 0, 3), BEHIND),
        ((5, 0, None), UNKNOWN),
        ((5, 6, 3), LOST),
        ((None, 0, 3), NEW),
        ((None, 0, None), NEW),
        ((None, 7, 0), OK),
    ],
)
def test_a_partition_that_is_copied_has_a_state(
    facts: tuple[int | None, int | None, int | None], state: str
) -> None:
    for is_copied in (True, None):
        assert partition_state(*facts, is_paused=False, is_copied=is_copied) == state
    assert partition_state(*facts, is_paused=False, is_copied=False) == IDLE
    assert partition_state(*facts, is_paused=True, is_copied=False) == PAUSED
