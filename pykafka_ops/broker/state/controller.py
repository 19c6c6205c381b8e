"""The controller: what happens when it starts, and elections on demand (``KafkaController``).

Its rules are generators of steps (see ``steps.py``) whose return value is for whoever asked:
``brokers`` about brokers, ``topics`` about topics, and those below. Work is in proportion to
what changed, never to the size of the cluster, except when a broker comes or goes and when a
controller starts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pykafka_ops.broker.state.broker_rules import BrokerRules
from pykafka_ops.broker.state.cluster import Snapshot
from pykafka_ops.broker.state.controller_term import Term
from pykafka_ops.broker.state.election import ElectionType, Strategy
from pykafka_ops.broker.state.leadership import NO_LEADER, TopicPartition
from pykafka_ops.broker.state.steps import Steps, UnmarkDeleted, write
from pykafka_ops.broker.state.topic_rules import TopicRules
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode

ElectionResults = dict[TopicPartition, KafkaError | int]
"""The new leader, or why there is none."""


class Controller:
    """One broker's term as controller."""

    def __init__(
        self,
        broker_id: int,
        epoch: int,
        *,
        new_topic_id: Callable[[], bytes],
        unclean: Callable[[str], bool] = lambda topic: False,
        delete_enabled: bool = True,
    ) -> None:
        """``new_topic_id()`` gives random ids; ``unclean(topic)`` is its
        ``unclean.leader.election.enable``; ``delete_enabled`` is ``delete.topic.enable``."""
        self.term = Term(broker_id, epoch, unclean)
        self.cluster = self.term.cluster
        self.brokers = BrokerRules(self.term)
        self.topics = TopicRules(self.term, new_topic_id, delete_enabled=delete_enabled)
        self._delete_enabled = delete_enabled

    def take_notices(self) -> list[str]:
        """What an operator should know of since the last call."""
        leaders, deletions = self.term.leaders.notices, self.term.deletions.notices
        notices = leaders + deletions
        leaders.clear()
        deletions.clear()
        return notices

    def elected(self, snapshot: Snapshot) -> Steps[None]:
        """This broker has become controller and read ``snapshot``."""
        cluster = self.cluster
        cluster.load(snapshot)
        yield from self.topics.give_ids(snapshot.topics)
        self.term.batch.tell_brokers()
        yield from self.term.batch.flush()
        marked = set(snapshot.deletions)
        deleting = marked.intersection(cluster.topics) if self._delete_enabled else set()
        yield from write([UnmarkDeleted(topic=topic) for topic in sorted(marked - deleting)])
        healthy = [(t, i) for t, i, _ in cluster.all_partitions() if t not in deleting]
        yield from self.term.leaders.settle(healthy)
        for topic, index in healthy:
            replicas = cluster.topics[topic].partitions[index].assignment.replicas
            self.term.batch.become(replicas, topic, index, new=False)
        yield from self.term.batch.flush()
        yield from self.term.deletions.start(sorted(deleting))

    def deletion_settled(self, topic: str) -> bool:
        """Whether a topic's deletion is over, or waits for a broker."""
        deletion = self.cluster.deletions.get(topic)
        return deletion is None or deletion.blocked

    def elect(
        self, partitions: Iterable[TopicPartition] | None, kind: ElectionType
    ) -> Steps[ElectionResults]:
        """ElectLeaders, of all partitions if None: the leader or the error of each."""
        wanted = (
            [(topic, index) for topic, index, _ in self.cluster.all_partitions()]
            if partitions is None
            else list(dict.fromkeys(partitions))
        )
        results: ElectionResults = {}
        electable = []
        for key in wanted:
            error = self._cannot_elect(key, kind)
            if error is None:
                electable.append(key)
            else:
                results[key] = error
        preferred = kind is ElectionType.PREFERRED
        strategy = Strategy.PREFERRED if preferred else Strategy.UNCLEAN
        elected = set((yield from self.term.leaders.elect(electable, strategy)))
        yield from self.term.batch.flush()
        for key in electable:
            results[key] = self.term.leader(key) if key in elected else _no_leader(key, strategy)
        return results

    def _cannot_elect(self, key: TopicPartition, kind: ElectionType) -> KafkaError | None:
        record = self.cluster.partition(*key)
        if record is None:
            return KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "The partition does not exist.")
        if key[0] in self.cluster.deletions:
            return KafkaError(ErrorCode.INVALID_TOPIC_EXCEPTION, "The topic is being deleted")
        leader = self.term.leader(key)
        if kind is ElectionType.PREFERRED:
            needed = leader != next(iter(record.assignment.replicas), NO_LEADER)
        else:
            needed = leader == NO_LEADER or not self.cluster.is_live(leader)
        text = ErrorCode.ELECTION_NOT_NEEDED.text
        return None if needed else KafkaError(ErrorCode.ELECTION_NOT_NEEDED, text)

    def unclean_allowed(self, topic: str | None) -> Steps[None]:
        """``unclean.leader.election.enable`` was switched on for a topic, or for all (None)."""
        waiting = [key for key in self.term.leaderless() if topic in (None, key[0])]
        yield from self.term.leaders.settle(waiting)
        yield from self.term.batch.flush()


def _no_leader(key: TopicPartition, strategy: Strategy) -> KafkaError:
    code = (
        ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE
        if strategy is Strategy.PREFERRED
        else ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE
    )
    return KafkaError(
        code,
        f"Failed to elect leader for partition {key[0]}-{key[1]} under strategy {strategy.label}",
    )
