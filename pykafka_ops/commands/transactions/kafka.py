"""The table of kafka-transactions and its words for failures; what pko's form checks instead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.topics import TopicDescription, all_topics, describe_topics
from pykafka_ops.commands.framework.absent import no_partition
from pykafka_ops.commands.framework.failures import text_of
from pykafka_ops.commands.framework.output import Column, numbers
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.framework.topic_filter import missing_topic
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.wire.codes import ErrorCode

PRODUCER = (*numbers("producer_id"), Column("producer_epoch", "EPOCH", right=True))


class ToolError(PkoError):
    """A failure in the tool's own words."""


def could_not(run: Run, what: str, error: PkoError) -> PkoError:
    """``error`` in pko's form, :func:`failed` in Kafka's."""
    return failed(what, error) if run.args.flags else error


def failed(what: str, error: PkoError) -> ToolError:
    """``Failed to WHAT: reason``, as kafka-transactions ends."""
    reason = text_of(error)
    stop = "" if reason.endswith(".") else "."
    return ToolError(
        f"Failed to {what}: {reason}{stop} Enable debug logging for additional detail."
    )


def table(titles: Sequence[str], rows: Sequence[Sequence[object]]) -> Iterator[str]:
    """Columns as wide as their longest cell, a tab behind each."""
    lines = [list(titles), *([str(cell) for cell in row] for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(titles))]
    for line in lines:
        cells = (f"{cell:<{width}}\t" for cell, width in zip(line, widths, strict=True))
        yield "".join(cells) + "\n"


def check_there(cluster: Cluster, name: str, number: int | None) -> None:
    """Raises KafkaError for a topic that does not exist, with the name that is near, and for a
    partition that it does not have: their leaders would be looked for until time runs out."""
    topic = describe_topics(cluster, [name])[name]
    if not isinstance(topic, TopicDescription):
        if topic.code != ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
            raise topic
        error = missing_topic(name, [t.name for t in all_topics(cluster)])
        raise KafkaError(error.code, error.message)
    if number is not None and number not in {p.number for p in topic.partitions}:
        raise no_partition(name, number, len(topic.partitions))
