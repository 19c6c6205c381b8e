"""Members of groups join, learn their ids, and get their assignments back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.membership import assign, join, leave
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.find_coordinator import Coordinator, FindCoordinatorResponse
from pykafka_ops.wire.messages.join_group import JoinGroupResponse
from pykafka_ops.wire.messages.leave_group import LeaveGroupResponse, MemberResponse
from pykafka_ops.wire.messages.sync_group import SyncGroupResponse
from tests.support.memory.fake_broker import FakeBroker

Fakes = tuple[FakeBroker, FakeBroker]


@pytest.fixture
def cluster(fakes: Fakes, connect: Callable[..., Cluster]) -> Cluster:
    """The second broker coordinates; it lets members in and keeps what the leader assigns."""
    second = fakes[1]

    def coordinators(request: Any) -> FindCoordinatorResponse:
        return FindCoordinatorResponse(
            coordinators=[
                Coordinator(key=key, node_id=second.node_id, host="", port=0)
                for key in request.coordinator_keys
            ]
        )

    def joined(request: Any) -> JoinGroupResponse:
        code = 0 if request.member_id else ErrorCode.MEMBER_ID_REQUIRED
        return JoinGroupResponse(
            error_code=code, generation_id=1, protocol_name="range", leader="me", member_id="me",
            members=[],
        )  # fmt: skip

    def synced(request: Any) -> SyncGroupResponse:
        (given,) = request.assignments
        return SyncGroupResponse(assignment=given.assignment)

    for fake in fakes:
        fake.on("FindCoordinator", coordinators)
    second.on("JoinGroup", joined).on("SyncGroup", synced)
    return connect(fakes[0].bootstrap)


def test_a_member_takes_the_id_it_is_given(cluster: Cluster, fakes: Fakes) -> None:
    member = join(cluster, "g", ["t"])
    assert (member.member_id, member.generation) == ("me", 1)
    assert member.coordinator == fakes[1].node_id
    assert [request.member_id for _, request in fakes[1].asked("JoinGroup")] == ["", "me"]


def test_an_assignment_comes_back_as_it_was_given(cluster: Cluster) -> None:
    wanted = [("t", 0), ("t", 7), ("ü", 1)]
    assert assign(cluster, join(cluster, "g", ["t", "ü"]), wanted) == wanted


def test_what_the_coordinator_refuses_is_raised(cluster: Cluster, fakes: Fakes) -> None:
    member = join(cluster, "g", ["t"])
    gone = MemberResponse(member_id="me", group_instance_id=None, error_code=25)
    fakes[1].on("LeaveGroup", lambda _: LeaveGroupResponse(members=[gone]))
    with pytest.raises(KafkaError) as raised:
        leave(cluster, member)
    assert raised.value.code == ErrorCode.UNKNOWN_MEMBER_ID
