"""Sums over the partitions of a topic, and over the replicas in a directory."""

from __future__ import annotations

from pykafka_ops.analysis.capacity import GRID
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


def test_what_nobody_knows_the_records_of_stays_in_its_directory() -> None:
    """A replica of a partition without a leader: its bytes are known, its log is not."""
    directory = Directory(1, "/data", total=1000, usable=400)
    none = {"kept": [0] * len(GRID), "fresh": [0] * len(GRID), "days": [0] * PAST_DAYS,
            "hours": [0] * PAST_HOURS, "uncut": True, "oldest": None}  # fmt: skip
    directory.add({"topic": "dark", "bytes": 0, **none}, 600)
    directory.add({"topic": "empty", "bytes": 0, **none}, 0)
    row = directory.row(directory.outlook(NOW, ()))
    assert (row["bytes"], row["bytes_per_day"], row["first_topic"]) == (600, 0, None)
    grown = directory.growth_rows(directory.outlook(NOW, ()), NOW, ())
    assert {one["bytes"] for one in grown} == {600}
