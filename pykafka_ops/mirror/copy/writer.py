"""Batches written to the leaders of their partitions, pipelined, in order, by one producer.

Who fills it: a mirror's copier, or anything else that has batches for a target. Nothing here waits
but the question for leaders; ``pump`` sends and takes answers, ``pipes`` are to be waited for.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from pykafka_ops.client.answers import by_topic, error_of
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.pipe import Pipe, PipeAnswer
from pykafka_ops.client.pipes import Pipes
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.mirror.copy.outlet import MOST_FLYING, TargetOutlet
from pykafka_ops.mirror.copy.pieces import TargetBatch, stamp
from pykafka_ops.wire.codes import ErrorCode as E
from pykafka_ops.wire.messages import produce as pr

REQUEST_BYTES: Final = 4 << 20
AHEAD: Final = 3
"""Requests on their way to one broker: one is answered, one waits there, one is sent. More only
if they are large: a broker may be far away."""
FULL_BYTES: Final = 256 << 10
TIRED_AFTER: Final = 20.0
"""Seconds that a partition is tried for before it is given up for now."""
MISSING_AFTER: Final = 5.0
"""Likewise while the target does not know the topic."""
LOOK_AGAIN: Final = 0.25
"""Seconds between two questions for leaders."""
HIGHEST: Final = 11
"""The last version of Produce that wants AddPartitionsToTxn before it (KIP-890)."""
_LOST_IDENTITY: Final = frozenset(
    (
        E.INVALID_PRODUCER_EPOCH,
        E.PRODUCER_FENCED,
        E.UNKNOWN_PRODUCER_ID,
        E.OUT_OF_ORDER_SEQUENCE_NUMBER,
        E.INVALID_TXN_STATE,
        E.INVALID_PRODUCER_ID_MAPPING,
        E.TRANSACTION_ABORTABLE,
    )
)
_LEADERS: Final = frozenset(
    (
        E.NOT_LEADER_OR_FOLLOWER,
        E.LEADER_NOT_AVAILABLE,
        E.UNKNOWN_TOPIC_OR_PARTITION,
        E.FENCED_LEADER_EPOCH,
        E.UNKNOWN_LEADER_EPOCH,
        E.KAFKA_STORAGE_ERROR,
        E.NETWORK_EXCEPTION,
    )
)


class Producer(NamedTuple):
    """Who writes: id and epoch, and the transactional id where there is one."""

    id: int
    epoch: int
    transactional_id: str | None = None


Sent = list[tuple[TargetOutlet, TargetBatch]]


class TargetWriter:
    """``doubt``: why nobody knows what this producer has written: it must be replaced
    (``begin_as``)."""

    def __init__(self, cluster: Cluster, producer: Producer) -> None:
        self.cluster, self.producer = cluster, producer
        self.pipes = Pipes(cluster)
        self.doubt: PkoError | None = None
        self.leaders: dict[Partition, int] = {}
        self.outlets: dict[Partition, TargetOutlet] = {}
        self.news: dict[Partition, TargetOutlet] = {}
        """Outlets with something acknowledged or refused; for who fills them to look at."""
        self._loaded: dict[Partition, TargetOutlet] = {}
        self._wanted: set[Partition] = set()
        self._stale = True
        self._asked_at, self._turn = 0.0, 0
        self._missing: dict[str, PkoError] = {}

    def begin_as(self, producer: Producer) -> None:
        """Go on as another producer; what was queued and not acknowledged is forgotten."""
        self.producer, self.doubt = producer, None
        self.outlets = {t: o for t, o in self.outlets.items() if t in self._wanted}
        for outlet in self.outlets.values():
            outlet.reset()
        self.news.clear()
        self._loaded.clear()
        for pipe in self.pipes.open:
            if pipe.pending:  # what it answers would be taken for the new producer's
                self.pipes.broke(pipe, PkoError("given up"))
        self.pipes.troubles.clear()

    def outlet(self, target: Partition) -> TargetOutlet:
        """The outlet of a partition."""
        self._wanted.add(target)
        found = self.outlets.get(target)
        if found is None:
            found = self.outlets[target] = TargetOutlet(target)
            self._stale = True
        return found

    def keep(self, targets: Iterable[Partition]) -> None:
        """These are wanted; others are forgotten with this producer, whose numbers they have."""
        self._wanted = set(targets)

    def put(self, outlet: TargetOutlet, batch: TargetBatch) -> None:
        """Queue a batch, which is stamped in place."""
        self._loaded[outlet.target] = outlet
        identity, epoch, transactional = self.producer
        stamp(
            batch.data, identity, epoch, outlet.put(batch), transactional=transactional is not None
        )

    @property
    def busy(self) -> bool:
        """Whether anything is not acknowledged yet, nor refused."""
        return any(o.load and o.failure is None for o in self._loaded.values())

    def pump(self, now: float) -> None:
        """Take the answers that came, and send what may be sent. ``now``: monotonic seconds."""
        self.take(now)
        self.send(now)

    def take(self, now: float) -> None:
        """Take the answers that came."""
        for pipe in self.pipes.open:
            while pipe.answers:
                self._take(pipe, pipe.answers.popleft(), now)

    def send(self, now: float) -> None:
        """Send what may be sent."""
        sending = [o for o in self._loaded.values() if o.sends and o.failure is None]
        if not sending:
            return
        if self._stale and now - self._asked_at >= LOOK_AGAIN:
            self._look(now)
        by_leader: dict[int, list[TargetOutlet]] = {}
        self._turn += 1  # who is first changes: the first ones fill the requests
        first = self._turn % len(sending)
        for outlet in sending[first:] + sending[:first]:
            leader = self.leaders.get(outlet.target, -1)
            if leader >= 0:
                by_leader.setdefault(leader, []).append(outlet)
            else:
                self._wait(outlet, self._why(outlet.target), now)
        for leader, outlets in by_leader.items():
            self._send(leader, outlets, now)

    def broke(self, pipe: Pipe, why: PkoError, now: float) -> None:
        """A pipe broke: what was on its way is sent again."""
        self.pipes.broke(pipe, why)
        self._stale = True
        for sent in pipe.notes:
            for outlet, batch in sent:
                outlet.again(batch, now)

    # --- how -------------------------------------------------------------------------------------

    def _look(self, now: float) -> None:
        """Ask who leads. Raises PkoError."""
        self._asked_at = now
        topics = sorted({topic for topic, _ in self._wanted})
        answer = self.cluster.metadata(topics)
        self.leaders, self._missing = {}, {}
        for topic in answer.topics:
            name = topic.name or ""
            if topic.error_code:
                self._missing[name] = KafkaError(topic.error_code)
            for part in topic.partitions:
                if part.leader_id in self.cluster.nodes:
                    self.leaders[name, part.partition_index] = part.leader_id
        self._stale = any(target not in self.leaders for target in self._wanted)

    def _why(self, target: Partition) -> PkoError:
        return self._missing.get(target[0]) or KafkaError(E.LEADER_NOT_AVAILABLE)

    def _wait(self, outlet: TargetOutlet, why: PkoError, now: float) -> None:
        """It cannot be sent now; given up when that lasts."""
        outlet.since = now if outlet.since is None else outlet.since
        self._stale = True
        refused = isinstance(why, KafkaError) and why.code == E.TOPIC_AUTHORIZATION_FAILED
        missing = isinstance(why, KafkaError) and why.code == E.UNKNOWN_TOPIC_OR_PARTITION
        if refused or now - outlet.since > (MISSING_AFTER if missing else TIRED_AFTER):
            outlet.failure = outlet.failure or why
            self.news[outlet.target] = outlet

    def _send(self, leader: int, outlets: list[TargetOutlet], now: float) -> None:
        pipe = self.pipes.get(leader)
        if pipe is None:
            why = self.pipes.troubles.get(leader)
            for outlet in outlets if why is not None else ():
                self._wait(outlet, why or PkoError(), now)
            return
        try:
            while pipe.pending < MOST_FLYING and not pipe.sending:
                if pipe.pending >= AHEAD and _offered(outlets) < FULL_BYTES:
                    return  # the next request gets more
                sent = _one_each(outlets)
                if not sent:
                    return
                pipe.send(self._request(sent), pr.ProduceResponse, sent, lowest=3, highest=HIGHEST)
        except PkoError as error:
            self.broke(pipe, error, now)

    def _request(self, sent: Sent) -> pr.ProduceRequest:
        topics = by_topic(
            (outlet.target[0], pr.PartitionProduceData(index=outlet.target[1], records=batch.data))
            for outlet, batch in sent
        )
        return pr.ProduceRequest(
            transactional_id=self.producer.transactional_id,
            acks=-1,
            timeout_ms=int(self.cluster.config.request_timeout * 1000),
            topic_data=[pr.TopicProduceData(name=t, partition_data=p) for t, p in topics.items()],
        )

    def _take(self, pipe: Pipe, answer: PipeAnswer, now: float) -> None:
        self.pipes.proven(self.pipes.node_of(pipe))
        found = {
            (topic.name, part.index): part
            for topic in answer.message.responses
            for part in topic.partition_responses
        }
        sent: Sent = answer.about
        for outlet, batch in sent:
            self.news[outlet.target] = outlet
            part = found.get(outlet.target)
            if part is None:
                outlet.again(batch, now)
            elif not part.error_code or part.error_code == E.DUPLICATE_SEQUENCE_NUMBER:
                outlet.took(batch, -1 if part.error_code else part.base_offset)
            else:
                self._refused(outlet, batch, error_of(part) or KafkaError(part.error_code), now)
            if not outlet.load:
                self._loaded.pop(outlet.target, None)

    def _refused(
        self, outlet: TargetOutlet, batch: TargetBatch, why: KafkaError, now: float
    ) -> None:
        code = why.code
        if code == E.OUT_OF_ORDER_SEQUENCE_NUMBER and (outlet.held or outlet.failure):
            outlet.again(batch, now)  # the one before it failed, and goes first
        elif code in _LOST_IDENTITY:
            self.doubt = self.doubt or why
        elif code in _LEADERS or E.of(code).retriable:
            outlet.again(batch, now)
            if code in _LEADERS:
                self._stale = True
            if outlet.since is not None and now - outlet.since > TIRED_AFTER:
                outlet.failure = outlet.failure or why
        else:
            outlet.fails(batch, why)


def _offered(outlets: list[TargetOutlet]) -> int:
    """Bytes of the next request."""
    return sum(len(outlet.ready[0].data) for outlet in outlets if outlet.sends)


def _one_each(outlets: list[TargetOutlet]) -> Sent:
    """The next batch of each that may send, as many as a request takes."""
    sent: Sent = []
    total = 0
    for outlet in outlets:
        if outlet.sends and outlet.failure is None:
            total += len(outlet.ready[0].data)
            if sent and total > REQUEST_BYTES:
                break
            sent.append((outlet, outlet.next()))
    return sent
