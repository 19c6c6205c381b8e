"""Which partitions Kafka 4's tools reset and where to, for share and streams groups.

Source: OffsetsUtils of Kafka 4.3.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pykafka_ops.analysis.java_hash import in_hash_order, java_hash, partition_hash
from pykafka_ops.client import offsets
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.seeking import OffsetPlan, Offsets, offsets_at, since
from pykafka_ops.client.topics import TopicDescription, describe_topics
from pykafka_ops.commands.framework.args import Args
from pykafka_ops.commands.framework.types import java_integer
from pykafka_ops.commands.groups.kafka import ScopeError
from pykafka_ops.commands.groups.kafka4 import by_hash, told
from pykafka_ops.commands.groups.kafka4_text import row
from pykafka_ops.commands.groups.reset_plan import MomentError, parse_datetime
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode


def partitions_named(cluster: Cluster, words: Sequence[str]) -> list[Partition]:
    """What ``--topic`` and its like name: first partitions by number, then whole topics. Raises
    ScopeError; KafkaError for a topic that is not there."""
    found = [place for word in words if ":" in word for place in numbered(word)]
    names = [word for word in words if ":" not in word]
    for topic in in_hash_order(names, java_hash):
        found += [(topic, n) for n in range(_described(cluster, [topic])[topic])]
    return found


def numbered(word: str) -> Iterator[Partition]:
    """``TOPIC:0,2``. Raises ScopeError."""
    topic, *rest = word.split(":")
    while rest and not rest[-1]:
        rest.pop()
    if len(rest) != 1:
        raise ScopeError(f"Invalid topic arg '{word}', expected topic name and partitions")
    for part in rest[0].split(","):
        number = java_integer(part)
        if number is None:
            raise ScopeError(f"Invalid partition '{part}' specified in topic arg '{word}''")
        yield topic, number


def _described(cluster: Cluster, names: Sequence[str]) -> dict[str, int]:
    """Partitions of each topic. Raises KafkaError for the first that cannot be had."""
    counts = {}
    for name, found in describe_topics(cluster, names).items():
        if not isinstance(found, TopicDescription):
            raise found
        counts[str(name)] = len(found.partitions)
    return counts


def check_there(cluster: Cluster, places: Sequence[Partition]) -> None:
    """Raise for partitions that no topic has, in the tool's words."""
    with told(caught=True):
        topics = list(dict.fromkeys(topic for topic, _ in places))
        counts = _described(cluster, topics) if topics else {}
    missing = [f"{t}-{n}" for t, n in places if not 0 <= n < counts[t]]
    if missing:
        text = f'The partitions "{",".join(missing)}" do not exist'
        raise KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, text)


def ends_of(cluster: Cluster, places: Sequence[Partition], moment: int) -> Offsets:
    """The offsets of a moment, as the tool words what goes wrong."""
    with told(caught=True):
        return offsets_at(cluster, places, moment)


def at_either_end(cluster: Cluster, args: Args, places: Sequence[Partition]) -> OffsetPlan | None:
    """``--to-earliest``, ``--to-latest`` or ``--to-datetime``; None where none is said."""
    if args.has("to-earliest"):
        return OffsetPlan(ends_of(cluster, places, offsets.EARLIEST), {})
    if args.has("to-latest"):
        return OffsetPlan(ends_of(cluster, places, offsets.LATEST), {})
    if args.has("to-datetime"):
        return at_moment(cluster, datetime_of(args), places)
    return None


def datetime_of(args: Args) -> int:
    """``--to-datetime`` in ms since 1970."""
    try:
        return parse_datetime(args.given("to-datetime")[0])
    except MomentError as error:
        raise MomentError(str(error)) from None


def at_moment(cluster: Cluster, moment: int, places: Sequence[Partition]) -> OffsetPlan:
    """To the first record of a moment (ms) or after it."""
    with told(caught=True):
        return since(cluster, moment, places, {})


def fallen_back(plan: OffsetPlan) -> Iterator[str]:
    """A word on each partition without a record since the moment asked for."""
    for topic, index in in_hash_order(plan.empty, partition_hash):
        yield (
            f"\nWarn: Partition {index} from topic {topic} is empty. "
            "Falling back to latest known offset.\n"
        )


Widths = tuple[int, int, int, int]


def widths_of(plans: Mapping[str, Offsets]) -> Widths:
    """How wide the columns of ``reset_table`` are but with kafka-streams-groups."""
    topics = [len(topic) for places in plans.values() for topic, _ in places]
    return max([15, *map(len, plans)]), max([15, *topics]), 10, 0


def reset_table(plans: Mapping[str, Offsets], widths: Widths) -> Iterator[str]:
    """What is set, by group and partition; each line begins with a line's end."""
    rows: list[tuple[object, ...]] = (
        [("GROUP", "TOPIC", "PARTITION", "NEW-OFFSET")] if plans else []
    )
    for name in in_hash_order(plans, java_hash):
        rows += [(name, topic, n, offset) for (topic, n), offset in by_hash(plans[name])]
    for cells in rows:
        yield "\n" + row(widths, cells)
    yield "\n"
