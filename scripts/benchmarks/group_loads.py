"""Loads of group coordinators, each run in a process of its own: one JSON object on stdout.

``python -m scripts.benchmarks.group_loads NAME BOOTSTRAP TOPIC [OPTION=NUMBER...]``
"""

from __future__ import annotations

import json
import socket
import struct
import sys
import time
from typing import Any, TypeVar

from confluent_kafka import Consumer, Producer

from pykafka_ops.wire.frame import decode_response, encode_request
from pykafka_ops.wire.messages.find_coordinator import (
    FindCoordinatorRequest,
    FindCoordinatorResponse,
)
from pykafka_ops.wire.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from pykafka_ops.wire.messages.join_group import (
    JoinGroupRequest,
    JoinGroupRequestProtocol,
    JoinGroupResponse,
)
from pykafka_ops.wire.messages.leave_group import (
    LeaveGroupRequest,
    LeaveGroupResponse,
    MemberIdentity,
)
from pykafka_ops.wire.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
)
from pykafka_ops.wire.messages.sync_group import (
    SyncGroupRequest,
    SyncGroupRequestAssignment,
    SyncGroupResponse,
)
from scripts.benchmarks.asking import Spent

T = TypeVar("T")
REBALANCE_IN_PROGRESS = 27
MEMBER_ID_REQUIRED = 79
NOT_YET = (14, 15, 16)


class Link:
    """A connection; requests are sent and read apart, so that many can be under way."""

    def __init__(self, bootstrap: str) -> None:
        host, _, port = bootstrap.rpartition(":")
        self.socket = socket.create_connection((host, int(port)), timeout=120)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self, message: Any, version: int) -> None:
        self.socket.sendall(encode_request(message, version, 1, "bench"))

    def read(self, answer: type[T], version: int) -> T:
        (size,) = struct.unpack(">i", self._exactly(4))
        return decode_response(answer, version, self._exactly(size))[1]

    def ask(self, message: Any, answer: type[T], version: int) -> T:
        self.send(message, version)
        return self.read(answer, version)

    def find_coordinator(self, group: str) -> None:
        """Until there is one: the first who asks has the internal topic made."""
        request = FindCoordinatorRequest(key=group, key_type=0)
        while self.ask(request, FindCoordinatorResponse, 2).error_code:
            time.sleep(0.05)

    def close(self) -> None:
        self.socket.close()

    def _exactly(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            part = self.socket.recv(size - len(data))
            assert part, "the broker hung up"
            data += part
        return data


# --- what users wait for -------------------------------------------------------------------------


def first_record(bootstrap: str, topic: str, *, number: int) -> dict[str, float]:
    """From subscribe, in a group nobody has used yet, to the first record."""
    consumer = Consumer(
        {
            "bootstrap.servers": bootstrap,
            "group.id": f"first-{topic}-{number}",
            "auto.offset.reset": "earliest",
        }
    )
    begin = time.monotonic()
    consumer.subscribe([topic])
    while consumer.poll(0.05) is None:
        pass
    seconds = time.monotonic() - begin
    consumer.close()
    return {"seconds": seconds}


def transactions(bootstrap: str, topic: str, *, seconds: int, commit_ms: int) -> dict[str, float]:
    """Records of 100 B in transactions that are committed every so often."""
    producer = Producer(
        {"bootstrap.servers": bootstrap, "transactional.id": f"bench-{topic}", "linger.ms": 5}
    )
    producer.init_transactions(60)
    payload = b"x" * 100
    count, commits, begin = 0, 0, time.monotonic()
    while time.monotonic() - begin < seconds:
        producer.begin_transaction()
        end = time.monotonic() + commit_ms / 1000
        while time.monotonic() < end:
            for _ in range(100):
                try:
                    producer.produce(topic, payload)
                    count += 1
                except BufferError:
                    producer.poll(0.01)
            producer.poll(0)
        producer.commit_transaction(60)
        commits += 1
    return {"seconds": time.monotonic() - begin, "count": count, "commits": commits}


# --- raw members ---------------------------------------------------------------------------------


class Member:
    """One member of a group, driven step by step; many may share a ``link`` one after another.

    A leader assigns to each member its own id.
    """

    def __init__(self, bootstrap: str, group: str, link: Link | None = None) -> None:
        self.link, self.group = link or Link(bootstrap), group
        self.assignment = b""
        self.id, self.generation, self.leader = "", -1, ""
        self.members: list[str] = []

    def send_join(self) -> None:
        protocol = JoinGroupRequestProtocol(name="range", metadata=b"\0\0\0\0\0\0\0\0\0\0")
        self.link.send(
            JoinGroupRequest(
                group_id=self.group,
                session_timeout_ms=600_000,
                rebalance_timeout_ms=600_000,
                member_id=self.id,
                protocol_type="consumer",
                protocols=[protocol],
            ),
            5,
        )

    def read_join(self) -> int:
        answer = self.link.read(JoinGroupResponse, 5)
        self.id, self.generation, self.leader = (
            answer.member_id,
            answer.generation_id,
            answer.leader,
        )
        self.members = [m.member_id for m in answer.members]
        return answer.error_code

    def send_sync(self) -> None:
        mine = self.members if self.id == self.leader else []
        given = [SyncGroupRequestAssignment(member_id=m, assignment=m.encode()) for m in mine]
        request = SyncGroupRequest(
            group_id=self.group,
            generation_id=self.generation,
            member_id=self.id,
            assignments=given,
        )
        self.link.send(request, 3)

    def read_sync(self) -> int:
        answer = self.link.read(SyncGroupResponse, 3)
        self.assignment = bytes(answer.assignment)
        return answer.error_code

    def heartbeat(self) -> int:
        request = HeartbeatRequest(
            group_id=self.group, generation_id=self.generation, member_id=self.id
        )
        return self.link.ask(request, HeartbeatResponse, 3).error_code

    def leave(self) -> None:
        request = LeaveGroupRequest(
            group_id=self.group, members=[MemberIdentity(member_id=self.id)]
        )
        self.link.ask(request, LeaveGroupResponse, 3)


def meet(members: list[Member]) -> None:
    """Everybody joins and gets an assignment: new ones an id first, then one rebalance for all."""
    for member in members:
        if not member.id:
            member.send_join()
            code = member.read_join()
            assert code in (MEMBER_ID_REQUIRED, *NOT_YET), code
    waiting = members
    while waiting:
        for member in waiting:
            member.send_join()
        codes = [(member, member.read_join()) for member in waiting]
        waiting = [m for m, code in codes if code in (MEMBER_ID_REQUIRED, *NOT_YET)]
        assert all(code in (0, MEMBER_ID_REQUIRED, *NOT_YET) for _, code in codes), codes
    assign(members)


def assign(members: list[Member]) -> None:
    """Who has joined gets an assignment, by another rebalance if one began meanwhile."""
    for member in sorted(members, key=lambda m: m.id != m.leader):
        member.send_sync()
    for member in members:
        code = member.read_sync()
        if code == REBALANCE_IN_PROGRESS:
            meet(members)
            return
        assert code == 0, code


def rebalance(bootstrap: str, topic: str, *, members: int) -> dict[str, float]:
    """From one member's leaving until all others have a new assignment."""
    group = f"rebalance-{topic}"
    everybody = [Member(bootstrap, group) for _ in range(members)]
    everybody[0].link.find_coordinator(group)
    meet(everybody[:1])
    meet(everybody)
    begin = time.monotonic()
    everybody[-1].leave()
    rest = everybody[:-1]
    for member in rest:
        while member.heartbeat() != REBALANCE_IN_PROGRESS:
            pass
    meet(rest)
    return {"seconds": time.monotonic() - begin}


def crowd(bootstrap: str, topic: str, *, groups: int) -> dict[str, float]:
    """Groups of one member each on one connection."""
    link = Link(bootstrap)
    link.find_coordinator(topic)
    spent, begin = Spent(), time.monotonic()
    for n in range(groups):
        meet([Member(bootstrap, f"crowd-{topic}-{n}", link)])
    return {"seconds": time.monotonic() - begin, "broker_cpu": spent.seconds()}


# --- commits -------------------------------------------------------------------------------------


def commit_of(group: str, topic: str, partitions: int, offset: int) -> OffsetCommitRequest:
    made = [
        OffsetCommitRequestPartition(
            partition_index=p, committed_offset=offset, committed_metadata=""
        )
        for p in range(partitions)
    ]
    return OffsetCommitRequest(
        group_id=group, topics=[OffsetCommitRequestTopic(name=topic, partitions=made)]
    )


def wait_coordinator(link: Link, group: str, topic: str) -> None:
    """Commit until the coordinator has come up."""
    while True:
        answer = link.ask(commit_of(group, topic, 1, 0), OffsetCommitResponse, 5)
        if answer.topics[0].partitions[0].error_code == 0:
            return
        time.sleep(0.05)


def fill(
    bootstrap: str, topic: str, *, groups: int, partitions: int, rounds: int = 1
) -> dict[str, float]:
    """Offsets for many groups, ``rounds`` times over."""
    link = Link(bootstrap)
    wait_coordinator(link, "fill-0", topic)
    for i in range(rounds):
        for g in range(groups):
            request = commit_of(f"fill-{g}", topic, partitions, i)
            while True:
                answer = link.ask(request, OffsetCommitResponse, 5)
                codes = {p.error_code for t in answer.topics for p in t.partitions}
                if not codes & set(NOT_YET):
                    break
            assert codes == {0}, codes
    return {"count": groups * partitions * rounds}


def served(bootstrap: str, topic: str) -> dict[str, float]:
    """Until the coordinator of the first filled group takes commits."""
    while True:
        try:
            wait_coordinator(Link(bootstrap), "fill-0", topic)
            return {"seconds": 0}
        except (OSError, AssertionError):
            time.sleep(0.02)


def main(argv: list[str]) -> None:
    name, bootstrap, topic, *rest = argv
    options: dict[str, Any] = {k: int(v) for k, v in (word.split("=") for word in rest)}
    print(json.dumps(globals()[name](bootstrap, topic, **options)))


if __name__ == "__main__":
    main(sys.argv[1:])
