"""Throttles: the numbers are those of Kafka's ``ReplicationQuotaManager``."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.broker.state.quotas.sampled import Windows
from pykafka_ops.broker.state.replication.throttle import (
    ReplicationQuota,
    ReplicationThrottles,
    throttled_partitions,
)


def test_a_throttle_is_exceeded_until_enough_time_has_passed() -> None:
    quota = ReplicationQuota(lambda: 100, Windows(11, 1000.0))
    assert not quota.is_exceeded(0.0)
    quota.record(1000, 0.0)
    assert quota.is_exceeded(9_000.0)
    assert not quota.is_exceeded(10_000.0)


@given(st.lists(st.tuples(st.integers(1, 5000), st.integers(0, 400)), min_size=50, max_size=200))
def test_who_asks_before_sending_keeps_to_the_rate(sends: list[tuple[int, int]]) -> None:
    limit, now, sent = 1000, 0.0, 0
    quota = ReplicationQuota(lambda: limit, Windows(11, 1000.0))
    for size, pause in sends:
        while quota.is_exceeded(now):
            now += 100
        quota.record(size, now)
        sent += size
        now += pause
    # What one window and one send can be too much.
    assert sent <= limit * (now / 1000 + 1) + 2 * 5000 + 11 * 5000


@pytest.mark.parametrize(
    ("text", "partitions"),
    [
        ("*", None),
        ("", frozenset()),
        ("0:1,1:2,2:1", frozenset({0, 2})),
        (" 3:1 , 4:1", frozenset({3, 4})),
        ("x:1,:1,5:,6:1:1,-7:1,nonsense,8:1", frozenset({8})),
    ],
)
def test_the_partitions_of_this_broker_count(text: str, partitions: frozenset[int] | None) -> None:
    assert throttled_partitions(text, 1) == partitions


def test_a_topic_marks_both_sides_and_lets_them_go() -> None:
    values = {
        "replication.quota.window.num": 11,
        "replication.quota.window.size.seconds": 1,
        "leader.replication.throttled.rate": 10,
        "follower.replication.throttled.rate": 20,
    }
    throttles = ReplicationThrottles(1, values.__getitem__)
    throttles.topic_changed(
        "t",
        {
            "leader.replication.throttled.replicas": "0:1,1:2",
            "follower.replication.throttled.replicas": "*",
        },
    )
    assert throttles.leader.is_throttled(("t", 0))
    assert not throttles.leader.is_throttled(("t", 1))
    assert not throttles.leader.is_throttled(("u", 0))
    assert throttles.follower.is_throttled(("t", 7))
    throttles.topic_changed("t", {})
    assert not throttles.leader.is_throttled(("t", 0))
    assert not throttles.follower.is_throttled(("t", 7))
