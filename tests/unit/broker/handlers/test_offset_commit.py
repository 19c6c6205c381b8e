"""OffsetCommit: offsets are kept for topics that are there, once the replicas have them."""

from __future__ import annotations

import asyncio
from pathlib import Path

from pykafka_ops.broker.metadata.embedded import EmbeddedStore
from pykafka_ops.broker.services.consumer_offsets import ConsumerOffsets
from pykafka_ops.wire.messages.list_groups import ListGroupsRequest
from tests.support.memory.group_requests import (
    OFFSETS,
    code_of,
    commit_request,
    fetch_request,
    offsets,
)
from tests.support.memory.handler_site import ME, OTHER, Later, Site
from tests.support.memory.replication import follower_at

INVALID_GROUP = 24
UNKNOWN_TOPIC = 3


def test_a_group_without_members_needs_no_name(site: Site) -> None:
    commit = commit_request(7)
    commit.group_id = ""
    assert code_of(site.ask(commit, 8)) == 0


def test_offsets_of_unknown_topics_are_refused_and_of_deleted_ones_forgotten(site: Site) -> None:
    assert code_of(site.ask(commit_request(1, "nope"), 8)) == UNKNOWN_TOPIC
    assert code_of(site.ask(commit_request(1), 8)) == 0
    site.services.groups.topics_deleted(["t"])
    assert offsets(site.ask(fetch_request(8), 8)) == [(-1, "", 0), (-1, "", 0)]
    assert site.ask(ListGroupsRequest(), 4).groups == []


def test_a_commit_waits_for_the_replicas() -> None:
    site = Site()
    (partition,) = site.topic(OFFSETS, 1, isr=(ME, OTHER), replicas=(ME, OTHER))
    site.topic("t", 2)
    site.coordinators.led(partition)
    answer = site.ask(commit_request(4), 8)
    assert isinstance(answer, Later)
    unstable = site.ask(fetch_request(8, stable=True), 8)
    assert offsets(unstable)[0] == (-1, "", 88)
    follower_at(partition, 1)
    site.replicas.wake(partition.key)
    assert code_of(answer.answer) == 0
    assert offsets(site.ask(fetch_request(8, stable=True), 8))[0] == (4, "m", 0)


def test_offsets_of_version_0_are_kept_in_the_metadata_store(site: Site, tmp_path: Path) -> None:
    async def body() -> None:
        store = EmbeddedStore(tmp_path / "metadata.db")
        site.services.consumer_offsets = ConsumerOffsets(store, site.image, lambda: 4096)
        try:
            answer = await site.ask_soon(fetch_request(0), 0)
            assert [p.error_code for p in answer.topics[0].partitions] == [UNKNOWN_TOPIC] * 2
            for offset in (5, 3):
                answer = await site.ask_soon(commit_request(offset), 0)
                assert code_of(answer) == 0
            answer = await site.ask_soon(fetch_request(0), 0)
            found = [(p.committed_offset, p.error_code) for p in answer.topics[0].partitions]
            assert found == [(3, 0), (-1, UNKNOWN_TOPIC)]
            node = await store.get("/consumers/g/offsets/t/0")
            assert node is not None
            assert node.data == b"3"
            for name in ("a/b", "..", ""):
                request = commit_request(1)
                request.group_id = name
                assert code_of(await site.ask_soon(request, 0)) == INVALID_GROUP
        finally:
            await store.close()

    asyncio.run(body())
    assert offsets(site.ask(fetch_request(1), 1))[0][0] == -1
