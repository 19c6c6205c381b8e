"""Sums over the partitions of a topic."""

from __future__ import annotations

from pykafka_ops.analysis.clocks import CLOCK_MS
from pykafka_ops.analysis.retention import RetentionPolicy
from pykafka_ops.spark.reports.retention.fold import TopicSums

NOW = 1_700_000_000_000


def test_a_topic_whose_oldest_record_lies_in_the_future_has_no_age() -> None:
    for oldest, age in ((NOW - 5000, 5.0), (NOW + CLOCK_MS + 1, None)):
        row = TopicSums("t", oldest=oldest, statuses={"ok"}, rates=[0, 0, 0]).row(
            RetentionPolicy(), NOW, None, estimated=False
        )
        assert row["age_seconds"] == age
        assert (row["age_share"] is None) == (age is None)
