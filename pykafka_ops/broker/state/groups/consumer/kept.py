"""Groups of both protocols as the log says them; their offsets, and their end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from pykafka_ops.broker.hot.deferred import Deferred
from pykafka_ops.broker.state.groups.commits import Commit
from pykafka_ops.broker.state.groups.consumer.group import ConsumerGroup, ConsumerGroupState
from pykafka_ops.broker.state.groups.consumer.leaving import Leavings
from pykafka_ops.broker.state.groups.consumer.member import MemberState
from pykafka_ops.broker.state.groups.consumer.migration import obituary
from pykafka_ops.broker.state.groups.consumer.offsets import check_commit
from pykafka_ops.broker.state.groups.consumer.records import (
    EPOCH,
    ConsumerRecord,
    encode_record,
    read_record,
)
from pykafka_ops.broker.state.groups.consumer.settings import ConsumerSettings
from pykafka_ops.broker.state.groups.consumer.timeouts import Timeouts
from pykafka_ops.broker.state.groups.consumer.topics import SeenTopics
from pykafka_ops.broker.state.groups.consumer.work import GroupDesk
from pykafka_ops.broker.state.groups.logged import ShardParts
from pykafka_ops.broker.state.groups.offsets import GroupOffsets, TopicPartition
from pykafka_ops.broker.state.groups.records import (
    GroupRecord,
    decode_entry,
    tombstones,
)
from pykafka_ops.broker.state.groups.shard import GroupShard
from pykafka_ops.broker.state.outcome import Instant, Outcome, TxnProducer
from pykafka_ops.disk.internal import UnknownRecordType, read_offsets_record
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode


class Protocols(NamedTuple):
    """What a shard with both protocols needs besides what every shard does."""

    settings: ConsumerSettings
    topics: SeenTopics


class KeptGroups(GroupShard):
    """``groups`` are the classic ones, ``consumers`` those of the consumer protocol, by id."""

    def __init__(self, parts: ShardParts, protocols: Protocols) -> None:
        super().__init__(parts)
        self.consumers: dict[str, ConsumerGroup] = {}
        self._protocols = protocols
        self._desk = GroupDesk()
        self._timeouts = Timeouts(parts.timers, parts.owner)
        self._leavings = Leavings(
            self.consumers, protocols.topics, self._timeouts, self._desk, self._downgrade
        )

    def _downgrade(self, group: ConsumerGroup, now: Instant) -> Outcome | None:
        """What follows when a consumer of the new protocol has gone."""
        raise NotImplementedError

    # -- the log -------------------------------------------------------------------------------

    def encode(self, record: Any) -> tuple[bytes, bytes | None]:
        """As in ``Shard``."""
        if isinstance(record, ConsumerRecord):
            return encode_record(record)
        return super().encode(record)

    def decode(self, key: bytes, value: bytes | None) -> Any:
        """As in ``LoggedGroups``."""
        entry = decode_entry(key, value)
        if entry is not None:
            return entry
        try:
            return read_record(read_offsets_record(key, value))
        except UnknownRecordType:
            return None

    def apply(self, record: Any, offset: int, producer_id: int) -> None:
        """As in ``Shard``. While loading, what was written last says of which kind a group is."""
        if not isinstance(record, ConsumerRecord):
            super().apply(record, offset, producer_id)
            if isinstance(record, GroupRecord):
                if self.is_loading and record.value is not None:
                    self._forget(record.group)
                self._desk.applied(record.group)
            return
        group = self.consumers.get(record.group)
        if record.type == EPOCH and record.value is None:
            self._forget(record.group)
        elif group is not None:
            group.apply(record)
        elif record.value is not None:
            self.forget_stored(record.group)
            self._made(record.group).apply(record)
        self._desk.applied(record.group)

    def _made(self, group_id: str) -> ConsumerGroup:
        group = ConsumerGroup(group_id, memory=self._memory.holder())
        self.consumers[group_id] = group
        return group

    def _forget(self, group_id: str) -> None:
        group = self.consumers.pop(group_id, None)
        if group is not None:
            for member_id in group.members:
                self._timeouts.forget(group_id, member_id)
            group.memory.release()

    def knows(self, group_id: str) -> bool:
        """As in ``LoggedGroups``."""
        return group_id in self.groups or group_id in self.consumers

    def loaded(self, now: Instant) -> Outcome | None:
        """As in ``Shard``: each member has a session timeout from now for its first heartbeat."""
        out = super().loaded(now)
        for group in self.consumers.values():
            self._watch(group, now)
        return out

    def _watch(self, group: ConsumerGroup, now: Instant) -> None:
        for member in group.members.values():
            timeout = self._protocols.settings.session_ms
            if member.classic is not None:
                timeout = member.classic.session_timeout
            elif member.state is MemberState.UNREVOKED_PARTITIONS:
                self._leavings.expect_revocation(group.id, member, now)
            self._leavings.expect(group.id, member.id, timeout, now)

    def unloaded(self) -> Sequence[tuple[Deferred, object]]:
        """As in ``Shard``."""
        gone = KafkaError(ErrorCode.NOT_COORDINATOR)
        waiting = [
            (work.ticket, work.refuse(gone))
            for work in self._desk.waiting()
            if work.ticket is not None
        ]
        for group in self.consumers.values():
            group.memory.release()
        return [*super().unloaded(), *waiting]

    # -- offsets and ends ----------------------------------------------------------------------

    def commit(
        self,
        group_id: str,
        who: tuple[str, str | None, int],
        commits: Sequence[Commit],
        ticket: Deferred,
        now: Instant,
        producer: TxnProducer | None = None,
    ) -> Outcome:
        """As in ``GroupShard``."""
        group = self.consumers.get(group_id)
        if group is None:
            return super().commit(group_id, who, commits, ticket, now, producer)
        places = [place for place, _ in commits]
        topics = self._protocols.topics
        code = check_commit(group, who, places, topics, in_transaction=producer is not None)
        if code is not ErrorCode.NONE:
            return Outcome(replies=[(ticket, code)])
        return self.store(group_id, commits, ticket, now, producer)

    def delete_offsets(
        self, group_id: str, places: Sequence[TopicPartition], ticket: Deferred, now: Instant
    ) -> Outcome:
        """As in ``GroupShard``."""
        group = self.consumers.get(group_id)
        if group is None:
            return super().delete_offsets(group_id, places, ticket, now)
        refused = {place for place in places if group.reads(place[0])}
        return self.remove_offsets(group_id, places, refused, ticket)

    def delete_groups(self, group_ids: Iterable[str], ticket: Deferred, now: Instant) -> Outcome:
        """As in ``GroupShard``."""
        mine, others = [], []
        codes: dict[str, ErrorCode] = {}
        for group_id in group_ids:
            group = self.consumers.get(group_id)
            if group is None:
                others.append(group_id)
            elif group.state is not ConsumerGroupState.EMPTY or self._desk.is_busy(group_id):
                codes[group_id] = ErrorCode.NON_EMPTY_GROUP
            else:
                mine.append(group)
        if not mine and not codes:
            return super().delete_groups(others, ticket, now)
        records: list[Any] = []
        for group in mine:
            places = self.offsets[group.id].committed if group.id in self.offsets else ()
            records += [*tombstones(group.id, places), *obituary(group)]

        def then(code: ErrorCode, now: Instant) -> Outcome:
            for group in mine:
                codes[group.id] = code
                if code is ErrorCode.NONE:
                    self._drop_offsets(group.id)
            rest = Deferred()
            rest.then(lambda found: ticket.resolve({**codes, **_codes(found)}))
            return GroupShard.delete_groups(self, others, rest, now)

        return Outcome(records=records, then=then)

    def _drop_offsets(self, group_id: str) -> None:
        offsets = self.offsets.pop(group_id, None)
        if offsets is not None:
            offsets.memory.release()

    def expired(self, group_id: str, offsets: GroupOffsets, now: int) -> Sequence[TopicPartition]:
        """As in ``GroupShard``: from each commit on, of topics that nobody subscribes to."""
        group = self.consumers.get(group_id)
        if group is None:
            return super().expired(group_id, offsets, now)
        read = {place[0] for place in offsets.committed if group.reads(place[0])}
        return offsets.expired_since_commit(now, self._settings.retention_ms, read)

    def forget_if_unused(self, group_ids: Iterable[str], out: Outcome) -> Outcome:
        """As in ``GroupShard``."""
        names = list(group_ids)
        out = super().forget_if_unused(names, out)
        for group_id in names:
            group = self.consumers.get(group_id)
            offsets = self.offsets.get(group_id)
            if (
                group is None
                or group.members
                or self._desk.is_busy(group_id)
                or not (offsets is None or offsets.empty)
            ):
                continue
            out.records = [*out.records, *obituary(group)]
            self._drop_offsets(group_id)
            out.notes.append(f"group {group_id} is gone: it had neither members nor offsets")
        return out


def _codes(found: Any) -> dict[str, ErrorCode]:
    codes: dict[str, ErrorCode] = found
    return codes
