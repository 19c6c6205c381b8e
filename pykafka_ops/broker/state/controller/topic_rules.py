"""What the controller does when topics are created, grow or are deleted."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field

from pykafka_ops.broker.state.controller.leadership import (
    LeaderAndIsr,
    ReplicaAssignment,
    TopicRecord,
)
from pykafka_ops.broker.state.controller.orders import PartitionErrors, StopReplicaOrder
from pykafka_ops.broker.state.controller.steps import (
    CreateTopic,
    MarkDeleted,
    SetAssignment,
    Steps,
    UnmarkDeleted,
    WriteItem,
    WriteProblem,
    pause,
    portions,
    write,
)
from pykafka_ops.broker.state.controller.term import Term
from pykafka_ops.broker.state.controller.transitions import PartitionPhase
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.types import ZERO_UUID


@dataclass(slots=True, kw_only=True)
class TopicCreation:
    """A topic to create, already checked: name, assignment, overrides."""

    name: str
    topic_id: bytes
    assignments: dict[int, ReplicaAssignment]
    config: Mapping[str, str] = field(default_factory=dict)


class TopicRules:
    """Rules about topics; each is a generator of steps."""

    def __init__(
        self, term: Term, new_topic_id: Callable[[], bytes], *, delete_enabled: bool
    ) -> None:
        self._term = term
        self._cluster = term.cluster
        self._new_topic_id = new_topic_id
        self._delete_enabled = delete_enabled

    def changed(self, names: Collection[str], records: Mapping[str, TopicRecord]) -> Steps[None]:
        """Another program wrote ``/brokers/topics``: all ``names``, ``records`` of new ones."""
        for topic in [topic for topic in self._cluster.topics if topic not in names]:
            self._cluster.remove_topic(topic)
        new = {t: r for t, r in records.items() if t not in self._cluster.topics}
        for topic, record in new.items():
            self._cluster.add_topic(topic, record)
        yield from self.give_ids(new)
        yield from self._term.leaders.settle([(t, i) for t, r in new.items() for i in r.partitions])
        yield from self._term.batch.flush()

    def create(self, topics: Iterable[TopicCreation]) -> Steps[dict[str, KafkaError | None]]:
        """Create topics; per name None or why not (TOPIC_ALREADY_EXISTS)."""
        results: dict[str, KafkaError | None] = {}
        wanted: list[tuple[TopicCreation, dict[int, LeaderAndIsr]]] = []
        for topic in topics:
            results[topic.name] = self.cannot_create(topic.name)
            if results[topic.name] is None:
                states = yield from self._first_states(topic.assignments)
                wanted.append((topic, states))
        problems = yield from write(
            [
                CreateTopic(
                    topic=topic.name,
                    topic_id=topic.topic_id,
                    assignments=topic.assignments,
                    states=states,
                    config=topic.config,
                )
                for topic, states in wanted
            ]
        )
        for (topic, states), problem in zip(wanted, problems, strict=True):
            if problem is None:
                self._cluster.add_topic(topic.name, TopicRecord(topic.topic_id, topic.assignments))
                yield from pause(states)
                yield from self._install(topic.name, states)
            else:
                results[topic.name] = _create_error(topic.name, problem)
        yield from self._term.batch.flush()
        return results

    def cannot_create(self, topic: str) -> KafkaError | None:
        """Why a topic of that name cannot be created now."""
        if topic in self._cluster.deletions:
            return KafkaError(
                ErrorCode.TOPIC_ALREADY_EXISTS, f"Topic '{topic}' is marked for deletion."
            )
        return _create_error(topic, WriteProblem.EXISTS) if topic in self._cluster.topics else None

    def _first_states(
        self, assignments: Mapping[int, ReplicaAssignment]
    ) -> Steps[dict[int, LeaderAndIsr]]:
        states = {}
        for some in portions(list(assignments.items())):
            for index, assignment in some:
                live = [id_ for id_ in assignment.replicas if self._cluster.is_live(id_)]
                if live:
                    states[index] = LeaderAndIsr.first(live, self._term.epoch)
            yield from pause(some)
        return states

    def _install(self, topic: str, states: Mapping[int, LeaderAndIsr]) -> Steps[None]:
        """New partitions whose first states are written."""
        partitions = self._cluster.topics[topic].partitions
        for some in portions(list(states.items())):
            for index, state in some:
                record = partitions[index]
                record.state = state
                record.move_to(PartitionPhase.ONLINE)
                self._term.batch.become(record.assignment.replicas, topic, index, new=True)
            yield from pause(some)

    def add_partitions(
        self, topic: str, added: Mapping[int, ReplicaAssignment]
    ) -> Steps[WriteProblem | None]:
        """Add partitions to a topic that exists and is not being deleted."""
        entry = self._cluster.topics[topic]
        states = yield from self._first_states(added)
        every = {**self._cluster.assignments(topic), **added}
        (problem,) = yield from write(
            [SetAssignment(topic=topic, topic_id=entry.topic_id, assignments=every, states=states)]
        )
        if problem is None:
            self._cluster.add_partitions(topic, added)
            yield from self._install(topic, states)
            yield from self._term.batch.flush()
        return problem

    def assignment_changed(self, topic: str, record: TopicRecord) -> Steps[None]:
        """Another program wrote a topic's znode: take over partitions that were added."""
        entry = self._cluster.topics.get(topic)
        if entry is None:
            return
        added = {i: a for i, a in record.partitions.items() if i not in entry.partitions}
        if added and topic in self._cluster.deletions:
            old = self._cluster.assignments(topic)
            yield from write(
                [SetAssignment(topic=topic, topic_id=entry.topic_id, assignments=old, states={})]
            )
        elif added:
            self._cluster.add_partitions(topic, added)
            yield from self._term.leaders.settle([(topic, index) for index in added])
            yield from self._term.batch.flush()

    def delete(self, topics: Collection[str]) -> Steps[None]:
        """Delete topics that exist; fine for those that are being deleted already."""
        new = [t for t in topics if t in self._cluster.topics and t not in self._cluster.deletions]
        yield from write([MarkDeleted(topic=topic) for topic in new])
        if new:
            yield from self._term.deletions.start(new)

    def deletions_found(self, marked: Collection[str]) -> Steps[None]:
        """Somebody else marked topics for deletion."""
        known = [topic for topic in marked if topic in self._cluster.topics]
        refused = [topic for topic in marked if topic not in self._cluster.topics]
        if not self._delete_enabled:
            refused, known = list(marked), []
        yield from write([UnmarkDeleted(topic=topic) for topic in refused])
        new = [topic for topic in known if topic not in self._cluster.deletions]
        if new:
            yield from self._term.deletions.start(new)

    def stop_replica_replied(
        self, broker: int, order: StopReplicaOrder, errors: PartitionErrors
    ) -> Steps[None]:
        """``broker`` has stopped the replicas of ``order``, except for ``errors``."""
        deleted = [(stop.topic, stop.partition) for stop in order.stops if stop.delete]
        yield from self._term.deletions.replied(broker, deleted, errors.keys())

    def give_ids(self, topics: Mapping[str, TopicRecord]) -> Steps[None]:
        """Topics from before 2.8 get an id."""
        items: list[WriteItem] = []
        for topic, record in topics.items():
            if record.topic_id == ZERO_UUID:
                id_ = self._new_topic_id()
                self._cluster.give_id(topic, id_)
                items.append(
                    SetAssignment(
                        topic=topic, topic_id=id_, assignments=record.partitions, states={}
                    )
                )
        yield from write(items)


def _create_error(topic: str, problem: WriteProblem) -> KafkaError:
    if problem is WriteProblem.EXISTS:
        return KafkaError(ErrorCode.TOPIC_ALREADY_EXISTS, f"Topic '{topic}' already exists.")
    return KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR, f"Topic '{topic}' {problem.value}.")
