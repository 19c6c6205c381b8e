"""When a partition needs another leader or ISR, which one, and how it is written.

Counterpart of ``PartitionStateMachine`` and of the ISR part of ``ReplicaStateMachine``. Kafka
writes once for the election and again for the ISR; here one write carries both.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from pykafka_ops.broker.state.controller.cluster import ControllerContext, PartitionRecord
from pykafka_ops.broker.state.controller.election import Strategy, first_in_sync
from pykafka_ops.broker.state.controller.leadership import NO_LEADER, LeaderAndIsr, TopicPartition
from pykafka_ops.broker.state.controller.order_batch import OrderBatch
from pykafka_ops.broker.state.controller.steps import (
    CreateState,
    Steps,
    UpdateState,
    WriteItem,
    portions,
    read_states,
    write,
)
from pykafka_ops.broker.state.controller.transitions import PartitionPhase

_ROUNDS = 5
"""Most writes of one partition that may fail, since another writer was faster, before giving up."""

Decide = Callable[[str, int, PartitionRecord], LeaderAndIsr | None]


class LeaderRules:
    """Elections on one cluster, in one controller epoch."""

    def __init__(
        self,
        cluster: ControllerContext,
        batch: OrderBatch,
        epoch: int,
        unclean: Callable[[str], bool],
    ) -> None:
        """``unclean(topic)`` says whether a topic allows unclean elections."""
        self._cluster = cluster
        self._batch = batch
        self._epoch = epoch
        self._unclean = unclean
        self.notices: list[str] = []
        """Warnings for the operator; emptied once they are logged."""
        self.given_up: set[TopicPartition] = set()
        """Partitions that the last change could not write."""

    def settle(self, partitions: Iterable[TopicPartition]) -> Steps[list[TopicPartition]]:
        """Give each partition the leader and ISR that the live brokers allow; which changed.

        Brokers learn of it with the next flush of the batch.
        """
        return (yield from self.change(partitions, self.settled))

    def take_over(
        self, partitions: Iterable[TopicPartition], restarted: Collection[TopicPartition]
    ) -> Steps[list[TopicPartition]]:
        """As :meth:`settle`, for a new controller.

        Where the leader has ``restarted`` and no controller saw it, it leads in a new epoch: it
        may lack what others have of the old one (a power cut), and would write something else
        in its place; only an epoch makes them truncate. Kafka lets it go on in the old one.
        """

        def decide(topic: str, index: int, record: PartitionRecord) -> LeaderAndIsr | None:
            wanted = self.settled(topic, index, record)
            state = record.state
            if wanted is not None or state is None or (topic, index) not in restarted:
                return wanted
            alone = state.leader == NO_LEADER or len(record.assignment.replicas) < 2
            return None if alone else state.elect(state.leader, state.isr, self._epoch)

        return (yield from self.change(partitions, decide))

    def elect(
        self, partitions: Iterable[TopicPartition], strategy: Strategy
    ) -> Steps[list[TopicPartition]]:
        """Elect by a strategy where that is possible; which partitions got a leader."""

        def decide(topic: str, index: int, record: PartitionRecord) -> LeaderAndIsr | None:
            return None if record.state is None else self._elected(topic, index, record, strategy)

        return (yield from self.change(partitions, decide))

    def shrink(self, partitions: Iterable[TopicPartition], broker: int) -> Steps[None]:
        """Take ``broker`` out of the ISR where it is not alone in it."""

        def decide(topic: str, index: int, record: PartitionRecord) -> LeaderAndIsr | None:
            state = record.state
            if state is None or broker not in state.isr or len(state.isr) == 1:
                return None
            isr = [id_ for id_ in state.isr if id_ != broker]
            leader = NO_LEADER if state.leader == broker else state.leader
            return state.elect(leader, isr, self._epoch)

        yield from self.change(partitions, decide)

    def settled(self, topic: str, index: int, record: PartitionRecord) -> LeaderAndIsr | None:
        """The state to give the partition; None if its state is right."""
        state = record.state
        if state is None:
            return self._first(topic, index, record)
        here = self._cluster.online(topic, index, stopping=True)
        if state.leader in here and self._cluster.is_live(state.leader):
            isr = [id_ for id_ in state.isr if id_ in here]
            return (
                state.elect(state.leader, isr, self._epoch) if len(isr) < len(state.isr) else None
            )
        elected = self._elected(topic, index, record, Strategy.OFFLINE)
        if elected is not None or state.leader in here:
            return elected
        record.move_to(PartitionPhase.OFFLINE)
        if state.leader == NO_LEADER:
            return None
        # The last replica in sync may lead again: the ISR stays.
        return state.elect(NO_LEADER, state.isr, self._epoch)

    def _first(self, topic: str, index: int, record: PartitionRecord) -> LeaderAndIsr | None:
        online = self._cluster.online(topic, index)
        if online:
            return LeaderAndIsr.first(online, self._epoch)
        self.notices.append(
            f"partition {topic}-{index} has no leader: none of its replicas"
            f" {list(record.assignment.replicas)} is alive"
        )
        return None

    def _elected(
        self, topic: str, index: int, record: PartitionRecord, strategy: Strategy
    ) -> LeaderAndIsr | None:
        """The first live replica in sync, of those that ``strategy`` lets lead."""
        state = record.state
        assert state is not None
        online = self._cluster.online(topic, index)
        candidates: Iterable[int] = record.assignment.replicas
        isr: Collection[int] = state.isr
        if strategy is Strategy.PREFERRED:
            candidates = record.assignment.replicas[:1]
        elif strategy is Strategy.REASSIGN:
            candidates = record.assignment.target
        elif strategy is Strategy.CONTROLLED_SHUTDOWN:
            online = self._cluster.online(topic, index, stopping=True)
            isr = [id_ for id_ in isr if id_ not in self._cluster.shutting_down]
        else:
            isr = [id_ for id_ in isr if id_ in online]
        leader = first_in_sync(candidates, isr, online)
        if leader is not None:
            return state.elect(leader, isr, self._epoch)
        unclean = strategy is Strategy.UNCLEAN
        if online and (unclean or (strategy is Strategy.OFFLINE and self._unclean(topic))):
            return self._unclean_leader(topic, index, state, online[0])
        return None

    def _unclean_leader(
        self, topic: str, index: int, state: LeaderAndIsr, leader: int
    ) -> LeaderAndIsr:
        self._cluster.unclean_elections += 1
        self.notices.append(
            f"unclean election: {topic}-{index} is led by broker {leader}, which was not in sync"
            f" {list(state.isr)}; records that only those had are lost"
        )
        return state.elect(leader, [leader], self._epoch, recovering=True)

    def change(
        self, partitions: Iterable[TopicPartition], decide: Decide
    ) -> Steps[list[TopicPartition]]:
        """Write what ``decide`` wants for each partition (None: nothing); which changed."""
        self.given_up.clear()
        changed: list[TopicPartition] = []
        for portion in portions(list(partitions)):
            changed += yield from self._change(portion, decide)
        return changed

    def _change(
        self, partitions: Iterable[TopicPartition], decide: Decide
    ) -> Steps[list[TopicPartition]]:
        todo = list(partitions)
        changed: list[TopicPartition] = []
        for _ in range(_ROUNDS):
            wanted: list[tuple[str, int, LeaderAndIsr]] = []
            for topic, index in todo:
                record = self._cluster.partition(topic, index)
                state = None if record is None else decide(topic, index, record)
                if state is not None:
                    wanted.append((topic, index, state))
            problems = yield from write([self._item(*each) for each in wanted])
            todo = []
            for (topic, index, state), problem in zip(wanted, problems, strict=True):
                if problem is None:
                    self._written(topic, index, state)
                    changed.append((topic, index))
                else:
                    todo.append((topic, index))
            if not todo:
                return changed
            todo = yield from self._reread(todo)
        self.given_up.update(todo)
        self.notices += [
            f"gave up writing the state of {t}-{i}: {self._hindrance(t, i)}" for t, i in todo
        ]
        return changed

    def _hindrance(self, topic: str, index: int) -> str:
        record = self._cluster.partition(topic, index)
        known = record is not None and record.state is not None
        return "it changes all the time" if known else "its znode is there, but cannot be read"

    def _item(self, topic: str, index: int, state: LeaderAndIsr) -> WriteItem:
        record = self._cluster.partition(topic, index)
        if record is not None and record.state is not None:
            return UpdateState(topic=topic, partition=index, state=state)
        return CreateState(topic=topic, partition=index, state=state)

    def _written(self, topic: str, index: int, state: LeaderAndIsr) -> None:
        record = self._cluster.partition(topic, index)
        if record is None:
            return
        new = record.state is None
        record.state = state if new else state.written()
        online = state.leader != NO_LEADER
        record.move_to(PartitionPhase.ONLINE if online else PartitionPhase.OFFLINE)
        self._batch.become(record.assignment.replicas, topic, index, new=new)

    def _reread(self, partitions: list[TopicPartition]) -> Steps[list[TopicPartition]]:
        """Take over states that another broker wrote; the partitions worth another try."""
        states = yield from read_states(partitions)
        again = []
        for (topic, index), state in zip(partitions, states, strict=True):
            record = self._cluster.partition(topic, index)
            if record is None:
                continue
            if state is None and record.state is not None:
                self.notices.append(f"the state of {topic}-{index} is gone or cannot be read")
            elif state is not None and state.controller_epoch > self._epoch:
                self.notices.append(
                    f"the state of {topic}-{index} was written by a newer controller"
                    f" (epoch {state.controller_epoch})"
                )
            else:
                if state is not None and record.state is None:
                    record.move_to(PartitionPhase.ONLINE)
                record.state = state
                self._batch.become(record.assignment.replicas, topic, index, new=False)
                again.append((topic, index))
        return again
