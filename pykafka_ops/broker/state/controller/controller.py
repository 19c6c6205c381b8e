"""The controller: what happens when it starts, and elections on demand (``KafkaController``).

Its rules are generators of steps (see ``steps.py``) whose return value is for the caller:
``brokers``, ``topics``, ``moves``, ``elections``, ``isr``, and those below. Work is in proportion
to what changed, never to the size of the cluster, except when a broker comes or goes and when a
controller starts.
"""

from __future__ import annotations

from collections.abc import Callable

from pykafka_ops.broker.state.controller.broker_rules import BrokerRules
from pykafka_ops.broker.state.controller.cluster import Snapshot
from pykafka_ops.broker.state.controller.election_rules import ElectionRules
from pykafka_ops.broker.state.controller.isr_rules import IsrRules
from pykafka_ops.broker.state.controller.reassignment_rules import ReassignmentRules
from pykafka_ops.broker.state.controller.steps import Steps, UnmarkDeleted, portions, write
from pykafka_ops.broker.state.controller.term import Term
from pykafka_ops.broker.state.controller.topic_rules import TopicRules

Rule = Callable[[], Steps[None]]


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
        self.topics = TopicRules(self.term, new_topic_id, delete_enabled=delete_enabled)
        self.moves = ReassignmentRules(self.term)
        self.brokers = BrokerRules(self.term, self.moves)
        self.elections = ElectionRules(self.term)
        self.isr = IsrRules(self.term)
        self._delete_enabled = delete_enabled

    def take_notices(self) -> list[str]:
        """Warnings for the operator since the last call."""
        rules = (self.term.leaders, self.term.deletions, self.moves, self.elections)
        notices = [notice for rule in rules for notice in rule.notices]
        for rule in rules:
            rule.notices.clear()
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
        moved = {topic for topic, _ in self.moves.being_moved()}
        gone = deleting - moved
        healthy = [(t, i) for t, i, _ in cluster.all_partitions() if t not in gone]
        for some in portions(healthy):  # brokers are at work while the next are written
            yield from self.term.leaders.take_over(some, snapshot.restarted)
            for topic, index in some:
                replicas = cluster.topics[topic].partitions[index].assignment.replicas
                self.term.batch.become(replicas, topic, index, new=False)
            yield from self.term.batch.flush()
        begun = yield from self.moves.asked_by_znode(snapshot.reassignments)
        yield from self.moves.go_on([k for k in self.moves.being_moved() if k not in begun])
        yield from self.term.deletions.start(sorted(deleting))
        if snapshot.elections is not None:
            yield from self.elections.asked_by_znode(snapshot.elections)

    def deletion_settled(self, topic: str) -> bool:
        """Whether a topic's deletion is over, or waits for a broker."""
        deletion = self.cluster.deletions.get(topic)
        return deletion is None or deletion.blocked

    def follow_up(self) -> Rule | None:
        """Rules that follow from the last one; run them next, after answering its caller."""
        return self.moves.in_sync_grew if self.term.grown else None
