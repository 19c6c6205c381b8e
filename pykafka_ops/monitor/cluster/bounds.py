"""Where every log begins or ends: one question per leader, no second try.

What moved between Metadata and the question stays unknown until the next round.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable

from pykafka_ops.client.cluster import Cluster, Question
from pykafka_ops.client.topics import TopicDescription
from pykafka_ops.errors import PkoError
from pykafka_ops.monitor.cluster.ends import UNKNOWN
from pykafka_ops.wire.messages import list_offsets as lo


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
    found: dict[str, array[int]] = {}
    by_leader: dict[int, list[lo.ListOffsetsTopic]] = {}
    for topic in topics:
        size = 1 + max((p.number for p in topic.partitions), default=-1)
        found[topic.name] = array("q", [UNKNOWN]) * size
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
    failed: dict[int, PkoError] = {}
    answers = cluster.call_each(questions, name="listOffsets", once=True)
    for leader, answer in zip(by_leader, answers, strict=True):
        if isinstance(answer, PkoError):
            failed[leader] = answer
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
