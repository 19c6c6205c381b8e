"""A member that asks for its assignment as before is answered as if it had been read in full."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from pykafka_ops.wire.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from tests.support.memory.group_requests import join_request, joined
from tests.support.memory.handler_site import Site
from tests.support.memory.member_client import MemberClient

NOT_COORDINATOR, ILLEGAL_GENERATION, INCONSISTENT, UNKNOWN_MEMBER, REBALANCE = 16, 22, 23, 25, 27


@pytest.fixture
def client(site: Site) -> Iterator[MemberClient]:
    loop = asyncio.new_event_loop()
    yield MemberClient(loop, site)
    loop.close()


def sync(member: str, generation: int, protocol: str = "range") -> SyncGroupRequest:
    return SyncGroupRequest(
        group_id="g",
        generation_id=generation,
        member_id=member,
        protocol_type="consumer",
        protocol_name=protocol,
        assignments=[],
    )


def assigned(site: Site, member: str, generation: int) -> None:
    """The leader gives its member something."""
    what = SyncGroupRequestAssignment(member_id=member, assignment=b"part %d" % generation)
    request = SyncGroupRequest(
        group_id="g", generation_id=generation, member_id=member, assignments=[what]
    )
    assert site.ask(request, 3).error_code == 0


@pytest.mark.parametrize("version", range(6))
def test_only_the_first_is_read_in_full(site: Site, client: MemberClient, version: int) -> None:
    member = joined(site, 3).member_id
    for generation in range(1, 6):
        assigned(site, member, generation)
        for number in (generation, -1):
            found, answer = client.ask(sync(member, generation), version, number)
            assert (found, answer.error_code) == (number, 0)
            assert bytes(answer.assignment) == b"part %d" % generation
            if version >= 5:
                assert (answer.protocol_type, answer.protocol_name) == ("consumer", "range")
        for wrong in (0, generation + 1, -1, generation + 256):
            assert client.ask(sync(member, wrong), version)[1].error_code == ILLEGAL_GENERATION
        assert site.ask(join_request(member), 3).generation_id == generation + 1
    assert client.read == 1


@pytest.mark.parametrize("version", range(6))
@pytest.mark.parametrize("size", [0, 1, 126, 127, 128, 16_382, 16_383, 16_384, 16_385, 100_000])
def test_assignments_of_any_size_are_given(
    site: Site, client: MemberClient, version: int, size: int
) -> None:
    member = joined(site, 3).member_id
    given = [SyncGroupRequestAssignment(member_id=member, assignment=b"a" * size)]
    request = SyncGroupRequest(group_id="g", generation_id=1, member_id=member, assignments=given)
    assert site.ask(request, 3).error_code == 0
    for number in (1, 2):
        found, answer = client.ask(sync(member, 1), version, number)
        assert (found, answer.error_code) == (number, 0)
        assert bytes(answer.assignment) == b"a" * size
    assert client.read == 1


@pytest.mark.parametrize("version", range(6))
def test_it_waits_for_the_leader(site: Site, client: MemberClient, version: int) -> None:
    member = joined(site, 3).member_id
    assigned(site, member, 1)
    assert client.ask(sync(member, 1), version)[1].error_code == 0
    follower = site.ask(join_request(), 3)
    site.ask(join_request(member), 3)
    other = follower.answer.member_id
    client.send(sync(other, 2), version, 4)
    client.send(sync(other, 2), version, 4)
    assert client.answers(SyncGroupRequest, version) == []
    given = [
        SyncGroupRequestAssignment(member_id=each, assignment=each.encode())
        for each in (member, other)
    ]
    request = SyncGroupRequest(group_id="g", generation_id=2, member_id=member, assignments=given)
    assert site.ask(request, 3).error_code == 0
    answers = client.answers(SyncGroupRequest, version)
    assert [(n, a.error_code, bytes(a.assignment)) for n, a in answers] == [
        (4, 0, other.encode())
    ] * 2
    assert client.read == 2


def test_what_it_may_not_have_is_said(site: Site, client: MemberClient) -> None:
    member = joined(site, 3).member_id
    assigned(site, member, 1)
    assert client.ask(sync(member, 1), 5)[1].error_code == 0
    assert client.ask(sync(member, 1, "roundrobin"), 5)[1].error_code == INCONSISTENT
    site.ask(join_request(), 3)
    assert client.ask(sync(member, 1), 5)[1].error_code == REBALANCE
    site.pass_time(60_000)
    site.coordinators.tick()
    assert client.ask(sync(member, 1), 5)[1].error_code == UNKNOWN_MEMBER
    assert client.read == 2


def test_assignments_are_always_read(site: Site, client: MemberClient) -> None:
    member = joined(site, 3).member_id
    for generation in range(1, 4):
        request = sync(member, generation)
        request.assignments = [
            SyncGroupRequestAssignment(member_id=member, assignment=b"%d" % generation)
        ]
        answer = client.ask(request, 5)[1]
        assert (answer.error_code, bytes(answer.assignment)) == (0, b"%d" % generation)
        site.ask(join_request(member), 3)
    assert client.read == 3


def test_a_coordinator_that_is_not_here_any_more_says_so(site: Site, client: MemberClient) -> None:
    member = joined(site, 3).member_id
    assigned(site, member, 1)
    assert client.ask(sync(member, 1), 5)[1].error_code == 0
    coordinator = site.coordinators.groups.coordinator
    for partition in [p for p in site.replicas.all() if p.topic == "__consumer_offsets"]:
        coordinator.resigned(partition.index)
    assert client.ask(sync(member, 1), 5)[1].error_code == NOT_COORDINATOR
