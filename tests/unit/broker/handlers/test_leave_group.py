"""LeaveGroup: one member to version 2, several with a result each from version 3 on."""

from __future__ import annotations

import pytest

from pykafka_ops.wire.messages.leave_group import LeaveGroupRequest, MemberIdentity
from tests.support.memory.group_requests import joined
from tests.support.memory.handler_site import Site

UNKNOWN_MEMBER = 25


@pytest.mark.parametrize("version", range(3))
def test_one_member_leaves(site: Site, version: int) -> None:
    found = joined(site, 3)
    request = LeaveGroupRequest(group_id="g", member_id=found.member_id)
    assert site.ask(request, version).error_code == 0
    assert site.ask(request, version).error_code == UNKNOWN_MEMBER


@pytest.mark.parametrize("version", range(3, 6))
def test_several_members_leave_and_each_has_its_result(site: Site, version: int) -> None:
    found = joined(site, 3)
    members = [MemberIdentity(member_id=name) for name in (found.member_id, "somebody")]
    answer = site.ask(LeaveGroupRequest(group_id="g", members=members), version)
    assert answer.error_code == 0
    said = [(m.member_id, m.error_code) for m in answer.members]
    assert said == [(found.member_id, 0), ("somebody", UNKNOWN_MEMBER)]
