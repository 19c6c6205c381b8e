"""Heartbeat: a member of the generation is alive, others are told to join."""

from __future__ import annotations

import pytest

from pykafka_ops.wire.messages.heartbeat import HeartbeatRequest
from pykafka_ops.wire.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from tests.support.memory.group_requests import join_request, joined
from tests.support.memory.handler_site import Later, Site

ILLEGAL_GENERATION = 22
REBALANCE = 27
UNKNOWN_MEMBER = 25


@pytest.mark.parametrize("version", range(5))
def test_a_member_of_the_generation_is_alive(site: Site, version: int) -> None:
    found = joined(site, 3)

    def beat(member: str, generation: int) -> int:
        request = HeartbeatRequest(group_id="g", generation_id=generation, member_id=member)
        return int(site.ask(request, version).error_code)

    assert beat(found.member_id, 1) == 0
    assert beat(found.member_id, 7) == ILLEGAL_GENERATION
    assert beat("somebody", 1) == UNKNOWN_MEMBER


def test_members_hear_that_others_join(site: Site) -> None:
    found = joined(site, 3)
    given = [SyncGroupRequestAssignment(member_id=found.member_id, assignment=b"mine")]
    sync = SyncGroupRequest(
        group_id="g", generation_id=1, member_id=found.member_id, assignments=given
    )
    assert site.ask(sync, 3).error_code == 0
    assert isinstance(site.ask(join_request(), 3), Later)
    beat = HeartbeatRequest(group_id="g", generation_id=1, member_id=found.member_id)
    assert site.ask(beat, 3).error_code == REBALANCE
