"""How long a follower waits: at its leader for records, at home before it asks again."""

from __future__ import annotations

import asyncio
import dataclasses
import time
from typing import Any, cast

from pykafka_ops.broker.runtime.replication.fetch_requests import STRETCH, VERSION
from pykafka_ops.wire.messages.fetch import (
    FetchableTopicResponse,
    FetchRequest,
    FetchResponse,
    PartitionData,
)
from tests.support.memory.copying import InMemoryPeer, Pair
from tests.support.memory.handler_site import batch, topic_id
from tests.support.memory.shelf import Shelf
from tests.support.memory.steps import at_once, counted

UNKNOWN_EPOCH = 75


def refusal(session: int = 5) -> FetchResponse:
    """The leader has not heard yet that it leads ``t``."""
    part = PartitionData(partition_index=0, high_watermark=0, error_code=UNKNOWN_EPOCH)
    topic = FetchableTopicResponse(topic_id=topic_id("t"), partitions=[part])
    return FetchResponse(session_id=session, responses=[topic])


def test_nobody_waits_at_the_leader_for_longer_than_until_another_is_asked_for_again() -> None:
    pair = Pair()
    for site in (pair.leader, pair.follower):
        site.topic("u", isr=(0, 1), replicas=(0, 1), leader=0)
    pair.fetcher.partitions.add(cast(Any, pair.follower.replicas.find("u", 0)))
    pair.settle()
    idle = pair.fetcher.partitions.request()
    assert idle is not None
    assert idle.max_wait_ms == 500
    assert at_once(pair.fetcher.partitions.take(refusal(idle.session_id))) == []
    without = pair.fetcher.partitions.request()
    assert without is not None
    assert [t.topic_id for t in without.forgotten_topics_data] == [topic_id("t")]
    assert without.max_wait_ms == 25


def test_an_only_partition_that_is_refused_is_asked_for_again_long_before_the_backoff() -> None:
    pair = Pair(replica_fetch_backoff_ms=3_600_000)
    pair.leader.append("t", 0, batch(b"a"))
    refusals = [refusal()]

    class Hesitant(InMemoryPeer):
        async def ask(self, *words: Any, **more: Any) -> Any:
            await asyncio.sleep(0)
            return refusals.pop() if refusals else await super().ask(*words, **more)

    pair.fetcher._site = pair.fetcher.partitions._site = dataclasses.replace(
        pair.fetcher._site,
        connect=lambda *_: cast(Any, Hesitant(lambda: pair.leader)),
        timer=lambda: time.monotonic() * 1000,
    )

    async def copy() -> None:
        pair.fetcher.start()
        while pair.copy.log.log_end_offset < 1:
            await asyncio.sleep(0)
        await pair.fetcher.stop()

    asyncio.run(asyncio.wait_for(copy(), 60))
    assert refusals == []


def test_a_leader_is_not_told_of_what_flush_messages_wants_synced_first() -> None:
    pair = Pair()
    for site in (pair.leader, pair.follower):
        site.topic("f", isr=(0, 1), replicas=(0, 1), leader=0, config={"flush.messages": "1"})
    shelf = Shelf(pair.follower)
    copy = cast(Any, pair.follower.replicas.find("f", 0))
    pair.fetcher.partitions.add(copy)
    pair.leader.append("f", 0, batch(b"a"))
    asked: list[FetchRequest] = []

    class Watched(InMemoryPeer):
        async def ask(self, request: Any, *words: Any, **more: Any) -> Any:
            asked.append(request)
            await asyncio.sleep(0)
            return await super().ask(request, *words, **more)

    pair.fetcher._site = pair.fetcher.partitions._site = dataclasses.replace(
        pair.fetcher._site, connect=lambda *_: cast(Any, Watched(lambda: pair.leader))
    )

    async def copy_it() -> None:
        pair.fetcher.start()
        while not shelf.jobs:
            await asyncio.sleep(0)
        for _ in range(20):
            await asyncio.sleep(0)
        assert (copy.log.log_end_offset, len(asked)) == (1, 1)
        shelf.work(pair.follower)
        while len(asked) < 2:
            await asyncio.sleep(0)
        await pair.fetcher.stop()

    asyncio.run(asyncio.wait_for(copy_it(), 60))
    assert copy.log.durability.recovery_point == 1


def test_others_have_a_turn_after_the_records_of_each_partition() -> None:
    pair = Pair()
    pair.fetcher.partitions.request()
    part = PartitionData(partition_index=0, high_watermark=0, records=batch(b"a"))
    topic = FetchableTopicResponse(topic_id=topic_id("t"), partitions=[part])
    answer = FetchResponse(session_id=5, responses=[topic])
    resets, pauses = counted(pair.fetcher.partitions.take(answer))
    assert (resets, pauses, pair.copy.log.log_end_offset) == ([], 1, 1)


def test_others_have_a_turn_after_some_hundred_batches_of_one_partition() -> None:
    pair = Pair()
    for _ in range(2 * STRETCH + 1):
        pair.leader.append("t", 0, batch(b"a"))
    answer = pair.leader.ask(pair.fetcher.partitions.request(), VERSION)
    resets, pauses = counted(pair.fetcher.partitions.take(answer))
    assert (resets, pauses, pair.copy.log.log_end_offset) == ([], 3, 2 * STRETCH + 1)
    assert [s.offset for s in pair.fetcher.partitions.states.values()] == [2 * STRETCH + 1]
