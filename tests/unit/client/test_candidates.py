"""Candidates stand, are elected, lead on and resign."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pykafka_ops.client.candidates import Candidate, beat, resign, stand
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.find_coordinator import Coordinator, FindCoordinatorResponse
from pykafka_ops.wire.messages.heartbeat import HeartbeatResponse
from pykafka_ops.wire.messages.join_group import JoinGroupResponse, JoinGroupResponseMember
from pykafka_ops.wire.messages.leave_group import LeaveGroupResponse, MemberResponse
from pykafka_ops.wire.messages.sync_group import SyncGroupResponse
from tests.support.memory.fake_broker import FakeBroker

Fakes = tuple[FakeBroker, FakeBroker]


@pytest.fixture
def members() -> list[JoinGroupResponseMember]:
    """Who is in the group, as its leader is told: nobody led yet."""
    return [JoinGroupResponseMember(member_id=m, metadata=b"0") for m in ("me", "a")]


@pytest.fixture
def cluster(
    fakes: Fakes, connect: Callable[..., Cluster], members: list[JoinGroupResponseMember]
) -> Cluster:
    """The second broker coordinates; "me" distributes what the group decides."""
    second = fakes[1]

    def coordinators(request: Any) -> FindCoordinatorResponse:
        found = [
            Coordinator(key=key, node_id=second.node_id, host="", port=0)
            for key in request.coordinator_keys
        ]
        return FindCoordinatorResponse(coordinators=found)

    def joined(request: Any) -> JoinGroupResponse:
        code = 0 if request.member_id else ErrorCode.MEMBER_ID_REQUIRED
        return JoinGroupResponse(
            error_code=code, generation_id=3, protocol_name="lead", leader="me", member_id="me",
            members=members,
        )  # fmt: skip

    def synced(request: Any) -> SyncGroupResponse:
        (mine,) = (a for a in request.assignments if a.member_id == "me")
        return SyncGroupResponse(assignment=mine.assignment)

    for fake in fakes:
        fake.on("FindCoordinator", coordinators)
    second.on("JoinGroup", joined).on("SyncGroup", synced)
    return connect(fakes[0].bootstrap)


def given(fakes: Fakes) -> dict[str, bytes]:
    ((_, request),) = fakes[1].asked("SyncGroup")
    return {a.member_id: bytes(a.assignment) for a in request.assignments}


def test_where_nobody_led_one_is_elected(cluster: Cluster, fakes: Fakes) -> None:
    assert stand(cluster, "g") == Candidate("g", "me", 3, leads=False)
    assert given(fakes) == {"me": b"0", "a": b"1"}


def test_who_led_leads_on(
    cluster: Cluster, fakes: Fakes, members: list[JoinGroupResponseMember]
) -> None:
    members[0].metadata = b"1"
    assert stand(cluster, "g", Candidate("g", "me", 2, leads=True)).leads
    assert given(fakes) == {"me": b"1", "a": b"0"}
    ((_, request),) = fakes[1].asked("JoinGroup")
    assert (request.member_id, bytes(request.protocols[0].metadata)) == ("me", b"1")


def test_a_heartbeat_says_whether_to_stand_again(cluster: Cluster, fakes: Fakes) -> None:
    me = Candidate("g", "me", 3, leads=True)
    codes = [0, ErrorCode.REBALANCE_IN_PROGRESS, ErrorCode.UNKNOWN_MEMBER_ID]
    fakes[1].on("Heartbeat", lambda _: HeartbeatResponse(error_code=codes.pop(0)))
    assert beat(cluster, me)
    assert not beat(cluster, me)
    with pytest.raises(KafkaError) as caught:
        beat(cluster, me)
    assert caught.value.code == ErrorCode.UNKNOWN_MEMBER_ID


def test_resigning_leaves_the_group(cluster: Cluster, fakes: Fakes) -> None:
    fakes[1].on("LeaveGroup", lambda _: LeaveGroupResponse(members=[MemberResponse()]))
    resign(cluster, Candidate("g", "me", 3, leads=True))
    ((_, request),) = fakes[1].asked("LeaveGroup")
    assert [m.member_id for m in request.members] == ["me"]
