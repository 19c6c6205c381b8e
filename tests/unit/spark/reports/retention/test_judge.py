"""The figures of one partition, and the stretches of a log that only a cluster tells of."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.analysis.capacity import GRID
from pykafka_ops.analysis.compaction import Cleaning
from pykafka_ops.analysis.retention import RetentionPolicy
from pykafka_ops.spark.reports.pieces import EDGES, FINE, HOUR, slices
from pykafka_ops.spark.reports.retention.judge import (
    HORIZONS,
    PAST_DAYS,
    PAST_HOURS,
    RetentionRules,
    one,
)

DAY = 24 * HOUR
NOW = 20_000 * DAY


def _piece(base: int, age: int | None, size: int, **more: Any) -> dict[str, Any]:
    """A piece of a segment of 100 offsets; ``age`` in hours."""
    at = -1 if age is None else NOW - age * HOUR
    return {
        "segment": f"{base // 100 * 100:020}.log", "age": age, "base": base, "last": base + 9,
        "bytes": size, "records": 10, "first": None if age is None else at, "newest": at, "old": 0,
        "damage": None, **more,
    }  # fmt: skip


def _state(*pieces: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"topic": "t", "partition": 3, "pieces": list(pieces), "readers": None, "cleaned": None,
            "empty": False, **more}  # fmt: skip


def _rules(policy: RetentionPolicy, **more: Any) -> RetentionRules:
    return RetentionRules(NOW, {"t": (policy, Cleaning())}, **more)


def test_bytes_are_put_to_hours_days_and_ages() -> None:
    pieces = [_piece(0, None, 5), _piece(0, 200, 100), _piece(100, 30, 50), _piece(200, 2, 20),
              _piece(210, 0, 4), _piece(220, -1, 1)]  # fmt: skip
    found = one(_state(*pieces), _rules(RetentionPolicy(retention_ms=-1)))
    assert found["bytes"] == 180
    by_edge = dict(zip([*EDGES, None, "none"], found["ages"], strict=True))
    assert {k: v for k, v in by_edge.items() if v} == {
        0: 1, 1: 4, 6: 20, 72: 50, 336: 100, "none": 5
    }  # fmt: skip
    assert found["hours"][-1] == 5 and found["hours"][-3] == 20 and sum(found["hours"]) == 25
    assert found["days"][-1] == 25 and found["days"][-2] == 50 and sum(found["days"]) == 75
    assert found["rates"] == [5, round(25 / 24), round(75 / 168)]
    assert (found["oldest"], found["newest"]) == (NOW - 200 * HOUR, NOW + HOUR)
    assert found["uncut"] is True


def test_a_young_log_has_the_rate_of_its_life() -> None:
    found = one(_state(_piece(0, 2, 600)), _rules(RetentionPolicy()))
    assert found["rates"] == [0, 300, 300]
    at_once = one(_state(_piece(0, 0, 600)), _rules(RetentionPolicy()))
    assert at_once["rates"] == [600 * 60] * 3


def test_a_log_by_a_clock_ahead_has_the_rate_of_its_own_life() -> None:
    pieces = [
        {**_piece(n * 100, -1, 600), "first": NOW + (n + 3) * HOUR, "newest": NOW + (n + 4) * HOUR}
        for n in range(3)
    ]
    found = one(_state(*pieces), _rules(RetentionPolicy()))
    assert found["rates"] == [600] * 3
    assert found["newest"] == NOW + 6 * HOUR
    mixed = one(_state(_piece(0, 2, 600), pieces[0]), _rules(RetentionPolicy()))
    assert mixed["rates"] == [600, 600 * 2 / 2, 600]


def test_what_a_log_without_any_time_gets_and_loses_is_not_known() -> None:
    timeless = _state(_piece(0, None, 600), _piece(100, None, 600))
    found = one(timeless, _rules(RetentionPolicy(retention_ms=-1, retention_bytes=10_000)))
    assert (found["bytes"], found["rates"], found["steady"]) == (1200, [None] * 3, None)
    assert found["left"] == [None] * len(HORIZONS)
    assert not {"kept", "fresh", "days", "hours"} & found.keys()
    forever = one(timeless, _rules(RetentionPolicy(retention_ms=-1)))
    assert forever["left"] == [0] * len(HORIZONS)


def test_whether_a_group_reads_a_log_without_any_time_before_it_goes_is_not_known() -> None:
    pieces = [_piece(100, None, 10), _piece(200, None, 10)]

    def risks(committed: int, **policy: Any) -> list[tuple[Any, ...]]:
        reader = {"group": "g", "committed": committed, "end": 210, "rate_in": 1.0, "rate_out": 1.0}
        found = one(_state(*pieces, readers=[reader]), _rules(RetentionPolicy(**policy)))
        names = ("status", "deleted_in_seconds", "records_lost")
        return [tuple(risk[name] for name in names) for risk in found["risks"]]

    by_size = {"retention_ms": -1, "retention_bytes": 10_000}
    assert risks(150, **by_size) == risks(150, retention_ms=DAY) == [(None, None, None)]
    assert risks(90, **by_size) == [("LOSING", 0.0, 10)]
    assert risks(150, retention_ms=-1) == risks(210, **by_size) == []


def test_what_was_deleted_is_taken_to_have_been_written_as_now() -> None:
    pieces = [_piece(500, 3, 300), _piece(600, 0, 300)]
    assert one(_state(*pieces), _rules(RetentionPolicy()))["days"] == [4800] * 6 + [4800]
    from_start = [_piece(0, 3, 300), _piece(100, 0, 300)]
    assert one(_state(*from_start), _rules(RetentionPolicy()))["days"] == [0] * 6 + [600]


def test_a_partition_without_anything() -> None:
    found = one(_state(empty=True) | {"pieces": None}, _rules(RetentionPolicy()))
    assert (found["bytes"], found["status"], found["oldest"]) == (0, "empty", None)
    assert found["left"] == [0] * len(HORIZONS) and found["kept"] == [0] * len(GRID)
    assert found["days"] == [0] * PAST_DAYS and found["hours"] == [0] * PAST_HOURS


@pytest.mark.parametrize(
    "pieces",
    [None, [_piece(0, 1, 70, damage="x\x00torn")], [{**_piece(0, 30, 1), "bytes": None}]],
    ids=["nobody tells of the log", "all of it is broken", "nobody tells its size"],
)
def test_what_a_partition_holds_and_loses_is_not_known_where_nobody_tells(
    pieces: list[dict[str, Any]] | None,
) -> None:
    reader = {"group": "g", "committed": 5, "end": 10, "rate_in": 1.0, "rate_out": 9.0}
    state = _state(readers=[reader]) | {"pieces": pieces}
    for policy in (RetentionPolicy(), RetentionPolicy(delete=False, compact=True)):
        found = one(state, _rules(policy))
        assert found["status"] == "unknown"
        for name in ("bytes", "late", "old", "overhang", "steady"):
            assert found[name] is None, name
        assert found["rates"] == [None] * 3 and not sum(found["ages"])
        assert found["left"] == [None if policy.limited else 0] * len(HORIZONS)
        assert not {"kept", "fresh", "days", "hours", "debt"} & found.keys()
        (risk,) = found["risks"]
        names = ("lag", "unread_bytes", "deleted_in_seconds", "records_lost", "status")
        assert [risk[name] for name in names] == [5, None, None, None, None]


def test_damage_is_no_part_of_the_log() -> None:
    broken = _piece(100, 1, 70, damage="x\x00torn")
    found = one(_state(_piece(0, 1, 5), broken), _rules(RetentionPolicy()))
    assert (found["bytes"], found["damaged"], found["damage"]) == (5, 70, ["x\x00torn"])


def test_a_segment_is_known_by_its_file() -> None:
    """Compaction takes the first records and leaves the name."""
    pieces = [_piece(50, 20, 10), _piece(100, 10, 10)]
    found = one(_state(*pieces, cleaned=100), _rules(RetentionPolicy(delete=False, compact=True)))
    assert (found["clean_bytes"], found["uncleanable"], found["debt"]) == (10, 10, "clean")
    assert found["first_dirty_offset"] == 100


def test_nothing_is_said_of_a_cleaner_nobody_knows() -> None:
    rules = _rules(RetentionPolicy(delete=False, compact=True), cleaner_known=False)
    assert "debt" not in one(_state(_piece(0, 1, 5)), rules)


def test_overhang_is_what_is_too_old_in_the_active_segment() -> None:
    pieces = [_piece(100, 30, 10, old=10), _piece(200, 26, 7, old=7), _piece(210, 0, 100)]
    found = one(_state(*pieces), _rules(RetentionPolicy(retention_ms=DAY)))
    assert (found["old"], found["overhang"], found["late"], found["status"]) == (17, 7, 10, "over")
    compacted = one(_state(*pieces), _rules(RetentionPolicy(delete=False, compact=True)))
    assert (compacted["old"], compacted["overhang"]) == (0, 0)


def test_only_groups_that_lose_are_named() -> None:
    readers = [
        {"group": g, "committed": c, "end": 210, "rate_in": 1.0, "rate_out": r}
        for g, c, r in (("fast", 150, 9.0), ("stands", 0, None))
    ]
    pieces = [_piece(0, 20, 10), _piece(100, 10, 10), _piece(200, 0, 10)]
    found = one(_state(*pieces, readers=readers), _rules(RetentionPolicy(retention_ms=DAY)))
    assert [r["group"] for r in found["risks"]] == ["stands"]


def _log(start: int, end: int, size: int, *ends: tuple[int, int]) -> dict[str, Any]:
    """``ends``: hours before now, and the offset then."""
    return {
        "topic": "t", "partition": 0, "start": start, "end": end, "bytes": size, "newest": NOW,
        "cutoff": None, "ends": [[NOW - h * HOUR, o] for h, o in ends],
    }  # fmt: skip


def test_stretches_of_a_log_have_no_bytes_where_nobody_tells_its_size() -> None:
    log = _log(0, 100, 1000, (24, 40), (1, 90)) | {"bytes": None}
    found = list(slices(log, NOW))
    assert [(p["base"], p["bytes"], p["old"]) for p in found] == [
        (0, None, 0), (40, None, 0), (90, None, 0)
    ]  # fmt: skip


def test_a_log_none_of_whose_records_has_a_time_is_of_no_age() -> None:
    log = _log(5, 100, 1000, (24, 100), (1, 100)) | {"newest": None, "cutoff": NOW}
    (piece,) = slices(log, NOW)
    assert (piece["base"], piece["last"], piece["bytes"], piece["records"]) == (5, 99, 1000, 95)
    assert (piece["age"], piece["first"], piece["newest"], piece["old"]) == (None, None, None, 0)
    old_broker = list(slices(log | {"first": NOW - 30 * HOUR}, NOW))
    assert [p["newest"] for p in old_broker] == [NOW - 24 * HOUR]


def test_what_is_over_is_not_known_where_nothing_says_when_it_was_written() -> None:
    found = one(_state(_piece(0, None, 600)), _rules(RetentionPolicy()))
    assert (found["status"], found["bytes"]) == ("unknown", 600)
    assert (found["late"], found["old"]) == (None, None)


def test_a_log_dated_ahead_keeps_its_dates_and_one_by_a_little_is_of_now() -> None:
    log = _log(0, 100, 1000, (24, 0), (1, 0))
    ahead = {"first": NOW + 2 * HOUR, "newest": NOW + 3 * HOUR}
    (piece,) = slices({**log, **ahead}, NOW)
    assert (piece["age"], piece["first"], piece["newest"]) == (-1, *ahead.values())
    (piece,) = slices({**log, "first": NOW - 10 * HOUR, "newest": NOW + 3 * HOUR}, NOW)
    assert (piece["age"], piece["newest"]) == (0, NOW + 3 * HOUR)
    (piece,) = slices({**log, "first": NOW - 10 * HOUR, "newest": NOW + 9}, NOW)
    assert (piece["age"], piece["newest"]) == (0, NOW)


def test_a_log_is_cut_at_the_moments_asked() -> None:
    found = list(slices(_log(100, 300, 2000, (48, 100), (24, 150), (1, 290)), NOW))
    assert [(r["base"], r["last"], r["bytes"], r["age"]) for r in found] == [
        (100, 149, 500, 24), (150, 289, 1400, 1), (290, 299, 100, 0)
    ]  # fmt: skip
    assert [r["first"] for r in found] == [NOW - 48 * HOUR, NOW - 24 * HOUR, NOW - HOUR]


def test_without_moments_it_is_as_new_as_its_newest_record() -> None:
    (row,) = slices(_log(0, 10, 50) | {"ends": None, "newest": NOW - 5 * HOUR}, NOW)
    assert (row["age"], row["bytes"], row["newest"]) == (5, 50, NOW - 5 * HOUR)
    assert list(slices(_log(5, 5, 50), NOW)) == []


def test_what_is_beyond_the_limit_is_old() -> None:
    log = _log(0, 100, 100, (24, 40)) | {"cutoff": NOW - 2 * HOUR}
    assert [r["old"] for r in slices(log, NOW)] == [40, 0]


@pytest.mark.parametrize("newest", [NOW, NOW - 300 * HOUR, NOW + DAY])
@given(st.data())
def test_stretches_make_up_the_log(newest: int, data: st.DataObject) -> None:
    start, length, size = (data.draw(st.integers(0, 10**6)) for _ in range(3))
    moments = data.draw(st.lists(st.integers(1, 10_000), unique=True, max_size=6))
    ends = sorted((start + data.draw(st.integers(0, length)) for _ in moments), reverse=True)
    log = _log(start, start + length, size, *zip(sorted(moments), ends, strict=True))
    found = list(slices(log | {"newest": newest}, NOW))
    assert sum(r["bytes"] for r in found) == (size if length else 0)
    assert sum(r["records"] for r in found) == length
    assert all(b["base"] == a["last"] + 1 for a, b in pairwise(found))
    assert all(r["age"] < FINE or r["age"] in EDGES for r in found)
