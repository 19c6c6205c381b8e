"""Days of freshness from run to run: kept in a history, read again, added up once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pykafka_ops.analysis.freshness import FreshnessRules
from pykafka_ops.spark.engines import local_session
from pykafka_ops.spark.options import ReportOptions
from pykafka_ops.spark.output import history
from pykafka_ops.spark.output.stores import LocalStore
from pykafka_ops.spark.page import render
from pykafka_ops.spark.reports.slo import report as slo
from pykafka_ops.spark.schemas import LOG_ENDS
from tests.support.spark.given import FrameInputs, frame_of

HOUR = 3_600_000
DAY = 24 * HOUR
START = 20_000 * DAY
LIMIT = 60_000
SOURCE = "aaaabbbb"


def end_at(time: int) -> int:
    """A record a second."""
    return max(0, (time - START + DAY) // 1000)


class _Log(FrameInputs):
    """One partition, whose end at any moment is known; ``billing`` stands at night, from 0 to 6."""

    def __init__(self, now: int) -> None:
        times = range(START, now + 1, LIMIT)
        commits = [
            {"group": "billing", "topic": "orders", "partition": 0,
             "offset": end_at(t - t % DAY if t % DAY < 6 * HOUR else t), "commit_timestamp": t,
             "tombstone": False, "log_partition": 0, "log_offset": t // 1000}
            for t in times
        ]  # fmt: skip
        bounds = {"topic": "orders", "partition": 0, "leader": 1, "start_offset": 0,
                  "end_offset": end_at(now), "max_timestamp": now}  # fmt: skip
        super().__init__(local_session(), now=now, commits=commits, partitions=[bounds])

    def ends(self, moments: Any, wanted: Any = None) -> Any:
        """Where the log ended."""
        pairs = [[t, end_at(t)] for t in moments]
        rows = [{"topic": "orders", "partition": 0, "ends": pairs}]
        return frame_of(self.spark, rows, LOG_ENDS)


def run(store: LocalStore, days: float, limit: int = LIMIT) -> Any:
    """A run so many days after the start, kept in the history."""
    now = START + round(days * DAY)
    before, problems = history.load(store, "slo", SOURCE, now)
    assert not problems
    rules = FreshnessRules(limit, 0.5)
    made = slo.build(_Log(now), ReportOptions(slo=rules, history=before))
    history.append(store, made, SOURCE)
    return made


def test_a_day_counts_once_however_many_runs_saw_it(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    for days in (2, 2.5, 5):
        made = run(store, days)
    (row,) = made.section("objectives").rows
    first, *_ = rows = made.section("days").rows
    assert first["slo_seconds"] == 60
    # The first commit was at midnight: the half hour before that moment is of the day before.
    assert rows[-1]["fresh_seconds"] == 1800
    rows = rows[:-1]
    assert [r["day"] for r in rows] == [START + n * DAY for n in range(4, -1, -1)]
    late = [r["late_seconds"] / 3600 for r in rows]
    # From 0 to 6 less a minute, by moments that are half an hour apart.
    assert all(5 <= hours <= 7 for hours in late)
    assert row["kept_days"] == 6
    fresh = 1800 + sum(r["fresh_seconds"] for r in rows)
    known = fresh + sum(r["late_seconds"] for r in rows)
    assert row["kept_share"] == fresh / known
    assert row["kept_budget_left"] == 1 - (1 - row["kept_share"]) / 0.5
    # Without the history a run knows of its three days.
    assert row["known_seconds"] <= 3 * 86_400 < known
    page = render([made])
    assert "Late, day by day" in page
    other = run(store, 5.5, 2 * LIMIT).section("objectives").rows[0]
    assert other["kept_days"] <= 4  # days of another limit do not count
