"""What a broker knows of the cluster: live brokers, topics, leaders.

Counterpart of ``ZkMetadataCache``, filled by the controller's UpdateMetadata. An update costs
in proportion to the topics in it: those are replaced, the others stay as they are. Whoever
keeps a :class:`TopicImage` over an ``await`` keeps a consistent picture of that topic.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from pykafka_ops.broker.state.controller.leadership import (
    EPOCH_DURING_DELETE,
    LEADER_DURING_DELETE,
    NO_LEADER,
    LeaderAndIsr,
    ReplicaAssignment,
    Replicas,
)
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.types import ZERO_UUID


class BrokerEndpoint(NamedTuple):
    """Where a broker listens; ``protocol`` is PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL."""

    host: str
    port: int
    listener: str
    protocol: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerInfo:
    """A registered broker. ``epoch`` is the transaction id of its registration, -1 unknown."""

    id: int
    endpoints: tuple[BrokerEndpoint, ...]
    rack: str | None = None
    epoch: int = -1
    features: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    def endpoint(self, listener: str) -> BrokerEndpoint | None:
        """The endpoint of that listener name, None if the broker has none."""
        for endpoint in self.endpoints:
            if endpoint.listener == listener:
                return endpoint
        return None


class PartitionImage(NamedTuple):
    """A partition as the brokers know it; ``partition_epoch`` is the state znode's version."""

    leader: int
    leader_epoch: int
    isr: Replicas
    replicas: Replicas
    offline: Replicas = ()
    partition_epoch: int = 0
    controller_epoch: int = 0

    @classmethod
    def of(
        cls, state: LeaderAndIsr, assignment: ReplicaAssignment, offline: Replicas
    ) -> PartitionImage:
        """A partition in UpdateMetadata."""
        return cls(
            state.leader,
            state.leader_epoch,
            state.isr,
            assignment.replicas,
            offline,
            state.partition_epoch,
            state.controller_epoch,
        )

    def deleted(self) -> PartitionImage:
        """A partition in UpdateMetadata that is being deleted."""
        return self._replace(leader=LEADER_DURING_DELETE, leader_epoch=EPOCH_DURING_DELETE)


@dataclass(slots=True, eq=False)
class TopicImage:
    """A topic: its id (zero if it has none) and the partitions that have a state, by index."""

    name: str
    topic_id: bytes
    partitions: dict[int, PartitionImage]


@dataclass(slots=True, kw_only=True)
class MetadataDelta:
    """One UpdateMetadata: all live brokers, and the partitions that changed.

    A partition whose leader is LEADER_DURING_DELETE goes.
    """

    controller_id: int
    controller_epoch: int
    brokers: Iterable[BrokerInfo]
    partitions: dict[str, dict[int, PartitionImage]] = field(default_factory=dict)
    topic_ids: dict[str, bytes] = field(default_factory=dict)


class MetadataImage:
    """The picture; ``epoch`` goes up with every change, for caches of encoded answers."""

    def __init__(self, cluster_id: str = "") -> None:
        self.cluster_id = cluster_id
        self.controller_id = -1
        self.controller_epoch = 0
        self.epoch = 0
        self.brokers: dict[int, BrokerInfo] = {}
        self.topics: dict[str, TopicImage] = {}
        self.topic_names_by_id: dict[bytes, str] = {}
        self.listeners: list[Callable[[MetadataDelta], None]] = []
        """Called after each change, with what brought it."""

    def partition(self, topic: str, index: int) -> PartitionImage | None:
        """The partition, None if the topic or the index is unknown."""
        found = self.topics.get(topic)
        return None if found is None else found.partitions.get(index)

    def topic_id(self, topic: str) -> bytes:
        """The topic's id, zero if unknown."""
        found = self.topics.get(topic)
        return ZERO_UUID if found is None else found.topic_id

    def alive(self, broker: int) -> bool:
        """Whether the broker is registered."""
        return broker in self.brokers

    def nodes(self, listener: str) -> list[tuple[int, BrokerEndpoint, str | None]]:
        """Id, endpoint and rack of the live brokers that have this listener, by id."""
        found = []
        for id_ in sorted(self.brokers):
            endpoint = self.brokers[id_].endpoint(listener)
            if endpoint is not None:
                found.append((id_, endpoint, self.brokers[id_].rack))
        return found

    def has_leaders(self, topic: str, partitions: Iterable[int]) -> bool:
        """Whether every one of the partitions is known and has a leader."""
        found = self.topics.get(topic)
        if found is None:
            return False
        return all(
            (image := found.partitions.get(index)) is not None and image.leader != NO_LEADER
            for index in partitions
        )

    def apply(self, delta: MetadataDelta) -> None:
        """Take over what the controller says.

        Raises KafkaError STALE_CONTROLLER_EPOCH if a newer controller has spoken already.
        """
        if delta.controller_epoch < self.controller_epoch:
            raise KafkaError(
                ErrorCode.STALE_CONTROLLER_EPOCH,
                f"controller {delta.controller_id} has epoch {delta.controller_epoch},"
                f" the latest is {self.controller_epoch}",
            )
        self.controller_epoch = delta.controller_epoch
        self.controller_id = delta.controller_id
        self.brokers = {broker.id: broker for broker in delta.brokers}
        for topic, partitions in delta.partitions.items():
            self._apply_topic(topic, delta.topic_ids.get(topic), partitions)
        self.epoch += 1
        for listener in list(self.listeners):
            listener(delta)

    def _apply_topic(
        self, topic: str, topic_id: bytes | None, changed: dict[int, PartitionImage]
    ) -> None:
        old = self.topics.get(topic)
        if old is not None and topic_id is not None and old.topic_id not in (ZERO_UUID, topic_id):
            self.topic_names_by_id.pop(old.topic_id, None)
            old = None  # deleted and created again: nothing of the old one counts
        id_ = topic_id or (old.topic_id if old is not None else ZERO_UUID)
        partitions = {} if old is None else dict(old.partitions)
        for index, image in changed.items():
            if image.leader == LEADER_DURING_DELETE:
                partitions.pop(index, None)
            else:
                partitions[index] = image
        if partitions:
            self.topics[topic] = TopicImage(topic, id_, partitions)
            if id_ != ZERO_UUID:
                self.topic_names_by_id[id_] = topic
        elif old is not None:
            del self.topics[topic]
            self.topic_names_by_id.pop(old.topic_id, None)
