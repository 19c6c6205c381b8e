"""``topics describe`` and ``topics check``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pykafka_ops.client import configs, topics
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.connection import UnsupportedVersionError
from pykafka_ops.client.reassignments import Reassignment, list_reassignments
from pykafka_ops.client.topics import Partition, Topic
from pykafka_ops.commands.framework.args import Args
from pykafka_ops.commands.framework.output import Column, ItemError, Table, counted
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.topics.kafka import REPORTS
from pykafka_ops.commands.topics.listing import NoSuchTopicError, select
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.settings.source import Source
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.types import ZERO_UUID, parse_uuid, uuid_text

_FORGIVEN = (ErrorCode.UNSUPPORTED_VERSION, ErrorCode.CLUSTER_AUTHORIZATION_FAILED)


class Described(NamedTuple):
    """A topic with its own settings and the moves of its partitions."""

    topic: Topic
    configs: dict[str, str]
    min_isr: int
    moves: dict[int, Reassignment]

    def replication_factor(self, p: Partition) -> int:
        """Target replicas: those being added do not count yet (TopicCommand)."""
        move = self.moves.get(p.number)
        if move and set(p.replicas) & {*move.adding, *move.removing}:
            return len(move.replicas) - len(move.adding)
        return len(p.replicas)

    def problems(self, p: Partition, live: set[int]) -> list[str]:
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


# --- describe ------------------------------------------------------------------------------------

TOPIC = (
    Column("topic"),
    Column("partition_count", "PARTITIONS", right=True),
    Column("replication_factor", "REPLICAS", right=True),
    Column("min_isr", "MIN-ISR", right=True),
    Column("topic_id", "ID"),
    Column("configs"),
)
PARTITION = (
    Column("topic"),
    Column("partition", right=True),
    Column("leader", right=True, bad=lambda leader: leader is None),
    Column("replicas"),
    Column("isr"),
    Column("offline", optional=True, bad=bool),
    Column("adding", optional=True),
    Column("removing", optional=True),
    Column("leader_epoch", wide=True, right=True),
    Column("problems", optional=True, bad=bool),
)


def describe(run: Run) -> Table:
    """Settings and partitions; with a report option only the partitions it means."""
    args = run.args
    found, errors = _wanted(run)
    reports = {r.removesuffix("-partitions") for r in REPORTS if args.has(r)}
    slim = bool(reports) and run.output not in ("json", "yaml")
    described = _describe(run.cluster(), found, slim=slim)
    live = set(run.cluster().brokers())
    if args.has("topics-with-overrides"):
        described = [d for d in described if d.configs]
    rows, items = [], []
    for d in described:
        shown = [p for p in d.topic.partitions if not reports or reports & {*d.problems(p, live)}]
        parts = [_partition_row(d, p, live) for p in shown]
        if not reports or parts:
            items.append({**_topic_row(d), "partitions": parts})
        rows += parts
    heads = Table("", TOPIC, [_topic_row(d) for d in described])
    return Table(
        "topic-descriptions", PARTITION, rows, items=items, errors=errors,
        kafka=_kafka_text(described, live, reports, args),
        above=None if reports or args.flags else heads,
    )  # fmt: skip


def _wanted(run: Run) -> tuple[list[Topic], list[ItemError]]:
    """The topics to describe, with their partitions."""
    cluster, args = run.cluster(), run.args
    wanted_id = args.text("topic-id")
    if wanted_id and (topic_id := _uuid(wanted_id)) != ZERO_UUID:
        found = [t for t in topics.all_topics(cluster) if t.id == topic_id]
        if not found and not args.has("if-exists"):
            raise NoSuchTopicError(f"TopicId '{wanted_id}' does not exist as expected")
        return found, []
    every = {t.name: t for t in topics.all_topics(cluster)}
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


def _describe(cluster: Cluster, found: Sequence[Topic], *, slim: bool) -> list[Described]:
    """Add settings and moves, each by one question for all topics.

    ``slim``: of the settings only the one that tells partitions in trouble.
    """
    resources = [configs.Resource(configs.TOPIC, t.name) for t in found]
    keys = ["min.insync.replicas"] if slim else None
    entries = configs.describe_configs(cluster, resources, keys=keys) if found else {}
    moves = _moves(cluster, found)
    described = []
    for topic, resource in zip(found, resources, strict=True):
        settings = entries[resource]
        if isinstance(settings, PkoError):
            raise settings
        min_isr = next((e.value for e in settings if e.name == "min.insync.replicas"), None)
        own = {
            e.name: "null" if e.value is None else e.value
            for e in sorted(settings, key=lambda e: e.name)
            if e.source != Source.DEFAULT_CONFIG
        }
        mine = {p: move for (name, p), move in moves.items() if name == topic.name}
        described.append(Described(topic, own, int(min_isr or 1), mine))
    return described


def _moves(cluster: Cluster, found: Sequence[Topic]) -> dict[tuple[str, int], Reassignment]:
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


def _topic_row(d: Described) -> dict[str, object]:
    first = d.topic.partitions[:1]
    return {
        "topic": d.topic.name,
        "topic_id": uuid_text(d.topic.id) if d.topic.id != ZERO_UUID else None,
        "internal": d.topic.internal,
        "partition_count": len(d.topic.partitions),
        "replication_factor": sum(d.replication_factor(p) for p in first),
        "min_isr": d.min_isr,
        "configs": d.configs,
    }


def _partition_row(d: Described, p: Partition, live: set[int]) -> dict[str, object]:
    move = d.moves.get(p.number)
    problems = [x for x in d.problems(p, live) if x != "at-min-isr"]
    return {
        "topic": d.topic.name,
        "partition": p.number,
        "leader": p.leader if p.leader >= 0 else None,
        "leader_epoch": p.leader_epoch,
        "replicas": p.replicas,
        "isr": p.isr,
        "offline": p.offline,
        "adding": list(move.adding) if move else [],
        "removing": list(move.removing) if move else [],
        "problems": problems,
    }


def _kafka_text(
    described: Sequence[Described], live: set[int], reports: set[str], args: Args
) -> Iterator[str]:
    """Kafka 3.9's describe."""
    for d in described:
        if not reports:
            yield _kafka_head(d)
        if args.has("topics-with-overrides"):
            continue
        for p in d.topic.partitions:
            if not reports or reports & {*d.problems(p, live)}:
                yield _kafka_partition(d, p)


def _kafka_head(d: Described) -> str:
    topic = d.topic
    parts = [f"Topic: {topic.name}"]
    if topic.id != ZERO_UUID:
        parts.append(f"TopicId: {uuid_text(topic.id)}")
    parts += [
        f"PartitionCount: {len(topic.partitions)}",
        f"ReplicationFactor: {sum(d.replication_factor(p) for p in topic.partitions[:1])}",
        "Configs: " + ",".join(f"{k}={v}" for k, v in d.configs.items()),
    ]
    return "\t".join(parts) + "\n"


def _kafka_partition(d: Described, p: Partition) -> str:
    def ids(numbers: Sequence[int]) -> str:
        return ",".join(map(str, numbers))

    parts = [
        f"\tTopic: {d.topic.name}",
        f"Partition: {p.number}",
        f"Leader: {p.leader if p.leader >= 0 else 'none'}",
        f"Replicas: {ids(p.replicas)}",
        f"Isr: {ids(p.isr)}",
    ]
    move = d.moves.get(p.number)
    if move:
        parts += [
            f"Adding Replicas: {ids(move.adding)}",
            f"Removing Replicas: {ids(move.removing)}",
        ]
    parts += ["Elr: N/A", "LastKnownElr: N/A"]
    return "\t".join(parts) + "\n"


# --- check ---------------------------------------------------------------------------------------


def check(run: Run) -> Table:
    """Partitions in trouble; exit code 4 where there are any."""
    found, errors = _wanted(run)
    live = set(run.cluster().brokers())
    rows = []
    for d in _describe(run.cluster(), found, slim=True):
        parts = [_partition_row(d, p, live) for p in d.topic.partitions]
        rows += [row for row in parts if row["problems"]]
    notes = [] if rows else [f"{counted(found, 'topic')}, no partition in trouble"]
    return Table(
        "topic-problems", PARTITION, rows, errors=errors, notes=notes,
        exit_code=4 if rows else None,
    )  # fmt: skip
