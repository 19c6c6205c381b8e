"""The partitions copied from one leader: what to fetch of them, and what an answer changes.

Counterpart of ``AbstractFetcherThread``. The rules are in ``state/replication/fetching``, what
happens to logs in ``partitions/follower``. Times in ms.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Mapping

from pykafka_ops.broker.partitions import follower
from pykafka_ops.broker.partitions.partition import Partition
from pykafka_ops.broker.partitions.replicas import Replicas
from pykafka_ops.broker.partitions.waiting import wait_until
from pykafka_ops.broker.runtime.log_text import Troubles
from pykafka_ops.broker.runtime.replication import fetch_requests
from pykafka_ops.broker.runtime.replication.site import Site
from pykafka_ops.broker.state.replication import fetching
from pykafka_ops.broker.state.replication.fetching import (
    Asked,
    FetchVerdict,
    FollowState,
    Key,
    Phase,
    Truncation,
)
from pykafka_ops.broker.state.replication.follower_session import FollowerSession, PartitionFetch
from pykafka_ops.broker.state.steps import Steps
from pykafka_ops.broker.storage.log_home import NoSpaceError
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.fetch import FetchRequest, FetchResponse, PartitionData

log = logging.getLogger("kafka.server.ReplicaFetcherThread")

AT_ONCE = 500
"""Partitions that one request names."""


class UnsyncedPartitions:
    """The partitions of one fetcher whose logs hold records that are not synced yet: with
    ``flush.messages`` a follower acknowledges none of these to its leader.

    In Kafka an append syncs before it returns, so the follower's next Fetch says what is durable;
    here logs are synced in the background, and the fetcher waits for that before it asks again.
    """

    def __init__(self, replicas: Replicas) -> None:
        self._replicas = replicas
        self._keys: set[Key] = set()

    def note(self, partition: Partition) -> None:
        """It was appended to, or begins to follow. Raises KafkaError KAFKA_STORAGE_ERROR."""
        if partition.log.tail.owed >= 0:
            self._keys.add(partition.key)

    async def synced(self) -> None:
        """Wait until all of them are synced, or not followed any more."""
        if self._keys:
            await wait_until(self._replicas, self._keys, self._are_synced)
            self._keys.clear()

    def _are_synced(self) -> bool:
        return not any(map(self._is_unsynced, self._keys))

    def _is_unsynced(self, key: Key) -> bool:
        partition = self._replicas.find(*key)
        try:
            return (
                partition is not None and not partition.is_leader and partition.log.tail.owed >= 0
            )
        except KafkaError:
            return False


class CopiedPartitions:
    """Those of ``leader`` that one fetcher copies."""

    def __init__(self, leader: int, site: Site) -> None:
        self.leader = leader
        self.states: dict[Key, FollowState] = {}
        self.failed: set[Key] = set()
        """Partitions given up until the controller says something new about them."""
        self.session = FollowerSession()
        self.unsynced = UnsyncedPartitions(site.replicas)
        self.troubles = Troubles(log)
        self.news = asyncio.Event()
        """Set when there is something new to copy."""
        self._site = site
        self._changed: dict[Key, None] = {}
        self._later: list[Key] = []
        self._ready_at = math.inf
        """When the first of these may be asked for that an error delays."""
        self._names: dict[bytes, str] = {}

    # -- what to copy

    def add(self, partition: Partition) -> None:
        """Copy a partition from now on, in its leader epoch. Raises KafkaError."""
        key = partition.key
        self.failed.discard(key)
        state = self.states.get(key)
        if state is None or state.leader_epoch != partition.leader_epoch:
            self.states[key] = follower.begin(partition)
            self.unsynced.note(partition)
        elif state.topic_id != partition.topic_id:
            state.topic_id = partition.topic_id
        self._names[partition.topic_id] = partition.topic
        self._touch(key)

    def remove(self, key: Key) -> None:
        """Copy it no more: nothing is appended after this."""
        self.failed.discard(key)
        if self.states.pop(key, None) is not None:
            self._touch(key)

    def _touch(self, key: Key) -> None:
        self._changed[key] = None
        self.news.set()

    # -- asking

    def request(self) -> FetchRequest | None:
        """What to ask for now; None if there is nothing.

        Of many partitions ``AT_ONCE`` are named, the others in the next requests: neither side
        is busy with one of them for long.
        """
        session = self.session
        for key in self._later:
            self._changed[key] = None
        self._later.clear()
        ask = None
        if not session.is_full:
            ask = session.go_on(self._name(self._changed, session.sent))
        if ask is None:
            self._later.clear()
            named = self._name(dict.fromkeys(self.states), {})
            wanted = {key: want for key, want in named.items() if want is not None}
            if not wanted:
                return None
            ask = session.start(wanted)
        elif not (ask.send or ask.forget or session.sent):
            return None
        wait = 0 if self._changed else self.patience()
        return fetch_requests.fetch_request(self._site, ask, most_wait=wait)

    def _name(
        self, changed: dict[Key, None], sent: Mapping[Key, PartitionFetch]
    ) -> dict[Key, PartitionFetch | None]:
        """What to ask of the first ``AT_ONCE`` that are ready and of which the leader does not
        know it (``sent``); the others remain changed."""
        now = self._site.timer()
        self._ready_at = math.inf
        named: dict[Key, PartitionFetch | None] = {}
        news = 0
        for key in changed:
            want = named[key] = self._wanted(key, now)
            news += want is not None and want != sent.get(key)
            if news == AT_ONCE:
                break
        self._changed = {key: None for key in changed if key not in named}
        return named

    def _wanted(self, key: Key, now: float) -> PartitionFetch | None:
        """What to ask of a partition; None if nothing, or nothing yet."""
        state = self.states.get(key)
        partition = None if state is None else self.partition(state)
        if state is None or partition is None:
            return None
        throttle = self._site.throttle
        try:
            if state.phase is Phase.TRUNCATING:
                follower.truncate(partition, state, Truncation(state.offset, complete=True))
            if (
                not (ready := state.is_ready(now))
                or partition.log.place.home.full
                or (throttle.is_throttled(key) and not state.in_sync and throttle.is_exceeded(now))
            ):
                self._later.append(key)
                self._ready_at = min(self._ready_at, math.inf if ready else state.ready_at)
                return None
            start = partition.log.log_start_offset
        except KafkaError as error:
            self.fail(state, error)
            return None
        return PartitionFetch(
            state.topic_id, state.offset, start, state.leader_epoch, state.last_epoch
        )

    def partition(self, state: FollowState) -> Partition | None:
        """The replica, if it is still to be copied from this leader in this epoch."""
        partition = self._site.replicas.find(*state.key)
        if (
            partition is None
            or partition.leader != self.leader
            or partition.leader_epoch != state.leader_epoch
            or self.states.get(state.key) is not state
        ):
            return None
        return partition

    # -- answers

    def take(self, response: FetchResponse) -> Steps[list[FollowState]]:
        """Do what the answer says, with a pause after each partition that gets records, and after
        some hundred batches of it. The partitions whose offset is out of range remain."""
        session = self.session
        sent, by_id = session.sent, session.by_id
        answers: dict[Key, PartitionData] = {}
        for topic in response.responses:
            name = self._names.get(topic.topic_id, "") if by_id else topic.topic
            for data in topic.partitions:
                answers[name, data.partition_index] = data
        if not session.answered(response.error_code, response.session_id, answers):
            if response.error_code:
                name = ErrorCode.of(response.error_code).name
                log.info("fetching from broker %d: %s", self.leader, name)
            return []
        resets = []
        for key, data in answers.items():
            asked = Asked(sent[key].offset, sent[key].leader_epoch)
            for records in fetch_requests.in_stretches(data.records):
                verdict = self._take(key, asked, data, records)
                if verdict is FetchVerdict.RESET:
                    resets.append(self.states[key])
                if verdict is not FetchVerdict.TAKE:
                    break
                asked = asked._replace(offset=self.states[key].offset)
                if len(records):
                    yield None
        return resets

    def _take(
        self, key: Key, asked: Asked, data: PartitionData, records: memoryview
    ) -> FetchVerdict:
        now = self._site.timer()
        state = self.states.get(key)
        diverging = data.diverging_epoch is not None and data.diverging_epoch.end_offset >= 0
        verdict = fetching.judge(state, asked, data.error_code, diverging=diverging, now=now)
        partition = None if state is None else self.partition(state)
        if state is None or partition is None or verdict is FetchVerdict.STALE:
            if state is not None:
                self.session.failed()  # the leader takes it that we know its high watermark
            return FetchVerdict.STALE
        self._changed[key] = None
        try:
            if verdict is FetchVerdict.TAKE:
                self._replicate(partition, state, data, records)
            elif verdict is FetchVerdict.TRUNCATE:
                self._truncate(partition, state, data)
                self.session.failed()  # the same
            elif verdict is FetchVerdict.FAILED:
                self.fail(state, KafkaError(data.error_code))
            elif verdict is FetchVerdict.WAIT:
                self.delay(state, data.error_code)
        except NoSpaceError:  # a part may have been written; there may be room for the rest later
            state.offset = partition.log.log_end_offset
            state.last_epoch = partition.log.latest_epoch
            state.delay(now + self.backoff, now)
            return FetchVerdict.WAIT
        except KafkaError as error:
            if error.code != ErrorCode.CORRUPT_MESSAGE:
                self.fail(state, error)
                return FetchVerdict.FAILED
            log.error("%s-%d at offset %d: %s", *key, state.offset, error.message)
            state.offset = partition.log.log_end_offset
            self.delay(state, error.code)
            return FetchVerdict.WAIT
        return verdict

    def _replicate(
        self, partition: Partition, state: FollowState, data: PartitionData, records: memoryview
    ) -> None:
        site = self._site
        state.errors = 0
        moved = follower.replicate(
            partition,
            state,
            records,
            high_watermark=data.high_watermark,
            log_start=data.log_start_offset,
        )
        self.unsynced.note(partition)
        if moved and site.replicas.fetches.watched(partition.key):
            site.replicas.wake_soon(partition.key)
        if records and site.throttle.is_throttled(partition.key):
            site.throttle.record(len(records), site.timer())

    @staticmethod
    def _truncate(partition: Partition, state: FollowState, data: PartitionData) -> None:
        assert data.diverging_epoch is not None
        epoch, end = data.diverging_epoch.epoch, data.diverging_epoch.end_offset
        local = partition.log
        cut = fetching.truncation(
            epoch,
            end,
            own=local.end_offset_for_epoch(epoch),
            own_end=local.log_end_offset,
            fallback=state.offset,
        )
        follower.truncate(partition, state, cut)

    def delay(self, state: FollowState, code: int) -> None:
        """Leave it alone for a while."""
        now = self._site.timer()
        wait = fetching.delay_after(code, state.errors, self.backoff)
        state.errors += 1
        state.delay(now + wait, now)
        self._trouble(logging.INFO, ErrorCode.of(code).name, state)

    def fail(self, state: FollowState, error: KafkaError) -> None:
        """Give it up until the controller says something new about it."""
        if self.states.get(state.key) is not state:
            return  # its directory failed, and it was taken from us
        del self.states[state.key]
        self.failed.add(state.key)
        self._changed[state.key] = None
        reason = error.message or ErrorCode.of(error.code).name
        self._trouble(logging.WARNING, f"marked as failed: {reason}", state)

    def _trouble(self, level: int, text: str, state: FollowState) -> None:
        self.troubles.add(level, text, "{}-{}".format(*state.key))

    # -- how long to wait

    def patience(self) -> float:
        """Until the first partition that was left alone is to be asked for again."""
        return max(0.0, self._ready_at - self._site.timer())

    @property
    def backoff(self) -> int:
        """How long to wait after an error."""
        return int(self._site.configs.value("replica.fetch.backoff.ms"))

    # -- out of range

    def stop_at(self, state: FollowState, end: int) -> bool:
        """The leader's log ends at ``end``: whether that says where to go on. Raises KafkaError."""
        partition = self.partition(state)
        if partition is None:
            return True
        cut = fetching.after_end(end, partition.log.log_end_offset)
        if cut is None:
            return False
        follower.truncate(partition, state, cut)
        return True

    def start_at(self, state: FollowState, start: int) -> None:
        """The leader's log starts at ``start``, behind the end of ours. Raises KafkaError."""
        partition = self.partition(state)
        if partition is not None:
            restart = fetching.after_start(start, partition.log.log_end_offset)
            follower.restart(partition, state, restart)

    def not_reset(self, state: FollowState, error: KafkaError) -> None:
        """It could not be found out where to go on."""
        if self.states.get(state.key) is not state:
            return
        final = error.code in (ErrorCode.FENCED_LEADER_EPOCH, ErrorCode.KAFKA_STORAGE_ERROR)
        if final and not isinstance(error, NoSpaceError):
            self.fail(state, error)
        else:
            self.delay(state, error.code)

    def ask_again(self, state: FollowState) -> None:
        """Name the partition in the next request."""
        self._changed[state.key] = None
