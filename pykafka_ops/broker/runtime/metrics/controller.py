"""The cluster as its controller sees it (``KafkaController``); all 0 on other brokers, as Kafka."""

from __future__ import annotations

from pykafka_ops.broker.runtime.controller.event_kinds import ControllerEventKind
from pykafka_ops.broker.runtime.parts import Parts
from pykafka_ops.broker.state.controller.cluster import ControllerContext
from pykafka_ops.broker.state.controller.transitions import PartitionPhase, ReplicaPhase
from pykafka_ops.broker.state.steps import Steps
from pykafka_ops.metrics.family import Book, MetricKind
from pykafka_ops.metrics.spread import Spread

MANY = 512
"""Partitions between two pauses."""
COUNTED = {
    "ActiveControllerCount": "1 on the broker that is the controller",
    "ActiveBrokerCount": "Live brokers of the cluster",
    "FencedBrokerCount": "Fenced brokers: none without KRaft",
    "GlobalTopicCount": "Topics of the cluster",
    "GlobalPartitionCount": "Partitions of the cluster",
    "OfflinePartitionsCount": "Partitions without a leader",
    "PreferredReplicaImbalanceCount": "Partitions not led by their first replica",
    "TopicsToDeleteCount": "Topics in deletion",
    "ReplicasToDeleteCount": "Replicas in deletion",
    "TopicsIneligibleToDeleteCount": "Topics whose deletion waits",
    "ReplicasIneligibleToDeleteCount": "Replicas whose deletion waits for their broker",
}


TIMED = {
    ControllerEventKind.BROKER_CHANGE: "brokers that joined or left, and the elections",
    ControllerEventKind.TOPIC_CHANGE: "topics that were created, deleted or changed",
    ControllerEventKind.TOPIC_DELETION: "topics marked for deletion",
    ControllerEventKind.REASSIGNMENT: "reassignments requested by a znode",
    ControllerEventKind.ISR_CHANGE: "ISRs that brokers changed in ZooKeeper",
    ControllerEventKind.LOG_DIR_CHANGE: "log directories that failed",
    ControllerEventKind.AUTO_LEADER_BALANCE: "the check for leaders that are not preferred",
    ControllerEventKind.MANUAL_LEADER_BALANCE: "elections requested by a znode",
    ControllerEventKind.CONTROLLER_CHANGE: "becoming controller",
}


def collect(parts: Parts, book: Book) -> Steps[None]:
    """Counts of this broker's term as controller, if it has one."""
    cluster = parts.controller.cluster
    found = dict.fromkeys(COUNTED, 0)
    if cluster is not None:
        yield from _count(cluster, found)
    for name, what in COUNTED.items():
        book.bean(f"kafka.controller:KafkaController:{name}", what).add(found[name])
    book.bean(
        "kafka.controller:ControllerStats:UncleanLeaderElectionsPerSec",
        "Leaders elected from outside the ISR since this broker became controller",
        MetricKind.COUNTER,
    ).add(0 if cluster is None else cluster.unclean_elections)
    book.bean(
        "kafka.controller:ControllerEventManager:EventQueueSize",
        "Events that the controller has not handled yet",
    ).add(parts.controller.queued)


class ControllerTimes:
    """How long the controller took for its events, from the creation of this object on."""

    def __init__(self, parts: Parts) -> None:
        self._timer = parts.services.timer
        self._spreads = {kind: Spread() for kind in ControllerEventKind}
        parts.controller.on_event = self._add

    def _add(self, kind: ControllerEventKind, ms: float) -> None:
        self._spreads[kind].turn(self._timer())
        self._spreads[kind].add(ms)

    def collect(self, book: Book) -> None:
        """The times by kind of event."""
        for kind, spread in self._spreads.items():
            spread.turn(self._timer())
            book.bean(
                f"kafka.controller:ControllerStats:{kind.value}RateAndTimeMs",
                f"Time of the controller for {TIMED[kind]}, in ms",
                MetricKind.SUMMARY,
            ).add(spread.times())


def _count(cluster: ControllerContext, found: dict[str, int]) -> Steps[None]:
    found["ActiveControllerCount"] = 1
    found["ActiveBrokerCount"] = len(cluster.brokers)
    found["GlobalTopicCount"] = len(cluster.topics)
    for number, (topic, index, record) in enumerate(list(cluster.all_partitions())):
        if not number % MANY:
            yield None
        found["GlobalPartitionCount"] += 1
        if topic in cluster.deletions:
            continue
        offline = record.phase is not PartitionPhase.ONLINE
        found["OfflinePartitionsCount"] += offline
        replicas, state = record.assignment.replicas, record.state
        led = state is not None and cluster.is_online(state.leader, topic, index)
        preferred = state is not None and state.leader == replicas[0]
        found["PreferredReplicaImbalanceCount"] += not (led and preferred)
    for deletion in cluster.deletions.values():
        phases = list(deletion.replicas.values())
        stuck = phases.count(ReplicaPhase.DELETION_INELIGIBLE)
        found["TopicsToDeleteCount"] += 1
        found["ReplicasToDeleteCount"] += len(phases)
        found["ReplicasIneligibleToDeleteCount"] += stuck
        found["TopicsIneligibleToDeleteCount"] += deletion.blocked
