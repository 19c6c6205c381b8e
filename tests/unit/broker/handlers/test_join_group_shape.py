"""A member that joins as it did before is answered as if its request had been read in full."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from pykafka_ops.broker.runtime.sockets.shapes import listed
from pykafka_ops.wire.frame import encode_request
from pykafka_ops.wire.messages.heartbeat import HeartbeatRequest
from pykafka_ops.wire.messages.join_group import JoinGroupRequest
from pykafka_ops.wire.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from tests.support.memory.group_requests import join_request, joined
from tests.support.memory.handler_site import Site
from tests.support.memory.member_client import MemberClient

NOT_COORDINATOR, INCONSISTENT, UNKNOWN_MEMBER, MEMBER_ID_REQUIRED = 16, 23, 25, 79
VERSIONS = range(10)


@pytest.fixture
def client(site: Site) -> Iterator[MemberClient]:
    loop = asyncio.new_event_loop()
    yield MemberClient(loop, site)
    loop.close()


def fields(answer: Any) -> list[Any]:
    return [
        answer.error_code, answer.generation_id, answer.protocol_type, answer.protocol_name,
        answer.leader, answer.skip_assignment, answer.member_id,
        [(m.member_id, bytes(m.metadata)) for m in answer.members],
    ]  # fmt: skip


@pytest.mark.parametrize("version", VERSIONS)
def test_only_the_first_is_read_in_full(site: Site, client: MemberClient, version: int) -> None:
    member = joined(site, 3).member_id
    for number in (5, -7, 2**31 - 1):
        found, answer = client.ask(join_request(member), version, number)
        assert (found, answer.error_code, answer.generation_id) == (number, 0, 1)
        assert [m.member_id for m in answer.members] == [member]
        assert fields(answer) == fields(site.ask(join_request(member), version))
    assert client.read == 1


def test_it_waits_for_the_others(site: Site, client: MemberClient) -> None:
    member = joined(site, 3).member_id
    client.ask(join_request(member), 5)
    other = site.ask(join_request(), 3)
    client.send(join_request(member), 5, 8)
    assert client.read == 1
    ((number, answer),) = client.answers(JoinGroupRequest, 5)
    assert (number, answer.error_code, answer.generation_id) == (8, 0, 2)
    assert sorted(m.member_id for m in answer.members) == sorted([member, other.answer.member_id])


def assign(site: Site, leader: str, members: list[str], generation: int) -> None:
    given = [SyncGroupRequestAssignment(member_id=m, assignment=m.encode()) for m in members]
    request = SyncGroupRequest(
        group_id="g", generation_id=generation, member_id=leader, assignments=given
    )
    assert site.ask(request, 3).error_code == 0


@pytest.mark.parametrize("version", VERSIONS)
def test_who_does_not_lead_gets_the_same_as_if_it_were_read(
    site: Site, client: MemberClient, version: int
) -> None:
    leader = joined(site, 3).member_id
    other = site.ask(join_request(), 3)
    site.ask(join_request(leader), 3)
    member = other.answer.member_id
    for generation, number in ((2, 5), (3, -7), (4, 2**31 - 1)):
        found, at_once = client.ask(join_request(member), version, number)
        assert found == number
        assert fields(at_once) == fields(site.ask(join_request(member), version))
        assert fields(at_once)[:2] == [0, generation]
        assign(site, leader, [leader, member], generation)
        site.ask(join_request(leader), 3)
        client.send(join_request(member), version, number)
        ((found, answer),) = client.answers(JoinGroupRequest, version)
        assert (found, answer.generation_id) == (number, generation + 1)
        assert fields(answer) == fields(site.ask(join_request(member), version))
        assert (answer.leader, answer.member_id, answer.members) == (leader, member, [])
    assert client.read == 1


def test_who_brings_another_assignor_is_read_and_heard(site: Site, client: MemberClient) -> None:
    leader = joined(site, 3).member_id
    other = site.ask(join_request(), 3)
    site.ask(join_request(leader), 3)
    member = other.answer.member_id
    client.ask(join_request(member), 5)
    assign(site, leader, [leader, member], 2)
    site.ask(join_request(leader), 3)
    changed = join_request(member)
    changed.protocols[0].name = "sticky"
    assert client.ask(changed, 5)[1].error_code == INCONSISTENT
    client.send(join_request(member), 5)
    ((_, answer),) = client.answers(JoinGroupRequest, 5)
    assert (answer.error_code, answer.generation_id) == (0, 3)


def test_new_members_are_always_read(site: Site, client: MemberClient) -> None:
    for _ in range(3):
        _, answer = client.ask(join_request(), 5)
        assert answer.error_code == MEMBER_ID_REQUIRED
    assert client.read == 3


def test_who_is_no_member_any_more_hears_it(site: Site, client: MemberClient) -> None:
    member = joined(site, 3).member_id
    client.ask(join_request(member), 5)
    site.pass_time(60_000)
    site.coordinators.tick()
    _, answer = client.ask(join_request(member), 5)
    assert (answer.error_code, answer.member_id) == (UNKNOWN_MEMBER, member)
    assert client.read == 1


def test_a_coordinator_that_is_not_here_any_more_says_so(site: Site, client: MemberClient) -> None:
    member = joined(site, 3).member_id
    client.ask(join_request(member), 5)
    coordinator = site.coordinators.groups.coordinator
    for partition in [p for p in site.replicas.all() if p.topic == "__consumer_offsets"]:
        coordinator.resigned(partition.index)
    _, answer = client.ask(join_request(member), 5)
    assert (answer.error_code, answer.member_id) == (NOT_COORDINATOR, member)


def test_one_byte_more_or_another_is_read(site: Site, client: MemberClient) -> None:
    member = joined(site, 3).member_id
    usual = encode_request(join_request(member), 5, 1, "c")
    client.send_frame(usual)
    tail = b"\0\0\0\0"
    other = usual[:-1] + b"\1"
    longer = (len(usual) - 4 + len(tail)).to_bytes(4, "big") + usual[4:] + tail
    for count, frame in enumerate((other, usual, longer, usual), 2):
        client.send_frame(frame)
        ((_, answer),) = client.answers(JoinGroupRequest, 5)
        assert (answer.error_code, client.read) == (0, count)


def test_of_many_that_differ_the_newest_is_known_and_none_keeps_others_out(
    site: Site, client: MemberClient
) -> None:
    member = joined(site, 3).member_id
    for number in range(20):
        client.ask(join_request(member, reason=f"reason {number}"), 8)
    assert client.read == 20
    assert len(listed(client.connection.exchange.first)) == 1
    _, answer = client.ask(join_request(member, reason="reason 19"), 8)
    beat = HeartbeatRequest(group_id="g", generation_id=answer.generation_id, member_id=member)
    for _ in range(5):
        assert client.ask(beat, 3)[1].error_code == 0
    assert client.read == 21
