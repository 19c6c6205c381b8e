"""How long clients over their quota are left alone: ours beside Apache Kafka."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pykafka_ops.wire.codes import ErrorCode
from tests.support.clients.quotas import create_topic, fetch, limit, once, produce
from tests.support.process.apache import ApacheBroker
from tests.support.process.broker import BrokerProcess

pytestmark = [pytest.mark.java, pytest.mark.slow]

Throttles = list[int]


def produced(bootstrap: str, topic: str) -> Throttles:
    """30 requests of 95 % of a second's worth each: ten seconds' worth is free."""
    limit(bootstrap, topic, topic, producer_byte_rate=10_000)
    answers = [once(bootstrap, topic, produce(topic, 9_400), 9) for _ in range(30)]
    assert [a.responses[0].partition_responses[0].error_code for a in answers] == [0] * 30
    return [a.throttle_time_ms for a in answers]


def fetched(bootstrap: str, topic: str) -> Throttles:
    """6 answers of three seconds' worth each: the fourth is the first to be held back."""
    for _ in range(3):
        once(bootstrap, "setter", produce(topic, 10_000), 9)
    limit(bootstrap, topic, topic, consumer_byte_rate=10_000)
    answers = [once(bootstrap, topic, fetch(topic, 29_800), 12) for _ in range(6)]
    for answer in answers:
        sizes = [len(p.records) for t in answer.responses for p in t.partitions]
        assert sizes == ([] if answer.throttle_time_ms else [29_800])
    return [a.throttle_time_ms for a in answers]


def created(bootstrap: str, topic: str) -> Throttles:
    """A partition is free, and a topic may go beyond; then one in ten seconds."""
    limit(bootstrap, topic, topic, controller_mutation_rate=0.1)
    answers = [create_topic(bootstrap, topic, f"{topic}-{n}", 8) for n in range(2)]
    codes = [answer.topics[0].error_code for answer in answers]
    assert codes[:2] == [0, int(ErrorCode.THROTTLING_QUOTA_EXCEEDED)]
    return [a.throttle_time_ms for a in answers]


@pytest.mark.parametrize("use", [produced, fetched, created])
def test_the_breaks_are_kafkas(
    use: Callable[[str, str], Throttles], broker: BrokerProcess, apache: ApacheBroker, topic: str
) -> None:
    ours: Throttles = []
    theirs: Throttles = []
    for bootstrap, found in ((broker.bootstrap, ours), (apache.bootstrap, theirs)):
        create_topic(bootstrap, "setter", topic)
        found += use(bootstrap, topic)
    # A window that is not over counts for the time that has passed: up to a second's worth, or as
    # long as a slow machine takes.
    assert ours == pytest.approx(theirs, rel=0.1, abs=1500)
    assert max(ours) > 500
