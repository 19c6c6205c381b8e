"""A heartbeat that was sent before is answered as if it had been read in full."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Iterator
from typing import Any

import pytest

from pykafka_ops.broker.runtime.sockets.connection import Connection
from pykafka_ops.broker.runtime.sockets.server import Server
from pykafka_ops.wire.frame import decode_response, encode_request
from pykafka_ops.wire.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from pykafka_ops.wire.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from tests.support.memory.group_requests import join_request, joined
from tests.support.memory.handler_site import Later, Site
from tests.support.wire.server import FakeTransport

NOT_COORDINATOR, ILLEGAL_GENERATION, UNKNOWN_MEMBER, REBALANCE = 16, 22, 25, 27


class Client:
    """A connection to the site's handlers; ``read`` counts requests that were read in full."""

    def __init__(self, loop: asyncio.AbstractEventLoop, site: Site) -> None:
        server = Server(site.services, loop)
        find = server.dispatch.find
        self.read = 0

        def counted(*arguments: Any) -> Any:
            self.read += 1
            return find(*arguments)

        server.dispatch.find = counted  # type: ignore[method-assign]
        self._transport = FakeTransport(Connection(server, "PLAINTEXT"))

    def beat(
        self, member: str, generation: int = 1, *, version: int = 4, number: int = 1, **of: Any
    ) -> tuple[int, int]:
        """Correlation id and error code of the answer."""
        request = HeartbeatRequest(group_id="g", generation_id=generation, member_id=member, **of)
        return self.send(encode_request(request, version, number, "c"), version)

    def send(self, frame: bytes, version: int) -> tuple[int, int]:
        """The same of a frame."""
        self._transport.written = []
        self._transport.feed(frame)
        (answer,) = self._transport.frames()
        correlation_id, response = decode_response(HeartbeatResponse, version, answer)
        return correlation_id, int(response.error_code)


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


def test_members_hear_that_others_join(site: Site, client: Client) -> None:
    member = joined(site, 3).member_id
    given = [SyncGroupRequestAssignment(member_id=member, assignment=b"mine")]
    sync = SyncGroupRequest(group_id="g", generation_id=1, member_id=member, assignments=given)
    assert site.ask(sync, 3).error_code == 0
    assert client.beat(member) == (1, 0)
    assert isinstance(site.ask(join_request(), 3), Later)
    assert client.beat(member) == (1, REBALANCE)
    assert client.read == 1


def test_a_coordinator_that_is_not_here_any_more_says_so(site: Site, client: Client) -> None:
    member = joined(site, 3).member_id
    client.beat(member)
    coordinator = site.coordinators.groups.coordinator
    for partition in [p for p in site.replicas.all() if p.topic == "__consumer_offsets"]:
        coordinator.resigned(partition.index)
    assert client.beat(member) == (1, NOT_COORDINATOR)


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
        assert client.send(whole, 4) == (1, 0)
    assert client.read == 4
