"""SyncGroup: the leader's assignment reaches every member."""

from __future__ import annotations

import pytest

from pykafka_ops.wire.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from tests.support.memory.group_requests import joined
from tests.support.memory.handler_site import Site

ILLEGAL_GENERATION = 22
INCONSISTENT_PROTOCOL = 23
UNKNOWN_MEMBER = 25


def sync_request(member: str, generation: int = 1, **given: bytes) -> SyncGroupRequest:
    """What a member sends; the leader gives each member its part."""
    return SyncGroupRequest(
        group_id="g",
        generation_id=generation,
        member_id=member,
        assignments=[
            SyncGroupRequestAssignment(member_id=name, assignment=part)
            for name, part in given.items()
        ],
        protocol_type="consumer",
        protocol_name="range",
    )


@pytest.mark.parametrize("version", range(6))
def test_the_member_gets_what_its_leader_gave(site: Site, version: int) -> None:
    found = joined(site, 3)
    answer = site.ask(sync_request(found.member_id, **{found.member_id: b"mine"}), version)
    assert (answer.error_code, answer.assignment) == (0, b"mine")
    assert site.ask(sync_request(found.member_id), version).assignment == b"mine", "asked again"


@pytest.mark.parametrize("version", range(6))
def test_who_is_no_member_of_the_generation_gets_nothing(site: Site, version: int) -> None:
    found = joined(site, 3)
    assert site.ask(sync_request("somebody"), version).error_code == UNKNOWN_MEMBER
    assert site.ask(sync_request(found.member_id, 9), version).error_code == ILLEGAL_GENERATION


def test_another_protocol_than_the_groups_is_refused(site: Site) -> None:
    found = joined(site, 3)
    request = sync_request(found.member_id)
    request.protocol_name = "sticky"
    assert site.ask(request, 5).error_code == INCONSISTENT_PROTOCOL
