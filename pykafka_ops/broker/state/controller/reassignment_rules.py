"""How replicas move from some brokers to others (KIP-455, ``onPartitionReassignment``).

The topic's znode says what is under way, so a new controller goes on where a former one was:

1. the znode gets the union of old and new replicas, with what is being added and removed;
2. new replicas start to follow; nothing else happens until all of the target are in sync;
3. a replica of the target leads, the others leave the ISR and are deleted, and the znode gets
   the target.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from pykafka_ops.broker.state.controller.cluster import PartitionRecord
from pykafka_ops.broker.state.controller.election import first_in_sync
from pykafka_ops.broker.state.controller.leadership import (
    NO_LEADER,
    LeaderAndIsr,
    ReplicaAssignment,
    Replicas,
    TopicPartition,
)
from pykafka_ops.broker.state.controller.steps import SetAssignment, SetReassignments, Steps, write
from pykafka_ops.broker.state.controller.term import Term
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode

_MAX_ID = 2**31 - 1

MoveErrors = dict[TopicPartition, KafkaError | None]


class ReassignmentRules:
    """Rules about moves; each is a generator of steps."""

    def __init__(self, term: Term) -> None:
        self._term = term
        self._cluster = term.cluster
        self._asked: dict[TopicPartition, Replicas] = {}
        """What ``/admin/reassign_partitions`` asks for and is not done yet."""
        self.notices: list[str] = []

    # -- asked for

    def alter(self, wanted: Mapping[TopicPartition, Sequence[int] | None]) -> Steps[MoveErrors]:
        """Begin moves to other replicas, or cancel them (None); per partition why not, or None.

        It replaces what an older tool requested by the znode.
        """
        results: MoveErrors = {}
        moves: dict[TopicPartition, ReplicaAssignment] = {}
        for key, target in wanted.items():
            results[key] = self._problem(key, target, dead_allowed=False)
            if results[key] is None:
                moves[key] = self._plan(key, target)
        yield from self._unask(moves)
        results |= yield from self._begin(moves)
        return results

    def asked_by_znode(
        self, moves: Mapping[TopicPartition, Sequence[int]]
    ) -> Steps[set[TopicPartition]]:
        """``/admin/reassign_partitions`` has these contents: begin what is new; what was begun.

        Here a target may be a broker that is down. Entries that make no sense are taken out.
        """
        wanted = {key: tuple(target) for key, target in moves.items()}
        if wanted == self._asked:
            return set()
        new = {key: target for key, target in wanted.items() if self._asked.get(key) != target}
        self._asked = wanted
        results: MoveErrors = {
            key: self._problem(key, target, dead_allowed=True) for key, target in new.items()
        }
        good = {key: self._plan(key, new[key]) for key, error in results.items() if error is None}
        results |= yield from self._begin(good)
        failed = {key: error for key, error in results.items() if error is not None}
        self.notices += [
            f"the reassignment of {t}-{i} to {list(new[t, i])} was refused: {error}"
            for (t, i), error in failed.items()
        ]
        yield from self._unask(failed)
        return new.keys() - failed.keys()

    def _problem(
        self, key: TopicPartition, target: Sequence[int] | None, *, dead_allowed: bool
    ) -> KafkaError | None:
        current = self._assignment(key)
        if target is None:
            if not current.being_reassigned:
                code = ErrorCode.NO_REASSIGNMENT_IN_PROGRESS
                return KafkaError(code, code.text)
            return None
        text = None
        if not target:
            text = "Empty replica list specified in partition reassignment."
        elif len(set(target)) < len(target):
            text = f"Duplicate replica ids in partition reassignment replica list: {_list(target)}"
        elif not all(0 <= id_ <= _MAX_ID for id_ in target):
            text = f"Invalid broker id in replica list: {_list(target)}"
        elif not dead_allowed:
            adding = current.reassign_to(target).adding
            is_live = self._cluster.is_live
            if not all(map(is_live, adding)):
                live = ", ".join(map(str, filter(is_live, self._cluster.brokers)))
                text = (
                    "Replica assignment has brokers that are not alive. Replica list: "
                    f"{_list(adding)}, live broker list: Set({live})"
                )
        return None if text is None else KafkaError(ErrorCode.INVALID_REPLICA_ASSIGNMENT, text)

    def _assignment(self, key: TopicPartition) -> ReplicaAssignment:
        record = self._cluster.partition(*key)
        return ReplicaAssignment(()) if record is None else record.assignment

    def _plan(self, key: TopicPartition, target: Sequence[int] | None) -> ReplicaAssignment:
        current = self._assignment(key)
        return current.reassign_to(current.origin if target is None else target)

    def _unask(self, keys: Collection[TopicPartition]) -> Steps[None]:
        """Take partitions out of ``/admin/reassign_partitions``."""
        left = {key: target for key, target in self._asked.items() if key not in keys}
        if len(left) < len(self._asked):
            self._asked = left
            yield from write([SetReassignments(moves=left)])

    # -- the first phase

    def _begin(self, moves: Mapping[TopicPartition, ReplicaAssignment]) -> Steps[MoveErrors]:
        results: MoveErrors = {key: self._cannot_begin(key, to) for key, to in moves.items()}
        old: dict[TopicPartition, ReplicaAssignment] = {}
        for key, error in results.items():
            if error is None:
                old[key] = self._term.record(key).assignment
        # First what a former move was adding: after a crash the znode has it brought back, while
        # a replica that no znode names would stay for ever.
        yield from self._remove(
            (key, [id_ for id_ in was.replicas if id_ not in moves[key].replicas])
            for key, was in old.items()
        )
        yield from self._term.batch.flush()
        changed = {key: moves[key] for key in old if moves[key] != old[key]}
        failed = yield from self._write(changed)
        for key in failed:
            code = ErrorCode.UNKNOWN_SERVER_ERROR
            results[key] = KafkaError(code, code.text)
        for key in old.keys() - failed:
            self._term.record(key).assignment = moves[key]
        yield from self.go_on(
            k for k, was in old.items() if k not in failed or was.being_reassigned
        )
        return results

    def _cannot_begin(self, key: TopicPartition, move: ReplicaAssignment) -> KafkaError | None:
        record = self._cluster.partition(*key)
        if record is None or key[0] in self._cluster.deletions:
            return KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "The partition does not exist.")
        isr = () if record.state is None else record.state.isr
        if isr and set(isr).isdisjoint(move.replicas):
            # Kafka's ZooKeeper mode goes ahead, and loses the partition; KRaft refuses like this.
            return KafkaError(
                ErrorCode.INVALID_REPLICA_ASSIGNMENT,
                f"Unable to revert partition assignment for {key[0]}:{key[1]} because it would"
                " require an unclean leader election.",
            )
        return None

    def _write(
        self, changed: Mapping[TopicPartition, ReplicaAssignment]
    ) -> Steps[set[TopicPartition]]:
        """Write new assignments, a topic at a time; those that could not be written."""
        topics = list(dict.fromkeys(topic for topic, _ in changed))
        every = {topic: self._cluster.assignments(topic) for topic in topics}
        for (topic, index), assignment in changed.items():
            every[topic][index] = assignment
        problems = yield from write(
            [
                SetAssignment(
                    topic=topic,
                    topic_id=self._cluster.topics[topic].topic_id,
                    assignments=every[topic],
                    states={},
                )
                for topic in topics
            ]
        )
        bad = {t: p for t, p in zip(topics, problems, strict=True) if p is not None}
        self.notices += [f"the assignment of topic {t} {p.value}" for t, p in bad.items()]
        return {key for key in changed if key[0] in bad}

    # -- going on

    def being_moved(self, brokers: Collection[int] | None = None) -> list[TopicPartition]:
        """Partitions that are being moved, with one of ``brokers`` (None: any) as a target."""
        return [
            key
            for key, move in self._cluster.being_reassigned().items()
            if brokers is None or not set(brokers).isdisjoint(move.target)
        ]

    def go_on(self, partitions: Iterable[TopicPartition]) -> Steps[None]:
        """Send the moves to the replicas of partitions, and finish those that can be."""
        known = [key for key in partitions if self._cluster.partition(*key) is not None]
        waiting = [key for key in known if not self._is_complete(key)]
        if waiting:
            yield from self._change(waiting, self._begun)
            for topic, index in waiting:
                adding = self._term.record((topic, index)).assignment.adding
                self._term.batch.become(adding, topic, index, new=True)
            yield from self._term.batch.flush()
        yield from self._finish([key for key in known if self._is_complete(key)])

    def in_sync_grew(self) -> Steps[None]:
        """Leaders have added replicas to the ISR: finish moves that waited for that."""
        grown, self._term.grown = self._term.grown, set()
        yield from self._finish([key for key in sorted(grown) if self._is_moved(key)])

    def _is_moved(self, key: TopicPartition) -> bool:
        return self._assignment(key).being_reassigned and self._is_complete(key)

    def _is_complete(self, key: TopicPartition) -> bool:
        record = self._term.record(key)
        if not record.assignment.being_reassigned:
            return True
        return record.state is not None and set(record.assignment.target) <= set(record.state.isr)

    def _begun(self, topic: str, index: int, record: PartitionRecord) -> LeaderAndIsr | None:
        """The same state in a new leader epoch, so that the leader takes over the replicas."""
        state = record.state
        settled = self._term.leaders.settled(topic, index, record)
        if settled is not None or state is None:
            return settled
        return state.elect(state.leader, state.isr, self._term.epoch)

    # -- the last phase

    def _finish(self, partitions: Sequence[TopicPartition]) -> Steps[None]:
        if not partitions:
            return
        moves = {key: self._term.record(key).assignment for key in partitions}
        done = {key: ReplicaAssignment.of(move.target) for key, move in moves.items()}
        for key, assignment in done.items():
            self._term.record(key).assignment = assignment
        stuck = yield from self._change(partitions, self._moved)
        for key in stuck:
            self._term.record(key).assignment = moves.pop(key)
            del done[key]
        yield from self._remove((key, move.removing) for key, move in moves.items())
        for topic, index in done:
            self._term.batch.tell(topic, index)
        yield from self._term.batch.flush()
        # Last, so that a controller that dies before has left a move for the next one to finish.
        yield from self._write(done)
        yield from self._unask([k for k, to in done.items() if self._asked.get(k) == to.replicas])
        yield from self._delete_now({topic for topic, _ in done})

    def _moved(self, topic: str, index: int, record: PartitionRecord) -> LeaderAndIsr | None:
        """A leader among the replicas that stay; in a new leader epoch even if it is the same."""
        state = record.state
        if state is None:
            return self._term.leaders.settled(topic, index, record)
        target = record.assignment.replicas
        leader: int | None = state.leader
        if state.leader not in self._cluster.online(topic, index, stopping=True):
            online = self._cluster.online(topic, index)
            leader = first_in_sync(target, state.isr, online)
        if leader is None:
            if state.leader == NO_LEADER:
                return None
            leader = NO_LEADER
        return state.elect(leader, state.isr, self._term.epoch)

    def _delete_now(self, topics: Collection[str]) -> Steps[None]:
        """Deletions wait for moves."""
        waiting = [topic for topic in sorted(topics) if topic in self._cluster.deletions]
        if waiting:
            yield from self._term.deletions.start(waiting)

    # -- both

    def _change(
        self,
        partitions: Iterable[TopicPartition],
        decide: Callable[[str, int, PartitionRecord], LeaderAndIsr | None],
    ) -> Steps[set[TopicPartition]]:
        """Write states; those that somebody else changes all the time."""
        wanted = list(partitions)
        yield from self._term.leaders.change(wanted, decide)
        return self._term.leaders.given_up.intersection(wanted)

    def _remove(self, removed: Iterable[tuple[TopicPartition, Iterable[int]]]) -> Steps[None]:
        """Take replicas out of the ISR and have their brokers delete them."""
        by_broker: dict[int, list[TopicPartition]] = {}
        for key, brokers in removed:
            for broker in brokers:
                by_broker.setdefault(broker, []).append(key)
        for broker, keys in by_broker.items():
            yield from self._term.leaders.shrink(keys, broker)
            for topic, index in keys:
                self._term.batch.stop(broker, topic, index, delete=True)


def _list(ids: Iterable[int]) -> str:
    return f"ArrayBuffer({', '.join(map(str, ids))})"
