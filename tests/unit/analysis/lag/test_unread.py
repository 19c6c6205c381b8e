"""Who is about to lose what it has not read."""

from __future__ import annotations

from math import inf

from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.analysis.lag.unread import GroupReader, unread
from pykafka_ops.analysis.retention import LogStretch, RetentionPolicy

NOW = 10**12
HOUR = 3_600_000
#: Three segments of an hour and 3,600 records each: one record per second; they leave after three
#: hours, the first one an hour from now.
LOG = [
    LogStretch(3600 * n, 3600 * n + 3599, 36_000, NOW - (3 - n) * HOUR, NOW - (2 - n) * HOUR)
    for n in range(3)
]
POLICY = RetentionPolicy(retention_ms=3 * HOUR)


def test_who_has_read_all_is_safe() -> None:
    found = unread(GroupReader(10_800, 10_800, 0.0, 1.0), LOG, POLICY, 0, NOW)
    assert (found.status, found.lag, found.unread_bytes, found.catch_up_seconds) == (
        "SAFE",
        0,
        0,
        0,
    )


def test_who_is_fast_enough_is_safe() -> None:
    found = unread(GroupReader(1800, 10_800, 2.0, 1.0), LOG, POLICY, 0, NOW)
    assert (found.status, found.records_lost) == ("SAFE", 0)
    assert found.deleted_in_seconds == 3600
    assert found.catch_up_seconds == 9000
    assert found.unread_bytes == 18_000 + 36_000 + 36_000
    assert found.oldest_unread is not None
    assert abs(found.oldest_unread - (NOW - 3 * HOUR + HOUR // 2)) < 1000


def test_who_is_too_slow_loses_what_it_does_not_reach() -> None:
    # In the hour until the first segment goes it reads 1,800 of the 3,600; two hours from now it
    # would be at 3,600, yet is at 5,400 at best of what it could read: the second goes unread too.
    found = unread(GroupReader(0, 10_800, 0.5, 1.0), LOG, POLICY, 0, NOW)
    assert found.status == "AT_RISK"
    assert found.records_lost == 1800 + 3600 + (10_800 - 3600 * 2)
    assert found.catch_up_seconds is None


def test_who_stands_loses_all_that_leaves() -> None:
    for rate in (None, 0.0, -3.0):
        found = unread(GroupReader(7000, 10_800, rate, 1.0), LOG, POLICY, 0, NOW)
        assert (found.status, found.records_lost) == ("AT_RISK", 3800)
        assert found.deleted_in_seconds == 7200


def test_without_a_limit_nothing_is_lost() -> None:
    found = unread(
        GroupReader(0, 10_800, None, None), LOG, RetentionPolicy(retention_ms=-1), 1, NOW
    )
    assert (found.status, found.deleted_in_seconds) == ("SAFE", inf)


def test_what_is_gone_already_is_lost() -> None:
    found = unread(GroupReader(100, 10_800, 99.0, 1.0), LOG[1:], POLICY, 0, NOW)
    assert (found.status, found.records_lost) == ("LOSING", 3500)


def test_an_overdue_segment_is_being_lost_now() -> None:
    found = unread(
        GroupReader(0, 10_800, 1.0, 1.0), LOG, RetentionPolicy(retention_ms=HOUR), 0, NOW
    )
    assert (found.status, found.deleted_in_seconds) == ("LOSING", 0)


def test_the_size_limit_takes_a_segment_when_there_is_more_behind_it() -> None:
    # Behind the first are 72,000 bytes; at 10 bytes/s 82,000 are there after 1,000 s.
    policy = RetentionPolicy(retention_ms=-1, retention_bytes=82_000)
    found = unread(GroupReader(0, 10_800, 1.0, 1.0), LOG, policy, 0.01, NOW)
    assert found.deleted_in_seconds == 1000
    assert found.status == "AT_RISK"


def test_an_empty_log_that_ended_further_on_was_lost() -> None:
    found = unread(GroupReader(5, 10, 1.0, 1.0), [], POLICY, 0, NOW)
    assert (found.status, found.records_lost, found.unread_bytes) == ("LOSING", 5, 0)


@given(st.integers(0, 12_000), st.floats(0, 10), st.floats(0, 10), st.integers(-1, 10 * HOUR))
def test_faster_readers_lose_no_more(
    committed: int, rate: float, more: float, retention: int
) -> None:
    policy = RetentionPolicy(retention_ms=retention)
    slow, fast = (
        unread(GroupReader(committed, 10_800, r, 1.0), LOG, policy, 0, NOW)
        for r in (rate, rate + more)
    )
    assert 0 <= fast.records_lost <= slow.records_lost <= slow.lag
    assert (slow.status == "SAFE") == (slow.records_lost == 0)
