"""What clients are answered about groups, in every version, over logs in memory."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from pykafka_ops.analysis.java_hash import partition_for
from pykafka_ops.broker.metadata.embedded import EmbeddedStore
from pykafka_ops.broker.services.consumer_offsets import ConsumerOffsets
from pykafka_ops.wire.messages.delete_groups import DeleteGroupsRequest
from pykafka_ops.wire.messages.describe_groups import DescribeGroupsRequest
from pykafka_ops.wire.messages.heartbeat import HeartbeatRequest
from pykafka_ops.wire.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from pykafka_ops.wire.messages.leave_group import LeaveGroupRequest, MemberIdentity
from pykafka_ops.wire.messages.list_groups import ListGroupsRequest
from pykafka_ops.wire.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from pykafka_ops.wire.messages.offset_delete import OffsetDeleteRequest
from pykafka_ops.wire.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
    OffsetFetchRequestTopics,
)
from pykafka_ops.wire.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from pykafka_ops.wire.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)
from tests.support.memory.group_world import subscription
from tests.support.memory.handler_site import ME, OTHER, Later, Site
from tests.support.memory.replication import follower_at

OFFSETS = "__consumer_offsets"
LOADING, NOT_COORDINATOR, INVALID_GROUP, UNKNOWN_TOPIC = 14, 16, 24, 3
REBALANCE, MEMBER_ID_REQUIRED, NOT_AVAILABLE = 27, 79, 15
PARTITIONS = 3


@pytest.fixture
def site() -> Site:
    made = Site(group_initial_rebalance_delay_ms=0)
    made.coordinators.led(*made.topic(OFFSETS, PARTITIONS))
    made.topic("t", 2)
    return made


def join_request(member: str = "", **of: Any) -> JoinGroupRequest:
    return JoinGroupRequest(
        group_id="g",
        session_timeout_ms=10_000,
        rebalance_timeout_ms=20_000,
        member_id=member,
        protocol_type="consumer",
        protocols=[JoinGroupRequestProtocol(name="range", metadata=subscription("t"))],
        **of,
    )


def joined(site: Site, version: int, member: str = "") -> Any:
    """Join; time goes on by as much as the first delay, which is nothing."""
    answer = site.ask(join_request(member), version)
    if isinstance(answer, Later):
        site.coordinators.tick()
        answer = answer.answer
    return joined(site, version, answer.member_id) if answer.error_code == 79 else answer


def commit_request(offset: int, topic: str = "t", **of: Any) -> OffsetCommitRequest:
    partition = OffsetCommitRequestPartition(
        partition_index=0, committed_offset=offset, committed_metadata="m"
    )
    topics = [OffsetCommitRequestTopic(name=topic, partitions=[partition])]
    return OffsetCommitRequest(group_id="g", topics=topics, **of)


def fetch_request(version: int, *, stable: bool = False) -> OffsetFetchRequest:
    if version >= 8:
        topics = [OffsetFetchRequestTopics(name="t", partition_indexes=[0, 1])]
        group = OffsetFetchRequestGroup(group_id="g", topics=topics)
        return OffsetFetchRequest(groups=[group], require_stable=stable)
    old = [OffsetFetchRequestTopic(name="t", partition_indexes=[0, 1])]
    return OffsetFetchRequest(group_id="g", topics=old, require_stable=stable)


def offsets(answer: Any) -> list[tuple[int, str, int]]:
    (topic,) = answer.groups[0].topics if answer.groups else answer.topics
    return [(p.committed_offset, p.metadata, p.error_code) for p in topic.partitions]


@pytest.mark.parametrize("version", range(10))
def test_a_member_lives(site: Site, version: int) -> None:
    found = joined(site, version)
    assert (found.error_code, found.generation_id, found.leader) == (0, 1, found.member_id)
    assert [m.metadata for m in found.members] == [subscription("t")]
    given = [SyncGroupRequestAssignment(member_id=found.member_id, assignment=b"mine")]
    sync = SyncGroupRequest(
        group_id="g",
        generation_id=1,
        member_id=found.member_id,
        assignments=given,
        protocol_type="consumer" if version >= 5 else None,
        protocol_name="range" if version >= 5 else None,
    )
    assert site.ask(sync, min(version, 5)).assignment == b"mine"
    beat = HeartbeatRequest(group_id="g", generation_id=1, member_id=found.member_id)
    assert site.ask(beat, min(version, 4)).error_code == 0
    if version:
        commit = commit_request(5, generation_id_or_member_epoch=1, member_id=found.member_id)
        answer = site.ask(commit, version)
        assert answer.topics[0].partitions[0].error_code == 0
        assert offsets(site.ask(fetch_request(version), version)) == [(5, "m", 0), (-1, "", 0)]
    described = site.ask(DescribeGroupsRequest(groups=["g"]), min(version, 5)).groups[0]
    assert (described.group_state, described.protocol_data) == ("Stable", "range")
    assert described.members[0].client_host == "/1.2.3.4"
    assert [g.group_id for g in site.ask(ListGroupsRequest(), min(version, 5)).groups] == ["g"]
    leave = LeaveGroupRequest(group_id="g")
    if version >= 3:
        leave.members = [MemberIdentity(member_id=found.member_id)]
    else:
        leave.member_id = found.member_id
    assert site.ask(leave, min(version, 5)).error_code == 0
    answer = site.ask(DeleteGroupsRequest(groups_names=["g"]), min(version, 2))
    assert answer.results[0].error_code == 0
    assert site.ask(ListGroupsRequest(), 0).groups == []


def test_a_member_that_waits_is_answered_when_the_others_have_joined(site: Site) -> None:
    first = joined(site, 3)
    waiting = site.ask(join_request(), 3)
    assert isinstance(waiting, Later)
    assert not waiting.done
    again = site.ask(join_request(first.member_id), 3)
    assert waiting.answer.generation_id == 2
    assert again.generation_id == 2 if not isinstance(again, Later) else again.done


def test_the_id_is_given_first(site: Site) -> None:
    answer = site.ask(join_request(), 4)
    assert (answer.error_code, answer.generation_id) == (MEMBER_ID_REQUIRED, -1)
    assert answer.member_id.startswith("test-")


def requests() -> list[tuple[Any, int]]:
    """One request of each kind about group g."""
    partition = TxnOffsetCommitRequestPartition(
        partition_index=0, committed_offset=1, committed_metadata=""
    )
    topics = [TxnOffsetCommitRequestTopic(name="t", partitions=[partition])]
    in_transaction = TxnOffsetCommitRequest(
        transactional_id="x",
        group_id="g",
        producer_id=1,
        producer_epoch=0,
        member_id="",
        topics=topics,
    )
    return [
        (join_request(), 3),
        (SyncGroupRequest(group_id="g", generation_id=1, member_id="m", assignments=[]), 3),
        (HeartbeatRequest(group_id="g", generation_id=1, member_id="m"), 3),
        (LeaveGroupRequest(group_id="g", members=[]), 3),
        (commit_request(1), 8),
        (in_transaction, 3),
        (fetch_request(1), 1),
        (fetch_request(7), 7),
        (fetch_request(8), 8),
        (OffsetDeleteRequest(group_id="g", topics=[]), 0),
        (DescribeGroupsRequest(groups=["g"]), 5),
        (DeleteGroupsRequest(groups_names=["g"]), 2),
    ]


def code_of(answer: Any) -> int:
    """The one error code in an answer, wherever it stands."""
    for part in ("results", "groups"):
        if getattr(answer, part, None):
            return int(getattr(answer, part)[0].error_code)
    if getattr(answer, "topics", None):
        return int(answer.topics[0].partitions[0].error_code)
    return int(answer.error_code)


@pytest.mark.parametrize(("request_", "version"), requests(), ids=lambda r: type(r).__name__)
def test_another_brokers_groups_are_refused(request_: Any, version: int) -> None:
    site = Site()
    site.coordinators.led(*site.topic(OFFSETS, 1, leader=OTHER))
    site.topic("t", 2)
    assert code_of(site.ask(request_, version)) == NOT_COORDINATOR


@pytest.mark.parametrize(("request_", "version"), requests(), ids=lambda r: type(r).__name__)
def test_clients_wait_while_groups_are_loaded(request_: Any, version: int) -> None:
    site = Site()
    (partition,) = site.topic(OFFSETS, 1)
    site.topic("t", 2)
    site.services.groups.coordinator.elected(partition)
    code = code_of(site.ask(request_, version))
    name = type(request_).__name__
    special = {"HeartbeatRequest": 0, "SyncGroupRequest": REBALANCE}
    assert code == special.get(name, LOADING)
    assert site.ask(ListGroupsRequest(), 0).error_code == LOADING
    site.coordinators.load()
    assert code_of(site.ask(HeartbeatRequest(group_id="g", member_id="m"), 0)) == 25


@pytest.mark.parametrize("version", range(2))
def test_transactions_of_old_clients_are_told_that_there_is_no_coordinator(version: int) -> None:
    site = Site()
    (partition,) = site.topic(OFFSETS, 1)
    site.topic("t", 2)
    site.services.groups.coordinator.elected(partition)
    request = next(r for r, _ in requests() if isinstance(r, TxnOffsetCommitRequest))
    assert code_of(site.ask(request, version)) == NOT_AVAILABLE
    site.coordinators.load()


def test_a_group_needs_a_name_to_have_members(site: Site) -> None:
    request = join_request()
    request.group_id = ""
    assert site.ask(request, 3).error_code == INVALID_GROUP
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


def test_groups_are_spread_as_kafka_does(site: Site) -> None:
    for n in range(20):
        request = commit_request(1)
        request.group_id = f"group-{n}"
        assert code_of(site.ask(request, 8)) == 0
        slot = site.services.groups.coordinator.slot(partition_for(f"group-{n}", PARTITIONS))
        assert f"group-{n}" in slot.shard.groups
