"""Coordinators are asked for once, and again where what was remembered is no longer true."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from pykafka_ops.client import coordinators
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.group_describe import GroupDescription, describe_groups
from pykafka_ops.client.groups import list_groups
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.describe_groups import DescribedGroup, DescribeGroupsResponse
from pykafka_ops.wire.messages.find_coordinator import Coordinator, FindCoordinatorResponse
from pykafka_ops.wire.messages.list_groups import ListedGroup, ListGroupsResponse
from tests.support.memory.fake_broker import FakeBroker

Fakes = tuple[FakeBroker, FakeBroker]
Connect = Callable[..., Cluster]


def coordinated_by(node: int) -> Callable[[Any], FindCoordinatorResponse]:
    def answer(request: Any) -> FindCoordinatorResponse:
        return FindCoordinatorResponse(
            coordinators=[
                Coordinator(key=key, node_id=node, host="", port=0, error_code=0)
                for key in request.coordinator_keys
            ]
        )

    return answer


def described(code: int = 0) -> Callable[[Any], DescribeGroupsResponse]:
    def answer(request: Any) -> DescribeGroupsResponse:
        return DescribeGroupsResponse(
            groups=[
                DescribedGroup(
                    group_id=name,
                    error_code=code,
                    group_state="Empty",
                    protocol_type="",
                    protocol_data="",
                    members=[],
                )
                for name in request.groups
            ]
        )

    return answer


def listed(*names: str) -> ListGroupsResponse:
    return ListGroupsResponse(
        groups=[
            ListedGroup(group_id=n, protocol_type="", group_state="Empty", group_type="classic")
            for n in names
        ]
    )


def node_of(found: object) -> int:
    assert isinstance(found, GroupDescription), found
    return found.coordinator


def test_who_lists_a_group_coordinates_it(fakes: Fakes, connect: Connect) -> None:
    for fake, names in zip(fakes, (("a", "b"), ("c",)), strict=True):
        fake.on("ListGroups", lambda _, names=names: listed(*names))  # type: ignore[misc]
        fake.on("DescribeGroups", described())
    cluster = connect(fakes[0].bootstrap)
    list_groups(cluster)
    found = describe_groups(cluster, ["a", "b", "c"])
    assert [node_of(found[name]) for name in "abc"] == [0, 0, 1]
    assert [f.asked("FindCoordinator") for f in fakes] == [[], []]


def test_a_coordinator_is_remembered_until_it_says_that_it_is_none(
    fakes: Fakes, connect: Connect
) -> None:
    first, second = fakes
    first.on("FindCoordinator", coordinated_by(0))
    first.on("DescribeGroups", described())
    second.on("DescribeGroups", described())
    cluster = connect(first.bootstrap)
    for _ in range(2):
        assert node_of(describe_groups(cluster, ["g"])["g"]) == 0
    assert len(first.asked("FindCoordinator")) == 1
    for fake in fakes:
        fake.on("FindCoordinator", coordinated_by(1))
    first.on("DescribeGroups", described(ErrorCode.NOT_COORDINATOR))
    assert node_of(describe_groups(cluster, ["g"])["g"]) == 1
    assert sum(len(f.asked("FindCoordinator")) for f in fakes) == 2


def test_many_groups_are_asked_for_in_parts(
    fakes: Fakes, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(coordinators, "LEAST_PART", 2)
    first, _ = fakes
    first.on("FindCoordinator", coordinated_by(0))
    first.on("DescribeGroups", described())
    names = [f"g{n}" for n in range(11)]
    found = describe_groups(connect(first.bootstrap), names)
    assert list(found) == names
    assert all(node_of(group) == 0 for group in found.values())
    assert len(first.asked("DescribeGroups")) == coordinators.MOST_PARTS


def test_a_coordinator_that_never_comes_is_waited_for_no_longer_than_a_call_may_take(
    fakes: Fakes, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []
    clock = SimpleNamespace(monotonic=lambda: sum(slept), sleep=slept.append)
    monkeypatch.setattr(coordinators, "time", clock)

    def coming(request: Any) -> FindCoordinatorResponse:
        answer = coordinated_by(-1)(request)
        for coordinator in answer.coordinators:
            coordinator.error_code = ErrorCode.COORDINATOR_NOT_AVAILABLE
        return answer

    fakes[0].on("FindCoordinator", coming)
    fakes[1].on("FindCoordinator", coming)
    cluster = connect(fakes[0].bootstrap, default_api_timeout_ms="200")
    found = describe_groups(cluster, ["g"])["g"]
    assert isinstance(found, KafkaError)
    assert found.code == ErrorCode.COORDINATOR_NOT_AVAILABLE
    assert 0.1 < sum(slept) <= 0.2
