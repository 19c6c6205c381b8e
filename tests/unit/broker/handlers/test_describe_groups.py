"""DescribeGroups: state and members, of unknown groups too."""

from __future__ import annotations

from typing import Any

import pytest

from pykafka_ops.wire.messages.describe_groups import DescribeGroupsRequest
from pykafka_ops.wire.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from tests.support.memory.group_requests import commit_request, joined
from tests.support.memory.handler_site import Site


def described(site: Site, version: int, **more: Any) -> Any:
    (group,) = site.ask(DescribeGroupsRequest(groups=["g"], **more), version).groups
    return group


@pytest.mark.parametrize("version", range(6))
def test_a_group_nobody_knows_is_dead(site: Site, version: int) -> None:
    group = described(site, version)
    assert (group.error_code, group.group_state, group.members) == (0, "Dead", [])


@pytest.mark.parametrize("version", range(6))
def test_what_members_have_is_told_of_a_stable_group_only(site: Site, version: int) -> None:
    found = joined(site, 3)
    group = described(site, version)
    assert (group.group_state, group.protocol_data) == ("CompletingRebalance", "")
    assert [(m.member_id, m.member_metadata) for m in group.members] == [(found.member_id, b"")]
    given = [SyncGroupRequestAssignment(member_id=found.member_id, assignment=b"mine")]
    sync = SyncGroupRequest(
        group_id="g", generation_id=1, member_id=found.member_id, assignments=given
    )
    assert site.ask(sync, 3).error_code == 0
    group = described(site, version)
    assert (group.group_state, group.protocol_data) == ("Stable", "range")
    assert [m.member_assignment for m in group.members] == [b"mine"]


@pytest.mark.parametrize("asked", [False, True])
def test_operations_are_told_to_who_asks(site: Site, asked: bool) -> None:
    site.ask(commit_request(1), 8)
    group = described(site, 5, include_authorized_operations=asked)
    assert group.group_state == "Empty"
    # READ, DELETE and DESCRIBE as bits of AclOperation; the lowest number is "not asked".
    assert group.authorized_operations == (1 << 3 | 1 << 6 | 1 << 8 if asked else -(1 << 31))
