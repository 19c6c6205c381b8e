"""What retention takes from a log and when, against a Kafka played out step by step."""

from __future__ import annotations

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.analysis.retention import (
    CHECK_INTERVAL,
    DAY,
    UNKNOWN,
    Held,
    Judged,
    LogStretch,
    RetentionPolicy,
    departures,
    held,
    judge,
    policy_of,
    steady_bytes,
    worst,
)

NOW = 100 * DAY
HOUR = 3_600_000


def _segment(number: int, size: int, newest: int) -> LogStretch:
    return LogStretch(number * 100, number * 100 + 99, size, newest - 1000, newest)


THREE = [_segment(0, 10, NOW - 3 * DAY), _segment(1, 20, NOW - 2 * DAY), _segment(2, 30, NOW - 1)]


def test_a_policy_is_read_from_settings() -> None:
    found = policy_of(
        {
            "cleanup.policy": "compact, delete",
            "retention.ms": "5",
            "retention.bytes": "7",
            "segment.ms": "x",
            "segment.bytes": None,
        }
    )
    assert found == RetentionPolicy(True, True, 5, 7)
    assert policy_of({}) == RetentionPolicy()
    assert not policy_of({"cleanup.policy": "compact"}).limited
    assert not policy_of({"retention.ms": "-1"}).limited


def test_segments_leave_when_their_newest_record_is_too_old() -> None:
    week = RetentionPolicy(retention_ms=7 * DAY)
    assert departures(THREE, week, 0, NOW) == [NOW + 4 * DAY, NOW + 5 * DAY, NOW + 7 * DAY - 1]
    assert departures(THREE, RetentionPolicy(retention_ms=-1), 0, NOW) == [inf] * 3
    assert departures(THREE, RetentionPolicy(delete=False, compact=True), 0, NOW) == [inf] * 3


def test_none_leaves_before_an_older_one() -> None:
    future = [_segment(0, 1, NOW + 50 * DAY), _segment(1, 1, NOW - 9 * DAY)]
    assert departures(future, RetentionPolicy(), 0, NOW) == [NOW + 57 * DAY] * 2


def test_an_active_segment_takes_records_until_it_is_full_or_old() -> None:
    full = RetentionPolicy(retention_ms=DAY, segment_bytes=90)
    assert departures(THREE, full, 60 / HOUR, NOW)[2] == NOW + HOUR + DAY
    old = RetentionPolicy(retention_ms=DAY, segment_ms=2 * HOUR)
    assert departures(THREE, old, 1e-9, NOW)[2] == NOW - 1001 + 2 * HOUR + DAY


def test_what_is_held_later_by_time() -> None:
    week = RetentionPolicy(retention_ms=7 * DAY)
    moments = [NOW, NOW + 4 * DAY, NOW + 4 * DAY + 1, NOW + 6 * DAY, NOW + 8 * DAY]
    assert [h.old for h in held(THREE, week, 0, NOW, moments)] == [60, 60, 50, 30, 0]


def test_what_is_held_later_by_size() -> None:
    # 60 bytes and a limit of 55: the first may go once 5 more are there, the next after 20 more.
    size = RetentionPolicy(retention_ms=-1, retention_bytes=55)
    rate = 10 / DAY
    assert held(THREE, size, rate, NOW, [NOW]) == [Held(60, 0)]
    assert held(THREE, size, rate, NOW, [NOW + DAY // 2]) == [Held(50, 5)]
    assert held(THREE, size, rate, NOW, [NOW + DAY * 2]) == [Held(50, 20)]
    assert held(THREE, size, rate, NOW, [NOW + DAY * 3]) == [Held(30, 30)]


def test_new_bytes_level_off() -> None:
    policy = RetentionPolicy(retention_ms=DAY, segment_ms=DAY, segment_bytes=1_000_000)
    assert held([], policy, 10 / DAY, NOW, [NOW + DAY, NOW + 9 * DAY]) == [Held(0, 10), Held(0, 15)]
    forever = RetentionPolicy(retention_ms=-1)
    assert held([], forever, 10 / DAY, NOW, [NOW + 9 * DAY]) == [Held(0, 90)]


def test_steady_bytes() -> None:
    policy = RetentionPolicy(retention_ms=2 * DAY, segment_bytes=100)
    assert steady_bytes(policy, 1000 / DAY) == 2050
    assert (
        steady_bytes(RetentionPolicy(retention_ms=-1, retention_bytes=500, segment_bytes=100), 1)
        == 550
    )
    assert steady_bytes(policy, 0) == 0
    assert steady_bytes(RetentionPolicy(retention_ms=-1), 1) is None


@pytest.mark.parametrize(
    ("policy", "found"),
    [
        (RetentionPolicy(), Judged("ok", 0)),
        (RetentionPolicy(retention_ms=DAY), Judged("over", 30)),
        (RetentionPolicy(retention_ms=2 * DAY), Judged("over", 10)),
        (RetentionPolicy(retention_ms=3 * DAY), Judged("ok", 0)),
        (RetentionPolicy(retention_ms=-1), Judged("forever", 0)),
        (RetentionPolicy(retention_ms=-1, retention_bytes=50), Judged("over", 10)),
        (RetentionPolicy(retention_ms=-1, retention_bytes=51), Judged("ok", 0)),
        (RetentionPolicy(retention_bytes=29), Judged("over", 30)),
        (RetentionPolicy(delete=False, compact=True), Judged("compact", 0)),
    ],
)
def test_a_log_is_judged_by_its_policy(policy: RetentionPolicy, found: Judged) -> None:
    assert judge(THREE, policy, NOW) == found


def test_what_is_due_since_the_last_check_is_not_late() -> None:
    policy = RetentionPolicy(retention_ms=3 * DAY - CHECK_INTERVAL)
    assert judge(THREE, policy, NOW).status == "ok"
    assert judge(THREE, policy, NOW + 1).status == "over"


def test_a_timestamp_in_the_future_blocks_what_is_behind_it() -> None:
    blocked = [_segment(0, 5, NOW + DAY), _segment(1, 7, NOW - 30 * DAY), _segment(2, 1, NOW)]
    assert judge(blocked, RetentionPolicy(), NOW) == Judged("blocked", 7)


def test_what_has_no_timestamp_is_as_old_as_what_was_written_behind_it() -> None:
    first, second, third = THREE
    timeless = first._replace(first_timestamp=-1, max_timestamp=-1)
    week, day = RetentionPolicy(retention_ms=7 * DAY), RetentionPolicy(retention_ms=DAY)
    assert judge([timeless, second, third], week, NOW) == Judged("ok", 0)
    assert judge([timeless, second, third], day, NOW) == Judged("over", 30)
    leave = departures([timeless, second, third], week, 0, NOW)
    assert leave == [NOW + 5 * DAY - 1000, NOW + 5 * DAY, NOW + 7 * DAY - 1]


def test_a_log_that_ends_without_timestamps_is_not_judged_by_time() -> None:
    timeless = [s._replace(first_timestamp=-1, max_timestamp=-1) for s in THREE]
    assert judge(timeless, RetentionPolicy(), NOW) == Judged(UNKNOWN, 0)
    assert judge([THREE[0], *timeless[1:]], RetentionPolicy(retention_ms=DAY), NOW).status == "over"
    assert (
        judge(timeless, RetentionPolicy(retention_ms=-1, retention_bytes=100), NOW).status == "ok"
    )
    assert judge(timeless, RetentionPolicy(retention_bytes=30), NOW) == Judged("over", 30)
    assert departures(timeless, RetentionPolicy(retention_ms=DAY), 0, NOW) == [NOW + DAY] * 3


def test_other_verdicts() -> None:
    assert judge([], RetentionPolicy(), NOW).status == "empty"
    assert judge(THREE, RetentionPolicy(), NOW, old_bytes=7).status == "overhang"
    assert judge(THREE, RetentionPolicy(), NOW, old_bytes=6).status == "ok"
    sized = RetentionPolicy(retention_bytes=100)
    assert judge(THREE, sized, NOW, full_for=DAY).status == "by-size"
    assert judge(THREE, sized, NOW, full_for=6 * DAY).status == "ok"
    assert worst(["ok", "blocked", "compact"]) == "blocked" and worst([]) == "empty"


@st.composite
def _logs(draw: st.DrawFn) -> tuple[list[LogStretch], RetentionPolicy, int]:
    sizes = draw(st.lists(st.integers(1, 100), min_size=1, max_size=8))
    times = [draw(st.integers(0, 50)) for _ in sizes]
    segments = [
        LogStretch(i, i, s, t, t) for i, (s, t) in enumerate(zip(sizes, times, strict=True))
    ]
    limits = st.integers(-1, 60)
    policy = RetentionPolicy(retention_ms=draw(limits), retention_bytes=draw(st.integers(-1, 300)))
    return segments, policy, draw(st.integers(0, 120))


@given(_logs())
def test_what_is_left_is_what_kafka_leaves(
    log: tuple[list[LogStretch], RetentionPolicy, int],
) -> None:
    """No writes: UnifiedLog.deleteOldSegments run once at that moment."""
    segments, policy, later = log
    kept = list(segments)
    while kept and policy.retention_ms >= 0 and later - kept[0].max_timestamp > policy.retention_ms:
        kept.pop(0)
    over = sum(s.size for s in kept) - policy.retention_bytes
    while len(kept) > 1 and policy.retention_bytes >= 0 and over - kept[0].size >= 0:
        over -= kept.pop(0).size
    assert held(segments, policy, 0, 0, [later])[0].old == sum(s.size for s in kept)


@given(_logs(), st.floats(0, 10), st.lists(st.integers(0, 200), min_size=1))
def test_old_bytes_never_grow(
    log: tuple[list[LogStretch], RetentionPolicy, int], rate: float, moments: list[int]
) -> None:
    segments, policy, _ = log
    found = [h.old for h in held(segments, policy, rate, 0, sorted(moments))]
    assert found == sorted(found, reverse=True)
    assert found[0] <= sum(s.size for s in segments)
