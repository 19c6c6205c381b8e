"""Members of groups of every kind, and what they read.

Classic groups by DescribeGroups, those of newer protocols by ConsumerGroupDescribe (KIP-848),
ShareGroupDescribe (KIP-932) and StreamsGroupDescribe (KIP-1071).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple

from pykafka_ops.client.answers import error_of
from pykafka_ops.client.cluster import Cluster, Question
from pykafka_ops.client.coordinators import Answers, ask_coordinators
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.topics import TopicDescription, describe_topics
from pykafka_ops.disk.internal import read_assignment
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages import consumer_group_describe as modern
from pykafka_ops.wire.messages import describe_groups as classic
from pykafka_ops.wire.messages import share_group_describe as share
from pykafka_ops.wire.messages import streams_group_describe as streams

CONSUMER_PROTOCOL: Final = "consumer"
SHARE: Final = "Share"
STREAMS: Final = "Streams"
DEAD: Final = "Dead"
EMPTY: Final = "Empty"
_NAME: Final = "describeConsumerGroups"


class TaskDescription(NamedTuple):
    """A task of a streams group: a partition of a subtopology; ``role`` "active", "standby" or
    "warm-up"."""

    role: str
    subtopology: str
    partition: int

    def __str__(self) -> str:
        """As Kafka Streams names it; with its role where that is to stand by."""
        name = f"{self.subtopology}_{self.partition}"
        return name if self.role == "active" else f"{self.role} {name}"


class Subtopology(NamedTuple):
    """A part of a streams application, by the names of topics: ``sources`` and ``repartitions`` it
    reads, ``sinks`` (of repartitions) it writes, ``changelogs`` keep its state."""

    id: str
    sources: tuple[str, ...]
    repartitions: tuple[str, ...]
    sinks: tuple[str, ...]
    changelogs: tuple[str, ...]


class MemberDescription(NamedTuple):
    """A member and the partitions assigned to it, in the order of the assignment; of a streams
    group with the tasks that read them, of a share group others may read them as well.

    ``epoch``: that of the assignment it has (None: of a classic group, or not known); ``target``
    what it is moving to, where brokers say so; ``process`` of a streams group; ``is_classic``: it
    joined as members of classic groups do.
    """

    id: str
    instance_id: str | None
    client_id: str
    host: str
    assigned: tuple[Partition, ...]
    tasks: tuple[TaskDescription, ...] = ()
    epoch: int | None = None
    target: tuple[Partition, ...] | None = None
    target_tasks: tuple[TaskDescription, ...] = ()
    process: str = ""
    is_classic: bool = False


class GroupDescription(NamedTuple):
    """A group as its coordinator describes it. ``assignor`` is "" while there is none, ``type``
    "Classic", "Consumer" (KIP-848), ``SHARE`` or ``STREAMS``, ``coordinator`` a node id.

    ``topology`` is of a streams group, None also while its topics are not all there; ``reads`` are
    all partitions its topology reads. ``epoch`` grows with members and what they want,
    ``target_epoch`` is the one that assignments are made for; None of classic groups.
    """

    id: str
    state: str
    type: str
    protocol_type: str
    assignor: str
    coordinator: int
    members: tuple[MemberDescription, ...]
    topology: tuple[Subtopology, ...] | None = None
    reads: tuple[Partition, ...] = ()
    epoch: int | None = None
    target_epoch: int | None = None
    topology_epoch: int | None = None


def describe_groups(
    cluster: Cluster, groups: Iterable[str], *, every_kind: bool = False
) -> dict[str, GroupDescription | PkoError]:
    """Each group, or the PkoError that stands for it; one that is not there is in state Dead.

    Groups of the new protocol (KIP-848) are unknown to DescribeGroups: what it calls dead is asked
    for once more, where the brokers know how. ``every_kind``: so are share and streams groups,
    which have no committed offsets or other members; without it they are not there.
    """
    nodes: dict[str, int] = {}

    def ask(node: int, keys: list[str]) -> Question:
        nodes.update(dict.fromkeys(keys, node))
        request = classic.DescribeGroupsRequest(groups=keys)
        return Question(node, request, classic.DescribeGroupsResponse)

    found = ask_coordinators(cluster, groups, ask, _read_classic, name=_NAME)
    for kind in _KINDS if every_kind else _KINDS[:1]:
        missing = [k for k, g in found.items() if _is_missing(g)]
        if not missing:
            break
        found.update({k: g for k, g in _of_kind(cluster, kind, missing, nodes).items() if g})
    if every_kind:
        found = _with_partitions(cluster, found)
    return {
        k: g._replace(coordinator=nodes[k]) if isinstance(g, GroupDescription) else g
        for k, g in found.items()
    }


def describe_kind(
    cluster: Cluster, groups: Iterable[str], kind: str
) -> dict[str, GroupDescription | PkoError]:
    """Each group as the API of this type alone tells of it, in the order given; a group of another
    type is the broker's error GROUP_ID_NOT_FOUND. Source: describeShareGroups and its like of
    Kafka's admin client."""
    request, answer, read = _BY_TYPE[kind]
    nodes: dict[str, int] = {}

    def ask(node: int, keys: list[str]) -> Question:
        nodes.update(dict.fromkeys(keys, node))
        return Question(node, request(group_ids=keys), answer)

    found = ask_coordinators(cluster, groups, ask, read, name=f"describe{kind}Groups")
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
        missing = g.error_code == ErrorCode.GROUP_ID_NOT_FOUND  # Dead in versions before 6
        yield g.group_id, None if missing else error_of(g), GroupDescription(
            g.group_id, DEAD if missing else g.group_state, "Classic", g.protocol_type,
            g.protocol_data, -1, members,
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


def _named(assignment: modern.Assignment | share.Assignment) -> tuple[Partition, ...]:
    """The partitions of an assignment that comes with names and ids of topics."""
    return tuple((t.topic_name, p) for t in assignment.topic_partitions for p in t.partitions)


def _read_modern(answer: modern.ConsumerGroupDescribeResponse) -> Answers[GroupDescription]:
    for g in answer.groups:
        members = tuple(
            MemberDescription(
                m.member_id,
                m.instance_id,
                m.client_id,
                m.client_host,
                _named(m.assignment),
                epoch=m.member_epoch,
                target=_named(m.target_assignment),
                is_classic=m.member_type == 0,
            )
            for m in g.members
        )
        yield g.group_id, error_of(g), GroupDescription(
            g.group_id, g.group_state, "Consumer", CONSUMER_PROTOCOL, g.assignor_name, -1, members,
            epoch=g.group_epoch, target_epoch=g.assignment_epoch,
        )  # fmt: skip


def _read_share(answer: share.ShareGroupDescribeResponse) -> Answers[GroupDescription]:
    for g in answer.groups:
        members = tuple(
            MemberDescription(
                m.member_id,
                None,
                m.client_id,
                m.client_host,
                _named(m.assignment),
                epoch=m.member_epoch,
            )
            for m in g.members
        )
        yield g.group_id, error_of(g), GroupDescription(
            g.group_id, g.group_state, SHARE, "share", g.assignor_name, -1, members,
            epoch=g.group_epoch, target_epoch=g.assignment_epoch,
        )  # fmt: skip


def _read_streams(answer: streams.StreamsGroupDescribeResponse) -> Answers[GroupDescription]:
    for g in answer.groups:
        members = tuple(
            MemberDescription(
                m.member_id,
                m.instance_id,
                m.client_id,
                m.client_host,
                (),
                _tasks(m.assignment),
                m.member_epoch,
                None,
                _tasks(m.target_assignment),
                m.process_id,
                m.is_classic,
            )
            for m in g.members
        )
        found = None if g.topology is None else g.topology.subtopologies
        topology = None if found is None else tuple(map(_subtopology, found))
        yield g.group_id, error_of(g), GroupDescription(
            g.group_id, g.group_state, STREAMS, "streams", "", -1, members, topology,
            epoch=g.group_epoch, target_epoch=g.assignment_epoch,
            topology_epoch=None if g.topology is None else g.topology.epoch,
        )  # fmt: skip


def _tasks(assignment: streams.Assignment) -> tuple[TaskDescription, ...]:
    roles = (
        ("active", assignment.active_tasks),
        ("standby", assignment.standby_tasks),
        ("warm-up", assignment.warmup_tasks),
    )
    return tuple(
        TaskDescription(role, part.subtopology_id, p)
        for role, parts in roles
        for part in parts
        for p in part.partitions
    )


def _subtopology(part: streams.Subtopology) -> Subtopology:
    return Subtopology(
        part.subtopology_id,
        tuple(sorted(part.source_topics)),
        tuple(sorted(t.name for t in part.repartition_source_topics)),
        tuple(sorted(part.repartition_sink_topics)),
        tuple(sorted(t.name for t in part.state_changelog_topics)),
    )


_KINDS: Final[
    tuple[tuple[type[Any], type[Any], Callable[[Any], Answers[GroupDescription]]], ...]
] = (
    (modern.ConsumerGroupDescribeRequest, modern.ConsumerGroupDescribeResponse, _read_modern),
    (share.ShareGroupDescribeRequest, share.ShareGroupDescribeResponse, _read_share),
    (streams.StreamsGroupDescribeRequest, streams.StreamsGroupDescribeResponse, _read_streams),
)
"""Request, answer and its reader for each kind of group that DescribeGroups does not know."""
_BY_TYPE: Final = dict(zip(("Consumer", SHARE, STREAMS), _KINDS, strict=True))
_NOT_OF_KIND: Final = (ErrorCode.GROUP_ID_NOT_FOUND, ErrorCode.UNSUPPORTED_VERSION)


def _of_kind(
    cluster: Cluster, kind: tuple[Any, Any, Any], groups: list[str], nodes: dict[str, int]
) -> dict[str, GroupDescription | KafkaError | None]:
    """Groups of one kind among ``groups``, or why they are not told of; None for the others."""
    request, answer, read = kind

    def ask(node: int, keys: list[str]) -> Question:
        nodes.update(dict.fromkeys(keys, node))
        return Question(node, request(group_ids=keys), answer)

    found = ask_coordinators(cluster, groups, ask, read, name=_NAME)
    return {
        k: g
        if isinstance(g, GroupDescription)
        or (isinstance(g, KafkaError) and g.code not in _NOT_OF_KIND)
        else None
        for k, g in found.items()
    }


def _with_partitions(
    cluster: Cluster, groups: Mapping[str, GroupDescription | PkoError]
) -> dict[str, GroupDescription | PkoError]:
    """Streams groups with the partitions that they and their members' tasks read."""
    topics = {
        name
        for g in groups.values()
        if isinstance(g, GroupDescription)
        for part in g.topology or ()
        for name in (*part.sources, *part.repartitions)
    }
    described = describe_topics(cluster, sorted(topics)) if topics else {}
    counts = {
        str(name): len(t.partitions)
        for name, t in described.items()
        if isinstance(t, TopicDescription)
    }
    return {
        k: reading(g, counts) if isinstance(g, GroupDescription) and g.topology else g
        for k, g in groups.items()
    }


def reading(group: GroupDescription, counts: Mapping[str, int]) -> GroupDescription:
    """A streams group with the partitions that it and its members' tasks read: a task reads the
    partition of its number in each topic that has so many (``counts``)."""
    topics = {part.id: (*part.sources, *part.repartitions) for part in group.topology or ()}
    members = tuple(
        m._replace(
            assigned=tuple(
                (topic, task.partition)
                for task in m.tasks
                if task.role == "active"
                for topic in topics.get(task.subtopology, ())
                if task.partition < counts.get(topic, task.partition + 1)
            )
        )
        for m in group.members
    )
    every = {(t, p) for found in topics.values() for t in found for p in range(counts.get(t, 0))}
    return group._replace(members=members, reads=tuple(sorted(every)))
