"""Committed offsets of groups: read, written and deleted at their coordinators."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from pykafka_ops.client.answers import by_topic, complete, error_of
from pykafka_ops.client.cluster import Cluster, Question
from pykafka_ops.client.connection import UnsupportedVersionError
from pykafka_ops.client.coordinators import Answers, ask_coordinators
from pykafka_ops.client.leaders import Partition
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.wire.messages import offset_commit as oc
from pykafka_ops.wire.messages import offset_delete as od
from pykafka_ops.wire.messages import offset_fetch as of
from pykafka_ops.wire.messages.delete_groups import DeleteGroupsRequest, DeleteGroupsResponse

Results = dict[Partition, KafkaError | None]
"""Per partition None, or what went wrong there."""


class Committed(NamedTuple):
    """The next offset a group reads, the leader epoch it knew (-1: none), its own note."""

    offset: int
    leader_epoch: int
    metadata: str


Offsets = dict[Partition, Committed | KafkaError]


def fetch_offsets(
    cluster: Cluster,
    groups: Iterable[str],
    *,
    stable: bool = False,
    only: Iterable[Partition] | None = None,
) -> dict[str, Offsets | PkoError]:
    """All committed offsets of each group, many groups in one question (KIP-709, brokers >= 3.0).

    Partitions without a commit are left out; an unknown group has no offsets. ``only`` these
    partitions are asked for, None: all. ``stable``: what a transaction is about to commit is the
    error UNSTABLE_OFFSET_COMMIT (KIP-447, brokers >= 2.5); of a partition that never had a commit
    Apache Kafka says so ``only`` where it is asked for by name.
    """
    wanted = list(dict.fromkeys(groups))
    topics = None
    if only is not None:
        topics = [of.OffsetFetchRequestTopic(name=t, partition_indexes=p)
                  for t, p in by_topic(only).items()]  # fmt: skip

    def together(node: int, keys: list[str]) -> Question:
        request = of.OffsetFetchRequest(
            groups=[of.OffsetFetchRequestGroup(group_id=k, topics=topics) for k in keys],
            require_stable=stable,
        )
        return Question(node, request, of.OffsetFetchResponse, lowest=8)

    found = _fetch(cluster, wanted, together, _read_many)
    old = [k for k, v in found.items() if isinstance(v, UnsupportedVersionError)]
    for key in old:  # an answer before version 8 does not name its group

        def alone(node: int, keys: list[str]) -> Question:
            request = of.OffsetFetchRequest(group_id=keys[0], topics=topics, require_stable=stable)
            lowest = 7 if stable else 2
            return Question(node, request, of.OffsetFetchResponse, lowest=lowest, highest=7)

        found.update(
            _fetch(cluster, [key], alone, lambda a, k=key: [(k, error_of(a), _offsets(a))])
        )
    return found


def _fetch(
    cluster: Cluster, keys: Sequence[str], ask: Any, read: Any
) -> dict[str, Offsets | PkoError]:
    return ask_coordinators(cluster, keys, ask, read, name="listConsumerGroupOffsets")


def _read_many(answer: of.OffsetFetchResponse) -> Answers[Offsets]:
    for g in answer.groups:
        yield g.group_id, error_of(g), _offsets(g)


def _offsets(answer: Any) -> Offsets:
    found: Offsets = {}
    for topic in answer.topics:
        for p in topic.partitions:
            key = topic.name, p.partition_index
            if error := error_of(p):
                found[key] = error
            elif p.committed_offset >= 0:
                found[key] = Committed(
                    p.committed_offset, p.committed_leader_epoch, p.metadata or ""
                )
    return found


def commit_offsets(
    cluster: Cluster,
    group: str,
    offsets: Mapping[Partition, Committed],
    *,
    member_id: str = "",
    generation: int = -1,
) -> Results | PkoError:
    """Commit for a group without members (generation -1), or as one of its members.

    Per partition how it went.
    """
    topics = by_topic(
        (
            topic,
            oc.OffsetCommitRequestPartition(
                partition_index=index,
                committed_offset=value.offset,
                committed_leader_epoch=value.leader_epoch,
                committed_metadata=value.metadata,
            ),
        )
        for (topic, index), value in offsets.items()
    )
    request = oc.OffsetCommitRequest(
        group_id=group,
        generation_id_or_member_epoch=generation,
        member_id=member_id,
        topics=[oc.OffsetCommitRequestTopic(name=t, partitions=p) for t, p in topics.items()],
    )

    def ask(node: int, keys: list[str]) -> Question:
        return Question(node, request, oc.OffsetCommitResponse, lowest=1)

    def read(answer: oc.OffsetCommitResponse) -> Answers[Results]:
        results = _results(answer)
        moved = next((e for e in results.values() if e and e.code in _WHOLE), None)
        yield group, moved, results

    found = ask_coordinators(cluster, [group], ask, read, name="alterConsumerGroupOffsets")
    return found[group]


_WHOLE = frozenset((14, 15, 16))
"""COORDINATOR_LOAD_IN_PROGRESS, _NOT_AVAILABLE, NOT_COORDINATOR: set on one, true of all."""


def _results(answer: Any) -> Results:
    return {(t.name, p.partition_index): error_of(p) for t in answer.topics for p in t.partitions}


def delete_offsets(
    cluster: Cluster, group: str, partitions: Iterable[Partition]
) -> Results | PkoError:
    """Delete committed offsets (KIP-496); per partition how it went, one that the answer leaves out
    among them, or what hit the group."""
    wanted = list(partitions)
    topics = by_topic((t, od.OffsetDeleteRequestPartition(partition_index=p)) for t, p in wanted)
    request = od.OffsetDeleteRequest(
        group_id=group,
        topics=[od.OffsetDeleteRequestTopic(name=t, partitions=p) for t, p in topics.items()],
    )

    def ask(node: int, keys: list[str]) -> Question:
        return Question(node, request, od.OffsetDeleteResponse)

    def read(answer: od.OffsetDeleteResponse) -> Answers[Results]:
        results = complete(_results(answer), wanted)
        yield group, error_of(answer), results

    found = ask_coordinators(cluster, [group], ask, read, name="deleteConsumerGroupOffsets")
    return found[group]


def delete_groups(cluster: Cluster, groups: Iterable[str]) -> dict[str, PkoError | None]:
    """Delete groups without members, with all their offsets; per group None or what went wrong."""

    def ask(node: int, keys: list[str]) -> Question:
        return Question(node, DeleteGroupsRequest(groups_names=keys), DeleteGroupsResponse)

    def read(answer: DeleteGroupsResponse) -> Answers[None]:
        for r in answer.results:
            yield r.group_id, error_of(r), None

    return ask_coordinators(cluster, groups, ask, read, name="deleteConsumerGroups")
