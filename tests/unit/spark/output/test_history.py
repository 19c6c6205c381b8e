"""Runs are kept, found again, and compared."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import ClassVar

import pyarrow.dataset as ds
import pytest

from pykafka_ops.runs import merged
from pykafka_ops.runs.layout import SCHEMA_VERSION
from pykafka_ops.runs.read import runs, section, total
from pykafka_ops.spark.model import Column, Report, Section
from pykafka_ops.spark.output import history, kept_runs
from pykafka_ops.spark.output.stores import LocalStore

NOW = 1_763_769_600_000
HOUR = 3_600_000
GROUPS = (
    Column("group", "Group"),
    Column("lag", "Lag", "records"),
    Column("last_commit", "Last commit", "ms"),
)
DAY = 24 * HOUR
HERE, OTHER = (history.source_id({"log_dirs": [place]}) for place in ("/a", "/b"))


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
    sources = [history.source_id({"log_dirs": [f"/{i}"]}) for i in range(8)]
    every = [
        threading.Thread(target=history.append, args=(LocalStore(tmp_path), report(NOW, a=i), s))
        for i, s in enumerate(sources)
    ]
    for run in every:
        run.start()
    for run in every:
        run.join()
    kept = ds.dataset(tmp_path, partitioning="hive").to_table()
    assert sorted(kept.column("lag").to_pylist()) == list(range(8))
    assert set(kept.column("run_id").to_pylist()) == {f"{s}-{NOW}" for s in sources}
    assert set(kept.column("date").to_pylist()) == {"2025-11-22"}
    assert set(kept.column("schema_version").to_pylist()) == {SCHEMA_VERSION}


def test_a_run_that_is_made_again_stands_once(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    for lag in (1, 2):
        history.append(store, report(NOW, a=lag), HERE)
    found, _ = history.load(store, "lag", HERE, NOW + 1)
    assert [row["lag"] for row in found["groups"]] == [2]
    assert len(list(tmp_path.rglob("*.parquet"))) == 1


def filled(root: Path, runs: int) -> LocalStore:
    """A history of runs in one day, of two sources; every third has no rows."""
    store = LocalStore(root)
    for n in range(runs):
        rows = {"a": n} if n % 3 else {}
        for source in (HERE, OTHER):
            history.append(store, report(NOW + n * HOUR // 2, **rows), source)
    return store


def test_a_day_that_is_over_is_merged_and_says_the_same(tmp_path: Path) -> None:
    store = filled(tmp_path, 10)
    before = history.load(store, "lag", HERE, NOW + DAY)
    named = runs(tmp_path)["lag"]
    assert kept_runs.compact(store, "lag", HERE, "2025-11-22") == []
    assert len(list(tmp_path.rglob("*.parquet"))) == 20  # the day is not over
    assert kept_runs.compact(store, "lag", HERE, "2025-11-23") == []
    assert len(list(tmp_path.rglob("*.parquet"))) == 11
    assert history.load(store, "lag", HERE, NOW + DAY) == before
    assert runs(tmp_path)["lag"] == named
    run = next(r for r in named if r.now == NOW + HOUR // 2 and r.source == HERE)
    kept = section(tmp_path, "lag", run.name, "groups", 5)
    assert ([row["lag"] for row in kept.rows], kept.total) == ([1], 1)
    assert total(tmp_path, "lag", run.name, "groups", "lag") == 1
    empty = next(r for r in named if r.now == NOW and r.source == HERE)
    assert section(tmp_path, "lag", empty.name, "groups", 5).total == 0
    table = ds.dataset(tmp_path / "kind=lag" / "section=groups", partitioning="hive").to_table()
    assert table.num_rows == 12


def test_a_run_made_again_after_its_day_was_merged_counts_as_it_is_now(tmp_path: Path) -> None:
    store = filled(tmp_path, 10)
    kept_runs.compact(store, "lag", HERE, "2025-11-23")
    history.append(store, report(NOW + HOUR // 2, a=77), HERE)
    for _ in range(2):
        found, _ = history.load(store, "lag", HERE, NOW + HOUR)
        assert [row["lag"] for row in found["groups"]] == [77]
        for n in range(10, 18):
            history.append(store, report(NOW + n * HOUR // 2, a=n), HERE)
        kept_runs.compact(store, "lag", HERE, "2025-11-23")
    found, _ = history.load(store, "lag", HERE, NOW + DAY)
    assert len({row["now"] for row in found["groups"]}) == len(found["groups"]) == 14


def test_merging_that_was_cut_short_counts_no_run_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = filled(tmp_path, 10)
    before = history.load(store, "lag", HERE, NOW + DAY)
    with monkeypatch.context() as patched:
        patched.setattr(LocalStore, "remove", lambda *_: None)
        kept_runs.compact(store, "lag", HERE, "2025-11-23")
    assert len(list(tmp_path.rglob("*.parquet"))) == 21
    assert history.load(store, "lag", HERE, NOW + DAY) == before


def test_a_damaged_file_outlives_the_merging_of_its_day(tmp_path: Path) -> None:
    store = filled(tmp_path, 10)
    damaged = next(tmp_path.rglob(f"{NOW + 2 * HOUR}-{HERE}-*.parquet"))
    damaged.write_bytes(b"PAR1")
    assert kept_runs.compact(store, "lag", HERE, "2025-11-23") == []
    assert damaged.exists()
    found, problems = history.load(store, "lag", HERE, NOW + DAY)
    assert [p.where for p in problems] == [str(damaged)]
    assert len(found["groups"]) == 5


def test_what_a_newer_pko_wrote_is_not_guessed_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(merged, "SCHEMA_VERSION", SCHEMA_VERSION + 1)
        history.append(LocalStore(tmp_path), report(NOW, a=1), HERE)
    found, problems = history.load(LocalStore(tmp_path), "lag", HERE, NOW + 1)
    assert (found, len(problems)) == ({"groups": []}, 1)
    assert "a newer pko wrote it (schema version 3): upgrade this one" in problems[0].what


def test_only_days_that_are_needed_are_listed(tmp_path: Path) -> None:
    class Counted(LocalStore):
        asked: ClassVar[list[str]] = []

        def names(self, folder: str) -> list[str]:
            self.asked.append(folder)
            return super().names(folder)

    for day in range(4):
        history.append(LocalStore(tmp_path), report(NOW + day * DAY, a=day), HERE)
    history.load(Counted(tmp_path), "lag", HERE, NOW + DAY + 1)
    days = [name.partition("date=")[2] for name in Counted.asked if "date=" in name]
    assert days == ["2025-11-23", "2025-11-22"]


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


def test_days_behind_the_runs_that_are_enough_are_not_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for day in range(5):
        history.append(LocalStore(tmp_path), report(NOW + day * DAY, a=day), HERE)
    listed: list[str] = []

    class Store(LocalStore):
        def names(self, folder: str) -> list[str]:
            listed.append(folder.rpartition("/")[2])
            return super().names(folder)

    monkeypatch.setattr(history, "RUNS", 2)
    found, _ = history.load(Store(tmp_path), "lag", HERE, NOW + 9 * DAY)
    assert [row["lag"] for row in found["groups"]] == [3, 4]
    assert listed == ["kind=lag", "section=groups", *(
        f"date={history.day_of(NOW + day * DAY)}" for day in (4, 3)
    )]  # fmt: skip
