"""The loop of ``run``: start moves, look how they go, until all are done."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field

from pykafka_ops.analysis.moves.rate import Signs, Speed, next_limit
from pykafka_ops.analysis.moves.waves import Key, PartitionMove, next_jobs
from pykafka_ops.client.answers import by_topic
from pykafka_ops.client.cluster import Cluster, Question, metadata_request
from pykafka_ops.client.log_dirs import describe_log_dirs
from pykafka_ops.client.reassignments import (
    Reassignment,
    alter_reassignments,
    list_reassignments,
)
from pykafka_ops.client.topics import PartitionDescription, all_topics
from pykafka_ops.commands.framework.failures import item_error
from pykafka_ops.commands.framework.output import ItemError
from pykafka_ops.commands.reassign_partitions.facts import held_bytes
from pykafka_ops.commands.reassign_partitions.limits import Pace, Throttles
from pykafka_ops.commands.reassign_partitions.text import named
from pykafka_ops.commands.reassign_partitions.watching import (
    DONE,
    FAILED,
    MOVING,
    STOPPED,
    WAITING,
    MoveProgress,
    Watching,
)
from pykafka_ops.errors import ConnectError, KafkaError, PkoError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.metadata import MetadataResponse

_POLL_FIRST, _POLL_MOST = 0.1, 1.0
_GRACE_SECONDS = 15.0
"""How long brokers may take to hear of the end of a move."""
_TRIES_SECONDS = 120.0
"""How long a cluster may not answer before the run gives up."""
_ADAPT_SECONDS = 5.0
_STANDS_SECONDS = 30.0
_PASSING = (
    ErrorCode.NOT_CONTROLLER,
    ErrorCode.REQUEST_TIMED_OUT,
    ErrorCode.BROKER_NOT_AVAILABLE,
    ErrorCode.LEADER_NOT_AVAILABLE,
)


@dataclass(slots=True)
class Runner:
    """Moves ``jobs``; ``behind`` are partitions that were behind before they began."""

    cluster: Cluster
    jobs: list[MoveProgress]
    throttles: Throttles
    limit: Pace
    per_broker: int
    watching: Watching
    errors: list[ItemError] = field(default_factory=list)
    behind: set[Key] = field(default_factory=set)
    _answer: float = 0.0
    _speed: Speed = field(default_factory=Speed)
    _adapted: float = 0.0
    _warned: bool = False
    _taken: bool = False

    def run(self) -> None:
        """Until nothing waits or moves. PkoError where the cluster does not answer for long."""
        self._answer = self._timed()
        self._adapted = trouble_since = time.monotonic()
        pause = _POLL_FIRST
        while True:
            before = [p.state for p in self.jobs]
            try:
                self._step()
                trouble_since = time.monotonic()
            except PkoError as error:
                late = time.monotonic() - trouble_since > _TRIES_SECONDS
                if late or not _may_pass(error) or not any(p.state == MOVING for p in self.jobs):
                    raise
                self.watching.say(f"pko: {error}; still trying")
                self.cluster.close()
            if not any(p.state in (WAITING, MOVING) for p in self.jobs):
                return
            time.sleep(pause)
            changed = before != [p.state for p in self.jobs]
            pause = _POLL_FIRST if changed else min(pause * 1.5, _POLL_MOST)

    def _step(self) -> None:
        now = time.monotonic()
        partitions = {(t.name, p.number): p for t in all_topics(self.cluster) for p in t.partitions}
        self._judge(partitions, list_reassignments(self.cluster), now)
        self._take_over()
        behind = self._others_behind(partitions)
        if not behind:
            self._start(now)
        elif any(p.state == WAITING for p in self.jobs):
            first = named(min(behind))
            self.watching.say(f"pko: {first} fell behind, nothing more is started until it is not")
        self._tell_missing()
        self._measure(now)
        self._adapt(len(behind), now)
        self.watching.show(self.jobs, self._speed, self.limit.rate)

    def _judge(
        self,
        partitions: dict[Key, PartitionDescription],
        moving: dict[Key, Reassignment],
        now: float,
    ) -> None:
        """What state each job is in, from what the controller and the metadata say."""
        for p in self.jobs:
            if p.state in (DONE, FAILED):
                continue
            found = partitions.get(p.job.key)
            if found is None:
                self._fail(p, "NO_TOPIC", "it is not there any more", now)
            elif p.job.key in moving:
                p.gone = None
                if p.state == WAITING:
                    p.state, p.started = MOVING, now
            elif tuple(found.replicas) == p.job.after:
                p.state, p.ended, p.copied = DONE, now, p.job.copied
            elif p.state == MOVING:
                p.gone = p.gone or now
                if now - p.gone > _GRACE_SECONDS:
                    ids = ",".join(map(str, found.replicas))
                    self._fail(p, "CANCELLED", f"its move was ended, it is on {ids}", now)

    def _fail(self, p: MoveProgress, name: str, text: str, now: float) -> None:
        p.state, p.ended = FAILED, now
        self.errors.append(ItemError(named(p.job.key), name, text))

    def _take_over(self) -> None:
        """Once: limit moves that were under way before the run as it limits its own."""
        if self._taken:
            return
        active = [p.job for p in self.jobs if p.state == MOVING]
        if self.limit.rate is None:
            self.errors += self.throttles.remove()
        elif active:
            self.throttles.limit(active, self.limit.rate)
        self._taken = True

    def _others_behind(self, partitions: dict[Key, PartitionDescription]) -> list[Key]:
        """Partitions that are under-replicated now, were not before, and are not moved here."""
        ours = {p.job.key for p in self.jobs if p.state != WAITING}
        return [
            key
            for key, p in partitions.items()
            if len(p.isr) < len(p.replicas) and key not in ours and key not in self.behind
        ]

    def _start(self, now: float) -> None:
        waiting = [p.job for p in self.jobs if p.state == WAITING]
        active = [p.job for p in self.jobs if p.state == MOVING]
        chosen = {job.key for job in next_jobs(waiting, active, self.per_broker)}
        if not chosen:
            return
        starting = [p for p in self.jobs if p.job.key in chosen]
        if self.limit.rate is not None:
            self.throttles.limit([*active, *(p.job for p in starting)], self.limit.rate)
        errors = alter_reassignments(self.cluster, {p.job.key: p.job.after for p in starting})
        for p in starting:
            error = errors.get(p.job.key)
            if error is not None:
                p.state, p.ended = FAILED, now
                self.errors.append(ItemError.of(named(p.job.key), error))
            else:
                p.state, p.started = MOVING, now

    def _tell_missing(self) -> None:
        """That brokers are gone which are to get replicas."""
        wanted = {i for p in self.jobs if p.state == MOVING for i in p.job.targets}
        for id_ in sorted(wanted - set(self.cluster.nodes)):
            self.watching.say(f"pko: broker {id_} is not there: what moves to it waits for it")

    def _measure(self, now: float) -> None:
        """Bytes that the new replicas hold by now."""
        active = [p for p in self.jobs if p.state == MOVING and p.job.copied]
        targets = sorted({i for p in active for i in p.job.targets} & set(self.cluster.nodes))
        topics = by_topic(p.job.key for p in active)
        if targets:
            answers = describe_log_dirs(self.cluster, targets, topics, once=True)
            known = {i: a for i, a in answers.items() if not isinstance(a, PkoError)}
            held = held_bytes(known)
            for p in active:
                there = [held.get((*p.job.key, i), 0) for i in p.job.targets]
                p.copied = sum(min(size, p.job.size) for size in there)
        self._speed.note(now, sum(p.copied for p in self.jobs))

    def _adapt(self, behind: int, now: float) -> None:
        """Every few seconds another limit, where it adapts; else say if it is too low."""
        rate = self.limit.rate
        active = [p.job for p in self.jobs if p.state == MOVING and p.job.copied]
        if rate is None or not active or now - self._adapted < _ADAPT_SECONDS:
            return
        self._adapted = now
        stands = self._speed.stands(now, _STANDS_SECONDS)
        if not self.limit.adapts:
            if stands and not self._warned:
                self._warned = True
                self.watching.say(
                    "pko: no byte was copied for a while: the throttle may be less than what is "
                    "produced to these partitions, or a broker is down"
                )
            return
        share = rate if stands else self._speed.rate / _spread(active)
        signs = Signs(behind, self._timed(), self._answer, share)
        new, why = next_limit(rate, signs, self.limit.most)
        if new != rate:
            self.throttles.limit(active, new)
            self.limit.rate = new
            self.watching.limit(new, why)

    def _timed(self) -> float:
        """Seconds that the slowest of the brokers takes for a small answer."""
        request = metadata_request([], ())
        asked = [Question(i, request, MetadataResponse) for i in sorted(self.cluster.brokers())]
        began = time.monotonic()
        self.cluster.call_each(asked, name="metadata", once=True)
        return time.monotonic() - began

    def cancel(self) -> list[ItemError]:
        """End the moves under way; replicas stay where they were before, in the same order, which
        Kafka's own way to cancel does not keep."""
        jobs = {p.job.key: p for p in self.jobs}
        moving = [key for key in list_reassignments(self.cluster) if key in jobs]
        if not moving:
            return []
        found = alter_reassignments(self.cluster, {k: jobs[k].job.before for k in moving})
        failed = [key for key, error in found.items() if error is not None]
        if failed:  # a broker of before is not there
            found |= alter_reassignments(self.cluster, dict.fromkeys(failed))
        for key, error in found.items():
            if error is None:
                jobs[key].state = STOPPED
        return [item_error(named(k), e) for k, e in found.items() if e is not None]


def _may_pass(error: PkoError) -> bool:
    """Whether it may be better in a while."""
    if isinstance(error, KafkaError):
        return error.code in _PASSING
    return isinstance(error, ConnectError)


def _spread(jobs: Iterable[PartitionMove]) -> float:
    """All that is copied by what the broker that receives most gets of it."""
    received: dict[int, int] = {}
    for job in jobs:
        for id_ in job.targets:
            received[id_] = received.get(id_, 0) + max(1, job.size)
    return sum(received.values()) / max(received.values(), default=1) or 1.0
