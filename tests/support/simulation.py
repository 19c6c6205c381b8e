"""A whole cluster in one process: brokers, their controllers, ZooKeeper, a network that fails.

Real controller rules, advanced step by step, so that controllers of the past go on acting; real
logs, handlers, fetchers and ``LocalReplicas``. Four brokers, one partition with three replicas,
on a clock of the simulation's. All that happens is drawn from one seed: a seed that fails is a
test case. The invariants that concern one partition are checked after every step: acknowledged
and committed records are on every replica in sync (I1), an offset has one value for ever (I3),
watermarks do not go back (I4), one leader per epoch and epochs that only rise (I5), the ISR is
made of replicas and holds the leader (I6); after all is mended, all of it heals (I10).
"""

from __future__ import annotations

import random
from typing import Any

from pykafka_ops.broker.state.election import ElectionType
from pykafka_ops.broker.state.in_sync import Proposal
from pykafka_ops.broker.state.isr_rules import IsrChange
from pykafka_ops.broker.state.leadership import Assignment, LeaderAndIsr, TopicRecord
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from tests.support.replication_world import World
from tests.support.simulated_broker import KEY, SimNode, topic_id
from tests.support.simulated_tree import Seat, Tree

BROKERS = (0, 1, 2, 3)
LOST = 0.1
"""Share of answers that never arrive."""


class Simulation(World):
    """One run; ``step`` until you have seen enough, then ``recover``."""

    nodes: list[SimNode]  # type: ignore[assignment]

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.now = 1_000_000
        self.min_isr = self.draw.choice([1, 1, 2])
        self.tree = Tree()
        replicas = tuple(self.draw.sample(BROKERS, 3))
        self.tree.topics["t"] = TopicRecord(topic_id("t"), {0: Assignment.of(replicas)})
        self.count = 0
        self.acknowledged = {}
        self.committed = {}
        self.cuts: set[frozenset[int]] = set()
        self.history: list[str] = []
        self._watermarks = {}
        self._seen = {}
        self._led: dict[int, int] = {}
        self._calm = False
        self.nodes = [SimNode(id_, self) for id_ in BROKERS]
        for node in self.nodes:
            self._register(node)
        self._settle_down(10)

    @property
    def state(self) -> LeaderAndIsr:  # type: ignore[override]
        """What the tree says of the partition."""
        return self.tree.states.get(KEY, LeaderAndIsr(-1, -1, (), 0))

    def is_cut(self, one: int, other: int) -> bool:
        """Whether no request passes between two brokers."""
        return frozenset((one, other)) in self.cuts

    # -- sessions and controllers

    def _register(self, node: SimNode) -> None:
        node.service.broker_epoch = self.tree.register(node.id)
        node.expired = False
        self._brokers_changed()

    def _brokers_changed(self) -> None:
        for seat in self._seats():
            if seat.broker in self.tree.live:
                seat.brokers_changed()

    def _seats(self) -> list[Seat]:
        return [node.seat for node in self.nodes if node.seat is not None and not node.seat.over]

    def _end_session(self, node: SimNode) -> None:
        if node.id in self.tree.live:
            self.tree.end_session(node.id)
            node.expired = node.running
            self._brokers_changed()

    def _stand(self, node: SimNode) -> None:
        """Become controller if nobody is."""
        if node.running and not node.expired and self.tree.holder is None:
            if node.seat is not None:
                node.seat.resign()
            node.seat = Seat(self, node.id)

    def _rule(self, node: SimNode) -> None:
        """The controller on this broker goes one step on."""
        seat = node.seat
        if node.running and seat is not None:
            if seat.over:
                node.seat = None
            else:
                seat.step()

    def _command(self, node: SimNode) -> None:
        """An order of the controller on this broker reaches another one."""
        seat = node.seat
        if not node.running or seat is None or seat.over:
            return
        ready = [b for b, orders in seat.channels.items() if orders and not self.is_cut(node.id, b)]
        if ready:
            self._deliver(seat, self.nodes[self.draw.choice(ready)])

    def _deliver(self, seat: Seat, target: SimNode) -> None:
        if not target.running:
            return
        order = seat.channels[target.id][0]
        try:
            errors = target.apply(order)
        except KafkaError:
            errors = None  # an order of the past
        if self._is_lost():
            return  # it is sent again
        seat.channels[target.id].popleft()
        if errors is not None:
            seat.replied(target.id, order, errors)

    def _is_lost(self) -> bool:
        return not self._calm and self.draw.random() < LOST

    # -- what may happen

    def step(self) -> None:
        """One thing happens."""
        node = self.draw.choice(self.nodes)
        actions = [
            (self._produce, 6),
            (self._ask, 12),
            (self._take, 12),
            (self._rule, 14),
            (self._command, 14),
            (self._propose, 4),
            (self._settle, 4),
            (self._stand, 2),
            (self._pass_time, 2),
            (self._checkpoint, 1),
            (self._crash, 0.2),
            (self._expire, 0.2),
            (self._come_back, 2),
            (self._stop_well, 0.15),
            (self._move, 0.15),
            (self._prefer, 0.15),
            (self._cut, 0.2),
            (self._mend, 0.5),
        ]
        action = self.draw.choices([a for a, _ in actions], [w for _, w in actions])[0]
        self.history.append(f"{action.__name__} {node.id}")
        action(node)  # type: ignore[arg-type]
        self.check()

    def _propose(self, node: Any) -> None:
        """A new ISR goes to whom the broker takes for the controller."""
        partition = node.partition
        if not node.running or not node.proposals or partition is None:
            return
        proposal = node.proposals.pop(0)
        if partition.in_sync is None or partition.in_sync.pending is not proposal:
            return
        known = node.site.image.controller_id
        seat = None if known == -1 or self.is_cut(node.id, known) else self.nodes[known].seat
        if seat is None or seat.over or not self.nodes[known].running:
            node.proposals.append(proposal)
            return
        self._alter(node, seat, proposal)

    def _alter(self, node: SimNode, seat: Seat, proposal: Proposal) -> None:
        change = IsrChange(proposal.isr, proposal.leader_epoch, proposal.partition_epoch)
        life, epoch = node.life, node.service.broker_epoch

        def done(result: object) -> None:
            if life != node.life:
                return
            if self._is_lost() or isinstance(result, KafkaError):
                node.proposals.append(proposal)
                return
            assert isinstance(result, dict)
            held = result[KEY]
            code = held if isinstance(held, ErrorCode) else ErrorCode.NONE
            state = held if isinstance(held, LeaderAndIsr) else self.state
            node.answers.append((proposal, code, state))

        seat.post(lambda c: c.alter_isr(node.id, epoch, {KEY: change}), done)

    def _checkpoint(self, node: Any) -> None:  # type: ignore[override]
        if node.running:
            node.checkpoint()

    def _crash(self, node: Any) -> None:
        node.crash()
        if self.draw.random() < 0.5:
            self._end_session(node)

    def _expire(self, node: Any) -> None:
        self._end_session(node)

    def _come_back(self, node: Any) -> None:
        """Start again, or notice that the session is gone, and register."""
        if node.running and not node.expired:
            return
        self._end_session(node)
        if node.running and node.seat is not None:
            node.seat.resign()
            node.seat = None
        if not node.running:
            node.boot()  # it goes on from the watermark on its disk
            self._watermarks = {k: v for k, v in self._watermarks.items() if k[0] != node.id}
        self._register(node)

    def _stop_well(self, node: Any) -> None:
        """Ask the controller to move what it leads, then stop."""
        seats = [seat for seat in self._seats() if not self.is_cut(node.id, seat.broker)]
        if not node.running or node.expired or not seats or node.stopping:
            return
        node.stopping = True
        life, epoch = node.life, node.service.broker_epoch

        def done(result: object) -> None:
            if life == node.life and node.running:  # it stops whatever the answer is
                node.checkpoint()
                node.crash()
                self._end_session(node)

        self.draw.choice(seats).post(lambda c: c.brokers.controlled_shutdown(node.id, epoch), done)

    def _move(self, node: Any) -> None:
        """Somebody wants the partition on other brokers."""
        if node.seat is not None and node.running:
            target = tuple(self.draw.sample(BROKERS, 3))
            node.seat.post(lambda c: c.moves.alter({KEY: target}))

    def _prefer(self, node: Any) -> None:
        if node.seat is not None and node.running:
            node.seat.post(lambda c: c.elect([KEY], ElectionType.PREFERRED))

    def _cut(self, node: Any) -> None:
        other = self.draw.choice([id_ for id_ in BROKERS if id_ != node.id])
        self.cuts.add(frozenset((node.id, other)))

    def _mend(self, node: Any) -> None:
        self.cuts = {cut for cut in self.cuts if node.id not in cut}

    # -- what must hold

    def records(self, node: Any) -> dict[int, bytes]:
        """What a broker's log holds."""
        return {} if node.held is None else super().records(node)

    def check(self) -> None:
        """The invariants."""
        for node in self.nodes:
            self._take_acknowledgements(node)
            if node.running and node.held is not None:
                self._check_watermark(node)
            partition = node.partition
            if node.running and partition is not None and partition.is_leader:
                led = self._led.setdefault(partition.leader_epoch, node.id)
                assert led == node.id, f"two leaders in epoch {partition.leader_epoch}"
        for id_ in self.state.isr:
            held = self.records(self.nodes[id_])
            for offset, value in (self.committed | self.acknowledged).items():
                assert held.get(offset) == value, f"broker {id_} in sync lacks {offset}"

    # -- the end

    def recover(self) -> None:
        """All is mended and nothing fails any more: everything must heal."""
        self.cuts.clear()
        self._calm = True
        self.draw.random = lambda: 1.0  # type: ignore[method-assign]
        for _ in range(2):  # who was about to stop does so first
            for node in self.nodes:
                self._come_back(node)
            self._settle_down(40)
        self.count = 0
        assert self.state.leader != -1, "nobody leads"
        self._produce(self.nodes[self.state.leader])
        self._settle_down(6)
        assignment = self.tree.topics["t"].partitions[0]
        assert not assignment.being_reassigned
        assert set(self.state.isr) == set(assignment.replicas)
        logs = [self.records(self.nodes[id_]) for id_ in assignment.replicas]
        assert all(other == logs[0] for other in logs)
        assert max(self.acknowledged) == len(logs[0]) - 1, "nothing is acknowledged any more"
        for node in self.nodes:
            # As in Kafka, a log stays on a broker that was away when it was to be deleted.
            assert node.held is not None or node.id not in assignment.replicas
            assert node.site.image.controller_id == self.tree.holder
            image = node.site.image.partition(*KEY)
            assert image is not None
            assert (image.leader, image.isr) == (self.state.leader, self.state.isr)

    def _settle_down(self, rounds: int) -> None:
        """Rounds in which everybody does what there is to do."""
        calm, self._calm = self._calm, True
        for _ in range(rounds):
            self._move_clocks(1000)
            for node in self.nodes:
                self._stand(node)
                self._rule_on(node)
                node.ask()
                node.take()
                self._propose(node)
                self._rule_on(node)
                for _ in range(len(node.answers)):
                    self._settle(node)
            self.check()
        self._calm = calm

    def _rule_on(self, node: SimNode) -> None:
        """The controller on this broker, until nothing is left to do or to send."""
        seat = node.seat
        while node.running and seat is not None and not seat.over:
            while not seat.idle and not seat.over:
                seat.step()
            busy = [b for b, orders in seat.channels.items() if orders and b in self.tree.live]
            if not busy:
                return
            for id_ in busy:
                while seat.channels.get(id_):
                    self._deliver(seat, self.nodes[id_])
