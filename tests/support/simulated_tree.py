"""ZooKeeper and the controllers of :mod:`tests.support.simulation`, one step at a time."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pykafka_ops.broker.state.cluster import Snapshot
from pykafka_ops.broker.state.controller import Controller
from pykafka_ops.broker.state.image import BrokerInfo
from pykafka_ops.broker.state.leadership import LeaderAndIsr, TopicPartition, TopicRecord
from pykafka_ops.broker.state.orders import LeaderAndIsrOrder, Order, StopReplicaOrder
from pykafka_ops.broker.state.steps import ReadStates, Reply, Step, Steps, UpdateState, Write
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from tests.support.controller_world import World as Znodes
from tests.support.controller_world import broker_info

if TYPE_CHECKING:
    from tests.support.simulation import Simulation

Done = Callable[[Any], None]
Rule = Callable[[Controller], Steps[Any]]


class MovedError(Exception):
    """The tree refuses a write: another controller was elected since."""


class Tree(Znodes):
    """Registrations, topics, states, and who is controller in which epoch."""

    def __init__(self) -> None:  # no controller of its own
        self._zxid = itertools.count(1)
        self.live: dict[int, BrokerInfo] = {}
        self.topics: dict[str, TopicRecord] = {}
        self.states: dict[TopicPartition, LeaderAndIsr] = {}
        self.marked: set[str] = set()
        self.asked = {}
        self.elections = None
        self.configs: dict[str, dict[str, str]] = {}
        self.holder: int | None = None
        self.epoch = 0

    def register(self, broker: int) -> int:
        """A new session of a broker; its epoch."""
        self.live[broker] = broker_info(broker, next(self._zxid))
        return self.live[broker].epoch

    def end_session(self, broker: int) -> None:
        """What was ephemeral goes."""
        self.live.pop(broker, None)
        if self.holder == broker:
            self.holder = None

    def snapshot(self) -> Snapshot:
        """What a new controller reads."""
        return Snapshot(
            brokers=dict(self.live),
            topics=dict(self.topics),
            states=dict(self.states),
            deletions=set(self.marked),
            reassignments=self.asked,
            elections=self.elections,
        )

    def execute(self, step: Step, epoch: int) -> Reply:
        """A controller's write or read; only the newest controller may write."""
        if isinstance(step, Write):
            if epoch != self.epoch:
                raise MovedError
            for item in step.items:
                if isinstance(item, UpdateState):
                    self._check(item)
            return [self._write(item) for item in step.items]
        assert isinstance(step, ReadStates)
        return [self.states.get(key) for key in step.partitions]

    def _check(self, item: UpdateState) -> None:
        """I5 and I6: epochs only rise, the ISR holds the leader and only replicas."""
        old, new = self.states.get((item.topic, item.partition)), item.state
        if old is None or old.partition_epoch != new.partition_epoch:
            return  # refused anyhow
        assert new.controller_epoch == self.epoch
        assert new.leader_epoch >= old.leader_epoch
        assert new.leader == old.leader or new.leader_epoch > old.leader_epoch
        assert new.leader in (-1, *new.isr)
        replicas = self.topics[item.topic].partitions[item.partition].replicas
        assert new.isr
        assert set(new.isr) <= set(replicas), (new, replicas)


class Seat:
    """One broker's term as controller: its rules advance step by step, as do its orders."""

    def __init__(self, sim: Simulation, broker: int) -> None:
        self._sim = sim
        self.broker = broker
        sim.tree.epoch += 1
        sim.tree.holder = broker
        self.epoch = sim.tree.epoch
        ids = (bytes([255, n]).rjust(16, b"\2") for n in itertools.count())
        self.controller = Controller(broker, self.epoch, new_topic_id=lambda: next(ids))
        self.over = False
        self.channels: dict[int, deque[Order]] = {}
        self._jobs: deque[tuple[Rule, Done | None]] = deque()
        self._steps: Steps[Any] | None = None
        self._done: Done | None = None
        self._reply: Reply = None
        self.post(lambda c: c.elected(sim.tree.snapshot()))

    @property
    def idle(self) -> bool:
        """Whether nothing is to be done."""
        return self._steps is None and not self._jobs

    def post(self, rule: Rule, done: Done | None = None) -> None:
        """Run a rule after the others; ``done`` gets its result or its KafkaError."""
        self._jobs.append((rule, done))

    def brokers_changed(self) -> None:
        """A watch fired."""
        self.post(lambda c: c.brokers.changed(dict(self._sim.tree.live)))

    def resign(self) -> None:
        """Give up; who waits is told."""
        self.over = True
        waiting = [done for _, done in self._jobs] + [self._done]
        self._jobs.clear()
        self._steps = self._done = None
        self.channels.clear()
        for done in waiting:
            if done is not None:
                done(KafkaError(ErrorCode.NOT_CONTROLLER))

    def step(self) -> None:
        """One step of the rule at hand."""
        if self._steps is None:
            if not self._jobs:
                return
            rule, self._done = self._jobs.popleft()
            self._reply = None
            try:
                self._steps = rule(self.controller)
            except KafkaError as error:
                self._finish(error)
                return
        try:
            step = self._steps.send(self._reply)
        except StopIteration as over:
            self._finish(over.value)
        except KafkaError as error:
            self._finish(error)
        else:
            self._do(step)

    def _do(self, step: Step) -> None:
        if isinstance(step, Write | ReadStates):
            try:
                self._reply = self._sim.tree.execute(step, self.epoch)
            except MovedError:
                self.resign()
            return
        self._reply = None
        for broker, order in step.orders:
            channel = self.channels.setdefault(broker, deque())
            if channel and channel[-1].broker_epoch != order.broker_epoch:
                channel.clear()
            channel.append(order)

    def _finish(self, result: object) -> None:
        done, self._done, self._steps = self._done, None, None
        following = self.controller.follow_up()
        if following is not None:
            self._jobs.appendleft((lambda _: following(), None))
        if done is not None:
            done(result)

    def replied(self, broker: int, order: Order, errors: dict[TopicPartition, ErrorCode]) -> None:
        """As ``ControllerLoop`` does with what a broker answers."""
        if isinstance(order, StopReplicaOrder) and any(stop.delete for stop in order.stops):
            self.post(lambda c: c.topics.stop_replica_replied(broker, order, errors))
        elif isinstance(order, LeaderAndIsrOrder) and errors:
            asked = [(change.topic, change.partition) for change in order.changes]
            self.post(lambda c: c.brokers.leader_and_isr_replied(broker, asked, errors))
