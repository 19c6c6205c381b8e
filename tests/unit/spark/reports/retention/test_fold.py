"""Sums over the partitions of a topic, and over the replicas in a directory."""

from __future__ import annotations

from pykafka_ops.analysis.capacity import GRID, Seen
from pykafka_ops.analysis.clocks import CLOCK_MS
from pykafka_ops.analysis.retention import RetentionPolicy
from pykafka_ops.spark.reports.retention.fold import Directory, TopicSums
from pykafka_ops.spark.reports.retention.judge import PAST_DAYS, PAST_HOURS

NOW = 1_700_000_000_000


def test_a_topic_whose_oldest_record_lies_in_the_future_has_no_age() -> None:
    for oldest, age in ((NOW - 5000, 5.0), (NOW + CLOCK_MS + 1, None)):
        row = TopicSums("t", oldest=oldest, statuses={"ok"}, rates=[0, 0, 0]).row(
            RetentionPolicy(), NOW, None, estimated=False
        )
        assert row["age_seconds"] == age
        assert (row["age_share"] is None) == (age is None)


def test_a_topic_with_a_log_of_unknown_rate_has_none() -> None:
    topic = TopicSums("t")
    known = {"bytes": 5, "late": 0, "old": 0, "overhang": 0, "status": "ok", "oldest": 1,
             "newest": 2, "steady": 9,
             "rates": [1, 2, 3], "ages": [5], "left": [1] * 5}  # fmt: skip
    topic.add(known)
    topic.add(known | {"rates": [None] * 3, "left": [None] * 5, "steady": None})
    topic.add(known)
    row = topic.row(RetentionPolicy(), NOW, None, estimated=False)
    assert row["bytes"] == 15
    assert {row[f"bytes_per_hour{span}"] for span in ("", "_day", "_week")} == {None}
    assert row["steady_bytes"] is None
    assert {one["bytes"] for one in topic.leaving_rows()} == {None}


def test_no_forecast_is_made_of_logs_whose_growth_is_not_known() -> None:
    directory = Directory(1, "/data", total=1000, usable=400)
    directory.add({"topic": "timeless", "bytes": 300, "kept": None, "fresh": None, "days": None,
                   "hours": None, "uncut": True, "oldest": None}, 600)  # fmt: skip
    said = directory.outlook(NOW, ())
    assert said is None
    row = directory.row(said)
    assert (row["bytes"], row["usable_bytes"]) == (600, 400)
    forecast = {"bytes_per_day", "days_to_full", "days_to_80", "first_topic", "basis"}
    assert {row[name] for name in forecast} == {None}
    grown = directory.growth_rows(said, NOW, ())
    assert [(one["bytes"], one["forecast"]) for one in grown] == [(600, False)]


def test_earlier_runs_tell_how_a_directory_grows_of_whose_logs_it_is_not_known() -> None:
    directory = Directory(1, "/data", total=10_000, usable=4000, bytes=600, unforeseen=True)
    seen = [Seen(-day, 600 - 100 * day) for day in (3, 2, 1)]
    said = directory.outlook(NOW, seen)
    row = directory.row(said)
    assert (row["basis"], row["bytes_per_day"], row["first_topic"]) == ("history", 100, None)
    assert sum(one["forecast"] for one in directory.growth_rows(said, NOW, seen)) > 0


def test_a_topic_adds_up_what_is_known_of_its_partitions() -> None:
    nothing = dict.fromkeys(("bytes", "late", "old", "overhang", "oldest", "newest", "steady"))
    dark = {**nothing, "status": "unknown", "rates": [None] * 3, "ages": [0], "left": [None] * 5}
    known = dark | {"bytes": 7, "late": 3, "old": 2, "overhang": 1, "status": "ok", "ages": [7]}
    topic, unknown = TopicSums("t"), TopicSums("u")
    for row in (dark, known, known):
        topic.add(row)
    unknown.add(dark)
    of_topic, of_unknown = (
        t.row(RetentionPolicy(), NOW, None, estimated=False) for t in (topic, unknown)
    )
    names = ("bytes", "over_bytes", "active_overhang_bytes", "unknown_partitions", "status")
    assert [of_topic[name] for name in names] == [14, 6, 2, 1, "unknown"]
    assert [of_unknown[name] for name in names] == [None, None, None, 1, "unknown"]
    topic.add(known | {"status": "over"})
    assert topic.row(RetentionPolicy(), NOW, None, estimated=False)["status"] == "over"


def test_a_replica_stays_as_it_is_where_its_partition_is_empty() -> None:
    directory = Directory(1, "/data", total=1000, usable=400)
    none = {"kept": [0] * len(GRID), "fresh": [0] * len(GRID), "days": [0] * PAST_DAYS,
            "hours": [0] * PAST_HOURS, "uncut": True, "oldest": None}  # fmt: skip
    directory.add({"topic": "behind", "bytes": 0, **none}, 600)
    directory.add({"topic": "empty", "bytes": 0, **none}, 0)
    row = directory.row(directory.outlook(NOW, ()))
    assert (row["bytes"], row["bytes_per_day"], row["first_topic"]) == (600, 0, None)
    grown = directory.growth_rows(directory.outlook(NOW, ()), NOW, ())
    assert {one["bytes"] for one in grown} == {600}


def test_no_forecast_is_made_where_nobody_tells_of_a_replicas_log() -> None:
    """One of a partition without a leader: its bytes are known, its log is not."""
    directory = Directory(1, "/data", total=1000, usable=400)
    nothing = dict.fromkeys(("bytes", "kept", "fresh", "days", "hours", "uncut", "oldest"))
    directory.add({"topic": "dark", **nothing}, 600)
    said = directory.outlook(NOW, ())
    row = directory.row(said)
    assert (said, row["bytes"], row["bytes_per_day"]) == (None, 600, None)
