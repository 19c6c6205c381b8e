"""Which topics, settings and replicas a command line means, checked as TopicCommand does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pykafka_ops.client.generation import is_kafka_4
from pykafka_ops.commands.framework.output import Column, ItemError
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.framework.topic_filter import chosen, included, missing_topics
from pykafka_ops.commands.framework.types import java_integer
from pykafka_ops.commands.old_door import is_old
from pykafka_ops.errors import PkoError

COUNTED = (
    Column("topic"),
    Column("partition_count", "PARTITIONS", right=True),
    Column("replication_factor", "REPLICAS", right=True),
)


class TopicProblem(PkoError):  # noqa: N818 - a request that is refused, not a fault
    """What TopicCommand refuses on its own, in its words."""


def parse_assignment(text: str) -> dict[int, list[int]]:
    """``1:2,2:3`` as brokers per partition; TopicProblem."""
    found: dict[int, list[int]] = {}
    if not text:
        return found
    for i, part in enumerate(text.rstrip(",").split(",")):
        brokers = [_broker_id(word.strip()) for word in part.split(":")]
        twice = sorted({b for b in brokers if brokers.count(b) > 1})
        if twice:
            raise TopicProblem(
                "Partition replica lists may not contain duplicate entries: "
                + ",".join(map(str, twice))
            )
        found[i] = brokers
        if len(brokers) != len(found[0]):
            raise TopicProblem(f"Partition {i} has different replication factor: {brokers}")
    return found


def _broker_id(word: str) -> int:
    value = java_integer(word)
    if value is None:
        raise TopicProblem(f'For input string: "{word}"')
    return value


def parse_configs(pairs: Sequence[str], *, strict: bool = False) -> dict[str, str]:
    """``key=val`` pairs; ``strict`` as Kafka: no further ``=`` in a value. TopicProblem."""
    found = {}
    for pair in pairs:
        key, _, value = (part.strip() for part in pair.partition("="))
        if not value or (strict and "=" in value):
            raise TopicProblem(
                "requirement failed: Invalid topic config: "
                'all configs to be added must be in the format "key=val".'
            )
        found[key] = value
    return found


def validate(settings: Mapping[str, str]) -> None:
    """What kafka-topics checks before it asks a broker (LogConfig.validate); TopicProblem."""
    if not settings:
        return
    from pykafka_ops.settings.topic import TOPIC

    for name in settings:
        if name not in TOPIC:
            raise TopicProblem(f"Unknown topic config name: {name}")
    for name, value in settings.items():
        TOPIC[name].parse(value)


class NoSuchTopicError(PkoError):
    """The topic asked for does not exist, in the words of Kafka's tool."""


def select(run: Run, names: Sequence[str]) -> tuple[list[str], list[ItemError]]:
    """Those of ``names`` that are meant, in either form, and an error for each word that means
    none. Raises NoSuchTopicError in Kafka's form."""
    args = run.args
    exclude = args.has("exclude-internal")
    if not args.flags:
        found, missing = chosen(
            names, args.texts("topic"), regex=args.has("regex"), exclude_internal=exclude
        )
        if args.has("if-exists"):
            missing = []
        return found, missing_topics(run.cluster(), missing, names)
    raw = args.text("topic")
    found = included(names, raw, exclude_internal=exclude)
    if raw and not found and is_old(run) and not args.has("if-exists"):
        raise NoSuchTopicError(f"Topic {raw} does not exist on ZK path {args.text('zookeeper')}")
    if raw and not found and not args.has("if-exists"):
        shown = raw if is_kafka_4(run.cluster()) else f"Optional[{raw}]"
        raise NoSuchTopicError(f"Topic '{shown}' does not exist as expected")
    return found, []
