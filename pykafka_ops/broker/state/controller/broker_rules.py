"""What the controller does when brokers come, go, stop, restart or lose a disk."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from pykafka_ops.broker.state.controller.election import Strategy
from pykafka_ops.broker.state.controller.leadership import TopicPartition
from pykafka_ops.broker.state.controller.orders import PartitionErrors
from pykafka_ops.broker.state.controller.reassignment_rules import ReassignmentRules
from pykafka_ops.broker.state.controller.steps import Steps, portions
from pykafka_ops.broker.state.controller.term import Term
from pykafka_ops.broker.state.image import BrokerInfo
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode


class BrokerRules:
    """Rules about brokers; each is a generator of steps."""

    def __init__(self, term: Term, moves: ReassignmentRules) -> None:
        self._term = term
        self._moves = moves
        self._cluster = term.cluster

    def changed(self, live: Mapping[int, BrokerInfo]) -> Steps[None]:
        """The registrations are now ``live``; a broker with a higher epoch has restarted."""
        known = self._cluster.brokers
        new = [id_ for id_ in live if id_ not in known]
        dead = [id_ for id_ in known if id_ not in live]
        bounced = [id_ for id_ in live if id_ in known and live[id_].epoch > known[id_].epoch]
        gone = dead + bounced
        if gone:
            for id_ in gone:
                del known[id_]
                self._cluster.shutting_down.discard(id_)
                self._cluster.offline_dirs.pop(id_, None)
            yield from self._replicas_lost(gone)
        come = sorted(new + bounced)
        if come:
            known.update({id_: live[id_] for id_ in come})
            yield from self._brokers_started(come)

    def _replicas_lost(self, brokers: Collection[int]) -> Steps[None]:
        self._term.deletions.brokers_lost(brokers)
        self._term.batch.tell_brokers()
        for some in portions(self._term.healthy(self._cluster.hosted_by(brokers))):
            yield from self._term.leaders.settle(some)
            for topic, index in some:
                self._term.batch.tell(topic, index)
            yield from self._term.batch.flush()
        yield from self._term.batch.flush()

    def _brokers_started(self, brokers: Collection[int]) -> Steps[None]:
        self._term.batch.tell_brokers()
        self._term.batch.tell_everything(brokers)
        yield from self._term.batch.flush()
        for topic, index in self._term.healthy(self._cluster.hosted_by(brokers)):
            self._term.batch.become(brokers, topic, index, new=False)
        # Any leaderless partition may be led by now.
        yield from self._term.leaders.settle(self._term.leaderless())
        yield from self._term.batch.flush()
        yield from self._moves.go_on(self._moves.being_moved(brokers))
        yield from self._term.deletions.brokers_back(brokers)

    def updated(self, info: BrokerInfo) -> Steps[None]:
        """A live broker has written other endpoints."""
        if info.id in self._cluster.brokers:
            self._cluster.brokers[info.id] = info
            self._term.batch.tell_brokers()
            yield from self._term.batch.flush()

    def log_dirs_failed(self, brokers: Collection[int]) -> Steps[None]:
        """Brokers report a failed log directory: their answers to orders name the replicas."""
        for topic, index in self._term.healthy(self._cluster.hosted_by(brokers)):
            self._term.batch.become(brokers, topic, index, new=False)
        yield from self._term.batch.flush()

    def leader_and_isr_replied(
        self, broker: int, asked: Iterable[TopicPartition], errors: PartitionErrors
    ) -> Steps[None]:
        """``broker`` has executed its orders, except for ``errors``; a storage error takes a
        replica offline until the broker executes an order for it again: its disk is repaired."""
        offline = self._cluster.offline_dirs.setdefault(broker, set())
        failed = {k for k, code in errors.items() if code == ErrorCode.KAFKA_STORAGE_ERROR}
        lost = failed - offline
        back = offline.intersection(key for key in asked if key not in errors)
        offline -= back
        offline |= failed
        if not offline:
            del self._cluster.offline_dirs[broker]
        if lost or back:
            waiting = back.intersection(self._term.leaderless()) if back else set()
            yield from self._term.leaders.settle(self._term.healthy(sorted(lost | waiting)))
            for topic, index in sorted(lost | back):
                self._term.batch.tell(topic, index)
            yield from self._term.batch.flush()

    def controlled_shutdown(self, broker: int, broker_epoch: int) -> Steps[set[TopicPartition]]:
        """``broker`` wants to stop: move its leaderships; those that could not be moved.

        Raises KafkaError STALE_BROKER_EPOCH, BROKER_NOT_AVAILABLE. ``broker_epoch`` -1 is not
        checked.
        """
        info = self._cluster.brokers.get(broker)
        if info is None:
            raise KafkaError(ErrorCode.BROKER_NOT_AVAILABLE, f"Broker id {broker} does not exist.")
        if broker_epoch not in (-1, info.epoch) and broker_epoch < info.epoch:
            raise KafkaError(
                ErrorCode.STALE_BROKER_EPOCH,
                f"Received controlled shutdown request from an old broker epoch {broker_epoch}"
                f" for broker {broker}. Current broker epoch is {info.epoch}.",
            )
        self._cluster.shutting_down.add(broker)
        hosted = self._term.healthy(self._cluster.hosted_by([broker]))
        movable = [key for key in hosted if len(self._term.record(key).assignment.replicas) > 1]
        led = [key for key in movable if self._term.leader(key) == broker]
        yield from self._term.leaders.elect(led, Strategy.CONTROLLED_SHUTDOWN)
        yield from self._leave_isr(broker, [key for key in movable if key not in set(led)])
        yield from self._term.batch.flush()
        return {key for key in movable if self._term.leader(key) == broker}

    def _leave_isr(self, broker: int, followed: list[TopicPartition]) -> Steps[None]:
        for topic, index in followed:
            self._term.batch.stop(broker, topic, index, delete=False)
        yield from self._term.leaders.shrink(followed, broker)
