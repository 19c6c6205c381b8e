"""Members of consumer groups and what they read (DescribeGroups, ConsumerGroupDescribe)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from pykafka_ops.client.answers import error_of
from pykafka_ops.client.cluster import Cluster, Question
from pykafka_ops.client.coordinators import Answers, ask_coordinators
from pykafka_ops.client.leaders import Partition
from pykafka_ops.disk.internal import read_assignment
from pykafka_ops.errors import PkoError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages import consumer_group_describe as modern
from pykafka_ops.wire.messages import describe_groups as classic

CONSUMER_PROTOCOL: Final = "consumer"
DEAD: Final = "Dead"
EMPTY: Final = "Empty"
_NAME: Final = "describeConsumerGroups"


class MemberDescription(NamedTuple):
    """A member and the partitions assigned to it, in the order of the assignment."""

    id: str
    instance_id: str | None
    client_id: str
    host: str
    assigned: tuple[Partition, ...]


class GroupDescription(NamedTuple):
    """A group as its coordinator describes it. ``assignor`` is "" while there is none, ``type``
    "Classic" or "Consumer" (KIP-848), ``coordinator`` a node id."""

    id: str
    state: str
    type: str
    protocol_type: str
    assignor: str
    coordinator: int
    members: tuple[MemberDescription, ...]


def describe_groups(
    cluster: Cluster, groups: Iterable[str]
) -> dict[str, GroupDescription | PkoError]:
    """Each group, or the PkoError that stands for it; one that is not there is in state Dead.

    Groups of the new protocol (KIP-848) are unknown to DescribeGroups: what it calls dead is asked
    for once more, where the brokers know how.
    """
    nodes: dict[str, int] = {}

    def ask(node: int, keys: list[str]) -> Question:
        nodes.update(dict.fromkeys(keys, node))
        request = classic.DescribeGroupsRequest(groups=keys)
        return Question(node, request, classic.DescribeGroupsResponse)

    found = ask_coordinators(cluster, groups, ask, _read_classic, name=_NAME)
    missing = [k for k, g in found.items() if _is_missing(g)]
    if missing:
        found.update({k: g for k, g in _modern(cluster, missing, nodes).items() if g is not None})
    return {
        k: g._replace(coordinator=nodes[k]) if isinstance(g, GroupDescription) else g
        for k, g in found.items()
    }


def _is_missing(group: GroupDescription | PkoError) -> bool:
    if isinstance(group, GroupDescription):
        return group.state == DEAD
    return getattr(group, "code", None) == ErrorCode.GROUP_ID_NOT_FOUND


def _read_classic(answer: classic.DescribeGroupsResponse) -> Answers[GroupDescription]:
    for g in answer.groups:
        members = tuple(
            MemberDescription(
                m.member_id,
                m.group_instance_id,
                m.client_id,
                m.client_host,
                _assigned(m.member_assignment) if g.protocol_type == CONSUMER_PROTOCOL else (),
            )
            for m in g.members
        )
        yield g.group_id, error_of(g), GroupDescription(
            g.group_id, g.group_state, "Classic", g.protocol_type, g.protocol_data, -1, members
        )  # fmt: skip


def _assigned(data: bytes) -> tuple[Partition, ...]:
    """The partitions of an assignment; none where the bytes are not the consumer protocol's."""
    if not data:
        return ()
    try:
        _, found = read_assignment(bytes(data))
    except PkoError:
        return ()
    return tuple((t.topic, p) for t in found.assigned_partitions for p in t.partitions)


def _modern(
    cluster: Cluster, groups: list[str], nodes: dict[str, int]
) -> dict[str, GroupDescription | None]:
    """Groups of the new protocol among ``groups``; None for the others."""

    def ask(node: int, keys: list[str]) -> Question:
        nodes.update(dict.fromkeys(keys, node))
        request = modern.ConsumerGroupDescribeRequest(group_ids=keys)
        return Question(node, request, modern.ConsumerGroupDescribeResponse)

    found = ask_coordinators(cluster, groups, ask, _read_modern, name=_NAME)
    return {k: g if isinstance(g, GroupDescription) else None for k, g in found.items()}


def _read_modern(answer: modern.ConsumerGroupDescribeResponse) -> Answers[GroupDescription]:
    for g in answer.groups:
        members = tuple(
            MemberDescription(
                m.member_id,
                m.instance_id,
                m.client_id,
                m.client_host,
                tuple(
                    (t.topic_name, p) for t in m.assignment.topic_partitions for p in t.partitions
                ),
            )
            for m in g.members
        )
        yield g.group_id, error_of(g), GroupDescription(
            g.group_id, g.group_state, "Consumer", CONSUMER_PROTOCOL, g.assignor_name, -1, members
        )  # fmt: skip
