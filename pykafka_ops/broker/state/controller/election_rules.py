"""Elections on demand: of clients, of older tools by a znode, of the clock."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cache

from pykafka_ops.broker.state.controller.election import ElectionType, Strategy, first_in_sync
from pykafka_ops.broker.state.controller.leadership import NO_LEADER, TopicPartition
from pykafka_ops.broker.state.controller.steps import (
    ClearElections,
    Steps,
    pause,
    portions,
    write,
)
from pykafka_ops.broker.state.controller.term import Term
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode

ElectionResults = dict[TopicPartition, KafkaError | int]
"""The new leader, or why there is none."""


@cache
def _not_needed() -> KafkaError:
    """One for all the partitions of a request."""
    return KafkaError(ErrorCode.ELECTION_NOT_NEEDED, ErrorCode.ELECTION_NOT_NEEDED.text)


class ElectionRules:
    """Rules about elections; each is a generator of steps."""

    def __init__(self, term: Term) -> None:
        self._term = term
        self._cluster = term.cluster
        self.notices: list[str] = []

    def elect(
        self, partitions: Iterable[TopicPartition] | None, kind: ElectionType
    ) -> Steps[ElectionResults]:
        """ElectLeaders, of all partitions if None: the leader or the error of each."""
        wanted = (
            [(topic, index) for topic, index, _ in self._cluster.all_partitions()]
            if partitions is None
            else list(dict.fromkeys(partitions))
        )
        results: ElectionResults = {}
        electable = []
        for some in portions(wanted):
            for key in some:
                error = self._cannot_elect(key, kind)
                if error is None:
                    electable.append(key)
                else:
                    results[key] = error
            yield from pause(some)
        preferred = kind is ElectionType.PREFERRED
        strategy = Strategy.PREFERRED if preferred else Strategy.UNCLEAN
        elected = set((yield from self._term.leaders.elect(electable, strategy)))
        yield from self._term.batch.flush()
        for key in electable:
            results[key] = self._term.leader(key) if key in elected else _no_leader(key, strategy)
        return results

    def _cannot_elect(self, key: TopicPartition, kind: ElectionType) -> KafkaError | None:
        record = self._cluster.partition(*key)
        if record is None:
            return KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "The partition does not exist.")
        if key[0] in self._cluster.deletions:
            return KafkaError(ErrorCode.INVALID_TOPIC_EXCEPTION, "The topic is being deleted")
        leader = self._term.leader(key)
        if kind is ElectionType.PREFERRED:
            needed = leader != next(iter(record.assignment.replicas), NO_LEADER)
        else:
            needed = leader == NO_LEADER or not self._cluster.is_live(leader)
        return None if needed else _not_needed()

    def asked_by_znode(self, partitions: Collection[TopicPartition]) -> Steps[None]:
        """``/admin/preferred_replica_election`` names these: elect, then remove it."""
        results = yield from self.elect(partitions, ElectionType.PREFERRED)
        for (topic, index), result in results.items():
            if isinstance(result, KafkaError) and result.code != ErrorCode.ELECTION_NOT_NEEDED:
                self.notices.append(f"preferred election of {topic}-{index}: {result}")
        yield from write([ClearElections()])

    def rebalance(self, percentage: int) -> Steps[list[TopicPartition]]:
        """Give partitions back to their preferred leaders, if a broker lacks more than
        ``percentage`` of that (``auto.leader.rebalance.enable``); what moved."""
        preferred: dict[int, int] = {}
        misled: dict[int, list[TopicPartition]] = {}
        for topic, index, record in self._cluster.all_partitions():
            replicas, state = record.assignment.replicas, record.state
            if not replicas or topic in self._cluster.deletions:
                continue
            preferred[replicas[0]] = preferred.get(replicas[0], 0) + 1
            if state is not None and state.leader != replicas[0]:
                misled.setdefault(replicas[0], []).append((topic, index))
        wanted = [
            key
            for broker, keys in misled.items()
            if len(keys) * 100 > percentage * preferred[broker]
            for key in keys
            if self._can_lead(key)
        ]
        moved = yield from self._term.leaders.elect(wanted, Strategy.PREFERRED)
        yield from self._term.batch.flush()
        return moved

    def _can_lead(self, key: TopicPartition) -> bool:
        """Whether the preferred leader can be elected."""
        record = self._term.record(key)
        isr = () if record.state is None else record.state.isr
        online = self._cluster.online(*key)
        return first_in_sync(record.assignment.replicas[:1], isr, online) is not None

    def unclean_allowed(self, topic: str | None) -> Steps[None]:
        """``unclean.leader.election.enable`` was switched on for a topic, or for all (None)."""
        waiting = [key for key in self._term.leaderless() if topic in (None, key[0])]
        yield from self._term.leaders.settle(waiting)
        yield from self._term.batch.flush()


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
