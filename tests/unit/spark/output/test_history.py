"""Runs are kept, found again, and compared."""

from __future__ import annotations

import threading
from pathlib import Path

import pyarrow.dataset as ds
import pytest

from pykafka_ops.spark.model import Column, Report, Section
from pykafka_ops.spark.output import history
from pykafka_ops.spark.output.stores import LocalStore

NOW = 1_763_769_600_000
HOUR = 3_600_000
GROUPS = (
    Column("group", "Group"),
    Column("lag", "Lag", "records"),
    Column("last_commit", "Last commit", "ms"),
)
HERE = history.source_id({"log_dirs": ["/a"]})


def report(now: int, **lags: int | None) -> Report:
    rows = [{"group": g, "lag": lag, "last_commit": now - 5} for g, lag in lags.items()]
    return Report("lag", now, {}, {}, [Section("groups", "Groups", GROUPS, rows)])


def test_runs_come_back_oldest_first_with_their_moment(tmp_path: Path) -> None:
    for i in (2, 0, 1):
        history.append(LocalStore(tmp_path), report(NOW + i * HOUR, a=i), HERE)
    found, problems = history.load(LocalStore(tmp_path), "lag", HERE, NOW + 2 * HOUR)
    assert not problems
    assert found == {
        "groups": [
            {"now": NOW + i * HOUR, "group": "a", "lag": i, "last_commit": NOW + i * HOUR - 5}
            for i in (0, 1)
        ]
    }


def test_other_sources_and_kinds_are_not_mixed_up(tmp_path: Path) -> None:
    other = history.source_id({"log_dirs": ["/b"]})
    assert other != HERE
    history.append(LocalStore(tmp_path), report(NOW, a=1), other)
    assert history.load(LocalStore(tmp_path), "lag", HERE, NOW + 1) == ({"groups": []}, [])
    assert history.load(LocalStore(tmp_path), "skew", other, NOW + 1) == ({}, [])
    assert history.load(LocalStore(tmp_path / "none"), "lag", other, NOW + 1) == ({}, [])


def test_a_damaged_file_is_told_and_passed_over(tmp_path: Path) -> None:
    for i in (0, 1):
        history.append(LocalStore(tmp_path), report(NOW + i, a=i), HERE)
    first, second = sorted(tmp_path.rglob("*.parquet"))
    second.write_bytes(second.read_bytes()[:-20])
    (first.parent / f".{first.name}.part").write_bytes(b"half")
    found, problems = history.load(LocalStore(tmp_path), "lag", HERE, NOW + 9)
    assert [row["lag"] for row in found["groups"]] == [0]
    assert [(p.where, p.what.startswith("left out of the history")) for p in problems] == [
        (str(second), True)
    ]


def test_runs_at_the_same_time_do_not_meet(tmp_path: Path) -> None:
    runs = [
        threading.Thread(target=history.append, args=(LocalStore(tmp_path), report(NOW, a=i), HERE))
        for i in range(8)
    ]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    kept = ds.dataset(tmp_path, partitioning="hive").to_table(columns=["lag", "kind", "date"])
    assert sorted(kept.column("lag").to_pylist()) == list(range(8))
    assert set(kept.column("date").to_pylist()) == {"2025-11-22"}


def test_only_so_many_rows_are_read_but_the_last_run_always(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "ROWS", 1)
    for i in range(3):
        history.append(LocalStore(tmp_path), report(NOW + i, a=i, b=i), HERE)
    found, _ = history.load(LocalStore(tmp_path), "lag", HERE, NOW + 9)
    assert [(row["group"], row["lag"]) for row in found["groups"]] == [("a", 2), ("b", 2)]


def test_changes_count_from_the_last_run_alone(tmp_path: Path) -> None:
    for at, run in ((1, {"a": 5, "gone": 1}), (2, {"a": 7, "b": None})):
        history.append(LocalStore(tmp_path), report(NOW + at, **run), HERE)
    found, _ = history.load(LocalStore(tmp_path), "lag", HERE, NOW + 9)
    made = history.with_trends(report(NOW + 9, a=10, b=3, gone=1), found)
    section = made.section("groups")
    assert [c.name for c in section.columns] == ["group", "lag", "lag_change", "last_commit"]
    assert [row["lag_change"] for row in section.rows] == [3, None, None]
    assert made.summary["previous_run"] == NOW + 2


def test_the_first_run_has_the_columns_too() -> None:
    made = history.with_trends(report(NOW, a=1), {})
    assert made.section("groups").rows[0]["lag_change"] is None
    assert made.summary["previous_run"] is None
