"""Where share groups are (KIP-932): read, altered and deleted at their coordinators."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from pykafka_ops.client.answers import by_topic, complete, error_of
from pykafka_ops.client.cluster import Cluster, Question
from pykafka_ops.client.coordinators import Answers, ask_coordinator, ask_coordinators
from pykafka_ops.client.leaders import Partition
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.wire.messages import alter_share_group_offsets as alter
from pykafka_ops.wire.messages import delete_share_group_offsets as delete
from pykafka_ops.wire.messages import describe_share_group_offsets as describe


class ShareStart(NamedTuple):
    """The first offset that a share group is not done with, and how many records it has yet to do.

    ``start`` is None before its members have come to the partition, ``lag`` also where the broker
    does not say (before 4.2, KIP-1226): behind the start records may be done. ``epoch``: of the
    partition's leader when the group came there.
    """

    start: int | None
    lag: int | None
    epoch: int | None = None


def fetch_share_offsets(
    cluster: Cluster, groups: Iterable[str]
) -> dict[str, dict[Partition, ShareStart | KafkaError] | PkoError]:
    """Every partition of each share group, or what its coordinator says instead."""

    def ask(node: int, keys: list[str]) -> Question:
        request = describe.DescribeShareGroupOffsetsRequest(
            groups=[
                describe.DescribeShareGroupOffsetsRequestGroup(group_id=k, topics=None)
                for k in keys
            ]
        )
        return Question(node, request, describe.DescribeShareGroupOffsetsResponse)

    return ask_coordinators(cluster, groups, ask, _read, name="listShareGroupOffsets")


def _read(
    answer: describe.DescribeShareGroupOffsetsResponse,
) -> Answers[dict[Partition, ShareStart | KafkaError]]:
    for g in answer.groups:
        found: dict[Partition, ShareStart | KafkaError] = {}
        for t in g.topics:
            for p in t.partitions:
                start = ShareStart(_known(p.start_offset), _known(p.lag), _known(p.leader_epoch))
                found[t.topic_name, p.partition_index] = error_of(p) or start
        yield g.group_id, error_of(g), found


def _known(number: int) -> int | None:
    return number if number >= 0 else None


def alter_share_offsets(
    cluster: Cluster, group: str, starts: Mapping[Partition, int]
) -> dict[Partition, KafkaError | None]:
    """Let a share group without members begin at these offsets; per partition how it went, one that
    the answer leaves out among them. Raises what failed as a whole."""
    topics = by_topic(
        (topic, alter.AlterShareGroupOffsetsRequestPartition(partition_index=p, start_offset=start))
        for (topic, p), start in starts.items()
    )
    request = alter.AlterShareGroupOffsetsRequest(
        group_id=group,
        topics=[
            alter.AlterShareGroupOffsetsRequestTopic(topic_name=t, partitions=found)
            for t, found in topics.items()
        ],
    )
    answer = ask_coordinator(cluster, group, request, alter.AlterShareGroupOffsetsResponse)
    if error := error_of(answer):
        raise error
    found = {
        (t.topic_name, p.partition_index): error_of(p)
        for t in answer.responses
        for p in t.partitions
    }
    return complete(found, starts)


def delete_share_offsets(
    cluster: Cluster, group: str, topics: Iterable[str]
) -> dict[str, KafkaError | None]:
    """Let a share group without members forget topics; per topic how it went, one that the answer
    leaves out among them. Raises what failed as a whole."""
    wanted = list(topics)
    request = delete.DeleteShareGroupOffsetsRequest(
        group_id=group,
        topics=[delete.DeleteShareGroupOffsetsRequestTopic(topic_name=t) for t in wanted],
    )
    answer = ask_coordinator(cluster, group, request, delete.DeleteShareGroupOffsetsResponse)
    if error := error_of(answer):
        raise error
    return complete({t.topic_name: error_of(t) for t in answer.responses}, wanted)
