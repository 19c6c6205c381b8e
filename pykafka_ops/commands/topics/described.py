"""What ``topics describe`` and ``check`` ask of a cluster: partitions, settings, moves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pykafka_ops.client import configs
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.connection import UnsupportedVersionError
from pykafka_ops.client.eligible import EligibleReplicas, eligible_replicas
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.reassignments import Reassignment, list_reassignments
from pykafka_ops.client.topics import PartitionDescription, TopicDescription, all_topics
from pykafka_ops.commands.framework.output import PLACE, Column, ItemError
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.topics.values import NoSuchTopicError, select
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.settings.source import ConfigSource
from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.types import ZERO_UUID, parse_uuid

_FORGIVEN = (ErrorCode.UNSUPPORTED_VERSION, ErrorCode.CLUSTER_AUTHORIZATION_FAILED)

COLUMNS = (
    *PLACE,
    Column("leader", right=True, bad=lambda leader: leader is None),
    Column("replicas"),
    Column("isr"),
    Column("elr", optional=True),
    Column("last_known_elr", optional=True),
    Column("offline", optional=True, bad=bool),
    Column("adding", optional=True),
    Column("removing", optional=True),
    Column("leader_epoch", wide=True, right=True),
    Column("problems", optional=True, bad=bool),
)


class DescribedTopic(NamedTuple):
    """A topic with its own settings and the moves of its partitions."""

    topic: TopicDescription
    configs: dict[str, str]
    min_isr: int
    moves: dict[int, Reassignment]
    marked: bool = False
    """Whether it is to be deleted, and is still in ZooKeeper."""
    eligible: Mapping[int, EligibleReplicas] | None = None
    """Replicas out of the ISR that may lead, of partitions that have any; None: the cluster has no
    such thing."""

    def replication_factor(self, p: PartitionDescription) -> int:
        """Target replicas: those being added do not count yet (TopicCommand)."""
        move = self.moves.get(p.number)
        if move and set(p.replicas) & {*move.adding, *move.removing}:
            return len(move.replicas) - len(move.adding)
        return len(p.replicas)

    def problems(self, p: PartitionDescription, live: set[int]) -> list[str]:
        """Which of Kafka's four reports the partition belongs to."""
        found = []
        if self.replication_factor(p) > len(p.isr):
            found.append("under-replicated")
        if p.leader < 0 or p.leader not in live:
            found.append("unavailable")
        if p.leader < 0 or len(p.isr) < self.min_isr:
            found.append("under-min-isr")
        if len(p.isr) == self.min_isr:
            found.append("at-min-isr")
        return found


def wanted_topics(
    run: Run, more: Sequence[TopicDescription] = ()
) -> tuple[list[TopicDescription], list[ItemError]]:
    """The topics to describe, with their partitions; ``more``: those that brokers do
    not list."""
    cluster, args = run.cluster(), run.args
    wanted_id = args.text("topic-id")
    if wanted_id and (topic_id := _uuid(wanted_id)) != ZERO_UUID:
        found = [t for t in all_topics(cluster) if t.id == topic_id]
        if not found and not args.has("if-exists"):
            raise NoSuchTopicError(f"TopicId '{wanted_id}' does not exist as expected")
        return found, []
    every = {t.name: t for t in (*all_topics(cluster), *more)}
    names, errors = select(run, list(every))
    return [every[n] for n in names], errors


def _uuid(text: str) -> bytes:
    """Uuid.fromString, with its complaints."""
    try:
        return parse_uuid(text)
    except PkoError:
        pass
    if len(text) > 24:
        raise NoSuchTopicError(
            f"Input string with prefix `{text[:24]}` is too long to be decoded as a base64 UUID"
        )
    raise NoSuchTopicError(
        f"Input string `{text}` decoded as {len(text.rstrip('=')) * 3 // 4} bytes, which is not "
        "equal to the expected 16 bytes of a base64-encoded UUID"
    )


def with_settings(
    cluster: Cluster, found: Sequence[TopicDescription], *, slim: bool
) -> list[DescribedTopic]:
    """Add settings and moves, each with one question for all topics. Raises KafkaError.

    ``slim``: of the settings only the one that partitions in trouble show by.
    """
    resources = [configs.ConfigResource(configs.TOPIC, t.name) for t in found]
    keys = ["min.insync.replicas"] if slim else None
    entries = configs.describe_configs(cluster, resources, keys=keys) if found else {}
    moves = _moves(cluster, found)
    eligible = _eligible(cluster, found)
    described = []
    for topic, resource in zip(found, resources, strict=True):
        settings = entries[resource]
        if isinstance(settings, PkoError):
            raise settings
        min_isr = next((e.value for e in settings if e.name == "min.insync.replicas"), None)
        own = {
            e.name: "null" if e.value is None else e.value
            for e in sorted(settings, key=lambda e: e.name)
            if e.source != ConfigSource.DEFAULT_CONFIG
        }
        mine = {p: move for (name, p), move in moves.items() if name == topic.name}
        made = DescribedTopic(topic, own, int(min_isr or 1), mine)
        if eligible is not None:
            may = {n: e for (name, n), e in eligible.items() if name == topic.name}
            made = made._replace(eligible=may)
        described.append(made)
    return described


def _eligible(
    cluster: Cluster, found: Sequence[TopicDescription]
) -> dict[Partition, EligibleReplicas] | None:
    """Asked of topics that lack replicas in sync: others have none. None where the cluster, or
    this login, knows nothing of it."""
    if ApiKey.DESCRIBE_TOPIC_PARTITIONS not in cluster.announced:
        return None
    short = {t.name for t in found if any(len(p.isr) < len(p.replicas) for p in t.partitions)}
    try:
        return eligible_replicas(cluster, short)
    except UnsupportedVersionError:  # a broker that is older than the one before
        return None
    except KafkaError as error:
        if error.code in _FORGIVEN:
            return None
        raise


def _moves(
    cluster: Cluster, found: Sequence[TopicDescription]
) -> dict[tuple[str, int], Reassignment]:
    """Moves under way; none where the cluster does not say."""
    if not found:
        return {}
    try:
        return list_reassignments(cluster)
    except UnsupportedVersionError:
        return {}
    except KafkaError as e:
        if e.code in _FORGIVEN:
            return {}
        raise


def partition_row(d: DescribedTopic, p: PartitionDescription, live: set[int]) -> dict[str, object]:
    """A row of COLUMNS; ``live``: the ids of the brokers that are up."""
    move = d.moves.get(p.number)
    problems = [x for x in d.problems(p, live) if x != "at-min-isr"]
    may = (d.eligible or {}).get(p.number)
    return {
        "topic": d.topic.name,
        "partition": p.number,
        "leader": p.leader if p.leader >= 0 else None,
        "leader_epoch": p.leader_epoch,
        "replicas": p.replicas,
        "isr": p.isr,
        "elr": list(may.elr) if may else [],
        "last_known_elr": list(may.last_known) if may else [],
        "offline": p.offline,
        "adding": list(move.adding) if move else [],
        "removing": list(move.removing) if move else [],
        "problems": problems,
    }
