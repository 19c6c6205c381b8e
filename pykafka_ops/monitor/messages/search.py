"""Searches records of a topic: from the leaders, without a group, within an allowance.

No consumer is disturbed and nothing is committed. A search that does not reach the end says so,
with a cursor from which it goes on: it is never silently incomplete.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from pykafka_ops.client.batches import batches_of
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.fetch import fetch
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.offsets import EARLIEST, LATEST, Offset, list_offsets
from pykafka_ops.client.read_bounds import OffsetSpan, ReadBounds
from pykafka_ops.disk.batch import next_batch_size
from pykafka_ops.disk.record import Record
from pykafka_ops.errors import CorruptError, KafkaError, PkoError
from pykafka_ops.monitor.messages.budget import Budget, Ended
from pykafka_ops.monitor.messages.conditions import meets
from pykafka_ops.monitor.messages.cursor import OffsetStretch, write_cursor
from pykafka_ops.monitor.messages.decoding import TopicDecoder
from pykafka_ops.monitor.messages.lanes import BackwardLane, ForwardLane, Judge, Lane
from pykafka_ops.monitor.messages.query import MOST_PARTITIONS, SearchQuery
from pykafka_ops.monitor.messages.shown import ShownRecord
from pykafka_ops.wire.codes import ErrorCode

ANSWER_BYTES: Final = 8 << 20
FORWARD_BYTES: Final = 1 << 20
BACKWARD_BYTES: Final = 256 << 10
LEAST_BYTES: Final = 64 << 10
REQUEST_SECONDS: Final = 5.0
"""How long a broker may take to answer, where the allowance has as much left."""
WHOLE: Final = ReadBounds(None, (None, None), None, False)


class UnknownTopicError(PkoError):
    """There is no such topic."""


class LaneProgress(NamedTuple):
    """A partition in the answer: what was wanted, what is ``left``, what went wrong."""

    partition: int
    low: int
    high: int
    left: OffsetStretch | None
    error: str
    faults: Sequence[str]


class SearchResult(NamedTuple):
    """A page. ``ended`` says why there is no more on it; ``cursor`` where the next begins, ""
    where all was read."""

    records: Sequence[ShownRecord]
    ended: Ended
    cursor: str
    looked: int
    read_bytes: int
    seconds: float
    lanes: Sequence[LaneProgress]

    @property
    def complete(self) -> bool:
        """Whether all that was asked for was read."""
        return not self.cursor and not any(lane.error or lane.faults for lane in self.lanes)


class RecordSearch:
    """One search over one connection to a cluster; ``run`` in a thread that may wait."""

    def __init__(
        self, cluster: Cluster, topic: str, query: SearchQuery, decoder: TopicDecoder,
        budget: Budget,
    ) -> None:  # fmt: skip
        self.cluster, self.topic, self.query = cluster, topic, query
        self.budget = budget
        self.judge = judge_of(query, decoder)
        self._stable: dict[int, int] = {}
        """Up to where transactions are decided, where others are wanted, too."""

    def run(self) -> SearchResult:
        """Search. ValueError for partitions that there are not, UnknownTopicError, PkoError."""
        lanes = self.lanes(self.spans(), self.query.limit)
        found: list[ShownRecord] = []
        ended: Ended = ""
        while not ended and len(found) < self.query.limit:
            self.refill(lanes)
            ended = self.budget.spent()
            heads = [lane for lane in lanes if lane.found]
            if ended or any(lane.ask() is not None for lane in lanes):
                continue
            if not heads:
                ended = "end"
                break
            found.append(self._next(heads))
        while len(found) < self.query.limit and (heads := [lane for lane in lanes if lane.found]):
            found.append(self._next(heads))  # a budget ended it: what was found is shown
        return self._result(lanes, found, ended or "limit")

    def _next(self, heads: Sequence[Lane]) -> ShownRecord:
        newest = self.query.newest
        pick = max if newest else min
        best = pick(heads, key=lambda lane: (lane.found[0].timestamp, -lane.partition))
        return best.found.popleft()

    def _result(
        self, lanes: Sequence[Lane], found: Sequence[ShownRecord], ended: Ended
    ) -> SearchResult:
        left = {lane.partition: rest for lane in lanes if (rest := lane.left()) is not None}
        budget = self.budget
        return SearchResult(
            found, ended if left else "end",
            write_cursor(self.query.order, left) if left else "",
            budget.records, budget.read_bytes, budget.seconds,
            [LaneProgress(one.partition, one.low, one.high, one.left(), one.error, one.faults)
             for one in lanes],
        )  # fmt: skip

    # --- where -----------------------------------------------------------------------------------

    def spans(self) -> dict[int, OffsetSpan | PkoError]:
        """Where each partition is read."""
        numbers = self.partitions()
        self._hurry()
        bounds = WHOLE if self.query.left else self.query.bounds
        places = [(self.topic, n) for n in numbers]
        committed = not self.query.uncommitted
        found = bounds.look(self.cluster, places, read_committed=committed)
        if self.query.uncommitted:
            stable = list_offsets(self.cluster, dict.fromkeys(places, LATEST), read_committed=True)
            self._stable = {p[1]: o.offset for p, o in stable.items() if isinstance(o, Offset)}
        return {n: self._cut(n, found[self.topic, n]) for n in numbers}

    def _cut(self, number: int, span: OffsetSpan | PkoError) -> OffsetSpan | PkoError:
        """What a cursor leaves of it."""
        if isinstance(span, PkoError) or not self.query.left:
            return span
        left = self.query.left[number]
        return OffsetSpan(max(left.low, span.start), min(left.high, span.end or 0))

    def partitions(self) -> list[int]:
        """Those to read. ValueError, UnknownTopicError, PkoError."""
        self._hurry()
        topic = self.cluster.metadata([self.topic]).topics[0]
        if topic.error_code in (
            ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
            ErrorCode.INVALID_TOPIC_EXCEPTION,
        ):
            raise UnknownTopicError(f"no topic {self.topic}")
        if topic.error_code:
            raise KafkaError(topic.error_code)
        there = sorted(p.partition_index for p in topic.partitions)
        wanted = list(self.query.left) or list(self.query.partitions) or there
        for number in wanted:
            if number not in there:
                raise ValueError(f"partition {number}: {self.topic} has {len(there)}, from 0 on")
        if len(wanted) > MOST_PARTITIONS:
            raise ValueError(
                f"{self.topic} has {len(wanted)} partitions: name up to {MOST_PARTITIONS} of them "
                "in partition"
            )
        return wanted

    def lanes(self, spans: dict[int, OffsetSpan | PkoError], most: int) -> list[Lane]:
        """A lane per partition."""
        make = BackwardLane if self.query.newest else ForwardLane
        lanes: list[Lane] = []
        for number, span in spans.items():
            if isinstance(span, PkoError):
                left = self.query.left.get(number, OffsetStretch(0, 0))
                lane: Lane = make(number, left.low, left.high, most)
                lane.error = error_text(span)
            else:
                lane = make(number, span.start, span.end or 0, most)
            lanes.append(lane)
        return lanes

    # --- reading ---------------------------------------------------------------------------------

    def refill(self, lanes: Sequence[Lane]) -> None:
        """Ask the leaders of all lanes that have nothing found yet, once."""
        if self.budget.spent():
            return
        asking = [lane for lane in lanes if lane.ask() is not None]
        roomy = [lane for lane in asking if not lane.crowded]
        for decided in (True, False):
            part = [lane for lane in roomy or asking[:1] if self._is_decided(lane) is decided]
            if part:
                self._fetch(part, decided)

    def _is_decided(self, lane: Lane) -> bool:
        if not self.query.uncommitted:
            return True
        return (lane.ask() or 0) < self._stable.get(lane.partition, 0)

    def _fetch(self, lanes: Sequence[Lane], decided: bool) -> None:
        self._hurry()
        wanted = {(self.topic, lane.partition): lane.ask() or 0 for lane in lanes}
        most = BACKWARD_BYTES if self.query.newest else FORWARD_BYTES
        answers = fetch(
            self.cluster,
            wanted,
            partition_bytes=max(LEAST_BYTES, min(most, ANSWER_BYTES // len(lanes))),
            max_bytes=ANSWER_BYTES,
            read_committed=decided,
        )
        for lane in lanes:
            answer = answers[self.topic, lane.partition]
            if isinstance(answer, PkoError):
                self._failed(lane, answer)
                continue
            if not _has_batch(answer.records) and self._goes_on(lane, len(lanes), decided):
                continue
            lane.crowded = False
            batches = batches_of(answer.records, answer.aborted if decided else None)
            try:
                lane.take(batches, self.judge, self.budget)
                if answer.records and not _has_batch(answer.records):
                    lane.error = "the leader gave half a batch"
            except CorruptError as error:
                lane.error = f"offset {lane.ask()}: {error}"

    def _goes_on(self, lane: Lane, asked: int, decided: bool) -> bool:
        """Whether an empty answer is not the end: there was no room, or transactions are open."""
        if asked > 1:
            lane.crowded = True
            return True
        if decided and self.query.uncommitted and self._stable.get(lane.partition, 0) > 0:
            self._stable[lane.partition] = 0
            return True
        return False

    def _failed(self, lane: Lane, error: PkoError) -> None:
        """Records may have been deleted since: then it goes on where the log begins."""
        if isinstance(error, KafkaError) and error.code == ErrorCode.OFFSET_OUT_OF_RANGE:
            place: Partition = (self.topic, lane.partition)
            found = list_offsets(self.cluster, {place: EARLIEST})[place]
            at = lane.ask()
            if isinstance(found, Offset) and at is not None and found.offset > at:
                lane.begins(found.offset)
                return
        lane.error = error_text(error)

    def _hurry(self) -> None:
        """No request takes longer than the search may."""
        config = self.cluster.config
        seconds = max(0.2, min(REQUEST_SECONDS, self.budget.seconds_left))
        config.request_timeout = config.api_timeout = config.patience = seconds
        config.silence = seconds


def _has_batch(data: memoryview) -> bool:
    try:
        return next_batch_size(data) is not None
    except CorruptError:
        return True  # what is wrong with it shows when it is read


def judge_of(query: SearchQuery, decoder: TopicDecoder) -> Judge:
    """What decides whether a record is shown; comparisons see what a mask leaves."""
    filters = query.key is not None or query.text is not None or query.where is not None

    def judge(partition: int, record: Record, state: str) -> ShownRecord | None:
        if state == "control":
            if not query.control or filters:
                return None
        elif state != "committed" and not query.uncommitted:
            return None
        if not query.bounds.holds(record.timestamp):
            return None
        if query.key is not None and decoder.key(record.key).text() != query.key:
            return None
        shown = decoder.shown(partition, record, state)
        if query.text is not None and not _contains(shown, query):
            return None
        if query.where is not None and not meets(query.where, shown):
            return None
        return shown.kept()

    return judge


def _contains(shown: ShownRecord, query: SearchQuery) -> bool:
    wanted = query.text
    if wanted is None:
        return True
    parts = (shown.key, shown.value, *(part for _, part in shown.headers))
    return any(p.contains(wanted) for p in parts) or any(
        wanted.is_in(name) for name, _ in shown.headers
    )


def error_text(error: PkoError) -> str:
    """An error in one line, by Kafka's name where it has one."""
    if isinstance(error, KafkaError):
        try:
            code = ErrorCode(error.code)
        except ValueError:
            return f"error {error.code} {error.message}".strip()
        return f"{error.message or code.text} [{code.name}]"
    trouble = getattr(error, "trouble", None)
    text = str(error)
    return f"{text} {error_text(trouble)}" if isinstance(trouble, PkoError) else text
