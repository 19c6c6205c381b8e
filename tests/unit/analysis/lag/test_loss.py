"""When retention takes what a group has not read."""

from __future__ import annotations

import pytest

from pykafka_ops.analysis.lag.loss import TopicRetention, is_silent, loss_in_seconds, retained_share

NOW = 1_000_000_000
HOUR = 3_600_000


def loss(policy: TopicRetention, **changed: object) -> float | None:
    facts = {
        "lag": 1000,
        "lead": 50,
        "next_timestamp": NOW - 30 * 60_000,
        "rate_in": 10.0,
        "average_size": 100.0,
    }
    return loss_in_seconds(policy, NOW, **{**facts, **changed})  # type: ignore[arg-type]


def test_by_time_it_is_what_is_left_of_the_next_records_age() -> None:
    assert loss(TopicRetention(retention_ms=HOUR)) == 1800.0
    assert loss(TopicRetention(retention_ms=HOUR // 4)) == 0.0


def test_by_size_it_is_until_so_much_is_written_behind_it() -> None:
    assert loss(TopicRetention(retention_bytes=200_000)) == 100.0
    assert loss(TopicRetention(retention_bytes=90_000)) == 0.0
    assert loss(TopicRetention(retention_bytes=200_000), rate_in=0.0) is None


def test_the_sooner_of_the_two_counts() -> None:
    assert loss(TopicRetention(retention_ms=HOUR, retention_bytes=200_000)) == 100.0
    assert loss(TopicRetention(retention_ms=HOUR, retention_bytes=20_000_000)) == 1800.0


@pytest.mark.parametrize(
    ("policy", "changed"),
    [
        (TopicRetention(), {}),
        (TopicRetention(retention_ms=-1, retention_bytes=-1), {}),
        (TopicRetention("compact", HOUR), {}),
        (TopicRetention(retention_ms=HOUR), {"lag": 0}),
        (TopicRetention(retention_ms=HOUR), {"lag": None}),
        (TopicRetention(retention_ms=HOUR), {"next_timestamp": None}),
    ],
)
def test_nothing_is_lost_where_nothing_goes_or_nothing_is_known(
    policy: TopicRetention, changed: dict[str, object]
) -> None:
    assert loss(policy, **changed) is None


def test_what_is_gone_is_gone_now() -> None:
    assert loss(TopicRetention("compact"), lead=-1) == 0.0
    assert loss(TopicRetention("compact,delete", HOUR)) == 1800.0


def test_the_share_that_is_unread() -> None:
    assert retained_share(25, 100, 200) == 0.25
    assert retained_share(500, 100, 200) == 1.0
    assert retained_share(0, 7, 7) == 0.0
    assert retained_share(None, 0, 1) is None


def test_silence_is_longer_than_the_window() -> None:
    assert is_silent(601, 600, 10)
    assert not is_silent(600, 600, 10)
    assert not is_silent(9, 1, 10)
