"""What holds for all requests about groups, in every version, over logs in memory."""

from __future__ import annotations

from typing import Any

import pytest

from pykafka_ops.analysis.java_hash import partition_for
from pykafka_ops.wire.messages.delete_groups import DeleteGroupsRequest
from pykafka_ops.wire.messages.describe_groups import DescribeGroupsRequest
from pykafka_ops.wire.messages.heartbeat import HeartbeatRequest
from pykafka_ops.wire.messages.leave_group import LeaveGroupRequest, MemberIdentity
from pykafka_ops.wire.messages.list_groups import ListGroupsRequest
from pykafka_ops.wire.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from tests.support.memory.group_requests import (
    OFFSETS,
    PARTITIONS,
    code_of,
    commit_request,
    fetch_request,
    joined,
    offsets,
    requests,
)
from tests.support.memory.group_world import subscription
from tests.support.memory.handler_site import OTHER, Site

LOADING = 14
NOT_COORDINATOR = 16
REBALANCE = 27


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


def test_groups_are_spread_as_kafka_does(site: Site) -> None:
    for n in range(20):
        request = commit_request(1)
        request.group_id = f"group-{n}"
        assert code_of(site.ask(request, 8)) == 0
        slot = site.services.groups.coordinator.slot(partition_for(f"group-{n}", PARTITIONS))
        assert f"group-{n}" in slot.shard.groups
