"""A leader's throttle (KIP-73): followers that catch up wait, those in sync go on."""

from __future__ import annotations

from typing import Any

import pytest

from pykafka_ops.broker.state.quotas.sampled import Windows
from pykafka_ops.broker.state.replication.throttle import ReplicationQuota
from pykafka_ops.wire.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from tests.support.memory.handler_site import ME, OTHER, Later, Site, batch

SIZE = len(batch(b"x"))


def ask(
    site: Site, offset: int, *, replica: int = OTHER, wait_ms: int = 500, limit: int = 1 << 20
) -> Any:
    wanted = FetchPartition(partition=0, fetch_offset=offset, partition_max_bytes=limit)
    topic = FetchTopic(topic="t", partitions=[wanted])
    request = FetchRequest(topics=[topic], max_wait_ms=wait_ms, min_bytes=1, replica_id=replica)
    return site.ask(request, 12)


def got(answer: Any) -> int:
    assert not isinstance(answer, Later)
    return len(answer.responses[0].partitions[0].records)


@pytest.fixture
def site() -> Site:
    """A throttle of half a batch per second on t-0."""
    made = Site()
    quota = ReplicationQuota(lambda: SIZE // 2, Windows(11, 1000.0))
    quota.mark("t", frozenset({0}))
    made.services.fetches.site.throttle = quota
    return made


def test_who_catches_up_gets_records_at_the_rate(site: Site) -> None:
    site.topic("t", isr=(ME,), replicas=(ME, OTHER))
    site.append("t", 0, batch(b"x"), batch(b"y"))
    assert got(ask(site, 0)) == 2 * SIZE
    site.append("t", 0, batch(b"z"))
    assert got(ask(site, 2, wait_ms=0)) == 0
    waiting = ask(site, 2)
    site.append("t", 0, batch(b"z"))
    assert not waiting.done
    site.pass_time(600)
    assert got(waiting.answer) == 0
    site.pass_time(4000)
    assert got(ask(site, 2)) == 2 * SIZE


def test_a_throttled_follower_gets_whole_batches(site: Site) -> None:
    site.topic("t", isr=(ME,), replicas=(ME, OTHER))
    site.append("t", 0, batch(b"x"), batch(b"y"), batch(b"z"))
    assert got(ask(site, 0, limit=2 * SIZE + 20)) == 2 * SIZE
    site.pass_time(60_000)
    assert got(ask(site, 0, limit=SIZE - 1)) == SIZE  # one is sent however large it is
    quota = site.services.fetches.site.throttle
    assert quota is not None
    quota.mark("t", frozenset())
    assert got(ask(site, 0, limit=2 * SIZE + 20)) == 2 * SIZE + 20


def test_who_is_in_sync_is_not_held_back_but_counts(site: Site) -> None:
    site.topic("t", isr=(ME, OTHER), replicas=(ME, OTHER))
    site.append("t", 0, batch(b"x"), batch(b"y"))
    for _ in range(3):
        assert got(ask(site, 0)) == 2 * SIZE
    quota = site.services.fetches.site.throttle
    assert quota is not None
    assert quota.is_exceeded(site.time)


def test_consumers_and_other_partitions_do_not_count(site: Site) -> None:
    site.topic("t", isr=(ME,), replicas=(ME, OTHER))
    site.append("t", 0, batch(b"x"))
    quota = site.services.fetches.site.throttle
    assert quota is not None
    assert got(ask(site, 0, replica=-1)) == SIZE
    quota.mark("t", frozenset({1}))
    assert got(ask(site, 0)) == SIZE
    assert not quota.is_exceeded(site.time)


def test_who_was_held_back_goes_on_without_news_when_there_is_room(site: Site) -> None:
    """In a session, too, which leaves alone what has nothing to tell."""
    site.topic("t", isr=(ME,), replicas=(ME, OTHER))
    site.append("t", 0, batch(b"x"), batch(b"y"))
    assert got(ask(site, 0)) == 2 * SIZE
    wanted = FetchPartition(partition=0, fetch_offset=0, partition_max_bytes=1 << 20)
    topics = [FetchTopic(topic="t", partitions=[wanted])]
    session_id = 0
    for epoch in range(3):
        request = FetchRequest(
            topics=[] if session_id else topics,
            max_wait_ms=0,
            min_bytes=1,
            replica_id=OTHER,
            session_id=session_id,
            session_epoch=epoch,
        )
        answer = site.ask(request, 12)
        session_id = answer.session_id
        assert sum(len(p.records) for t in answer.responses for p in t.partitions) == 0
    site.pass_time(6000)
    request.session_epoch += 1
    assert got(site.ask(request, 12)) == 2 * SIZE
