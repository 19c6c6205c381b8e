"""Two brokers in memory that get the same requests of a group's members, on a connection each."""

from __future__ import annotations

import asyncio
import itertools
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from pykafka_ops.broker.coordinators import hosted
from pykafka_ops.broker.runtime.sockets.connection import Connection
from pykafka_ops.broker.runtime.sockets.server import Server
from pykafka_ops.broker.state.groups.group import Member
from pykafka_ops.wire.apis import APIS, ApiKey
from pykafka_ops.wire.frame import decode_response, encode_request
from pykafka_ops.wire.message import table_of
from pykafka_ops.wire.messages.heartbeat import HeartbeatRequest
from pykafka_ops.wire.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from pykafka_ops.wire.messages.leave_group import LeaveGroupRequest, MemberIdentity
from pykafka_ops.wire.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from tests.support.memory.group_requests import group_site, join_request
from tests.support.memory.group_world import subscription
from tests.support.wire.server import FakeTransport

MEMBERS = 5
STEPS = 300
VERSIONS = {ApiKey.JOIN_GROUP: 7, ApiKey.SYNC_GROUP: 5, ApiKey.HEARTBEAT: 4, ApiKey.LEAVE_GROUP: 4}
KINDS = [*["beat"] * 6, *["join"] * 6, *["sync"] * 6, "leave", "other", "gone", "late"]
"""What members do; ``other``: join with another assignor, ``late``: name the generation before."""


@dataclass
class Client:
    """A member as far as it knows: ``busy`` is what it waits for an answer to, ``assignor`` one
    more that it supports."""

    name: str
    instance_id: str | None
    assignor: str = ""
    id: str = ""
    generation: int = -1
    leads: bool = False
    others: tuple[str, ...] = ()
    busy: type | None = None

    def heard(self, answer: Any) -> None:
        """Its request was answered."""
        kind, self.busy = self.busy, None
        if kind is JoinGroupRequest:
            if answer.error_code in (0, 79):
                self.id, self.generation = answer.member_id, answer.generation_id
            elif answer.error_code != 23:
                self.id = ""
            self.leads = answer.error_code == 0 and answer.leader == answer.member_id
            self.others = tuple(member.member_id for member in answer.members)
        elif answer.error_code == 25:
            self.id = ""


class Hall:
    """A broker; ``careful``: it reads each request field by field. ``read`` counts those."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        monkeypatch: pytest.MonkeyPatch,
        *,
        careful: bool = False,
    ) -> None:
        monkeypatch.setattr(hosted, "_new_id", map(str, itertools.count()).__next__)
        self.site = group_site()
        self.server = Server(self.site.services, loop)
        self._lines: dict[str, FakeTransport] = {}
        for key in VERSIONS if careful else ():
            api = self.server.dispatch.apis[key]
            api.load()
            api.shape = None

    def send(self, name: str, frame: bytes) -> None:
        """A client sends a request."""
        line = self._lines.get(name)
        if line is None or line.is_closing():
            line = self._lines[name] = FakeTransport(Connection(self.server, "PLAINTEXT"))
        line.feed(frame)

    def lose(self, name: str) -> None:
        """A client goes away."""
        line = self._lines.pop(name, None)
        if line is not None:
            line.lose()

    def pass_time(self, ms: int) -> None:
        """Time passes, and what is due happens."""
        self.site.now += ms
        self.site.pass_time(ms)
        self.site.coordinators.tick()

    def said(self) -> dict[str, list[bytes]]:
        """What clients hear that they have not heard yet."""
        found = {name: line.frames() for name, line in self._lines.items() if line.written}
        for line in self._lines.values():
            line.written = []
        return found

    @property
    def members(self) -> list[Member]:
        """Those of the group."""
        group = self.site.coordinators.groups.describe("g")
        return [] if group is None else list(group.members.values())

    @property
    def state(self) -> Any:
        """All that members change."""
        group = self.site.coordinators.groups.describe("g")
        if group is None:
            return None
        fields = (
            "state", "generation", "protocol", "leader", "awaiting_join", "member_added",
            "pending_sync", "static_members", "supported", "subscribed",
        )  # fmt: skip
        return (
            [getattr(group, name) for name in fields],
            group.memory.held,
            [group.join_timer and group.join_timer.deadline, group.sync_timer is None],
            [
                [
                    (m.id, m.deadline, m.assignment, m.protocols, m.session_timeout),
                    (m.rebalance_timeout, m.is_new, m.join is None, m.sync is None),
                ]
                for m in group.members.values()
            ],
        )


def request_of(dice: random.Random, client: Client, kind: str) -> Any:
    """What a client asks for."""
    if kind in ("beat", "late"):
        return HeartbeatRequest(
            group_id="g",
            generation_id=client.generation - (kind == "late"),
            member_id=client.id,
            group_instance_id=client.instance_id,
        )
    if kind == "leave":
        leaving = MemberIdentity(member_id=client.id, group_instance_id=client.instance_id)
        return LeaveGroupRequest(group_id="g", members=[leaving])
    if kind == "sync":
        names = client.others if client.leads and dice.random() < 0.8 else ()
        protocol = "range" if dice.random() < 0.95 else "other"
        given = [
            SyncGroupRequestAssignment(member_id=name, assignment=bytes(dice.choice([0, 3, 130])))
            for name in names
        ]
        return _sync_of(client, given, protocol)
    return _join_of(client, dice.choice("ab") if kind == "other" else "")


def _join_of(client: Client, assignor: str) -> JoinGroupRequest:
    """It joins; ``assignor`` is one more that it supports, if it is not empty."""
    asked = join_request(client.id, group_instance_id=client.instance_id)
    if assignor:
        more = JoinGroupRequestProtocol(name=assignor, metadata=subscription("u"))
        asked.protocols = [*asked.protocols, more]
    return asked


def _sync_of(
    client: Client, given: Sequence[SyncGroupRequestAssignment], protocol: str = "range"
) -> SyncGroupRequest:
    """It asks for its assignment; who leads has ``given`` them."""
    return SyncGroupRequest(
        group_id="g",
        generation_id=client.generation,
        member_id=client.id,
        group_instance_id=client.instance_id,
        protocol_type="consumer",
        protocol_name=protocol,
        assignments=list(given),
    )


def join_frame(client: Client) -> bytes:
    """It joins again."""
    request = _join_of(client, client.assignor)
    return encode_request(request, VERSIONS[ApiKey.JOIN_GROUP], 7, client.name)


def sync_frame(client: Client, given: Sequence[SyncGroupRequestAssignment] = ()) -> bytes:
    """It asks for its assignment; who leads has ``given`` them."""
    return encode_request(_sync_of(client, given), VERSIONS[ApiKey.SYNC_GROUP], 9, client.name)


def gathered(hall: Hall, count: int) -> list[Client]:
    """The members of a new generation, none of which has an assignment."""
    clients = {name: Client(name, None) for name in "abcdefgh"[:count]}
    while not all(client.generation > 0 for client in clients.values()):
        for client in clients.values():
            if client.busy is None:
                client.busy = JoinGroupRequest
                hall.send(client.name, join_frame(client))
                _hear(clients, hall.said())
        hall.pass_time(1)
        _hear(clients, hall.said())
        if len({client.generation for client in clients.values()}) > 1:
            for client in clients.values():
                client.generation = min(client.generation, 0)
    return list(clients.values())


def joined(hall: Hall, clients: list[Client]) -> list[Client]:
    """All of them join again, the leader first; in that order."""
    by_name = {client.name: client for client in clients}
    clients = sorted(clients, key=lambda client: client.leads, reverse=True)
    for client in clients:
        client.busy = JoinGroupRequest
        hall.send(client.name, join_frame(client))
        _hear(by_name, hall.said())
    return clients


def rebalanced(hall: Hall, clients: list[Client], *, leader_last: bool = False) -> list[Client]:
    """All of them join again and sync, the leader first, or last of all; in that order."""
    by_name = {client.name: client for client in clients}
    clients = joined(hall, clients)
    leader = next(client for client in clients if client.leads)
    given = [
        SyncGroupRequestAssignment(member_id=client.id, assignment=b"of " + leader.id.encode())
        for client in clients
    ]
    for client in sorted(clients, key=lambda client: client.leads, reverse=not leader_last):
        client.busy = SyncGroupRequest
        hall.send(client.name, sync_frame(client, given if client is leader else ()))
        _hear(by_name, hall.said())
    assert not any(client.busy for client in clients)
    return clients


def _hear(clients: dict[str, Client], said: dict[str, list[bytes]]) -> None:
    """Clients take in what they are answered."""
    for name, frames in said.items():
        (frame,) = frames
        request = clients[name].busy
        assert request is not None
        key = ApiKey(table_of(request).api)
        clients[name].heard(decode_response(APIS[key].response, VERSIONS[key], frame)[1])


def check_both(dice: random.Random, straight: Hall, careful: Hall) -> None:
    """Whatever members do, they hear the same of both, and leave the same behind."""
    clients = {
        name: Client(name, f"static-{name}" if dice.random() < 0.3 else None)
        for name in "abcdefgh"[:MEMBERS]
    }
    halls = (straight, careful)
    for number in range(STEPS):
        client = dice.choice([c for c in clients.values() if c.busy is None] or [None])
        if client is None or dice.random() < 0.1:
            ms = dice.choice([1, 1, 500, 500, 3_000, 8_000])
            for hall in halls:
                hall.pass_time(ms)
        else:
            if dice.random() < 0.05:  # a member on two connections
                other = dice.choice(list(clients.values()))
                client.id, client.generation = other.id, other.generation
            kind = dice.choice(KINDS) if client.id else "join"
            if kind == "gone":
                client = dice.choice(list(clients.values()))
                client.busy = None
                for hall in halls:
                    hall.lose(client.name)
                continue
            asked = request_of(dice, client, kind)
            client.busy = type(asked)
            version = VERSIONS[ApiKey(table_of(type(asked)).api)]
            frame = encode_request(asked, version, number, client.name)
            for hall in halls:
                hall.send(client.name, frame)
        said = straight.said()
        assert said == careful.said()
        _hear(clients, said)
        assert straight.state == careful.state
