"""Members of groups: JoinGroup, SyncGroup, Heartbeat, LeaveGroup, DescribeGroups and friends."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from pykafka_ops.disk.internal import ConsumerProtocolSubscription, encode
from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.messages.delete_groups import DeleteGroupsRequest
from pykafka_ops.wire.messages.describe_groups import DescribeGroupsRequest
from pykafka_ops.wire.messages.find_coordinator import FindCoordinatorRequest
from pykafka_ops.wire.messages.heartbeat import HeartbeatRequest
from pykafka_ops.wire.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from pykafka_ops.wire.messages.leave_group import LeaveGroupRequest, MemberIdentity
from pykafka_ops.wire.messages.list_groups import ListGroupsRequest
from pykafka_ops.wire.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from tests.support.differential.core import Cases, Side
from tests.support.waiting import wait_for

CASES = Cases()
MEMBER_ID_REQUIRED = 79
Protocols = Sequence[tuple[str, bytes]]


def subscription(*topics: str) -> bytes:
    """A consumer's metadata, version 0."""
    return encode(ConsumerProtocolSubscription(topics=list(topics)), 0)


def ready(side: Side, group: str = "g") -> str:
    """The full name of a group, once its coordinator answers."""
    name = side.topic(group)

    def found() -> bool:
        asked = FindCoordinatorRequest(coordinator_keys=[name])
        answer = side.send(asked, 4)
        if answer.coordinators[0].error_code:
            return False
        described = side.send(DescribeGroupsRequest(groups=[name]), 5)
        return bool(described.groups[0].error_code == 0)

    wait_for(found, what=f"a coordinator of {name}")
    return name


def coordinated(side: Side, transactional_id: str) -> None:
    """Wait until a transactional id has a coordinator."""
    asked = FindCoordinatorRequest(coordinator_keys=[transactional_id], key_type=1)

    def found() -> bool:
        return bool(side.send(asked, 4).coordinators[0].error_code == 0)

    wait_for(found, what=f"a coordinator of {transactional_id}")


def protocols_for(side: Side, *topics: str) -> Protocols:
    """What a consumer of these topics of the case supports."""
    return (("range", subscription(*(side.topic(name) for name in topics))),)


def beside(side: Side) -> Side:
    """The same case on a connection of its own; it notes into the same list."""
    other = copy.copy(side)
    other._connection = None
    return other


def join_request(
    side: Side,
    member: str = "",
    *,
    group: str = "g",
    instance: str | None = None,
    protocols: Protocols | None = None,
    kind: str = "consumer",
    session: int = 10_000,
    rebalance: int = 20_000,
) -> JoinGroupRequest:
    protocols = (("range", subscription("t")),) if protocols is None else protocols
    return JoinGroupRequest(
        group_id=side.topic(group),
        session_timeout_ms=session,
        rebalance_timeout_ms=rebalance,
        member_id=member,
        group_instance_id=instance,
        protocol_type=kind,
        protocols=[JoinGroupRequestProtocol(name=n, metadata=data) for n, data in protocols],
        reason="because",
    )


def joined(side: Side, member: str = "", *, version: int = 5, client: str = "c", **of: Any) -> Any:
    """Join without noting it, with the id given first where the version asks for that."""
    answer = side.send(join_request(side, member, **of), version, client_id=client)
    if answer.error_code == MEMBER_ID_REQUIRED:
        request = join_request(side, answer.member_id, **of)
        answer = side.send(request, version, client_id=client)
    return answer


def sync_request(
    side: Side,
    member: str,
    generation: int,
    given: dict[str, bytes] | None = None,
    *,
    group: str = "g",
    instance: str | None = None,
    kind: str | None = "consumer",
    protocol: str | None = "range",
) -> SyncGroupRequest:
    return SyncGroupRequest(
        group_id=side.topic(group),
        generation_id=generation,
        member_id=member,
        group_instance_id=instance,
        protocol_type=kind,
        protocol_name=protocol,
        assignments=[
            SyncGroupRequestAssignment(member_id=m, assignment=a) for m, a in (given or {}).items()
        ],
    )


def stable(side: Side, version: int = 5, **of: Any) -> Any:
    """A group of one member that has its assignment; the answer to its JoinGroup."""
    ready(side)
    found = joined(side, version=version, **of)
    assert found.error_code == 0, found
    instance = of.get("instance")
    request = sync_request(
        side,
        found.member_id,
        found.generation_id,
        {found.member_id: b"mine"},
        instance=instance,
        kind=of.get("kind", "consumer"),
        protocol=found.protocol_name,
    )
    assert side.send(request, 5).error_code == 0
    return found


def describe(side: Side, note: str, *groups: str, version: int = 5) -> None:
    names = [side.topic(group) for group in groups or ("g",)]
    side.ask(DescribeGroupsRequest(groups=names), version, note)


def later(pool: ThreadPoolExecutor, side: Side, message: Any, version: int) -> Future[Any]:
    """Ask on a connection of its own, without noting it."""
    return pool.submit(beside(side).send, message, version, client_id="later")


def note_answer(side: Side, note: str, answer: Any) -> None:
    side.note(note, answer if isinstance(answer, str) else side._plain.message(answer))


# -- JoinGroup -------------------------------------------------------------------------------------


@CASES.add(ApiKey.JOIN_GROUP, "0-9")
def odd_joins(side: Side, version: int) -> None:
    ready(side)
    member = "somebody-00000000-0000-0000-0000-000000000000"
    asked = {
        "empty group": {"group": "g"},
        "short session": {"session": 5999},
        "long session": {"session": 1_800_001},
        "no protocols": {"protocols": ()},
        "no protocol type": {"kind": ""},
        "unknown member": {"member": member},
    }
    for note, of in asked.items():
        request = join_request(side, of.pop("member", ""), **of)  # type: ignore[arg-type]
        if note == "empty group":
            request.group_id = ""
        side.ask(request, note=note)
    describe(side, "no group came of it")


@CASES.add(ApiKey.JOIN_GROUP, "0-9")
def one_member(side: Side, version: int) -> None:
    ready(side)
    answer = side.ask(join_request(side), note="joins", client_id="c")
    member = answer.member_id
    if answer.error_code == MEMBER_ID_REQUIRED:
        describe(side, "with an id given out")
        answer = side.ask(join_request(side, member), note="joins with its id", client_id="c")
    describe(side, "joined")
    side.ask(join_request(side, member), note="joins again")
    other = (("range", subscription("u")),)
    side.ask(join_request(side, member, protocols=other), note="joins with other topics")
    stranger = join_request(side, "x-y")
    side.ask(stranger, note="unknown member in a known group")
    side.ask(join_request(side, member, kind="connect"), note="another protocol type")
    side.ask(join_request(side, member, protocols=(("sticky", b""),)), note="a protocol nobody has")
    generation = answer.generation_id + 1
    side.ask(sync_request(side, member, generation, {member: b"a"}), 5, note="synced")
    describe(side, "stable")
    side.ask(join_request(side, member, protocols=other), note="the leader joins a stable group")
    describe(side, "rebalancing again")


@CASES.add(ApiKey.JOIN_GROUP, "0-9")
def two_members(side: Side, version: int) -> None:
    first = stable(side)
    with ThreadPoolExecutor(2) as pool:
        both = (("sticky", b"s"), ("range", subscription("t")))
        if version >= 4:
            given = side.send(join_request(side, protocols=both), version, client_id="later")
            second = later(pool, side, join_request(side, given.member_id, protocols=both), version)
        else:
            second = later(pool, side, join_request(side, protocols=both), version)
        beat = HeartbeatRequest(
            group_id=side.topic("g"), generation_id=1, member_id=first.member_id
        )
        wait_for(lambda: side.send(beat, 3).error_code == 27, what="a rebalance")
        describe(side, "preparing")
        side.ask(join_request(side, first.member_id), note="the first joins again")
        found = second.result()
        note_answer(side, "the second joins", found)
        members = {first.member_id: b"1", found.member_id: b"2"}
        waits = later(pool, side, sync_request(side, found.member_id, 2), 5)
        side.ask(sync_request(side, first.member_id, 2, members), 5, "the leader syncs")
        note_answer(side, "the second syncs", waits.result())
    describe(side, "two members")
    follower = join_request(side, found.member_id, protocols=both)
    side.ask(follower, note="a follower joins again")


@CASES.add(ApiKey.JOIN_GROUP, "5-9")
def static_members(side: Side, version: int) -> None:
    first = stable(side, instance="i1")
    describe(side, "stable")
    side.ask(join_request(side, "", instance="i1"), note="is back", client_id="back")
    describe(side, "after it is back")
    side.ask(join_request(side, first.member_id, instance="i1"), note="the old one")
    side.ask(join_request(side, first.member_id, instance="i2"), note="another name")
    side.ask(join_request(side, first.member_id), note="the old id alone")
    changed = (("sticky", b"s"), ("range", b"other"))
    side.ask(join_request(side, "", instance="i1", protocols=changed), note="with other protocols")
    describe(side, "at last")


# -- SyncGroup, Heartbeat --------------------------------------------------------------------------


@CASES.add(ApiKey.SYNC_GROUP, "0-5")
def syncs(side: Side, version: int) -> None:
    ready(side)
    side.ask(sync_request(side, "m", 1), note="unknown group")
    empty = sync_request(side, "m", 1)
    empty.group_id = ""
    side.ask(empty, note="empty group")
    member = joined(side, instance="i").member_id if version >= 3 else joined(side).member_id
    name = "i" if version >= 3 else None
    side.ask(sync_request(side, "m", 1), note="unknown member")
    side.ask(sync_request(side, member, 7, instance=name), note="another generation")
    side.ask(sync_request(side, member, -1, instance=name), note="no generation")
    if version >= 3:
        side.ask(sync_request(side, "m", 1, instance="i"), note="fenced")
        side.ask(sync_request(side, member, 1, instance="j"), note="unknown name")
    if version >= 5:
        side.ask(sync_request(side, member, 1, kind="x", instance=name), note="another type")
        side.ask(sync_request(side, member, 1, protocol="x", instance=name), note="another one")
        side.ask(sync_request(side, member, 1, kind=None, instance=name), note="without type")
        side.ask(sync_request(side, member, 1, protocol=None, instance=name), note="without name")
    given = {member: b"mine", "stranger": b"x"}
    side.ask(sync_request(side, member, 1, given, instance=name), note="synced")
    side.ask(sync_request(side, member, 1, {member: b"new"}, instance=name), note="again")
    describe(side, "stable")


@CASES.add(ApiKey.HEARTBEAT, "0-4")
def heartbeats(side: Side, version: int) -> None:
    name = ready(side)

    def beat(note: str, member: str, generation: int, instance: str | None = None) -> None:
        side.ask(
            HeartbeatRequest(
                group_id=name,
                member_id=member,
                generation_id=generation,
                group_instance_id=instance,
            ),
            note=note,
        )

    beat("unknown group", "m", 1)
    side.ask(HeartbeatRequest(group_id="", member_id="m", generation_id=1), note="empty group")
    instance = "i" if version >= 3 else None
    member = joined(side, instance=instance).member_id
    beat("before it has synced", member, 1, instance)
    side.send(sync_request(side, member, 1, {member: b"a"}, instance=instance), 5)
    beat("stable", member, 1, instance)
    beat("another generation", member, 2, instance)
    beat("unknown member", "m", 1)
    if version >= 3:
        beat("fenced", "m", 1, "i")
        beat("unknown name", member, 1, "j")
    side.send(LeaveGroupRequest(group_id=name, member_id=member), 0)
    beat("has left", member, 1, instance)


# -- LeaveGroup ------------------------------------------------------------------------------------


@CASES.add(ApiKey.LEAVE_GROUP, "0-5")
def leaving(side: Side, version: int) -> None:
    name = ready(side)

    def leave(note: str, *members: tuple[str, str | None]) -> None:
        if version < 3:
            side.ask(LeaveGroupRequest(group_id=name, member_id=members[0][0]), note=note)
            return
        who = [MemberIdentity(member_id=m, group_instance_id=i, reason="r") for m, i in members]
        side.ask(LeaveGroupRequest(group_id=name, members=who), note=note)

    leave("unknown group", ("m", None))
    side.ask(LeaveGroupRequest(group_id="", member_id="m"), note="empty group")
    member = stable(side, instance="i" if version >= 3 else None).member_id
    leave("unknown member", ("m", None))
    if version >= 3:
        leave("several", ("m", None), ("", None), ("", "j"), ("m", "i"), (member, "j"))
        leave("nobody")
        leave("by name", ("", "i"), ("", "i"))
    else:
        leave("leaves", (member, None))
    describe(side, "empty")
    pending = side.send(join_request(side), 5, client_id="c")
    leave("before it has joined", (pending.member_id, None))
    leave("once more", (pending.member_id, None))
    describe(side, "still empty")


# -- looking and deleting --------------------------------------------------------------------------


@CASES.add(ApiKey.DESCRIBE_GROUPS, "0-5")
def descriptions(side: Side, version: int) -> None:
    stable(side, instance="i", client="a client")
    ready(side, "h")
    joined(side, group="h", kind="connect", protocols=(("p", b"1"), ("q", b"2")))
    names = [side.topic(name) for name in ("g", "h", "missing", "g")]
    side.ask(DescribeGroupsRequest(groups=names), note="asked")
    side.ask(DescribeGroupsRequest(groups=[]), note="nothing")
    side.ask(DescribeGroupsRequest(groups=[""]), note="empty name")
    if version >= 3:
        asked = DescribeGroupsRequest(groups=names, include_authorized_operations=True)
        side.ask(asked, note="with operations")


@CASES.add(ApiKey.LIST_GROUPS, "0-5")
def listings(side: Side, version: int) -> None:
    stable(side)
    ready(side, "h")
    joined(side, group="h", kind="connect", protocols=(("p", b"1"),))
    side.ask(ListGroupsRequest(), note="all", own_only=True)
    states = (["Stable"], ["stable", "EMPTY"], ["CompletingRebalance"], ["odd"], [""])
    for wanted in states if version >= 4 else ():
        request = ListGroupsRequest(states_filter=wanted)
        side.ask(request, note=f"states {wanted}", own_only=True)
    kinds = (["classic"], ["Classic"], ["consumer"], ["odd"], [""], ["consumer", "classic"])
    for wanted in kinds if version >= 5 else ():
        request = ListGroupsRequest(types_filter=wanted)
        side.ask(request, note=f"types {wanted}", own_only=True)


@CASES.add(ApiKey.DELETE_GROUPS, "0-2")
def deletions(side: Side, version: int) -> None:
    member = stable(side).member_id
    ready(side, "h")
    gone = joined(side, group="h").member_id
    side.send(LeaveGroupRequest(group_id=side.topic("h"), member_id=gone), 0)
    names = [side.topic(name) for name in ("g", "h", "missing")]
    describe(side, "before", "g", "h")
    side.ask(DeleteGroupsRequest(groups_names=names), note="asked")
    describe(side, "after", "g", "h")
    side.ask(DeleteGroupsRequest(groups_names=names[1:]), note="once more")
    side.ask(DeleteGroupsRequest(groups_names=[]), note="nothing")
    side.ask(DeleteGroupsRequest(groups_names=[names[0]] * 2), note="the same twice")
    side.send(LeaveGroupRequest(group_id=side.topic("g"), member_id=member), 0)
    side.ask(DeleteGroupsRequest(groups_names=[names[0]] * 2), note="an empty one twice")
    describe(side, "at last")
