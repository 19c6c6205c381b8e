"""What a partition gets, gives, and must keep for its readers."""

from __future__ import annotations

from typing import Any

import pytest

from pykafka_ops.analysis.retention import RetentionPolicy
from pykafka_ops.spark.reports.cost.judge import needed, partition, read_rate

HOUR = 3_600_000
NOW = 1_000 * HOUR
Row = dict[str, Any]


def piece(base: int, age: int, size: int = 100, first: int | None = 0) -> Row:
    """A segment of ten offsets; ``age`` hours old."""
    at = NOW - age * HOUR
    return {"segment": f"{base:020}.log", "age": age, "base": base, "last": base + 9, "bytes": size,
            "records": 10, "first": at if first == 0 else first, "newest": at, "old": 0,
            "damage": None}  # fmt: skip


def reader(committed: int | None, end: int | None = 30, rate: float | None = 1.0) -> Row:
    return {"group": "g", "committed": committed, "end": end, "rate_in": 1.0, "rate_out": rate}


PIECES = [piece(0, 40), piece(10, 20), piece(20, 1)]


@pytest.mark.parametrize(
    ("readers", "hours"),
    [
        ([], 0),
        ([reader(30)], 0),
        ([reader(30), reader(25)], 1),
        ([reader(20), reader(19)], 20),
        ([reader(0)], 40),
        ([reader(30), reader(None)], None),
        ([reader(31)], None),
        ([reader(5, None)], None),
    ],
)
def test_the_slowest_reader_says_what_must_stay(readers: list[Row], hours: int | None) -> None:
    assert needed(PIECES, readers, NOW) == (None if hours is None else hours * HOUR)


def test_a_piece_without_a_time_leaves_the_need_unknown() -> None:
    assert needed([piece(0, 4, first=None), piece(10, 2)], [reader(5)], NOW) is None
    assert needed([piece(0, 4, first=None), piece(10, 2)], [reader(12)], NOW) == 2 * HOUR


def test_readers_take_bytes_by_how_many_an_offset_has() -> None:
    assert read_rate(PIECES, 300, [reader(30, rate=2.0), reader(1, rate=0.5)]) == 2.5 * 3600 * 10
    assert read_rate(PIECES, 300, [reader(30), reader(1, rate=None)]) is None
    assert read_rate(PIECES, 300, []) == 0
    assert read_rate([], 0, [reader(0)]) is None


def test_a_compacted_log_does_not_tell_what_was_written() -> None:
    state = {"topic": "t", "partition": 0, "pieces": PIECES, "readers": None}
    compacted = partition(state, NOW, RetentionPolicy(compact=True, delete=False), groups=True)
    assert (compacted["written"], compacted["growth"]) == (None, None)
    kept = partition(state, NOW, RetentionPolicy(retention_ms=-1), groups=True)
    assert kept["written"] == 200 / 24
    assert kept["growth"] == round(200 / 24 * 730)
    assert partition(state, NOW, RetentionPolicy(), groups=False)["read"] is None


def test_an_empty_partition_costs_nothing_and_is_known_to() -> None:
    state = {"topic": "t", "partition": 0, "pieces": None, "readers": None, "empty": True}
    found = partition(state, NOW, RetentionPolicy(), groups=True)
    assert (found["bytes"], found["written"], found["read"], found["growth"]) == (0, 0, 0, 0)
    assert found["need_known"]


def test_what_a_partition_costs_is_not_known_where_nobody_tells_of_its_log_or_size() -> None:
    state = {"topic": "t", "partition": 0, "pieces": None, "readers": [reader(5)], "empty": False}
    sizeless = state | {"pieces": [{**one, "bytes": None} for one in PIECES]}
    for dark in (state, sizeless):
        found = partition(dark, NOW, RetentionPolicy(), groups=True)
        assert {found[name] for name in ("bytes", "written", "read", "growth")} == {None}
    assert partition(state, NOW, RetentionPolicy(), groups=True)["need_known"] is False
    assert partition(sizeless, NOW, RetentionPolicy(), groups=True)["needed"] == 40 * HOUR
