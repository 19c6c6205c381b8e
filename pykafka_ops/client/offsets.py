"""Offsets of partitions by time or by one of Kafka's special times.

Source: KIP-79, KIP-734 (max timestamp), KIP-405 and KIP-1005 (earliest local, latest tiered),
KIP-1023 (earliest that is to be tiered).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from pykafka_ops.client.answers import by_topic, error_of
from pykafka_ops.client.cluster import Cluster, Question
from pykafka_ops.client.leaders import Answers, Partition, ask_leaders
from pykafka_ops.errors import PkoError
from pykafka_ops.wire.messages import list_offsets as lo

LATEST: Final = -1
EARLIEST: Final = -2
MAX_TIMESTAMP: Final = -3
EARLIEST_LOCAL: Final = -4
LATEST_TIERED: Final = -5
EARLIEST_PENDING_UPLOAD: Final = -6
_LOWEST: Final = {
    MAX_TIMESTAMP: 7, EARLIEST_LOCAL: 8, LATEST_TIERED: 9, EARLIEST_PENDING_UPLOAD: 11,
}  # fmt: skip


class Offset(NamedTuple):
    """An offset (-1: none), the record's timestamp in ms (-1: unknown), its leader epoch."""

    offset: int
    timestamp: int
    leader_epoch: int


def list_offsets(
    cluster: Cluster,
    wanted: Mapping[Partition, int],
    *,
    read_committed: bool = False,
    leaders: Mapping[Partition, int] | None = None,
) -> dict[Partition, Offset | PkoError]:
    """For each partition the offset at its time (ms, or one of the special times above).

    ``leaders`` as ``ask_leaders``.
    """

    def ask(node: int, part: dict[Partition, int]) -> Question:
        topics = by_topic(
            (topic, lo.ListOffsetsPartition(partition_index=index, timestamp=time))
            for (topic, index), time in part.items()
        )
        request = lo.ListOffsetsRequest(
            replica_id=-1,
            isolation_level=int(read_committed),
            topics=[lo.ListOffsetsTopic(name=t, partitions=p) for t, p in topics.items()],
        )
        lowest = max((_LOWEST.get(time, 1) for time in part.values()), default=1)
        return Question(node, request, lo.ListOffsetsResponse, lowest=lowest)

    return ask_leaders(cluster, wanted, ask, _read, name="listOffsets", leaders=leaders)


def offsets_before(
    cluster: Cluster, wanted: Mapping[Partition, int], count: int
) -> dict[Partition, list[int] | PkoError]:
    """For each partition up to ``count`` offsets at which segments begin that are older than its
    time, the newest first; for LATEST the end comes before them.

    ListOffsets v0, which brokers before 4.0 answer; UnsupportedVersionError.
    """

    def ask(node: int, part: dict[Partition, int]) -> Question:
        topics = by_topic(
            (t, lo.ListOffsetsPartition(partition_index=n, timestamp=time, max_num_offsets=count))
            for (t, n), time in part.items()
        )
        request = lo.ListOffsetsRequest(
            replica_id=-1,
            topics=[lo.ListOffsetsTopic(name=t, partitions=p) for t, p in topics.items()],
        )
        return Question(node, request, lo.ListOffsetsResponse, 0, 0)

    def read(response: lo.ListOffsetsResponse) -> Answers[list[int]]:
        for topic in response.topics:
            for p in topic.partitions:
                yield (topic.name, p.partition_index), error_of(p), p.old_style_offsets

    return ask_leaders(cluster, wanted, ask, read, name="listOffsets")


def known_offsets(
    cluster: Cluster, partitions: Iterable[Partition], time: int
) -> dict[Partition, Offset]:
    """As ``list_offsets`` for one time, without partitions that have no answer (a deleted topic).

    Asks nobody where there are no partitions.
    """
    wanted = dict.fromkeys(partitions, time)
    found = list_offsets(cluster, wanted) if wanted else {}
    return {p: o for p, o in found.items() if isinstance(o, Offset)}


def _read(response: lo.ListOffsetsResponse) -> Answers[Offset]:
    for topic in response.topics:
        for p in topic.partitions:
            value = Offset(p.offset, p.timestamp, p.leader_epoch)
            yield (topic.name, p.partition_index), error_of(p), value
