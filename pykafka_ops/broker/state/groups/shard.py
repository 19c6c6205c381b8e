"""All groups of one partition of ``__consumer_offsets``: the shard the runtime drives.

Counterpart of ``GroupMetadataManager`` and of the entry points of ``GroupCoordinator``. Members
and running rebalances are soft state; what survives a restart comes from applied records alone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial

from pykafka_ops.broker.state.append_errors import commit_code
from pykafka_ops.broker.state.deferred import Deferred
from pykafka_ops.broker.state.groups.answers import (
    Joined,
    JoinRequest,
    Leaving,
    Synced,
    SyncRequest,
)
from pykafka_ops.broker.state.groups.commits import Commit
from pykafka_ops.broker.state.groups.group import GROUP_BYTES, Group, GroupState
from pykafka_ops.broker.state.groups.join import Joins
from pykafka_ops.broker.state.groups.loading import Loading
from pykafka_ops.broker.state.groups.members import Members
from pykafka_ops.broker.state.groups.offsets import GroupOffsets, TopicPartition
from pykafka_ops.broker.state.groups.rebalance import Rebalance
from pykafka_ops.broker.state.groups.records import (
    Entry,
    GroupRecord,
    OffsetAndMetadata,
    OffsetRecord,
    encode_entry,
    restore_group,
    tombstones,
)
from pykafka_ops.broker.state.groups.settings import GroupSettings
from pykafka_ops.broker.state.memory import Account
from pykafka_ops.broker.state.outcome import Instant, Outcome, TxnProducer
from pykafka_ops.broker.state.timers import Timers
from pykafka_ops.wire.codes import ErrorCode


class GroupShard:
    """Groups by id and their offsets. Tickets are resolved with the classes of
    ``answers.py``, or with an ErrorCode where the method says so."""

    def __init__(
        self,
        settings: GroupSettings,
        timers: Timers,
        owner: object,
        new_id: Callable[[], str],
        memory: Account,
    ) -> None:
        self.groups: dict[str, Group] = {}
        self.offsets: dict[str, GroupOffsets] = {}
        self._settings = settings
        self._memory = memory
        self._rebalance = Rebalance(settings, timers, owner)
        self._joins = Joins(self._rebalance, new_id)
        self._members = Members(self._rebalance)
        self._stored: dict[str, GroupRecord] | None = {}
        self._open: dict[int, set[str]] = {}
        loading = self._loading = Loading(self.apply, self._put)
        self.replay, self.skim, self.settle = loading.read, loading.skim, loading.settle

    # -- the log -------------------------------------------------------------------------------

    def encode(self, record: Entry) -> tuple[bytes, bytes | None]:
        """As in ``Shard``."""
        return encode_entry(record)

    def apply(self, record: Entry, offset: int, producer_id: int) -> None:
        """As in ``Shard``."""
        if isinstance(record, GroupRecord):
            self._apply_group(record)
            return
        group_id, topic, partition, value = record
        stored = None if value is None else OffsetAndMetadata(*value[:-1], offset)
        self._put(group_id, (topic, partition), stored, producer_id)

    def _put(
        self, group_id: str, place: TopicPartition, value: OffsetAndMetadata | None, producer: int
    ) -> None:
        offsets = self.offsets.get(group_id)
        if offsets is None:
            if value is None:
                return
            offsets = self.offsets[group_id] = GroupOffsets(memory=self._memory.holder())
        offsets.apply(place, value, producer)
        if producer >= 0:
            self._open.setdefault(producer, set()).add(group_id)

    def _apply_group(self, record: GroupRecord) -> None:
        if self._stored is not None:
            if record.value is None:
                self._stored.pop(record.group, None)
            else:
                self._stored[record.group] = record
            return
        group, value = self.groups.get(record.group), record.value
        if group is None or value is None or group.state is not GroupState.COMPLETING:
            return
        if group.generation == value.generation:
            for each in value.members:
                member = group.members.get(each.member_id)
                if member is not None:
                    member.assignment = each.assignment
                    group.weigh(member)
            group.move(GroupState.STABLE, value.current_state_timestamp)

    def apply_marker(self, producer_id: int, offset: int, *, committed: bool) -> None:
        """As in ``Shard``: the offsets of the transaction count, or are dropped."""
        if producer_id in self._open:  # a commit outside may be younger than those inside
            self.settle()
        for group_id in self._open.pop(producer_id, ()):
            offsets = self.offsets.get(group_id)
            if offsets is not None:
                offsets.end_transaction(producer_id, committed=committed)

    def loaded(self, now: Instant) -> Outcome | None:
        """As in ``Shard``: each member has a session timeout from now for its first heartbeat."""
        self.settle()
        self._loading.forget()
        stored, self._stored = self._stored or {}, None
        out = Outcome()
        for group_id, record in stored.items():
            assert record.value is not None
            group = self.groups[group_id] = restore_group(group_id, record.value, self._memory)
            for member in group.members.values():
                self._rebalance.expect(group, member, now.timer)
            if len(group.members) > self._settings.max_size:
                self._rebalance.prepare(group, now, out, "Freshly-loaded group is over capacity")
        for group_id, offsets in list(self.offsets.items()):
            if offsets.empty:
                del self.offsets[group_id]
            elif group_id not in self.groups:
                self.groups[group_id] = Group(group_id, memory=self._memory.holder())
        self._rebalance.at(now.timer + self._settings.retention_check_ms, self._expire_offsets)
        return out

    def unloaded(self) -> Sequence[tuple[Deferred, object]]:
        """As in ``Shard``."""
        out = Outcome()
        gone = ErrorCode.NOT_COORDINATOR
        for group in self.groups.values():
            for member in group.members.values():
                self._rebalance.answer_join(group, member, Joined(gone, member.id), out)
                self._rebalance.answer_sync(member, Synced(gone), out)
            group.memory.release()
        for offsets in self.offsets.values():
            offsets.memory.release()
        return out.replies

    # -- members -------------------------------------------------------------------------------

    def join(self, group_id: str, request: JoinRequest, ticket: Deferred, now: Instant) -> Outcome:
        """JoinGroup; ``ticket`` gets a ``Joined``."""
        settings = self._settings
        if not settings.min_session_ms <= request.session_timeout <= settings.max_session_ms:
            code = ErrorCode.INVALID_SESSION_TIMEOUT
            return Outcome(replies=[(ticket, Joined(code, request.member_id))])
        group = self.groups.get(group_id)
        if group is None:
            if request.member_id:
                code = ErrorCode.UNKNOWN_MEMBER_ID
                return Outcome(replies=[(ticket, Joined(code, request.member_id))])
            if not self._memory.admits(GROUP_BYTES + request.size):
                return Outcome(replies=[(ticket, Joined(ErrorCode.GROUP_MAX_SIZE_REACHED, ""))])
            group = self._create(group_id, now)
        return self._joins.join(group, request, ticket, now)

    def _create(self, group_id: str, now: Instant) -> Group:
        group = self.groups[group_id] = Group(group_id, now.time, memory=self._memory.holder())
        return group

    def sync(self, group_id: str, request: SyncRequest, ticket: Deferred, now: Instant) -> Outcome:
        """SyncGroup; ``ticket`` gets a ``Synced``."""
        group = self.groups.get(group_id)
        if group is None:
            return Outcome(replies=[(ticket, Synced(ErrorCode.UNKNOWN_MEMBER_ID))])
        return self._members.sync(group, request, ticket, now)

    def heartbeat(
        self, group_id: str, member_id: str, instance_id: str | None, generation: int, now: float
    ) -> ErrorCode:
        """Heartbeat; ``now`` is the monotonic clock (ms)."""
        group = self.groups.get(group_id)
        if group is None:
            return ErrorCode.UNKNOWN_MEMBER_ID
        return self._members.heartbeat(group, member_id, instance_id, generation, now)

    def leave(
        self, group_id: str, leaving: list[Leaving], ticket: Deferred, now: Instant
    ) -> Outcome:
        """LeaveGroup; ``ticket`` gets the list of codes, or one code for all."""
        group, out = self.groups.get(group_id), Outcome()
        if group is None:
            out.reply(ticket, [ErrorCode.UNKNOWN_MEMBER_ID] * len(leaving))
        elif group.state is GroupState.DEAD:
            out.reply(ticket, ErrorCode.COORDINATOR_NOT_AVAILABLE)
        else:
            out.reply(ticket, self._members.leave(group, leaving, now, out))
        return out

    # -- offsets -------------------------------------------------------------------------------

    def commit(
        self,
        group_id: str,
        who: tuple[str, str | None, int],
        commits: Sequence[Commit],
        ticket: Deferred,
        now: Instant,
        producer: TxnProducer | None = None,
    ) -> Outcome:
        """OffsetCommit, or inside the transaction of ``producer`` TxnOffsetCommit.

        ``who`` is member id, static name and generation (-1: none). ``ticket`` gets one code for
        all; offsets are kept only if that is NONE.
        """
        group = self.groups.get(group_id)
        code = ErrorCode.NONE
        if group is not None:
            code = self.may_commit(group, who, now.timer, in_transaction=producer is not None)
        elif who[2] >= 0 and producer is None:
            code = ErrorCode.ILLEGAL_GENERATION
        if code is not ErrorCode.NONE or not commits:
            return Outcome(replies=[(ticket, code)])
        offsets = self.offsets.get(group_id) or GroupOffsets(memory=self._memory.holder())
        if not offsets.admits(commits):
            return Outcome(replies=[(ticket, ErrorCode.INVALID_COMMIT_OFFSET_SIZE)])
        if group is None:
            self._create(group_id, now)
        self.offsets[group_id] = offsets
        places = [place for place, _ in commits]
        offsets.begin(places)
        return Outcome(
            records=[OffsetRecord(group_id, *place, value) for place, value in commits],
            producer=producer,
            then=partial(self._committed, offsets, places, ticket),
        )

    def may_commit(
        self, group: Group, who: tuple[str, str | None, int], now: float, *, in_transaction: bool
    ) -> ErrorCode:
        """NONE if that member of a group may commit: it is alive, too."""
        member_id, instance_id, generation = who
        if group.state is GroupState.DEAD:
            return ErrorCode.COORDINATOR_NOT_AVAILABLE
        if generation < 0 and group.state is GroupState.EMPTY:
            return ErrorCode.NONE
        if generation >= 0 or member_id or instance_id is not None:
            code = group.check_member(member_id, instance_id)
            if code is not ErrorCode.NONE:
                return code
            if generation != group.generation:
                return ErrorCode.ILLEGAL_GENERATION
            if not in_transaction:
                if group.state is GroupState.COMPLETING:
                    return ErrorCode.REBALANCE_IN_PROGRESS
                self._rebalance.expect(group, group.members[member_id], now)
            return ErrorCode.NONE
        return ErrorCode.NONE if in_transaction else ErrorCode.UNKNOWN_MEMBER_ID

    def _committed(
        self,
        offsets: GroupOffsets,
        places: list[TopicPartition],
        ticket: Deferred,
        code: ErrorCode,
        now: Instant,
    ) -> Outcome:
        offsets.end(places)
        return Outcome(replies=[(ticket, commit_code(code))])

    def delete_offsets(
        self, group_id: str, places: Sequence[TopicPartition], ticket: Deferred, now: Instant
    ) -> Outcome:
        """OffsetDelete; ``ticket`` gets a code by place, or one code for the group."""
        group = self.groups.get(group_id)
        if group is None or group.state is GroupState.DEAD:
            return Outcome(replies=[(ticket, ErrorCode.GROUP_ID_NOT_FOUND)])
        refused: set[TopicPartition] = set()
        if group.state is not GroupState.EMPTY:
            if not group.is_consumer:
                return Outcome(replies=[(ticket, ErrorCode.NON_EMPTY_GROUP)])
            refused = {place for place in places if group.reads(place[0])}
        codes = {
            place: ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC if place in refused else ErrorCode.NONE
            for place in places
        }
        offsets = self.offsets.get(group_id)
        known = [
            place
            for place in codes
            if place not in refused and offsets is not None and place in offsets.committed
        ]

        def then(code: ErrorCode, now: Instant) -> Outcome:
            if code is ErrorCode.NONE:
                return self._forget_if_unused([group], Outcome(replies=[(ticket, codes)]))
            return Outcome(replies=[(ticket, commit_code(code))])

        return Outcome(records=tombstones(group_id, known), then=then)

    # -- ends ----------------------------------------------------------------------------------

    def delete_groups(self, group_ids: Iterable[str], ticket: Deferred, now: Instant) -> Outcome:
        """DeleteGroups; ``ticket`` gets a code by group id."""
        codes: dict[str, ErrorCode] = {}
        doomed: list[Group] = []
        records: list[Entry] = []
        for group_id in group_ids:
            group = self.groups.get(group_id)
            if group is None or (group.state is GroupState.DEAD and group not in doomed):
                codes[group_id] = ErrorCode.GROUP_ID_NOT_FOUND
            elif group.state is GroupState.EMPTY:
                codes[group_id] = ErrorCode.NONE
                group.move(GroupState.DEAD, now.time)
                doomed.append(group)
                records += self._obituary(group)
            elif group.state is not GroupState.DEAD:
                codes[group_id] = ErrorCode.NON_EMPTY_GROUP

        def then(code: ErrorCode, now: Instant) -> Outcome:
            for group in doomed:
                if code is ErrorCode.NONE:
                    self._drop(group)
                else:
                    group.move(GroupState.EMPTY, now.time)
                    codes[group.id] = commit_code(code)
            return Outcome(replies=[(ticket, codes)])

        return Outcome(records=records, then=then)

    def _obituary(self, group: Group) -> list[Entry]:
        """The tombstones of all a group has in the log."""
        offsets = self.offsets.get(group.id)
        places = [] if offsets is None else [*offsets.committed, *offsets.pending]
        records = tombstones(group.id, dict.fromkeys(places))
        if group.generation > 0:
            records.append(GroupRecord(group.id, None))
        return records

    def _drop(self, group: Group) -> None:
        if self.groups.get(group.id) is group:
            del self.groups[group.id]
        offsets = self.offsets.pop(group.id, None)
        if offsets is not None:
            offsets.memory.release()
        for member_id in list(group.pending_members):
            group.forget_pending(member_id)
        group.memory.release()

    def _forget_if_unused(self, groups: Iterable[Group], out: Outcome) -> Outcome:
        """Add the end of groups that have neither members nor offsets."""
        doomed = [
            group
            for group in groups
            if group.state is GroupState.EMPTY
            and not group.pending_members
            and (group.id not in self.offsets or self.offsets[group.id].empty)
        ]
        out.records = [GroupRecord(group.id, None) for group in doomed if group.generation > 0]
        for group in doomed:
            self._drop(group)
            out.notes.append(f"group {group.id} is gone: it had neither members nor offsets")
        return out

    def _expire_offsets(self, now: Instant) -> Outcome:
        """Write tombstones for what has been kept long enough, groups included."""
        self._rebalance.at(now.timer + self._settings.retention_check_ms, self._expire_offsets)
        records: list[Entry] = []
        for group_id, offsets in self.offsets.items():
            group = self.groups.get(group_id)
            if group is not None and offsets.committed:
                expired = offsets.expired(group, now.time, self._settings.retention_ms)
                records += tombstones(group_id, expired)
        return self._clean_up(records)

    def topics_deleted(self, topics: Collection[str]) -> Outcome:
        """Write tombstones for the offsets in deleted topics."""
        records: list[Entry] = []
        for group_id, offsets in self.offsets.items():
            records += tombstones(group_id, offsets.drop_topics(topics))
        return self._clean_up(records)

    def _clean_up(self, records: list[Entry]) -> Outcome:
        def then(code: ErrorCode, now: Instant) -> Outcome | None:
            if code is not ErrorCode.NONE:
                return Outcome(notes=[f"Writing tombstones of groups failed: {code.name}"])
            return self._forget_if_unused(list(self.groups.values()), Outcome())

        return Outcome(records=records, then=then)
