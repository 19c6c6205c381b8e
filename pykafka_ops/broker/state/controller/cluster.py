"""The controller's memory: brokers, topics, partitions (``ControllerContext``)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pykafka_ops.broker.state.controller.leadership import (
    EPOCH_DURING_DELETE,
    LeaderAndIsr,
    ReplicaAssignment,
    Replicas,
    TopicPartition,
    TopicRecord,
    intern_replicas,
)
from pykafka_ops.broker.state.controller.transitions import (
    PartitionPhase,
    ReplicaPhase,
    check,
)
from pykafka_ops.broker.state.image import BrokerInfo, PartitionImage
from pykafka_ops.broker.state.names import has_collision_chars, metric_name


@dataclass(slots=True, eq=False)
class PartitionRecord:
    """One partition; ``state`` is None until its first leader is elected."""

    assignment: ReplicaAssignment
    state: LeaderAndIsr | None = None
    phase: PartitionPhase = PartitionPhase.NON_EXISTENT

    def move_to(self, phase: PartitionPhase) -> None:
        """Change the phase as the table of transitions allows."""
        check(self.phase, phase)
        self.phase = phase


@dataclass(slots=True, eq=False)
class TopicEntry:
    """One topic."""

    topic_id: bytes
    partitions: dict[int, PartitionRecord]


@dataclass(slots=True, eq=False)
class Deletion:
    """A topic that is being deleted: how far each replica is."""

    started: bool = False
    replicas: dict[tuple[int, int], ReplicaPhase] = field(default_factory=dict)
    """(partition, broker) -> phase."""

    def move(self, partition: int, broker: int, phase: ReplicaPhase) -> None:
        """Change a replica's phase as the table of transitions allows."""
        key = (partition, broker)
        check(self.replicas[key], phase)
        self.replicas[key] = phase

    def any_in(self, phase: ReplicaPhase) -> bool:
        """Whether some replica is in ``phase``."""
        return phase in self.replicas.values()

    @property
    def blocked(self) -> bool:
        """Whether nothing more happens until a move is over or some broker comes back."""
        return not self.started or (
            self.any_in(ReplicaPhase.DELETION_INELIGIBLE)
            and not self.any_in(ReplicaPhase.DELETION_STARTED)
        )

    @property
    def done(self) -> bool:
        """Whether every replica is deleted."""
        return self.started and all(
            phase is ReplicaPhase.DELETION_SUCCESSFUL for phase in self.replicas.values()
        )


@dataclass(slots=True, kw_only=True)
class Snapshot:
    """The state that a new controller reads before it acts."""

    brokers: Mapping[int, BrokerInfo]
    topics: Mapping[str, TopicRecord] = field(default_factory=dict)
    states: Mapping[TopicPartition, LeaderAndIsr] = field(default_factory=dict)
    restarted: Collection[TopicPartition] = ()
    """Partitions whose leader has registered since their state was written."""
    deletions: Iterable[str] = ()
    reassignments: Mapping[TopicPartition, Sequence[int]] = field(default_factory=dict)
    """What ``/admin/reassign_partitions`` asks for."""
    elections: Collection[TopicPartition] | None = None
    """What ``/admin/preferred_replica_election`` asks for; None if it does not exist."""


class ControllerContext:
    """All of it. ``brokers`` includes those that are about to stop."""

    def __init__(self) -> None:
        self.brokers: dict[int, BrokerInfo] = {}
        self.shutting_down: set[int] = set()
        self.offline_dirs: dict[int, set[TopicPartition]] = {}
        self.topics: dict[str, TopicEntry] = {}
        self.names_by_id: dict[bytes, str] = {}
        """Topic names by topic id."""
        self.changed_topics: set[str] = set()
        """Topics created or deleted since the last time that watches were set; then emptied."""
        self.deletions: dict[str, Deletion] = {}
        self.unclean_elections = 0
        """Leaders elected from outside the ISR in this term."""
        self._by_metric_name: dict[str, set[str]] = {}

    def load(self, snapshot: Snapshot) -> None:
        """Start from what was read."""
        self.brokers = dict(snapshot.brokers)
        for topic, record in snapshot.topics.items():
            self.add_topic(topic, record)
        for (topic, index), state in snapshot.states.items():
            found = self.partition(topic, index)
            if found is not None:
                found.state = state
                found.phase = (
                    PartitionPhase.ONLINE
                    if self.is_online(state.leader, topic, index)
                    else PartitionPhase.OFFLINE
                )

    def add_topic(self, topic: str, record: TopicRecord) -> TopicEntry:
        """Remember a topic; its partitions are NEW."""
        entry = TopicEntry(record.topic_id, {})
        self.topics[topic] = entry
        self.names_by_id[record.topic_id] = topic
        self.changed_topics.add(topic)
        if has_collision_chars(topic):
            self._by_metric_name.setdefault(metric_name(topic), set()).add(topic)
        self.add_partitions(topic, record.partitions)
        return entry

    def give_id(self, topic: str, topic_id: bytes) -> None:
        """A known topic from before 2.8 gets an id."""
        self.topics[topic].topic_id = topic_id
        self.names_by_id[topic_id] = topic

    def add_partitions(self, topic: str, assignments: Mapping[int, ReplicaAssignment]) -> None:
        """Remember partitions; they are NEW."""
        partitions = self.topics[topic].partitions
        for index, assignment in assignments.items():
            record = PartitionRecord(assignment)
            record.move_to(PartitionPhase.NEW)
            partitions[index] = record

    def remove_topic(self, topic: str) -> None:
        """Forget a topic."""
        entry = self.topics.pop(topic, None)
        if entry is not None and self.names_by_id.get(entry.topic_id) == topic:
            del self.names_by_id[entry.topic_id]
        self.changed_topics.add(topic)
        alike = self._by_metric_name.get(metric_name(topic), set())
        alike.discard(topic)
        if not alike:
            self._by_metric_name.pop(metric_name(topic), None)
        self.deletions.pop(topic, None)
        for partitions in self.offline_dirs.values():
            partitions.difference_update([key for key in partitions if key[0] == topic])

    def collisions(self, topic: str) -> list[str]:
        """Topics whose names collide with ``topic`` in metrics, sorted."""
        return sorted(self._by_metric_name.get(metric_name(topic), ()))

    def partition(self, topic: str, index: int) -> PartitionRecord | None:
        """The partition, None if unknown."""
        entry = self.topics.get(topic)
        return None if entry is None else entry.partitions.get(index)

    def all_partitions(self) -> Iterator[tuple[str, int, PartitionRecord]]:
        """Topic, index and record of every partition."""
        for topic, entry in self.topics.items():
            for index, record in entry.partitions.items():
                yield topic, index, record

    def hosted_by(self, brokers: Iterable[int]) -> list[TopicPartition]:
        """Partitions that have a replica on one of the brokers."""
        wanted = set(brokers)
        return [
            (topic, index)
            for topic, index, record in self.all_partitions()
            if not wanted.isdisjoint(record.assignment.replicas)
        ]

    def is_going(self, topic: str) -> bool:
        """Whether a topic is being deleted, and not only queued: its replicas are in use then."""
        deletion = self.deletions.get(topic)
        return deletion is not None and deletion.started

    def is_live(self, broker: int) -> bool:
        """Whether the broker is registered and not about to stop."""
        return broker in self.brokers and broker not in self.shutting_down

    def is_online(self, broker: int, topic: str, index: int, *, stopping: bool = False) -> bool:
        """Whether a replica can serve; ``stopping`` counts brokers that are about to stop."""
        if broker not in self.brokers or (not stopping and broker in self.shutting_down):
            return False
        offline = self.offline_dirs.get(broker)
        return offline is None or (topic, index) not in offline

    def online(self, topic: str, index: int, *, stopping: bool = False) -> Replicas:
        """The online replicas of a partition, in order of preference."""
        replicas = self.topics[topic].partitions[index].assignment.replicas
        if not self.offline_dirs and (stopping or not self.shutting_down):
            for id_ in replicas:
                if id_ not in self.brokers:
                    break
            else:
                return replicas  # the usual case, thousands of times
        return intern_replicas(
            id_ for id_ in replicas if self.is_online(id_, topic, index, stopping=stopping)
        )

    def image(self, topic: str, index: int) -> PartitionImage | None:
        """The partition as UpdateMetadata describes it, None while it has no state."""
        record = self.partition(topic, index)
        if record is None or record.state is None:
            return None
        online = self.online(topic, index)
        replicas = record.assignment.replicas
        offline = () if len(online) == len(replicas) else _without(replicas, online)
        image = PartitionImage.of(record.state, record.assignment, offline)
        return image.deleted() if self.is_going(topic) else image

    def stop_epoch(self, topic: str, index: int) -> int:
        """The leader epoch for StopReplica."""
        if self.is_going(topic):
            return EPOCH_DURING_DELETE
        record = self.partition(topic, index)
        return -1 if record is None or record.state is None else record.state.leader_epoch

    def assignments(self, topic: str) -> dict[int, ReplicaAssignment]:
        """The topic's assignment."""
        return {i: record.assignment for i, record in self.topics[topic].partitions.items()}

    def being_reassigned(
        self, partitions: Iterable[TopicPartition] | None = None
    ) -> dict[TopicPartition, ReplicaAssignment]:
        """Which of the partitions (None: of all) are being moved, and how."""
        if partitions is None:
            every = self.all_partitions()
            return {(t, i): r.assignment for t, i, r in every if r.assignment.being_reassigned}
        found = {key: self.partition(*key) for key in partitions}
        return {
            key: record.assignment
            for key, record in found.items()
            if record is not None and record.assignment.being_reassigned
        }


def _without(replicas: Replicas, gone: Replicas) -> Replicas:
    return intern_replicas(id_ for id_ in replicas if id_ not in gone)
