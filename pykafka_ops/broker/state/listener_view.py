"""The cluster as clients see it who come by one listener."""

from __future__ import annotations

from typing import NamedTuple

from pykafka_ops.analysis.java_hash import partition_for
from pykafka_ops.broker.state.image import BrokerEndpoint, MetadataImage, PartitionImage
from pykafka_ops.wire.codes import ErrorCode

NO_LEADER_ID = -1
_FIRST_VERSION_WITH_LISTENER_ERRORS = 6


class PartitionView(NamedTuple):
    """A partition: what keeps clients from it, its leader (-1: none can be reached), replicas."""

    error: ErrorCode
    leader: int
    replicas: list[int]
    isr: list[int]


class ListenerView:
    """``nodes`` are the brokers that can be reached: id, endpoint and rack.

    ``version`` is that of Metadata. Version 0 leaves out replicas that cannot be reached, and says
    so; others before v6 do not know LISTENER_NOT_FOUND.
    """

    def __init__(self, image: MetadataImage, listener: str, version: int) -> None:
        self.nodes = image.nodes(listener)
        self._alive = image.brokers.keys()
        self._reachable = {id_ for id_, _, _ in self.nodes}
        self._filter = version == 0
        self._no_listener = (
            ErrorCode.LISTENER_NOT_FOUND
            if version >= _FIRST_VERSION_WITH_LISTENER_ERRORS
            else ErrorCode.LEADER_NOT_AVAILABLE
        )

    def partition(self, image: PartitionImage) -> PartitionView:
        """How a partition looks."""
        replicas, isr = list(image.replicas), list(image.isr)
        error = ErrorCode.NONE
        if self._filter:
            replicas = [id_ for id_ in replicas if id_ in self._reachable]
            isr = [id_ for id_ in isr if id_ in self._reachable]
            if len(replicas) < len(image.replicas) or len(isr) < len(image.isr):
                error = ErrorCode.REPLICA_NOT_AVAILABLE
        leader = image.leader
        if leader not in self._reachable:
            down = leader not in self._alive
            error = ErrorCode.LEADER_NOT_AVAILABLE if down else self._no_listener
            leader = NO_LEADER_ID
        return PartitionView(error, leader, replicas, isr)


def coordinator(
    image: MetadataImage, listener: str, topic: str | None, key: str
) -> tuple[int, BrokerEndpoint] | None:
    """Id and endpoint of the leader of the internal topic's partition that a key belongs to; None
    if it cannot be reached, or there is no such topic."""
    known = None if topic is None else image.topics.get(topic)
    partition = known and known.partitions.get(partition_for(key, len(known.partitions)))
    leader = partition and image.brokers.get(partition.leader)
    endpoint = leader and leader.endpoint(listener)
    return (leader.id, endpoint) if leader and endpoint else None
