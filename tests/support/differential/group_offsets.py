"""Offsets of groups: OffsetCommit, OffsetFetch, OffsetDelete, TxnOffsetCommit."""

from __future__ import annotations

from typing import Any

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.messages.init_producer_id import InitProducerIdRequest
from pykafka_ops.wire.messages.leave_group import LeaveGroupRequest
from pykafka_ops.wire.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from pykafka_ops.wire.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from pykafka_ops.wire.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
)
from pykafka_ops.wire.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)
from tests.support.differential.core import Cases, Side
from tests.support.differential.groups import (
    coordinated,
    joined,
    protocols_for,
    ready,
    stable,
    sync_request,
)
from tests.support.waiting import wait_for

CASES = Cases()


def commit_request(
    side: Side,
    *offsets: tuple[str, int, int, str | None],
    member: str = "",
    generation: int = -1,
    instance: str | None = None,
    group: str = "g",
    retention: int = -1,
) -> OffsetCommitRequest:
    """(topic, partition, offset, metadata) each; leader epoch 4."""
    topics: dict[str, list[OffsetCommitRequestPartition]] = {}
    for topic, index, offset, metadata in offsets:
        topics.setdefault(side.topic(topic), []).append(
            OffsetCommitRequestPartition(
                partition_index=index,
                committed_offset=offset,
                committed_leader_epoch=4,
                committed_metadata=metadata,
            )
        )
    return OffsetCommitRequest(
        group_id=side.topic(group),
        generation_id_or_member_epoch=generation,
        member_id=member,
        group_instance_id=instance,
        retention_time_ms=retention,
        topics=[OffsetCommitRequestTopic(name=n, partitions=p) for n, p in topics.items()],
    )


def fetch_request(
    side: Side,
    version: int,
    places: dict[str, list[int]] | None,
    *groups: str,
    stable: bool = False,
) -> OffsetFetchRequest:
    if version >= 8:
        topics = (
            None
            if places is None
            else [
                OffsetFetchRequestTopic(name=side.topic(n), partition_indexes=i)
                for n, i in places.items()
            ]
        )
        asked = [
            OffsetFetchRequestGroup(group_id=side.topic(g), topics=topics) for g in groups or ("g",)
        ]
        return OffsetFetchRequest(groups=asked, require_stable=stable)
    old = (
        None
        if places is None
        else [
            OffsetFetchRequestTopic(name=side.topic(n), partition_indexes=i)
            for n, i in places.items()
        ]
    )
    group = side.topic(groups[0] if groups else "g")
    return OffsetFetchRequest(group_id=group, topics=old, require_stable=stable)


def fetched(side: Side, note: str, version: int = 7) -> None:
    """Note all offsets of the group."""
    side.ask(fetch_request(side, version, None), version, note)


# -- OffsetCommit ----------------------------------------------------------------------------------


@CASES.add(ApiKey.OFFSET_COMMIT, "0-9")
def simple_commits(side: Side, version: int) -> None:
    side.create(partitions=3)
    ready(side)

    def commit(note: str, *offsets: tuple[str, int, int, str | None], **of: Any) -> None:
        side.ask(commit_request(side, *offsets, **of), note=note)

    commit("three", ("t", 0, 5, "five"), ("t", 2, 7, None), ("t", 9, 1, ""))
    commit("back", ("t", 0, 3, "ä€😀"))
    commit("unknown topic", ("nope", 0, 1, ""), ("t", 1, 1, ""))
    commit("only unknown topics", ("nope", 0, 1, ""))
    commit("negative", ("t", 1, -5, ""))
    commit("no topics")
    commit("long metadata", ("t", 0, 9, "x" * 4097), ("t", 1, 9, "x" * 4096))
    commit("all metadata too long", ("t", 0, 9, "x" * 4097))
    commit("wide metadata", ("t", 0, 10, "😀" * 2048), ("t", 1, 10, "😀" * 2049))
    if version:
        commit("a generation", ("t", 0, 11, ""), generation=1, member="m")
        commit("a generation of a new group", ("t", 0, 11, ""), generation=1, group="h")
        commit("a member without generation", ("t", 0, 12, ""), member="m")
    if version >= 7:
        commit("a name without generation", ("t", 0, 13, ""), instance="i")
    empty = commit_request(side, ("t", 0, 1, ""))
    empty.group_id = ""
    side.ask(empty, note="empty group")
    fetched(side, "in the end")


@CASES.add(ApiKey.OFFSET_COMMIT, "1-9")
def members_commit(side: Side, version: int) -> None:
    side.create(partitions=2)
    ready(side)
    instance = "i" if version >= 7 else None
    found = joined(side, instance=instance)

    def commit(note: str, offset: int, **of: Any) -> None:
        side.ask(commit_request(side, ("t", 0, offset, ""), **of), note=note)

    me = {"member": found.member_id, "generation": 1, "instance": instance}
    commit("before it has synced", 1, **me)
    if version >= 7:
        stable(side, instance="i")
    else:
        side.send(sync_request(side, found.member_id, 1, {found.member_id: b"a"}), 5)
        commit("as a member", 2, **me)
    commit("another generation", 3, **{**me, "generation": 2})
    commit("no generation", 4, **{**me, "generation": -1})
    commit("unknown member", 5, member="m", generation=1)
    commit("not as a member", 6)
    if version >= 7:
        commit("fenced", 7, **me)
    side.send(LeaveGroupRequest(group_id=side.topic("g"), member_id=found.member_id), 0)
    fetched(side, "in the end")


@CASES.add(ApiKey.OFFSET_COMMIT, "2-4")
def retention_times(side: Side, version: int) -> None:
    side.create()
    ready(side)
    side.ask(commit_request(side, ("t", 0, 5, "five"), retention=1_000_000), note="asked")
    fetched(side, "then")


# -- OffsetFetch -----------------------------------------------------------------------------------


@CASES.add(ApiKey.OFFSET_FETCH, "0-9")
def fetches(side: Side, version: int) -> None:
    side.create(partitions=3)
    side.create("u")
    ready(side)
    places = (("t", 0, 5, "five"), ("t", 2, 7, ""), ("u", 0, 9, None))
    side.send(commit_request(side, *places), 0 if version == 0 else 9)

    def fetch(note: str, wanted: dict[str, list[int]] | None, *groups: str, **of: Any) -> None:
        side.ask(fetch_request(side, version, wanted, *groups, **of), note=note)

    fetch("some", {"t": [0, 1, 2, 77], "u": [0]})
    fetch("unknown topic", {"nope": [0]})
    fetch("nothing", {})
    fetch("no partitions", {"t": []})
    fetch("twice", {"t": [0, 0]})
    fetch("unknown group", {"t": [0]}, "nope")
    if version >= 2:
        fetch("all", None)
        fetch("all of an unknown group", None, "nope")
    if version >= 7:
        fetch("stable", {"t": [0, 1]}, stable=True)
    if version >= 8:
        fetch("several", {"t": [0]}, "g", "nope", "g")
        fetch("all of several", None, "g", "nope")
        side.ask(OffsetFetchRequest(groups=[]), note="no groups", seconds=1.5)
    if version:
        empty = fetch_request(side, version, {"t": [0]})
        empty.group_id = ""
        if version >= 8:
            empty.groups[0].group_id = ""
        side.ask(empty, note="empty group")


# -- OffsetDelete ----------------------------------------------------------------------------------


@CASES.add(ApiKey.OFFSET_DELETE, "0")
def offset_deletions(side: Side, version: int) -> None:
    side.create(partitions=3)
    side.create("u")
    ready(side)

    def delete(note: str, wanted: dict[str, list[int]], group: str = "g") -> None:
        topics = [
            OffsetDeleteRequestTopic(
                name=side.topic(n),
                partitions=[OffsetDeleteRequestPartition(partition_index=i) for i in indexes],
            )
            for n, indexes in wanted.items()
        ]
        side.ask(OffsetDeleteRequest(group_id=side.topic(group), topics=topics), note=note)

    delete("unknown group", {"t": [0]})
    found = joined(side, protocols=protocols_for(side, "u"))
    me = found.member_id
    side.send(sync_request(side, me, 1, {me: b"a"}), 5)
    places = (("t", 0, 5, ""), ("t", 1, 6, ""), ("u", 0, 9, ""))
    side.send(commit_request(side, *places, member=me, generation=1), 7)
    delete("subscribed and not", {"t": [0], "u": [0]})
    delete("unknown topic", {"nope": [0], "t": [77]})
    delete("what is not there", {"t": [2]})
    delete("nothing", {})
    fetched(side, "then")
    side.send(LeaveGroupRequest(group_id=side.topic("g"), member_id=me), 0)
    delete("of an empty group", {"u": [0]})
    fetched(side, "after it")
    delete("the last one", {"t": [1]})
    delete("of a group that is gone", {"t": [1]})
    ready(side, "h")
    other = joined(side, group="h", kind="connect", protocols=(("p", b"1"),))
    delete("of workers", {"t": [0]}, "h")
    side.send(LeaveGroupRequest(group_id=side.topic("h"), member_id=other.member_id), 0)
    empty = OffsetDeleteRequest(group_id="", topics=[])
    side.ask(empty, note="empty group")


# -- TxnOffsetCommit -------------------------------------------------------------------------------


def _begun(side: Side, asked: InitProducerIdRequest) -> Any:
    answer = side.send(asked, 4)
    return answer if answer.error_code == 0 else None


# Alone: Kafka verifies what waits together in one request, and answers all in the version of one.
@CASES.add(ApiKey.TXN_OFFSET_COMMIT, "0-4", alone=True)
def outside_a_transaction(side: Side, version: int) -> None:
    side.create()
    ready(side)
    name = side.topic("tx")
    coordinated(side, name)
    asked = InitProducerIdRequest(transactional_id=name, transaction_timeout_ms=60_000)
    begun = wait_for(lambda: _begun(side, asked), what="a producer id")

    def commit(note: str, topic: str, metadata: str = "", *, group: str = "g", **of: Any) -> None:
        partition = TxnOffsetCommitRequestPartition(
            partition_index=0, committed_offset=1, committed_metadata=metadata
        )
        fields: dict[str, Any] = {
            "transactional_id": name,
            "group_id": side.topic(group) if group else "",
            "producer_id": begun.producer_id,
            "producer_epoch": begun.producer_epoch,
            "generation_id": -1,
            "member_id": "",
            **of,
        }
        topics = [TxnOffsetCommitRequestTopic(name=side.topic(topic), partitions=[partition])]
        side.ask(TxnOffsetCommitRequest(topics=topics, **fields), note=note)

    commit("not added to the transaction", "t")
    commit("unknown topic", "nope")
    commit("empty group", "t", group="")
    commit("an unknown producer", "t", producer_id=begun.producer_id + 1_000_000)
    fetched(side, "nothing came of it")
