"""A consumer of a share group: records that it holds, and what became of them.

Source: KafkaShareConsumer, by ShareFetch and ShareAcknowledge. Unlike it, this one says what became
of records as soon as it is told, and reads one broker's answer at a time.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from typing import Final, NamedTuple, cast

from pykafka_ops.client.answers import error_of
from pykafka_ops.client.cluster import ANY, Cluster, Question
from pykafka_ops.client.share.membership import ShareMember
from pykafka_ops.client.share.records import SharedRecord, held
from pykafka_ops.client.share.session import MOST_BYTES, AckType, Outcomes, Place, ShareSession
from pykafka_ops.client.topics import topics_of
from pykafka_ops.errors import ConnectError, KafkaError, PkoError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages import share_acknowledge as ack
from pykafka_ops.wire.messages import share_fetch as sf

IDLE_SECONDS: Final = 0.1
WAIT_MS: Final = 500
"""How long a broker may wait for the first record; with several brokers a fifth of it."""
_MOVED: Final = frozenset((
    ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    ErrorCode.UNKNOWN_TOPIC_ID, ErrorCode.FENCED_LEADER_EPOCH, ErrorCode.KAFKA_STORAGE_ERROR,
    ErrorCode.LEADER_NOT_AVAILABLE,
))  # fmt: skip


class _Handout(NamedTuple):
    """A record to hand out while it is held: until then (monotonic seconds)."""

    record: SharedRecord
    until: float


class ShareConsumer:
    """``poll`` for records, ``acknowledge`` each, ``close`` at the end: what was not acknowledged
    goes to others. ``warn`` hears of trouble that may pass; ``most_bytes``: of one answer."""

    def __init__(
        self,
        cluster: Cluster,
        group: str,
        topics: Collection[str],
        warn: Callable[[str], None],
        *,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        self.cluster, self.topics, self.warn = cluster, list(topics), warn
        self.most_bytes = most_bytes
        self.member = ShareMember(cluster, group, self.topics)
        self.names: dict[bytes, str] = {}
        self.leaders: dict[Place, int] = {}
        self.sessions: dict[int, ShareSession] = {}
        self.holders: dict[Place, int] = {}
        """The broker by which records of a partition are held."""
        self.waiting: deque[_Handout] = deque()
        self.looks = True

    def join(self) -> None:
        """Become a member now. Raises PkoError."""
        self._beat()

    def poll(self, most: int, seconds: float) -> list[SharedRecord]:
        """Up to ``most`` records; [] after a short wait (at most ``seconds``) without any.

        Raises PkoError for what does not pass.
        """
        self._beat()
        if not self.waiting:
            self._read(most, seconds)
        found: list[SharedRecord] = []
        now = time.monotonic()
        while self.waiting and len(found) < most:
            record, until = self.waiting.popleft()
            if now < until:  # else others may have it by now
                found.append(record)
        return found

    def acknowledge(self, records: Iterable[SharedRecord], kind: AckType) -> None:
        """Say what became of them; what is not heard of comes again."""
        outcomes: dict[Place, dict[int, int]] = {}
        for record in records:
            outcomes.setdefault(record.place, {})[record.offset()] = kind
        self._acknowledge(outcomes)

    def close(self) -> None:
        """Give back what waits and leave, as far as brokers can be told."""
        outcomes: dict[Place, dict[int, int]] = {}
        for record, _ in self.waiting:
            outcomes.setdefault(record.place, {})[record.offset()] = AckType.RELEASE
        self.waiting.clear()
        with suppress(PkoError):
            self._acknowledge(outcomes, last=True)
        with suppress(PkoError):
            self.member.leave()

    # --- members and leaders ---------------------------------------------------------------------

    def _beat(self) -> None:
        before = self.member.id
        if self.member.beat():
            self.looks = True
        if self.member.id != before:
            self.warn("the group has dropped this member, which joins anew")
            self.sessions.clear()
            self.waiting.clear()

    def _look(self) -> None:
        """Who leads what is assigned."""
        ids = {topic for topic, _ in self.member.assigned}
        found = topics_of(self.cluster.metadata(self.topics))
        self.names = {t.id: t.name for t in found}
        self.leaders = {(t.id, p.number): p.leader for t in found for p in t.partitions}
        self.looks = not ids <= self.names.keys()

    # --- reading ---------------------------------------------------------------------------------

    def _read(self, most: int, seconds: float) -> None:
        by_node = self._by_leader()
        if not by_node:
            time.sleep(max(0.0, min(seconds, IDLE_SECONDS)))
            return
        wait = WAIT_MS if len(by_node) == 1 else WAIT_MS // 5
        wait = max(1, min(wait, int(min(seconds, 1.0) * 1000)))
        questions = []
        for node, places in by_node.items():
            request = self._session(node).fetch(places, most=most, wait_ms=wait)
            questions.append(Question(node, request, sf.ShareFetchResponse))
        answers = self.cluster.call_each(questions, name="shareFetch", once=True)
        idle = True
        for node, answer in zip(by_node, answers, strict=True):
            if self._is_good(node, answer):
                self._take(node, answer)
            else:
                idle = False
        if not idle or self.looks:
            time.sleep(max(0.0, min(seconds, IDLE_SECONDS)))

    def _by_leader(self) -> dict[int, list[Place]]:
        """What is to be read, by who leads it; of a broker that leads nothing more: nothing."""
        if self.looks:
            self._look()
        by_node: dict[int, list[Place]] = {n: [] for n, s in self.sessions.items() if s.known}
        for place in sorted(self.member.assigned):
            node = self.leaders.get(place, ANY)
            if node >= 0:
                by_node.setdefault(node, []).append(place)
            else:
                self.looks = True
        return by_node

    def _session(self, node: int) -> ShareSession:
        fresh = ShareSession(self.member.group, self.member.id, self.most_bytes)
        return self.sessions.setdefault(node, fresh)

    def _is_good(self, node: int, answer: object) -> bool:
        """Whether the broker took a request; raises what does not pass."""
        session = self._session(node)
        if isinstance(answer, ConnectError):
            session.reset()
            self.looks = True
            self.warn(str(answer))
            return False
        if isinstance(answer, PkoError):
            raise answer
        error = error_of(answer)
        if error is None:
            session.answered()
            return True
        session.reset()
        if not ErrorCode.of(error.code).retriable and error.code != _SESSIONS_FULL:
            raise error
        return False

    def _take(self, node: int, answer: sf.ShareFetchResponse) -> None:
        until = time.monotonic() + max(0, answer.acquisition_lock_timeout_ms) / 1000
        outcomes: dict[Place, Outcomes] = {}
        for topic in answer.responses:
            for part in topic.partitions:
                place = (topic.topic_id, part.partition_index)
                self._check(error_of(part))
                if not part.acquired_records or place[0] not in self.names:
                    continue
                data = memoryview(cast("bytes", part.records) if part.records is not None else b"")
                found = held(self.names[place[0]], place, data, part.acquired_records)
                self.holders[place] = node
                self.waiting.extend(_Handout(record, until) for record in found.records)
                without = dict.fromkeys(found.gaps, int(AckType.GAP))
                without.update(dict.fromkeys(found.corrupt, int(AckType.REJECT)))
                if found.corrupt:
                    where = f"{self.names[place[0]]}-{place[1]}"
                    first = min(found.corrupt)
                    self.warn(f"{where}: records from {first} on cannot be read and are rejected")
                if without:
                    outcomes[place] = without
        self._acknowledge(outcomes)

    def _check(self, error: KafkaError | None) -> None:
        """Of a partition: look for its leader again, or raise what does not pass."""
        if error is None:
            return
        if error.code not in _MOVED and not ErrorCode.of(error.code).retriable:
            raise error
        self.looks = True

    # --- acknowledging ---------------------------------------------------------------------------

    def _acknowledge(self, outcomes: Mapping[Place, Outcomes], *, last: bool = False) -> None:
        by_node: dict[int, dict[Place, Outcomes]] = {}
        if last:
            by_node = {n: {} for n, session in self.sessions.items() if session.epoch}
        for place, found in outcomes.items():
            by_node.setdefault(self.holders.get(place, ANY), {})[place] = found
        asked = {n: w for n, w in by_node.items() if n in self.sessions and self.sessions[n].epoch}
        for node, lost in by_node.items():
            if node not in asked and lost:
                self._unheard(lost, "its session has ended")
        questions = [
            Question(node, self.sessions[node].acknowledge(what, last=last),
                     ack.ShareAcknowledgeResponse)
            for node, what in asked.items()
        ]  # fmt: skip
        if not questions:
            return
        answers = self.cluster.call_each(questions, name="shareAcknowledge", once=True)
        for (node, what), answer in zip(asked.items(), answers, strict=True):
            if last:
                self.sessions[node].reset()
            elif self._is_good(node, answer):
                self._told(answer)
            else:
                self._unheard(what, "the broker did not take it")

    def _told(self, answer: ack.ShareAcknowledgeResponse) -> None:
        for topic in answer.responses:
            for part in topic.partitions:
                error = error_of(part)
                if error is not None:
                    self.looks = True
                    place = (topic.topic_id, part.partition_index)
                    self._unheard({place: {}}, ErrorCode.of(error.code).name)

    def _unheard(self, lost: Mapping[Place, Outcomes], why: str) -> None:
        for topic, number in lost:
            name = self.names.get(topic, "?")
            self.warn(f"{name}-{number}: records were not acknowledged ({why}) and may come again")


_SESSIONS_FULL: Final = 133
"""SHARE_SESSION_LIMIT_REACHED: the broker has no room for another session now."""
