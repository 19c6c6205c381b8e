"""A cluster in memory that executes the controller's steps: dictionaries, and brokers that obey.

Replies to orders come back as rules when :meth:`World.deliver` is called, so a test decides
what happens in between.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import TypeVar

from pykafka_ops.broker.state.controller.cluster import Snapshot
from pykafka_ops.broker.state.controller.controller import Controller
from pykafka_ops.broker.state.controller.isr_rules import IsrAnswers, IsrChange
from pykafka_ops.broker.state.controller.leadership import (
    LeaderAndIsr,
    ReplicaAssignment,
    Replicas,
    TopicPartition,
    TopicRecord,
)
from pykafka_ops.broker.state.controller.orders import (
    LeaderAndIsrOrder,
    MetadataOrder,
    Order,
    ReplicaChange,
    StopReplicaOrder,
)
from pykafka_ops.broker.state.controller.steps import (
    ClearElections,
    CreateState,
    CreateTopic,
    MarkDeleted,
    Pause,
    ReadStates,
    RemoveTopic,
    Reply,
    Send,
    SetAssignment,
    SetReassignments,
    Step,
    Steps,
    UnmarkDeleted,
    UpdateState,
    Write,
    WriteItem,
    WriteProblem,
)
from pykafka_ops.broker.state.controller.topic_rules import TopicCreation
from pykafka_ops.broker.state.image import BrokerEndpoint, BrokerInfo, MetadataImage
from pykafka_ops.errors import KafkaError

R = TypeVar("R")


def broker_info(id_: int, epoch: int, rack: str | None = None) -> BrokerInfo:
    """A broker that listens as PLAINTEXT on its own port."""
    endpoint = BrokerEndpoint("h", 9000 + id_, "PLAINTEXT", "PLAINTEXT")
    return BrokerInfo(id=id_, endpoints=(endpoint,), epoch=epoch, rack=rack)


def new_topic(name: str, *replicas: Iterable[int], topic_id: bytes | None = None) -> TopicCreation:
    """A topic with one partition per list of replicas."""
    id_ = topic_id or name.encode().rjust(16, b"\1")[-16:]
    return TopicCreation(
        name=name,
        topic_id=id_,
        assignments={i: ReplicaAssignment.of(r) for i, r in enumerate(replicas)},
    )


class CrashError(Exception):
    """The controller is no more."""


class BrokerDouble:
    """What one broker has been told."""

    def __init__(self) -> None:
        self.image = MetadataImage()
        self.replicas: dict[TopicPartition, ReplicaChange] = {}
        self.broken: set[TopicPartition] = set()
        """Partitions whose directory has failed."""


class World:
    """Znodes, brokers, and a controller."""

    def __init__(self, *brokers: int, unclean: bool = False) -> None:
        self._zxid = itertools.count(1)
        self.unclean = unclean
        self.live = {id_: broker_info(id_, next(self._zxid)) for id_ in brokers}
        self.brokers = {id_: BrokerDouble() for id_ in brokers}
        self.topics: dict[str, TopicRecord] = {}
        self.states: dict[TopicPartition, LeaderAndIsr] = {}
        self.restarted: set[TopicPartition] = set()
        """Partitions whose leader has registered since their state was written."""
        self.unreadable: set[TopicPartition] = set()
        """Partitions whose state is there, and nonsense."""
        self.marked: set[str] = set()
        self.asked: dict[TopicPartition, Replicas] = {}
        """``/admin/reassign_partitions``."""
        self.elections: list[TopicPartition] | None = None
        """``/admin/preferred_replica_election``."""
        self.configs: dict[str, dict[str, str]] = {}
        self.log: list[Step] = []
        self.replies: list[tuple[int, Order, dict[TopicPartition, object]]] = []
        self.epoch = 0
        self.crash_after: int | None = None
        """The controller dies before it executes the step of that number in ``log``."""
        self.controller = self.elect_controller()

    # -- driving

    def run(self, rule: Steps[R]) -> R:
        """Execute a rule to its end, and what it calls for."""
        result = self._run(rule)
        while (following := self.controller.follow_up()) is not None:
            self._run(following())
        return result

    def _run(self, rule: Steps[R]) -> R:
        reply: Reply = None
        while True:
            try:
                step = rule.send(reply)
            except StopIteration as done:
                return done.value  # type: ignore[no-any-return]
            self.log.append(step)
            if len(self.log) == self.crash_after:
                rule.close()
                raise CrashError
            reply = self._execute(step)

    def elect_controller(self) -> Controller:
        """A new controller takes over; it knows only what is in the znodes."""
        self.epoch += 1
        ids = (bytes([255, n]).rjust(16, b"\2") for n in itertools.count())
        self.controller = Controller(
            min(self.live, default=0),
            self.epoch,
            new_topic_id=lambda: next(ids),
            unclean=lambda topic: self.unclean,
        )
        snapshot = Snapshot(
            brokers=self.live,
            topics=self.topics,
            states={k: s for k, s in self.states.items() if k not in self.unreadable},
            restarted=self.restarted,
            deletions=set(self.marked),
            reassignments=self.asked,
            elections=self.elections,
        )
        self.run(self.controller.elected(snapshot))
        self.deliver()
        return self.controller

    def start(self, id_: int) -> None:
        """A broker starts, or restarts, knowing nothing."""
        self.live[id_] = broker_info(id_, next(self._zxid))
        self.brokers[id_] = BrokerDouble()
        self.run(self.controller.brokers.changed(dict(self.live)))
        self.deliver()

    def kill(self, *ids: int) -> None:
        """Brokers die at once."""
        for id_ in ids:
            del self.live[id_], self.brokers[id_]
        self.run(self.controller.brokers.changed(dict(self.live)))
        self.deliver()

    def create(self, *topics: TopicCreation) -> dict[str, object]:
        """Create topics and let the brokers answer."""
        results = self.run(self.controller.topics.create(topics))
        self.deliver()
        return dict(results)

    def delete(self, *topics: str) -> None:
        """Delete topics and let the brokers answer."""
        self.run(self.controller.topics.delete(topics))
        self.deliver()

    def move(self, topic: str, index: int, target: Iterable[int] | None) -> KafkaError | None:
        """Begin or cancel the move of a partition."""
        key = (topic, index)
        wanted = {key: None if target is None else tuple(target)}
        results = self.run(self.controller.moves.alter(wanted))
        self.deliver()
        return results[key]

    def in_sync(self, topic: str, index: int, *isr: int) -> IsrAnswers:
        """The leader asks for this ISR."""
        state = self.states[topic, index]
        change = IsrChange(isr, state.leader_epoch, state.partition_epoch)
        epoch = self.live[state.leader].epoch
        rule = self.controller.isr.alter(state.leader, epoch, {(topic, index): change})
        answers = self.run(rule)
        self.deliver()
        return answers

    def deliver(self) -> None:
        """Let the replies that are on their way arrive."""
        while self.replies:
            broker, order, errors = self.replies.pop(0)
            rules = self.controller
            if isinstance(order, StopReplicaOrder):
                self.run(rules.topics.stop_replica_replied(broker, order, errors))  # type: ignore[arg-type]
            elif isinstance(order, LeaderAndIsrOrder):
                asked = [(change.topic, change.partition) for change in order.changes]
                self.run(rules.brokers.leader_and_isr_replied(broker, asked, errors))  # type: ignore[arg-type]

    def sends(self) -> list[tuple[int, Order]]:
        """All orders sent so far; forgotten afterwards."""
        orders = [each for step in self.log if isinstance(step, Send) for each in step.orders]
        self.log.clear()
        return orders

    # -- executing

    def _execute(self, step: Step) -> Reply:
        if isinstance(step, Write):
            return [self._write(item) for item in step.items]
        if isinstance(step, ReadStates):
            return [
                None if key in self.unreadable else self.states.get(key) for key in step.partitions
            ]
        if isinstance(step, Pause):
            return None
        for broker, order in step.orders:
            if broker in self.brokers and self.live[broker].epoch == order.broker_epoch:
                self._obey(broker, order)
        return None

    def _write(self, item: WriteItem) -> WriteProblem | None:
        if isinstance(item, CreateTopic):
            if item.topic in self.topics:
                return WriteProblem.EXISTS
            self.configs[item.topic] = dict(item.config)
            self.topics[item.topic] = TopicRecord(item.topic_id, dict(item.assignments))
            self._new_states(item.topic, item.states)
        elif isinstance(item, SetAssignment):
            self.topics[item.topic] = TopicRecord(item.topic_id, dict(item.assignments))
            self._new_states(item.topic, item.states)
        elif isinstance(item, CreateState):
            if (item.topic, item.partition) in self.states:
                return WriteProblem.EXISTS
            self._new_states(item.topic, {item.partition: item.state})
        elif isinstance(item, UpdateState):
            return self._update(item)
        elif isinstance(item, MarkDeleted):
            self.marked.add(item.topic)
        elif isinstance(item, UnmarkDeleted):
            self.marked.discard(item.topic)
        elif isinstance(item, SetReassignments):
            self.asked = dict(item.moves)
        elif isinstance(item, ClearElections):
            self.elections = None
        elif isinstance(item, RemoveTopic):
            del self.topics[item.topic]
            self.marked.discard(item.topic)
            self.configs.pop(item.topic, None)
            for key in [key for key in self.states if key[0] == item.topic]:
                del self.states[key]
        return None

    def _new_states(self, topic: str, states: object) -> None:
        assert isinstance(states, dict)
        for index, state in states.items():
            self.states[topic, index] = state._replace(partition_epoch=0)

    def _update(self, item: UpdateState) -> WriteProblem | None:
        old = self.states.get((item.topic, item.partition))
        if old is None:
            return WriteProblem.MISSING
        if old.partition_epoch != item.state.partition_epoch:
            return WriteProblem.STALE
        self.states[item.topic, item.partition] = item.state.written()
        return None

    def _obey(self, id_: int, order: Order) -> None:
        broker = self.brokers[id_]
        if isinstance(order, MetadataOrder):
            broker.image.apply(order.delta)
            return
        errors: dict[TopicPartition, object] = {}
        if isinstance(order, LeaderAndIsrOrder):
            for change in order.changes:
                key = (change.topic, change.partition)
                if key in broker.broken:
                    errors[key] = 56
                    continue
                known = broker.replicas.get(key)
                assert known is None or known.state.leader_epoch <= change.state.leader_epoch
                broker.replicas[key] = change
        else:
            for stop in order.stops:
                broker.replicas.pop((stop.topic, stop.partition), None)
        self.replies.append((id_, order, errors))
