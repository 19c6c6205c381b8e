"""What all of the controller's rules work with in one term."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pykafka_ops.broker.state.controller.cluster import ControllerContext, PartitionRecord
from pykafka_ops.broker.state.controller.leader_rules import LeaderRules
from pykafka_ops.broker.state.controller.leadership import NO_LEADER, TopicPartition
from pykafka_ops.broker.state.controller.order_batch import OrderBatch
from pykafka_ops.broker.state.controller.topic_deletion import DeletionRules
from pykafka_ops.broker.state.controller.transitions import PartitionPhase


class Term:
    """One broker's term as controller: its context and the orders it collects."""

    def __init__(self, broker_id: int, epoch: int, unclean: Callable[[str], bool]) -> None:
        self.broker_id = broker_id
        self.epoch = epoch
        self.cluster = ControllerContext()
        self.batch = OrderBatch(self.cluster, broker_id, epoch)
        self.leaders = LeaderRules(self.cluster, self.batch, epoch, unclean)
        self.deletions = DeletionRules(self.cluster, self.batch, epoch)
        self.grown: set[TopicPartition] = set()
        """Partitions being moved whose ISR has changed since the last check."""

    def record(self, key: TopicPartition) -> PartitionRecord:
        """A partition that is known."""
        return self.cluster.topics[key[0]].partitions[key[1]]

    def leader(self, key: TopicPartition) -> int:
        """Who leads a known partition, NO_LEADER if nobody."""
        state = self.record(key).state
        return NO_LEADER if state is None else state.leader

    def healthy(self, partitions: Iterable[TopicPartition]) -> list[TopicPartition]:
        """Those that are not being deleted; a topic that is being moved first lives on."""
        return [key for key in partitions if not self.cluster.is_going(key[0])]

    def leaderless(self) -> list[TopicPartition]:
        """Partitions that wait for a broker to lead them."""
        waiting = (PartitionPhase.NEW, PartitionPhase.OFFLINE)
        return self.healthy(
            (topic, index)
            for topic, index, record in self.cluster.all_partitions()
            if record.phase in waiting
        )
