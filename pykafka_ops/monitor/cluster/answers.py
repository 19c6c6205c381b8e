"""What a cluster answered in one round. Times in ms since 1970; what nobody said is not there."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from pykafka_ops.client.cluster import Node
from pykafka_ops.client.commit_log import Commits
from pykafka_ops.client.group_describe import GroupDescription
from pykafka_ops.client.groups import GroupListing
from pykafka_ops.client.log_dirs import LogDirDescription
from pykafka_ops.client.quorum import Quorum
from pykafka_ops.client.reassignments import Reassignment
from pykafka_ops.client.share_offsets import ShareStart
from pykafka_ops.client.topics import TopicDescription
from pykafka_ops.errors import KafkaError

Partition = tuple[str, int]
Ends = Mapping[str, "array[int]"]
"""Offsets by topic and partition; -1 where nobody said."""


class NotAsked(NamedTuple):
    """Something that could not be had: what, Kafka's name of the error, its text."""

    what: str
    error: str
    message: str


@dataclass(slots=True)
class Answers:
    """All of a round. ``groups`` None: no broker listed them; those that are ``unlisted`` did not,
    so that groups may be missing, and of these ``silent_brokers`` said nothing at all. ``dirs`` and
    ``settings`` may be from an earlier round. ``stable``: where readers of committed records come
    to the end of topics that are mirrored. ``shares``: where share groups are, as of ``shares_at``;
    groups that did not tell are not there. ``is_kraft``: brokers know of a quorum; ``fenced`` None:
    nobody said."""

    at: int
    took_ms: int = 0
    cluster_id: str | None = None
    controller: int = -1
    controller_known: bool = True
    nodes: Mapping[int, Node] = field(default_factory=dict)
    topics: Mapping[str, TopicDescription] = field(default_factory=dict)
    ends: Ends = field(default_factory=dict)
    starts: Ends = field(default_factory=dict)
    stable: Ends = field(default_factory=dict)
    listed: Mapping[str, GroupListing] | None = None
    described: Mapping[str, GroupDescription] = field(default_factory=dict)
    unlisted: frozenset[int] = frozenset()
    silent_brokers: frozenset[int] = frozenset()
    commits: Commits = field(default_factory=dict)
    offsets: dict[str, list[tuple[Partition, int]]] = field(default_factory=dict)
    shares: Mapping[str, Mapping[Partition, ShareStart | KafkaError]] = field(default_factory=dict)
    shares_at: int = -1
    is_kraft: bool = False
    quorum: Quorum | None = None
    fenced: Sequence[int] | None = ()
    dirs: Mapping[int, list[LogDirDescription]] = field(default_factory=dict)
    settings: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    moves: Mapping[Partition, Reassignment] | None = None
    not_asked: list[NotAsked] = field(default_factory=list)
