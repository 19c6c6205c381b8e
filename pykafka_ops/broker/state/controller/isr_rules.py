"""How the controller decides on a leader's change of its ISR (AlterPartition, KIP-497).

Counterpart of ``KafkaController.tryProcessAlterPartition``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from pykafka_ops.broker.state.controller.cluster import PartitionRecord
from pykafka_ops.broker.state.controller.leadership import (
    LeaderAndIsr,
    Replicas,
    TopicPartition,
    intern_replicas,
)
from pykafka_ops.broker.state.controller.steps import (
    Steps,
    UpdateState,
    WriteProblem,
    read_states,
    write,
)
from pykafka_ops.broker.state.controller.term import Term
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode

_PROBLEMS = {
    WriteProblem.STALE: ErrorCode.INVALID_UPDATE_VERSION,
    WriteProblem.MISSING: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
}


class IsrChange(NamedTuple):
    """The ISR that a leader proposes, and the epochs it knows."""

    isr: Replicas
    leader_epoch: int
    partition_epoch: int
    recovering: bool = False


IsrAnswers = dict[TopicPartition, LeaderAndIsr | ErrorCode]
"""The state that holds now, or why it was not changed."""


class IsrRules:
    """Rules about the ISR; each is a generator of steps."""

    def __init__(self, term: Term) -> None:
        self._term = term
        self._cluster = term.cluster

    def alter(
        self, broker: int, broker_epoch: int, changes: Mapping[TopicPartition, IsrChange]
    ) -> Steps[IsrAnswers]:
        """Write the proposals of ``broker`` where it leads, and send the result to all brokers.

        Raises KafkaError STALE_BROKER_EPOCH if this is not the live registration of ``broker``.
        """
        info = self._cluster.brokers.get(broker)
        if info is None or info.epoch != broker_epoch:
            raise KafkaError(ErrorCode.STALE_BROKER_EPOCH, ErrorCode.STALE_BROKER_EPOCH.text)
        answers: IsrAnswers = {}
        wanted: list[tuple[TopicPartition, LeaderAndIsr]] = []
        for key, change in changes.items():
            verdict = self._judge(key, broker, change)
            if isinstance(verdict, ErrorCode) or verdict is self._cluster_state(key):
                answers[key] = verdict
            else:
                wanted.append((key, verdict))
        answers |= yield from self._write(wanted)
        for topic, index in changes:
            self._term.batch.tell(topic, index)
        yield from self._term.batch.flush()
        return answers

    def written(self, partitions: Iterable[TopicPartition]) -> Steps[None]:
        """Leaders have written their ISR themselves: take it over, and inform all brokers."""
        known = [key for key in partitions if self._cluster.partition(*key) is not None]
        for key, record in (yield from self._reread(known)):
            if record.assignment.being_reassigned:
                self._term.grown.add(key)
            self._term.batch.tell(*key)
        yield from self._term.batch.flush()

    def _cluster_state(self, key: TopicPartition) -> LeaderAndIsr | None:
        record = self._cluster.partition(*key)
        return None if record is None else record.state

    def _judge(
        self, key: TopicPartition, broker: int, change: IsrChange
    ) -> LeaderAndIsr | ErrorCode:
        """The state to write, the present state itself if nothing changes, or the error."""
        state = self._cluster_state(key)
        if state is None:
            return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        epochs = change.partition_epoch, change.leader_epoch
        if epochs[0] > state.partition_epoch or epochs[1] > state.leader_epoch:
            # The leader knows a newer controller, which it must ask instead.
            return ErrorCode.NOT_CONTROLLER
        if change.leader_epoch < state.leader_epoch:
            return ErrorCode.FENCED_LEADER_EPOCH
        if (broker, change.isr, change.recovering) == (state.leader, state.isr, state.recovering):
            return state  # a repeated request, before its epoch is held against it
        if change.partition_epoch < state.partition_epoch:
            return ErrorCode.INVALID_UPDATE_VERSION
        if change.recovering and (len(change.isr) > 1 or not state.recovering):
            return ErrorCode.INVALID_REQUEST
        if not self._is_plausible(key, broker, change):
            return ErrorCode.INVALID_REQUEST
        if not all(self._cluster.is_live(id_) for id_ in change.isr):
            return ErrorCode.INELIGIBLE_REPLICA
        return state._replace(
            leader=broker,
            isr=intern_replicas(change.isr),
            controller_epoch=self._term.epoch,
            recovering=change.recovering,
        )

    def _is_plausible(self, key: TopicPartition, broker: int, change: IsrChange) -> bool:
        """Kafka's ZooKeeper mode trusts the sender here; KRaft checks this, too."""
        record = self._cluster.partition(*key)
        if record is None or record.state is None or record.state.leader != broker:
            return False
        isr = set(change.isr)
        return (
            broker in isr
            and len(isr) == len(change.isr)
            and isr.issubset(record.assignment.replicas)
        )

    def _write(self, wanted: Sequence[tuple[TopicPartition, LeaderAndIsr]]) -> Steps[IsrAnswers]:
        problems = yield from write(
            [UpdateState(topic=t, partition=i, state=state) for (t, i), state in wanted]
        )
        answers: IsrAnswers = {}
        stale: list[TopicPartition] = []
        for (key, state), problem in zip(wanted, problems, strict=True):
            if problem is not None:
                answers[key] = _PROBLEMS.get(problem, ErrorCode.UNKNOWN_SERVER_ERROR)
                stale += [key] if problem is WriteProblem.STALE else []
                continue
            answers[key] = state.written()
            record = self._cluster.partition(*key)
            if record is not None:
                record.state = state.written()
                if record.assignment.being_reassigned:
                    self._term.grown.add(key)
        for key, record in (yield from self._reread(stale)):
            self._term.batch.become(record.assignment.replicas, *key, new=False)
        return answers

    def _reread(
        self, partitions: list[TopicPartition]
    ) -> Steps[list[tuple[TopicPartition, PartitionRecord]]]:
        """Take over states that other brokers wrote; the partitions that have one now."""
        if not partitions:
            return []
        states = yield from read_states(partitions)
        found = []
        for key, state in zip(partitions, states, strict=True):
            record = self._cluster.partition(*key)
            if record and state and state.controller_epoch <= self._term.epoch:
                record.state = state
                found.append((key, record))
        return found
