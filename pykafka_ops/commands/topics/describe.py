"""``pko topics describe``: settings, leaders and replicas."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pykafka_ops.client.eligible import EligibleReplicas
from pykafka_ops.client.topics import PartitionDescription
from pykafka_ops.commands.framework.output import Column, Table
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.old_door import is_old
from pykafka_ops.commands.topics import described, old
from pykafka_ops.commands.topics.kafka import REPORTS
from pykafka_ops.commands.topics.marked import marked_topics
from pykafka_ops.commands.topics.values import COUNTED
from pykafka_ops.wire.types import ZERO_UUID, uuid_text

TOPICS = (
    *COUNTED,
    Column("min_isr", "MIN-ISR", right=True),
    Column("topic_id", "ID"),
    Column("configs"),
)


def describe(run: Run) -> Table:
    """Settings and partitions; with a report option only the partitions it means."""
    args = run.args
    marked = marked_topics(run) if is_old(run) else {}
    found, errors = described.wanted_topics(run, [d.topic for d in marked.values()])
    reports = {r.removesuffix("-partitions") for r in REPORTS if args.has(r)}
    slim = bool(reports) and run.output not in ("json", "yaml")
    asked = [t for t in found if t.name not in marked]
    topics = described.with_settings(run.cluster(), asked, slim=slim)
    topics += [marked[t.name] for t in found if t.name in marked]
    topics.sort(key=lambda d: d.topic.name)
    live = set(run.cluster().brokers())
    if args.has("topics-with-overrides"):
        topics = [d for d in topics if d.configs]
    rows, items = [], []
    for d in topics:
        shown = [p for p in d.topic.partitions if not reports or reports & {*d.problems(p, live)}]
        parts = [described.partition_row(d, p, live) for p in shown]
        if not reports or parts:
            items.append({**_topic_row(d), "partitions": parts})
        rows += parts
    heads = Table("", TOPICS, [_topic_row(d) for d in topics])
    return Table(
        "topic-descriptions", described.COLUMNS, rows, items=items, errors=errors,
        kafka=_kafka_text(topics, live, reports, run),
        above=None if reports or args.flags else heads,
    )  # fmt: skip


def _topic_row(d: described.DescribedTopic) -> dict[str, object]:
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


def _kafka_text(
    topics: Sequence[described.DescribedTopic], live: set[int], reports: set[str], run: Run
) -> Iterator[str]:
    """What kafka-topics 3.9 prints, or with ``--zookeeper`` the tool of before 2.2."""
    before = is_old(run)
    for d in topics:
        if not reports:
            yield old.head(d) if before else _kafka_head(d)
        if run.args.has("topics-with-overrides"):
            continue
        for p in d.topic.partitions:
            if not reports or reports & {*d.problems(p, live)}:
                yield old.partition(d, p, reports) if before else _kafka_partition(d, p)


def _kafka_head(d: described.DescribedTopic) -> str:
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


def _kafka_partition(d: described.DescribedTopic, p: PartitionDescription) -> str:
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
    elr = last_known = "N/A"
    if d.eligible is not None:
        may = d.eligible.get(p.number, EligibleReplicas((), ()))
        elr, last_known = ids(may.elr), ids(may.last_known)
    parts += [f"Elr: {elr}", f"LastKnownElr: {last_known}"]
    return "\t".join(parts) + "\n"
