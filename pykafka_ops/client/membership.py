"""Membership of a consumer group, the classic protocol: join, get an assignment, leave.

Not a consumer: nothing beats a heart, so the group is to be left within the session timeout.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from pykafka_ops.client.answers import by_topic, raise_error
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.coordinators import GROUP, ask_coordinator
from pykafka_ops.client.leaders import Partition
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages import join_group as jg
from pykafka_ops.wire.messages import leave_group as lg
from pykafka_ops.wire.messages import sync_group as sg

SESSION_MS: Final = 10_000
"""Within group.min.session.timeout.ms and group.max.session.timeout.ms of Kafka's defaults."""
KIND, ASSIGNOR = "consumer", "range"


class GroupMember(NamedTuple):
    """A member in one generation of its group, and the node id of its coordinator."""

    group: str
    member_id: str
    generation: int
    coordinator: int


def join(cluster: Cluster, group: str, topics: Sequence[str]) -> GroupMember:
    """Become a member that subscribes to ``topics``. Raises PkoError.

    An empty group waits group.initial.rebalance.delay.ms (3 s by default) for more members.
    """
    request = jg.JoinGroupRequest(
        group_id=group,
        session_timeout_ms=SESSION_MS,
        rebalance_timeout_ms=SESSION_MS,
        protocol_type=KIND,
        protocols=[jg.JoinGroupRequestProtocol(name=ASSIGNOR, metadata=_subscription(topics))],
    )
    answer = ask_coordinator(cluster, group, request, jg.JoinGroupResponse)
    if answer.error_code == ErrorCode.MEMBER_ID_REQUIRED:
        request.member_id = answer.member_id
        answer = ask_coordinator(cluster, group, request, jg.JoinGroupResponse)
    raise_error(answer)
    coordinator = cluster.coordinators.get((GROUP, group), -1)
    return GroupMember(group, answer.member_id, answer.generation_id, coordinator)


def assign(
    cluster: Cluster, member: GroupMember, partitions: Iterable[Partition]
) -> list[Partition]:
    """As the leader and only member of its group give it ``partitions``; what the group gives back.

    Raises PkoError.
    """
    given = sg.SyncGroupRequestAssignment(
        member_id=member.member_id, assignment=_assignment(partitions)
    )
    request = sg.SyncGroupRequest(
        group_id=member.group,
        generation_id=member.generation,
        member_id=member.member_id,
        protocol_type=KIND,
        protocol_name=ASSIGNOR,
        assignments=[given],
    )
    answer = ask_coordinator(cluster, member.group, request, sg.SyncGroupResponse)
    raise_error(answer)
    return _assigned(bytes(answer.assignment))


def leave(cluster: Cluster, member: GroupMember) -> None:
    """Leave the group. Raises PkoError."""
    identity = lg.MemberIdentity(member_id=member.member_id)
    request = lg.LeaveGroupRequest(group_id=member.group, members=[identity])
    answer = ask_coordinator(cluster, member.group, request, lg.LeaveGroupResponse, lowest=3)
    raise_error(answer)
    for one in answer.members:
        raise_error(one)


# --- what members send each other: ConsumerProtocol, version 0 -----------------------------------


def _text(text: str) -> bytes:
    data = text.encode()
    return struct.pack(">h", len(data)) + data


def _subscription(topics: Sequence[str]) -> bytes:
    names = b"".join(_text(t) for t in topics)
    return struct.pack(">hi", 0, len(topics)) + names + struct.pack(">i", -1)


def _assignment(partitions: Iterable[Partition]) -> bytes:
    topics = by_topic(partitions)
    body = b"".join(
        _text(topic) + struct.pack(f">i{len(found)}i", len(found), *found)
        for topic, found in topics.items()
    )
    return struct.pack(">hi", 0, len(topics)) + body + struct.pack(">i", -1)


def _assigned(data: bytes) -> list[Partition]:
    """The partitions of an assignment; [] where there is none."""
    found: list[Partition] = []
    if len(data) < 6:
        return found
    (topics,), at = struct.unpack_from(">i", data, 2), 6
    for _ in range(topics):
        (size,) = struct.unpack_from(">h", data, at)
        topic = data[at + 2 : at + 2 + size].decode()
        at += 2 + size
        (count,) = struct.unpack_from(">i", data, at)
        found += [(topic, n) for n in struct.unpack_from(f">{count}i", data, at + 4)]
        at += 4 + 4 * count
    return found
