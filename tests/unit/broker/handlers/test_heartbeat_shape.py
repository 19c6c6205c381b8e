"""A heartbeat that was sent before is answered as if it had been read in full."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Iterator
from typing import Any

import pytest

from pykafka_ops.analysis.java_hash import partition_for
from pykafka_ops.broker.handlers.join_group_shape import JoinShape
from pykafka_ops.wire.frame import encode_request
from pykafka_ops.wire.messages.heartbeat import HeartbeatRequest
from pykafka_ops.wire.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from tests.support.memory.group_requests import PARTITIONS, join_request, joined
from tests.support.memory.handler_site import Later, Site
from tests.support.memory.member_client import MemberClient

NOT_COORDINATOR, ILLEGAL_GENERATION, UNKNOWN_MEMBER, REBALANCE, FENCED = 16, 22, 25, 27, 82
SESSION_MS = 10_000
"""As ``join_request`` asks for."""


class Client(MemberClient):
    """A member that sends heartbeats."""

    def beat(
        self, member: str, generation: int = 1, *, version: int = 4, number: int = 1, **of: Any
    ) -> tuple[int, int]:
        """Correlation id and error code of the answer."""
        request = HeartbeatRequest(group_id="g", generation_id=generation, member_id=member, **of)
        found, answer = self.ask(request, version, number)
        return found, int(answer.error_code)


@pytest.fixture
def client(site: Site) -> Iterator[Client]:
    loop = asyncio.new_event_loop()
    yield Client(loop, site)
    loop.close()


@pytest.mark.parametrize("version", range(5))
def test_only_the_first_is_read_in_full(site: Site, client: Client, version: int) -> None:
    member = joined(site, 3).member_id
    for number in (5, 6, -7, 2**31 - 1):
        assert client.beat(member, version=version, number=number) == (number, 0)
    assert client.read == 1


def test_who_is_no_member_any_more_hears_it(site: Site, client: Client) -> None:
    member = joined(site, 3).member_id
    assert [client.beat(member), client.beat(member)] == [(1, 0)] * 2
    group = site.coordinators.groups.describe("g")
    assert group is not None
    group.generation += 1
    assert client.beat(member) == (1, ILLEGAL_GENERATION)
    assert client.beat(member, 2) == (1, 0)
    group.members.clear()
    assert client.beat(member, 2) == (1, UNKNOWN_MEMBER)
    assert client.read == 1


@pytest.mark.parametrize("version", range(5))
def test_each_generation_is_known_by_the_first_request_of_any(
    site: Site, client: Client, version: int
) -> None:
    member = joined(site, 3).member_id
    group = site.coordinators.groups.describe("g")
    assert group is not None
    for generation in (1, 2, 3, 4, 5, 6, 255, 256, 2**31 - 1):
        group.generation = generation
        assert client.beat(member, generation, version=version) == (1, 0)
        for wrong in (0, -1, generation - 1):
            assert client.beat(member, wrong, version=version) == (1, ILLEGAL_GENERATION)
    assert client.read == 1


def stable(site: Site) -> str:
    """Group g has one member: its id."""
    member = str(joined(site, 3).member_id)
    given = [SyncGroupRequestAssignment(member_id=member, assignment=b"mine")]
    sync = SyncGroupRequest(group_id="g", generation_id=1, member_id=member, assignments=given)
    assert site.ask(sync, 3).error_code == 0
    return member


def test_what_is_known_of_requests_of_other_apis_is_not_asked(
    site: Site, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    member, asked = joined(site, 3).member_id, list[object]()
    monkeypatch.setattr(JoinShape, "ordinary", lambda shape: asked.append(shape))
    client.ask(join_request(member), 5)
    for number in (5, 6):
        assert client.beat(member, version=3, number=number) == (number, 0)
    assert (asked, client.read) == ([], 2)
    client.ask(join_request(member), 5)
    assert len(asked) == 1


@pytest.mark.parametrize("version", range(5))
def test_members_hear_that_others_join(site: Site, client: Client, version: int) -> None:
    member = stable(site)
    assert [client.beat(member, version=version) for _ in range(2)] == [(1, 0)] * 2
    assert isinstance(site.ask(join_request(), 3), Later)
    for number in (3, -2):
        found = client.beat(member, version=version, number=number)
        assert found == (number, REBALANCE)
    assert client.read == 1


def test_a_coordinator_that_is_not_here_any_more_says_so(site: Site, client: Client) -> None:
    member = joined(site, 3).member_id
    client.beat(member)
    coordinator = site.coordinators.groups.coordinator
    for partition in [p for p in site.replicas.all() if p.topic == "__consumer_offsets"]:
        coordinator.resigned(partition.index)
    assert client.beat(member) == (1, NOT_COORDINATOR)


@pytest.mark.parametrize("version", range(5))
def test_a_stable_group_is_asked_nothing(site: Site, client: Client, version: int) -> None:
    member, asked = stable(site), 0
    shard = site.coordinators.groups.slot_of("g").shard
    heartbeat = shard.heartbeat

    def counted(*arguments: Any) -> Any:
        nonlocal asked
        asked += 1
        return heartbeat(*arguments)

    shard.heartbeat = counted  # type: ignore[method-assign]
    for number in (1, -1, 0, 2**31 - 1):
        assert client.beat(member, version=version, number=number) == (number, 0)
    assert asked == 1
    for wrong in (0, 2, -1, 1 + 256):
        assert client.beat(member, wrong, version=version) == (1, ILLEGAL_GENERATION)
    assert (asked, client.read) == (5, 1)


def test_a_session_lasts_from_the_last_heartbeat_to_the_ms(site: Site, client: Client) -> None:
    member = stable(site)
    for pause in (1, 4_000, SESSION_MS - 1, SESSION_MS - 1):
        assert client.beat(member) == (1, 0)
        site.pass_time(pause)
        site.coordinators.tick()
    assert client.read == 1
    group = site.coordinators.groups.describe("g")
    assert group is not None and list(group.members) == [member]
    site.pass_time(1)
    site.coordinators.tick()
    assert not group.members
    assert client.beat(member) == (1, UNKNOWN_MEMBER)


def test_a_shorter_session_counts_at_once(site: Site, client: Client) -> None:
    member = stable(site)
    assert client.beat(member) == (1, 0)
    group = site.coordinators.groups.describe("g")
    assert group is not None
    group.members[member].session_timeout = 500
    assert client.beat(member) == (1, 0)
    site.pass_time(500)
    site.coordinators.tick()
    assert not group.members


def test_who_came_back_under_its_static_name_fences_the_other(site: Site, client: Client) -> None:
    def join() -> str:
        request = join_request(group_instance_id="one")
        later = site.ask(request, 5)
        if isinstance(later, Later):
            site.coordinators.tick()
            later = later.answer
        assert later.error_code == 0
        return str(later.member_id)

    member = join()
    given = [SyncGroupRequestAssignment(member_id=member, assignment=b"mine")]
    sync = SyncGroupRequest(
        group_id="g", generation_id=1, member_id=member, group_instance_id="one", assignments=given
    )
    assert site.ask(sync, 3).error_code == 0
    of = {"group_instance_id": "one"}
    assert [client.beat(member, **of), client.beat(member)] == [(1, 0)] * 2
    assert [client.beat(member, **of), client.beat(member)] == [(1, 0)] * 2
    again = join()
    assert again != member
    assert client.beat(member, **of) == (1, FENCED)
    assert client.beat(member) == (1, UNKNOWN_MEMBER)
    assert client.beat(again, **of) == (1, 0)


def test_a_group_that_another_shard_has_is_asked_there(site: Site, client: Client) -> None:
    member = stable(site)
    assert [client.beat(member), client.beat(member)] == [(1, 0)] * 2
    groups = site.coordinators.groups
    here = groups.coordinator.partition_of("g")
    image = site.image.topics["__consumer_offsets"].partitions[0]
    more = next(n for n in range(PARTITIONS + 1, 99) if partition_for("g", n) != here)
    site.update({"__consumer_offsets": dict.fromkeys(range(more), image)})
    there = groups.coordinator.partition_of("g")
    assert there != here
    expected = UNKNOWN_MEMBER if there < PARTITIONS else NOT_COORDINATOR
    assert client.beat(member) == (1, expected)


def test_a_coordinator_that_is_back_has_the_session_anew(site: Site, client: Client) -> None:
    member = stable(site)
    assert [client.beat(member), client.beat(member)] == [(1, 0)] * 2
    for partition in [p for p in site.replicas.all() if p.topic == "__consumer_offsets"]:
        site.coordinators.led(partition)
    site.pass_time(SESSION_MS - 1)
    assert client.beat(member) == (1, 0)
    site.pass_time(SESSION_MS - 1)
    site.coordinators.tick()
    group = site.coordinators.groups.describe("g")
    assert group is not None and list(group.members) == [member]


def test_time_counts_from_the_last_one(site: Site, client: Client) -> None:
    member = joined(site, 3).member_id
    for _ in range(5):
        assert client.beat(member) == (1, 0)
        site.pass_time(4_000)
        site.coordinators.tick()
    assert client.read == 1


def test_other_bytes_are_read(site: Site, client: Client) -> None:
    member = joined(site, 3).member_id
    usual = encode_request(
        HeartbeatRequest(group_id="g", generation_id=1, member_id=member), 4, 1, "c"
    )
    tagged = usual[4:-1] + b"\1\x50\0"
    for frame in (usual, usual[4:] + b"more", tagged, usual, tagged):
        whole = frame if frame is usual else struct.pack(">i", len(frame)) + frame
        client.send_frame(whole)
        ((number, answer),) = client.answers(HeartbeatRequest, 4)
        assert (number, answer.error_code) == (1, 0)
    assert client.read == 4
