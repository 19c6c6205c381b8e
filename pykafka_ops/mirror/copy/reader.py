"""Batches read from the leaders of a source's partitions into their lanes.

A fetch session per leader, one long poll at a time on each. What waits to be written is bounded,
for each partition and for all together: a partition whose share is full is left out of the next
question, so that none can keep the others from being read.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from math import inf
from typing import Final, cast

from pykafka_ops.client.answers import error_of
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.failure_text import in_one_line
from pykafka_ops.client.fetch_session import FetchFrom, FetchTerms, ReaderSession
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.pipe import Pipe, PipeAnswer
from pykafka_ops.client.pipes import Pipes
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.mirror.copy.lane import CopyLane
from pykafka_ops.mirror.copy.ranges import move_into_range, refresh_ends, starts
from pykafka_ops.wire.codes import ErrorCode as E
from pykafka_ops.wire.messages import fetch as ft
from pykafka_ops.wire.types import ZERO_UUID

BUFFER_BYTES: Final = 16 << 20
"""What may wait to be written; an answer of each leader comes on top."""
ANSWER_BYTES: Final = 4 << 20
LEAST_SHARE: Final = 1 << 20
POLL_MS: Final = 500
SHORT_POLL_MS: Final = 10
"""Where partitions were left out of the question, which may be read again soon."""
PACE: Final = 4
"""Questions for many partitions cost time to make: a fifth of the time is for that at most."""
ENDS_SECONDS: Final = 15.0
"""How often the ends of partitions that stopped are asked for: they lag more and more."""
LOOK_AGAIN: Final = 0.25
SILENT_AFTER: Final = 5.0
"""Seconds without its leader after which a partition is said to be in trouble."""
_LEADERS: Final = frozenset(
    (
        E.NOT_LEADER_OR_FOLLOWER,
        E.REPLICA_NOT_AVAILABLE,
        E.KAFKA_STORAGE_ERROR,
        E.FENCED_LEADER_EPOCH,
        E.UNKNOWN_LEADER_EPOCH,
        E.OFFSET_NOT_AVAILABLE,
        E.LEADER_NOT_AVAILABLE,
    )
)
_GONE: Final = frozenset(
    (E.UNKNOWN_TOPIC_OR_PARTITION, E.UNKNOWN_TOPIC_ID, E.INCONSISTENT_TOPIC_ID)
)


class SourceReader:
    """``pump`` asks and takes answers; ``pipes`` are to be waited for in between."""

    def __init__(self, cluster: Cluster, *, read_committed: bool) -> None:
        self.cluster, self.read_committed = cluster, read_committed
        self.pipes = Pipes(cluster)
        self.lanes: dict[Partition, CopyLane] = {}
        self.leaders: dict[Partition, int] = {}
        self._sessions: dict[int, ReaderSession] = {}
        self._stale, self._asked_at = True, 0.0
        self._ends_at = self._ask_at = 0.0
        self._paces = False
        self._by_node: dict[int, list[CopyLane]] = {}
        self._moved = True
        self._since: dict[Partition, float] = {}
        self._share = LEAST_SHARE
        self._rack = cluster.config.properties.get("client.rack", "")

    def assign(self, lanes: Iterable[CopyLane]) -> None:
        """Read these from now on, and no others."""
        self.lanes = {lane.source: lane for lane in lanes}
        self.leaders.clear()
        self._moved = True
        self._since.clear()
        self._stale = True
        self._share = max(LEAST_SHARE, BUFFER_BYTES // (2 * max(1, len(self.lanes))))

    def pump(self, now: float) -> None:
        """Take the answers that came, and ask on. ``now``: monotonic seconds. Raises PkoError."""
        for pipe in self.pipes.open:
            while pipe.answers:
                self._take(pipe, pipe.answers.popleft(), now)
        if self._stale and self.lanes and now - self._asked_at >= LOOK_AGAIN:
            self._look(now)
        if self._moved:
            self._moved = False
            self._by_node = {}
            for partition, node in self.leaders.items():
                self._by_node.setdefault(node, []).append(self.lanes[partition])
        pipes = {node: self.pipes.get(node) for node in self._by_node}
        if now >= self._ends_at:
            self._ends_at = now + ENDS_SECONDS
            reached = {node for node, found in pipes.items() if found is not None}
            stopped = [
                lane
                for partition, lane in self.lanes.items()
                if lane.trouble is not None and self.leaders.get(partition) in reached
            ]
            refresh_ends(self.cluster, stopped, read_committed=self.read_committed)
        idle = [node for node, found in pipes.items() if found is None or not found.pending]
        self._paces = bool(idle) and now < self._ask_at
        if not idle or self._paces:
            return
        room = BUFFER_BYTES - sum(lane.buffered for lane in self.lanes.values())
        for node in idle:
            self._ask(node, room, now)
        self._ask_at = now + PACE * (time.monotonic() - now)

    def rest(self, now: float) -> float:
        """Until the next question, where it has to wait for its time and no answer comes before."""
        return max(0.0, self._ask_at - now) if self._paces else inf

    def broke(self, pipe: Pipe, why: PkoError) -> None:
        """A pipe broke: who leads is asked again."""
        node = self.pipes.broke(pipe, why)
        self._sessions.pop(node, None)
        self._stale = True

    def starts(self, wanted: Mapping[Partition, int]) -> dict[Partition, int | PkoError]:
        """Where partitions begin that were never copied."""
        return starts(self.cluster, wanted, read_committed=self.read_committed)

    def close(self) -> None:
        """Close all connections."""
        self.pipes.close()
        self.cluster.close()

    # --- how -------------------------------------------------------------------------------------

    def _look(self, now: float) -> None:
        """Ask who leads, and whether the topics are still those that were assigned."""
        self._asked_at = now
        answer = self.cluster.metadata(sorted({topic for topic, _ in self.lanes}))
        self.leaders, self._moved = {}, True
        found = {topic.name: topic for topic in answer.topics}
        for (name, number), lane in self.lanes.items():
            topic = found.get(name)
            if topic is None or topic.error_code:
                self._error(lane, KafkaError(topic.error_code if topic else 3), now)
                continue
            wanted = lane.task.topic_id
            if ZERO_UUID not in (wanted, topic.topic_id) and wanted != topic.topic_id:
                lane.stop("the source's topic was deleted and made anew under its name", now)
                continue
            leader = next(
                (p.leader_id for p in topic.partitions if p.partition_index == number), -1
            )
            if leader in self.cluster.nodes:
                self.leaders[lane.source] = leader
            else:
                self._missing(lane, "the source's partition has no leader now", now)
        self._stale = len(self.leaders) < len(self.lanes)

    def _ask(self, node: int, room: int, now: float) -> None:
        pipe = self.pipes.get(node)
        mine = self._by_node[node]
        if pipe is None:
            why = self.pipes.troubles.get(node)
            for lane in mine if why is not None else ():
                self._stale = True
                self._missing(lane, in_one_line(why or PkoError()), now)
            return
        wanted = {
            lane.source: FetchFrom(lane.position, self._share, lane.task.topic_id, lane.read_epoch)
            for lane in mine
            if lane.may_read(now) and lane.buffered < self._share
        }
        if not wanted or room <= 0:
            return
        session = self._session(node, pipe, mine)
        left_out = len(wanted) < len(mine)
        terms = FetchTerms(
            SHORT_POLL_MS if left_out else POLL_MS,
            1,
            min(ANSWER_BYTES, max(room, LEAST_SHARE)),
            self.read_committed,
            self._rack,
        )
        lowest, highest = session.versions
        try:
            pipe.send(
                session.request(wanted, terms),
                ft.FetchResponse,
                (session, dict(wanted)),
                lowest=lowest,
                highest=highest,
                patience=terms.wait_ms / 1000,
            )
        except PkoError as error:
            self.broke(pipe, error)

    def _session(self, node: int, pipe: Pipe, mine: list[CopyLane]) -> ReaderSession:
        knows_ids = pipe.connection.versions.get(1, (0, 0))[1] >= 13
        by_id = knows_ids and all(lane.task.topic_id != ZERO_UUID for lane in mine)
        session = self._sessions.get(node)
        if session is None or session.by_id != by_id:
            session = self._sessions[node] = ReaderSession(by_id=by_id)
        return session

    def _take(self, pipe: Pipe, answer: PipeAnswer, now: float) -> None:
        session: ReaderSession
        session, asked = answer.about
        node = self.pipes.node_of(pipe)
        self.pipes.proven(node)
        response: ft.FetchResponse = answer.message
        for partition, part in session.take(response):
            lane = self.lanes.get(partition)
            at = asked.get(partition)
            if lane is None or (
                at is not None and (at.offset, at.topic_id) != (lane.position, lane.task.topic_id)
            ):
                continue  # given to another member, read again from elsewhere, or made anew
            self._since.pop(partition, None)
            error = error_of(part)
            if error is not None:
                self._error(lane, error, now)
            else:
                self._fill(lane, part, now)

    def _fill(self, lane: CopyLane, part: ft.PartitionData, now: float) -> None:
        stable = part.last_stable_offset
        lane.source_end = stable if self.read_committed and stable >= 0 else part.high_watermark
        if part.preferred_read_replica in self.cluster.nodes:  # one in our rack (KIP-392)
            self.leaders[lane.source] = part.preferred_read_replica
            self._moved = True
        diverging = part.diverging_epoch
        if diverging is not None and diverging.end_offset >= 0:
            self._truncated(lane, diverging.end_offset, now)
        elif part.records is not None and len(cast("memoryview", part.records)):
            aborted = None
            if self.read_committed:
                aborted = [(a.producer_id, a.first_offset) for a in part.aborted_transactions or ()]
            lane.take(memoryview(cast("bytes", part.records)), aborted)

    def _truncated(self, lane: CopyLane, end: int, now: float) -> None:
        """The leader's log ends earlier in the epoch that was read last: an unclean election."""
        lost = end < lane.position
        note = (
            f"the source lost offsets {end} to {lane.position - 1} in an unclean election; the "
            "target has them"
        )
        lane.move(min(end, lane.position), note if lost else lane.note, now)

    def _error(self, lane: CopyLane, error: KafkaError, now: float) -> None:
        code = error.code
        if code == E.OFFSET_OUT_OF_RANGE:
            move_into_range(self.cluster, lane, now, read_committed=self.read_committed)
        elif code in _LEADERS:
            self._stale = True
            self._missing(lane, f"the source's partition: {in_one_line(error)}", now)
        elif code in _GONE:
            self._stale = True
            self._missing(lane, "the source does not have this topic or partition now", now)
        else:
            lane.stop(f"the source refuses: {in_one_line(error)}", now)

    def _missing(self, lane: CopyLane, why: str, now: float) -> None:
        """Trouble that may pass: told if it lasts."""
        since = self._since.setdefault(lane.source, now)
        if now - since > SILENT_AFTER:
            lane.trouble, lane.again_at = why, now
