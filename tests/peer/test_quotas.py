"""How long clients over their quota are left alone: ours beside Apache Kafka."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from pykafka_ops.wire.codes import ErrorCode
from tests.support.clients.quotas import create_topic, fetch, limit, once, produce
from tests.support.process.apache import ApacheBroker
from tests.support.process.broker import BrokerProcess

pytestmark = [pytest.mark.java, pytest.mark.slow]

Throttles = list[tuple[int, float]]
"""By answer the break that it tells (ms), and the seconds from the first request to it."""
WINDOWS_SECONDS = 10
"""Behind these the first requests count no more, and how many are left goes by the machine."""


def timed(ask: Callable[[int], Any], count: int) -> tuple[list[Any], Throttles]:
    """Ask so many times; the answers, and their breaks."""
    began = time.monotonic()
    pairs = [(ask(n), time.monotonic() - began) for n in range(count)]
    answers = [answer for answer, _ in pairs]
    return answers, [(answer.throttle_time_ms, at) for answer, at in pairs]


def produced(bootstrap: str, topic: str) -> Throttles:
    """30 requests of 95 % of a second's worth each: ten seconds' worth is free."""
    limit(bootstrap, topic, topic, producer_byte_rate=10_000)
    answers, breaks = timed(lambda _: once(bootstrap, topic, produce(topic, 9_400), 9), 30)
    assert [a.responses[0].partition_responses[0].error_code for a in answers] == [0] * 30
    return breaks


def fetched(bootstrap: str, topic: str) -> Throttles:
    """6 answers of three seconds' worth each: the fourth is the first to be held back."""
    for _ in range(3):
        once(bootstrap, "setter", produce(topic, 10_000), 9)
    limit(bootstrap, topic, topic, consumer_byte_rate=10_000)
    answers, breaks = timed(lambda _: once(bootstrap, topic, fetch(topic, 29_800), 12), 6)
    for answer in answers:
        sizes = [len(p.records) for t in answer.responses for p in t.partitions]
        assert sizes == ([] if answer.throttle_time_ms else [29_800])
    return breaks


def created(bootstrap: str, topic: str) -> Throttles:
    """A partition is free, and a topic may go beyond; then one in ten seconds."""
    limit(bootstrap, topic, topic, controller_mutation_rate=0.1)
    answers, breaks = timed(lambda n: create_topic(bootstrap, topic, f"{topic}-{n}", 8), 2)
    codes = [answer.topics[0].error_code for answer in answers]
    assert codes[:2] == [0, int(ErrorCode.THROTTLING_QUOTA_EXCEEDED)]
    return breaks


@pytest.mark.parametrize("use", [produced, fetched, created])
def test_the_breaks_are_kafkas(
    use: Callable[[str, str], Throttles], broker: BrokerProcess, apache: ApacheBroker, topic: str
) -> None:
    ours: Throttles = []
    theirs: Throttles = []
    for bootstrap, found in ((broker.bootstrap, ours), (apache.bootstrap, theirs)):
        create_topic(bootstrap, "setter", topic)
        found += use(bootstrap, topic)
    both = [
        (mine, his, max(my_time, his_time))
        for (mine, my_time), (his, his_time) in zip(ours, theirs, strict=True)
        if max(my_time, his_time) < WINDOWS_SECONDS
    ]
    # A window that is not over counts for the time that has passed: up to a second's worth. And
    # who asks later has waited for so much longer already.
    for mine, his, later in both:
        assert mine == pytest.approx(his, rel=0.1, abs=1500 + 1000 * later)
    assert len(both) < len(ours) or max(mine for mine, *_ in both) > 500
