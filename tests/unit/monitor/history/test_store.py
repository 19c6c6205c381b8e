"""The history as its users see it: written, read, rolled up, bounded, moved, damaged."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from pykafka_ops.errors import SettingError, StorageError, UsageError
from pykafka_ops.monitor.history.database import file_bytes
from pykafka_ops.monitor.history.model import (
    DAY,
    HOUR,
    STEPS,
    HistoryLimits,
    HistoryPoint,
    SeriesKey,
    fold,
)
from pykafka_ops.monitor.history.reader import HistoryReader
from pykafka_ops.monitor.history.store import History

START = 1_700_000_000_000 // (32 * DAY) * (32 * DAY)
LAG = SeriesKey("group", "billing", "lag")
RATE = SeriesKey("topic", "orders", "rate")
STEP = 60_000
END = START + 1000 * DAY


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "history.db"


@pytest.fixture
def history(path: Path) -> Iterator[History]:
    opened = History(path)
    yield opened
    opened.close()


def lasts(points: list[HistoryPoint]) -> list[tuple[int, float]]:
    return [(point.at_ms, point.last) for point in points]


def raw(history: History, key: SeriesKey = LAG) -> list[tuple[int, float]]:
    return lasts(history.read("c", key, 0, END, 1))


def test_what_is_recorded_is_read_at_once_and_what_is_absent_is_a_gap(history: History) -> None:
    history.record("c", START, {LAG: 5, RATE: 2.5})
    history.record("c", START + STEP, {RATE: float("nan")})
    history.record("c", START + 2 * STEP, {LAG: 7})
    assert raw(history) == [(START, 5), (START + 2 * STEP, 7)]
    assert history.read_many("c", [LAG, RATE], 0, END, 1) == {
        LAG: history.read("c", LAG, 0, END, 1),
        RATE: [HistoryPoint(START, 2.5, 2.5, 2.5)],
    }
    assert history.read("other", LAG, 0, END, 1) == []


def test_a_range_holds_its_begin_and_not_its_end(history: History) -> None:
    for index in range(4):
        history.record("c", START + index, {LAG: index})
    assert lasts(history.read("c", LAG, START + 1, START + 3, 1)) == [
        (START + 1, 1),
        (START + 2, 2),
    ]


def test_series_are_found_by_kind_and_prefix(history: History) -> None:
    names = ("b", "a", "billing", "\ud800odd")
    history.record("c", START, {SeriesKey("group", name, "lag"): 1 for name in names} | {RATE: 1})
    assert [key.name for key in history.series("c", "group", "b")] == ["b", "billing"]
    assert len(history.series("c")) == 5
    assert history.flush()


def load(history: History, hours: int, seed: int = 1) -> list[HistoryPoint]:
    """Record values at uneven times; the points of LAG."""
    rng = random.Random(seed)
    points = []
    at_ms = START
    value = 1000
    while at_ms < START + hours * HOUR:
        value += rng.randrange(-40, 45)
        history.record("c", at_ms, {LAG: value, RATE: value / 7})
        points.append(HistoryPoint(at_ms, value, value, value))
        if len(points) % 50 == 0:
            assert history.flush()
        at_ms += STEP + rng.randrange(-500, 500)
    return points


@pytest.mark.parametrize("step_ms", [STEPS[1], 3 * STEPS[1], HOUR, 6 * HOUR])
def test_roll_ups_say_the_same_as_a_count_over_all_points(path: Path, step_ms: int) -> None:
    history = History(path, HistoryLimits(memory_bytes=1 << 12))
    points = load(history, 30)
    assert history.flush()
    assert history.read("c", LAG, 0, END, step_ms) == list(fold(points, step_ms))
    with sqlite3.connect(path) as db:
        (waiting,) = db.execute("SELECT count(*) FROM periods WHERE rolled IS NOT NULL").fetchone()
    assert waiting <= 1
    history.close()


def test_coarser_levels_answer_where_finer_ones_are_dropped(path: Path) -> None:
    limits = HistoryLimits(raw_ms=HOUR * 2, minutes_ms=DAY)
    history = History(path, limits)
    points = load(history, 72)
    assert history.flush()
    found = history.read("c", LAG, 0, END, 1)
    steps = [b.at_ms - a.at_ms for a, b in pairwise(found)]
    assert steps[0] == HOUR
    assert STEPS[1] in steps
    assert min(steps) < STEP
    assert steps == sorted(steps, reverse=True) or steps.index(STEPS[1]) > steps.index(HOUR)
    assert found[-1] == points[-1]
    by_hour = {point.at_ms: point for point in fold(points, HOUR)}
    assert found[0] == by_hour[START]
    history.close()


def test_what_was_written_is_there_after_a_restart(path: Path) -> None:
    history = History(path)
    points = load(history, 3)
    history.close()
    again = History(path)
    assert again.read("c", LAG, 0, END, 1) == points
    again.record("c", points[-1].at_ms + STEP, {LAG: 1})
    assert len(raw(again)) == len(points) + 1
    again.close()


def test_a_clock_that_jumps_loses_nothing_and_gives_no_time_twice(path: Path) -> None:
    history = History(path)
    times = [START + index * STEP for index in range(130)]
    jumps = [*times, *(at + 3650 * DAY for at in times), *(at - 1800_000 for at in times)]
    for number, at_ms in enumerate(jumps):
        history.record("c", at_ms, {LAG: number})
    expected = sorted({at_ms: number for number, at_ms in enumerate(jumps)}.items())
    far = START + 4000 * DAY
    assert lasts(history.read("c", LAG, 0, far, 1)) == expected
    assert history.flush()
    assert lasts(history.read("c", LAG, 0, far, 1)) == expected
    history.close()
    again = History(path)
    assert lasts(again.read("c", LAG, 0, far, 1)) == expected
    again.close()


def test_a_time_that_cannot_be_is_left_out_and_counted(history: History) -> None:
    history.record("c", -1, {LAG: 1})
    history.record("c", 1 << 60, {LAG: 1})
    assert raw(history) == []
    assert history.status().lost == 2


@pytest.mark.slow
def test_the_file_stays_below_its_bound_and_the_newest_is_kept(path: Path) -> None:
    most = 1 << 20
    history = History(path, HistoryLimits(max_bytes=most))
    rng = random.Random(3)
    keys = [SeriesKey("group", f"g{index}", "lag") for index in range(200)]
    largest = 0
    at_ms = START
    for _ in range(30):
        for _ in range(30):
            history.record("c", at_ms, {key: rng.randrange(1 << 40) for key in keys})
            at_ms += 2 * STEP
        history.note("c", at_ms, "note", "x", "y" * 1000)
        assert history.flush()
        largest = max(largest, file_bytes(path))
    assert largest <= most
    found = history.read("c", keys[0], 0, END, 1)
    assert found[-1].at_ms == at_ms - 2 * STEP
    assert found[0].at_ms > START
    history.close()
    assert path.stat().st_size <= most


def test_what_is_forgotten_is_gone_and_may_begin_anew(path: Path) -> None:
    history = History(path)
    load(history, 2)
    assert history.flush()
    history.forget("c", "group", "billing")
    assert raw(history) == []
    history.record("c", START, {LAG: 9})
    assert raw(history) == [(START, 9)]
    history.close()
    again = History(path)
    assert raw(again) == [(START, 9)]
    assert len(raw(again, RATE)) > 100
    again.close()


def test_no_more_series_than_the_bound_are_kept(path: Path) -> None:
    history = History(path, HistoryLimits(max_series=50))
    for number in range(40):
        keys = [SeriesKey("group", f"g{number}-{index}", "lag") for index in range(20)]
        history.record("c", START + number * 2 * HOUR, dict.fromkeys(keys, number))
    assert history.flush()
    assert history.status().series <= 50
    assert raw(history, keys[0]) == [(START + 78 * HOUR, 39)]
    with sqlite3.connect(path) as db:
        assert db.execute("SELECT count(*) FROM series").fetchone()[0] <= 50
    history.close()


def test_events_come_newest_first_page_by_page(history: History) -> None:
    for number in range(25):
        history.note("c", START + number // 2, "topic", f"t{number}", "made", {"n": number})
        if number == 12:
            assert history.flush()
    seen: list[object] = []
    cursor = ""
    while True:
        events, cursor = history.events("c", START, END, 10, cursor)
        seen += [event.details for event in events]
        if not cursor:
            break
    assert seen == [{"n": number} for number in range(24, -1, -1)]
    with pytest.raises(UsageError, match="cursor"):
        history.events("c", 0, END, 10, "nonsense")


def test_the_file_of_one_that_runs_can_be_exported(path: Path, history: History) -> None:
    points = load(history, 2)
    assert history.flush()
    reader = HistoryReader(path)
    rows = list(reader.rows(0, END, kinds={"group"}))
    assert [(row.cluster, row.key) for row in rows] == [("c", LAG)] * len(points)
    assert [row.point for row in rows] == points
    assert [row.point for row in history.rows(0, END, step_ms=HOUR, kinds={"group"})] == list(
        fold(points, HOUR)
    )
    reader.close()


def test_a_damaged_file_is_moved_aside_and_begun_anew(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path.write_bytes(b"this is no database at all" * 1000)
    history = History(path)
    history.record("c", START, {LAG: 5})
    assert history.flush()
    history.close()
    assert path.with_name("history.db.damaged").read_bytes().startswith(b"this is no")
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    again = History(path)
    assert raw(again) == [(START, 5)]
    again.close()


def test_damage_that_shows_while_it_runs_costs_what_was_in_the_file(path: Path) -> None:
    history = History(path)
    load(history, 2)
    assert history.flush()
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(random.Random(1).randbytes(size - 4096))
    for _ in range(3):
        history.record("c", START + 5 * HOUR, {LAG: 5})
        history.flush()
    assert raw(history)[-1] == (START + 5 * HOUR, 5)
    history.close()
    again = History(path)
    assert raw(again)[-1] == (START + 5 * HOUR, 5)
    again.close()


def test_a_directory_that_cannot_be_written_costs_history_until_it_can(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    where = tmp_path / "later"
    history = History(where / "history.db")
    history.record("c", START, {LAG: 5})
    assert not history.flush()
    assert history.status().trouble
    assert raw(history) == [(START, 5)]
    assert len(caplog.records) == 1
    assert "monitoring continues without history" in caplog.text
    where.mkdir()
    assert history.flush()
    assert history.status().trouble == ""
    history.close()
    again = History(where / "history.db")
    assert raw(again) == [(START, 5)]
    again.close()


def test_a_file_that_is_removed_is_made_again(path: Path) -> None:
    history = History(path)
    history.record("c", START, {LAG: 5})
    assert history.flush()
    for each in path.parent.glob("history.db*"):
        each.unlink()
    history.record("c", START + 1, {LAG: 6})
    assert history.flush()
    history.close()
    again = History(path)
    assert raw(again) == [(START, 5), (START + 1, 6)]
    again.close()


def test_a_second_writer_and_the_file_of_a_later_release_are_refused(path: Path) -> None:
    history = History(path)
    with pytest.raises(StorageError, match="in use by another process"):
        History(path)
    history.close()
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    with pytest.raises(UsageError, match="later release"):
        History(path)


def test_limits_that_keep_nothing_are_refused() -> None:
    with pytest.raises(SettingError, match="max_bytes is 5, at least"):
        HistoryLimits(max_bytes=5)


def test_a_disk_without_space_costs_no_monitoring(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    history = History(path, HistoryLimits(memory_bytes=1 << 14))
    history.record("c", START, {LAG: 1})
    assert history.flush()
    db = history._file.db
    (pages,) = db.execute("PRAGMA page_count").fetchone()
    db.execute(f"PRAGMA max_page_count = {pages}")
    rng = random.Random(5)
    keys = [SeriesKey("group", f"g{index}", "lag") for index in range(50)]
    number = 0
    while "is full" not in caplog.text:  # logged once, then the next connection has no bound
        number += 1
        history.record("c", START + number * STEP, {key: rng.randrange(1 << 40) for key in keys})
        history.flush(10)
    assert history.flush()
    assert history.status().trouble == ""
    assert "again; 0 values were lost" in caplog.text
    assert len(raw(history, keys[0])) == number
    history.close()
