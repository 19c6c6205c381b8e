"""How a topic is deleted: first every replica, then the znodes (``TopicDeletionManager``).

A topic stays "marked for deletion" while a broker that holds a replica is down or fails to
delete it; its deletion goes on when that broker comes back.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from pykafka_ops.broker.state.controller.cluster import ControllerContext, Deletion, TopicEntry
from pykafka_ops.broker.state.controller.leadership import NO_LEADER, TopicPartition
from pykafka_ops.broker.state.controller.order_batch import OrderBatch
from pykafka_ops.broker.state.controller.steps import (
    RemoveTopic,
    Steps,
    UpdateState,
    WriteItem,
    pause,
    portions,
    write,
)
from pykafka_ops.broker.state.controller.transitions import PartitionPhase, ReplicaPhase


class DeletionRules:
    """Deletions on one cluster, in one controller epoch."""

    def __init__(self, cluster: ControllerContext, batch: OrderBatch, epoch: int) -> None:
        self._cluster = cluster
        self._batch = batch
        self._epoch = epoch
        self.notices: list[str] = []

    def start(self, topics: Iterable[str]) -> Steps[None]:
        """Begin, or go on with, the deletion of topics that are known.

        A topic whose replicas are being moved is queued until that is over. Until then brokers
        know it: those that join could not ask its leaders for it otherwise.
        """
        items: list[WriteItem] = []
        for topic in topics:
            entry = self._cluster.topics[topic]
            deletion = self._cluster.deletions.setdefault(topic, Deletion())
            first = not deletion.started
            if first and any(r.assignment.being_reassigned for r in entry.partitions.values()):
                continue
            if first:
                yield from self._begin(topic, entry, deletion)
            yield from self._stop_replicas(topic, deletion)
            if first and deletion.any_in(ReplicaPhase.DELETION_INELIGIBLE):
                items += self._leaderless(topic, entry)
        # So that nothing takes the stuck topic for a healthy one.
        yield from write(items)
        yield from self._batch.flush()
        yield from self._finish()

    def _begin(self, topic: str, entry: TopicEntry, deletion: Deletion) -> Steps[None]:
        deletion.started = True
        for some in portions(list(entry.partitions.items())):
            for index, record in some:
                record.move_to(PartitionPhase.OFFLINE)
                record.move_to(PartitionPhase.NON_EXISTENT)
                self._batch.tell(topic, index)
                for broker in record.assignment.replicas:
                    deletion.replicas[index, broker] = ReplicaPhase.OFFLINE
            yield from pause(some)

    def _stop_replicas(self, topic: str, deletion: Deletion) -> Steps[None]:
        waiting = (ReplicaPhase.OFFLINE, ReplicaPhase.DELETION_INELIGIBLE)
        for some in portions(list(deletion.replicas.items())):
            for (index, broker), phase in some:
                if phase not in waiting:
                    continue
                if self._cluster.is_online(broker, topic, index):
                    if phase is ReplicaPhase.DELETION_INELIGIBLE:
                        deletion.move(index, broker, ReplicaPhase.OFFLINE)
                    deletion.move(index, broker, ReplicaPhase.DELETION_STARTED)
                    self._batch.stop(broker, topic, index, delete=True)
                elif phase is ReplicaPhase.OFFLINE:
                    deletion.move(index, broker, ReplicaPhase.DELETION_INELIGIBLE)
            yield from pause(some)

    def _leaderless(self, topic: str, entry: TopicEntry) -> list[WriteItem]:
        items: list[WriteItem] = []
        for index, record in entry.partitions.items():
            state = record.state
            if state is not None and state.leader != NO_LEADER:
                new = state.elect(NO_LEADER, state.isr, self._epoch)
                items.append(UpdateState(topic=topic, partition=index, state=new))
                record.state = new.written()
        return items

    def replied(
        self, broker: int, deleted: Iterable[TopicPartition], failed: Collection[TopicPartition]
    ) -> Steps[None]:
        """A broker has answered StopReplica for ``deleted`` replicas, of which some ``failed``."""
        for key in deleted:
            deletion = self._cluster.deletions.get(key[0])
            phase = None if deletion is None else deletion.replicas.get((key[1], broker))
            if deletion is not None and phase is ReplicaPhase.DELETION_STARTED:
                bad = key in failed
                if bad:
                    self.notices.append(f"broker {broker} could not delete {key[0]}-{key[1]}")
                deletion.move(
                    key[1],
                    broker,
                    ReplicaPhase.DELETION_INELIGIBLE if bad else ReplicaPhase.DELETION_SUCCESSFUL,
                )
        yield from self._finish()

    def brokers_lost(self, brokers: Collection[int]) -> None:
        """Replicas on dead brokers wait for them."""
        for deletion in self._cluster.deletions.values():
            for (index, broker), phase in list(deletion.replicas.items()):
                if broker in brokers and phase is ReplicaPhase.DELETION_STARTED:
                    deletion.move(index, broker, ReplicaPhase.DELETION_INELIGIBLE)

    def brokers_back(self, brokers: Collection[int]) -> Steps[None]:
        """Go on with topics that waited for these brokers."""
        topics = [
            topic
            for topic, deletion in self._cluster.deletions.items()
            if any(
                broker in brokers and phase is ReplicaPhase.DELETION_INELIGIBLE
                for (_, broker), phase in deletion.replicas.items()
            )
        ]
        if topics:
            yield from self.start(topics)

    def _finish(self) -> Steps[None]:
        done = [topic for topic, deletion in self._cluster.deletions.items() if deletion.done]
        problems = yield from write([RemoveTopic(topic=topic) for topic in done])
        for topic, problem in zip(done, problems, strict=True):
            if problem is None:
                self._cluster.remove_topic(topic)
            else:
                self.notices.append(f"topic {topic} is deleted, but its znodes {problem.value}")
