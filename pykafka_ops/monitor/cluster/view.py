"""A cluster as the last round showed it: what pages, APIs, metrics and alerts read.

Times in ms since 1970, spans in seconds. None: not known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pykafka_ops.analysis.lag.rows import GroupLag
from pykafka_ops.client.eligible import EligibleReplicas
from pykafka_ops.client.glance import BrokerRow
from pykafka_ops.client.group_describe import MemberDescription, Subtopology
from pykafka_ops.client.log_dirs import LogDirDescription
from pykafka_ops.client.quorum import Quorum
from pykafka_ops.client.reassignments import Reassignment
from pykafka_ops.client.topics import TopicDescription
from pykafka_ops.monitor.cluster.answers import NotAsked, Partition
from pykafka_ops.monitor.cluster.links import MirrorLink

NEVER = "never"
"""Retention takes nothing from a group: it has read all, or nothing is ever deleted."""


@dataclass(frozen=True, slots=True)
class WorstPartition:
    """The partition of a group that is worst off, and who reads it ("" nobody)."""

    topic: str
    partition: int
    client_id: str
    host: str


@dataclass(frozen=True, slots=True)
class WatchedGroup:
    """A group: its row of the lag report, who is in it, and what threatens it.

    ``since`` is when its worst verdict began. ``loss_in_seconds`` is when retention takes what it
    has not read; None with ``loss`` NEVER where nothing is taken, else it is not known.
    ``described``: its coordinator told of its members. ``topology`` of a streams group whose topics
    are all there.
    """

    row: GroupLag
    type: str
    coordinator: int
    protocol_type: str
    members: Sequence[MemberDescription]
    topics: Sequence[str]
    since: int | None
    loss_in_seconds: float | None
    loss: str | None
    worst: WorstPartition | None
    assignor: str = ""
    described: bool = True
    topology: Sequence[Subtopology] | None = None

    @property
    def member_count(self) -> int | None:
        """How many members it has."""
        return len(self.members) if self.described else None


@dataclass(frozen=True, slots=True)
class WatchedTopic:
    """A topic: ``rate_in`` in records/s, ``bytes`` of all replicas, offsets by partition."""

    description: TopicDescription
    starts: Sequence[int]
    ends: Sequence[int]
    rate_in: float | None
    bytes: int | None
    settings: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ClusterView:
    """A whole cluster after round ``number``, asked at ``at``, which took ``took_ms``.

    ``error`` says why the newest try failed: then all else is as old as ``at`` says. ``facts`` are
    those of ``pko cluster status``, ``troubled`` the partitions of each kind of trouble, ``links``
    the mirror links into the cluster. ``quorum``: of a cluster in KRaft that told; ``fenced``:
    brokers that are registered, but not let in (None: nobody said); ``eligible``: replicas out of
    the ISR that may lead, of partitions that have too few in it (None: nobody said).
    """

    name: str
    number: int = 0
    at: int | None = None
    took_ms: int = 0
    error: NotAsked | None = None
    cluster_id: str | None = None
    controller: int = -1
    facts: Mapping[str, int | float | None] | None = None
    troubled: Mapping[str, Sequence[Partition]] | None = None
    brokers: Sequence[BrokerRow] = ()
    topics: Mapping[str, WatchedTopic] | None = None
    groups: Mapping[str, WatchedGroup] | None = None
    dirs: Mapping[int, Sequence[LogDirDescription]] | None = None
    moves: Mapping[Partition, Reassignment] | None = None
    not_asked: Sequence[NotAsked] = ()
    links: Sequence[MirrorLink] = ()
    is_kraft: bool = False
    quorum: Quorum | None = None
    fenced: Sequence[int] | None = ()
    eligible: Mapping[Partition, EligibleReplicas] | None = None
