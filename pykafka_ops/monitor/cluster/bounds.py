"""Where every log begins or ends: one question per leader, no second try.

What moved between Metadata and the question stays unknown until the next round.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from pykafka_ops.client.cluster import Cluster, Question
from pykafka_ops.client.topics import TopicDescription
from pykafka_ops.errors import PkoError
from pykafka_ops.monitor.cluster.ends import UNKNOWN
from pykafka_ops.wire.messages import list_offsets as lo


class BoundsQuestions(NamedTuple):
    """What to ask the leaders; ``sizes``: one more than the greatest partition of each topic."""

    sizes: Mapping[str, int]
    questions: Sequence[Question]


def bounds(
    cluster: Cluster,
    topics: Iterable[TopicDescription],
    time: int,
    *,
    committed: bool = False,
) -> tuple[dict[str, array[int]], dict[int, PkoError]]:
    """The offset of each partition at ``time`` (ms, or LATEST, EARLIEST), and the brokers that did
    not say. ``UNKNOWN`` also where the log has no record since then. ``committed``: the latest is
    the last stable offset, as READ_COMMITTED has it (KIP-98)."""
    return ask_bounds(cluster, bounds_questions(cluster, topics, time, committed=committed))


def bounds_questions(
    cluster: Cluster, topics: Iterable[TopicDescription], time: int, *, committed: bool = False
) -> BoundsQuestions:
    """What :meth:`bounds` asks, to be asked again for as long as leaders stay."""
    sizes: dict[str, int] = {}
    by_leader: dict[int, list[lo.ListOffsetsTopic]] = {}
    for topic in topics:
        sizes[topic.name] = 1 + max((p.number for p in topic.partitions), default=-1)
        parts: dict[int, list[lo.ListOffsetsPartition]] = {}
        for p in topic.partitions:
            if p.leader in cluster.nodes:
                asked = lo.ListOffsetsPartition(partition_index=p.number, timestamp=time)
                parts.setdefault(p.leader, []).append(asked)
        for leader, partitions in parts.items():
            one = lo.ListOffsetsTopic(name=topic.name, partitions=partitions)
            by_leader.setdefault(leader, []).append(one)
    questions = [
        Question(
            leader,
            lo.ListOffsetsRequest(replica_id=-1, isolation_level=int(committed), topics=asked),
            lo.ListOffsetsResponse,
            lowest=2 if committed else 1,
        )
        for leader, asked in by_leader.items()
    ]
    return BoundsQuestions(sizes, questions)


def ask_bounds(
    cluster: Cluster, asked: BoundsQuestions
) -> tuple[dict[str, array[int]], dict[int, PkoError]]:
    """As :meth:`bounds`."""
    found = {topic: array("q", [UNKNOWN]) * size for topic, size in asked.sizes.items()}
    failed: dict[int, PkoError] = {}
    answers = cluster.call_each(asked.questions, name="listOffsets", once=True)
    for question, answer in zip(asked.questions, answers, strict=True):
        if isinstance(answer, PkoError):
            failed[question.to] = answer
        else:
            _fill(found, answer)
    return found, failed


def _fill(found: dict[str, array[int]], answer: lo.ListOffsetsResponse) -> None:
    for topic in answer.topics:
        offsets = found.get(topic.name)
        if offsets is None:
            continue
        for p in topic.partitions:
            if not p.error_code and 0 <= p.partition_index < len(offsets):
                offsets[p.partition_index] = p.offset
