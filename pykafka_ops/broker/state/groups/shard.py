"""All groups of one partition of ``__consumer_offsets``: the shard the runtime drives.

Counterpart of ``GroupMetadataManager`` and of the entry points of ``GroupCoordinator``. Members
and running rebalances are soft state; what survives a restart comes from applied records alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import partial

from pykafka_ops.broker.hot.deferred import Deferred
from pykafka_ops.broker.state.append_errors import commit_code
from pykafka_ops.broker.state.groups.answers import (
    Joined,
    JoinRequest,
    Leaving,
    Synced,
    SyncRequest,
)
from pykafka_ops.broker.state.groups.commits import Commit
from pykafka_ops.broker.state.groups.group import GROUP_BYTES, Group, GroupState
from pykafka_ops.broker.state.groups.logged import LoggedGroups
from pykafka_ops.broker.state.groups.offsets import GroupOffsets, TopicPartition
from pykafka_ops.broker.state.groups.records import (
    Entry,
    GroupRecord,
    OffsetRecord,
    tombstones,
)
from pykafka_ops.broker.state.outcome import Instant, Outcome, TxnProducer
from pykafka_ops.wire.codes import ErrorCode


class GroupShard(LoggedGroups):
    """Groups by id and their offsets. Tickets are resolved with the classes of
    ``answers.py``, or with an ErrorCode where the method says so."""

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

    def assigned(self, group_id: str, request: SyncRequest, now: float) -> Synced | None:
        """SyncGroup of a stable group; None, and nothing is done, where :meth:`sync` has to say."""
        group = self.groups.get(group_id)
        return None if group is None else self._members.assigned(group, request, now)

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
        if code is not ErrorCode.NONE:
            return Outcome(replies=[(ticket, code)])
        return self.store(group_id, commits, ticket, now, producer)

    def store(
        self,
        group_id: str,
        commits: Sequence[Commit],
        ticket: Deferred,
        now: Instant,
        producer: TxnProducer | None,
    ) -> Outcome:
        """Store offsets that may be committed; a group that there is not is made for them."""
        if not commits:
            return Outcome(replies=[(ticket, ErrorCode.NONE)])
        offsets = self.offsets.get(group_id) or GroupOffsets(memory=self._memory.holder())
        if not offsets.admits(commits):
            return Outcome(replies=[(ticket, ErrorCode.INVALID_COMMIT_OFFSET_SIZE)])
        if not self.knows(group_id):
            self._create(group_id, now)
        self.offsets[group_id] = offsets
        places = [place for place, _ in commits]
        offsets.begin(places)
        return Outcome(
            records=[OffsetRecord(group_id, *place, value) for place, value in commits],
            producer=producer,
            then=partial(self.committed, offsets, places, ticket),
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

    def committed(
        self,
        offsets: GroupOffsets,
        places: list[TopicPartition],
        ticket: Deferred,
        code: ErrorCode,
        now: Instant,
    ) -> Outcome:
        """The end of a commit: what its client hears when ``code`` came of the append."""
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
        return self.remove_offsets(group_id, places, refused, ticket)

    def remove_offsets(
        self,
        group_id: str,
        places: Sequence[TopicPartition],
        refused: Collection[TopicPartition],
        ticket: Deferred,
    ) -> Outcome:
        """Delete the offsets of all places but those refused."""
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
                return self.forget_if_unused([group_id], Outcome(replies=[(ticket, codes)]))
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

    def forget_if_unused(self, group_ids: Iterable[str], out: Outcome) -> Outcome:
        """Add the end of groups that have neither members nor offsets."""
        doomed = [
            group
            for group in map(self.groups.get, group_ids)
            if group is not None
            and group.state is GroupState.EMPTY
            and not group.pending_members
            and (group.id not in self.offsets or self.offsets[group.id].empty)
        ]
        out.records = [GroupRecord(group.id, None) for group in doomed if group.generation > 0]
        for group in doomed:
            self._drop(group)
            out.notes.append(f"group {group.id} is gone: it had neither members nor offsets")
        return out

    def expire_offsets(self, now: Instant) -> Outcome:
        """Write tombstones for what has been kept long enough, groups included."""
        self._rebalance.at(now.timer + self._settings.retention_check_ms, self.expire_offsets)
        records: list[Entry] = []
        for group_id, offsets in self.offsets.items():
            if offsets.committed:
                records += tombstones(group_id, self.expired(group_id, offsets, now.time))
        return self._clean_up(records)

    def expired(self, group_id: str, offsets: GroupOffsets, now: int) -> Sequence[TopicPartition]:
        """The offsets of a group that have been kept long enough, at ``now`` (ms)."""
        group = self.groups.get(group_id)
        return () if group is None else offsets.expired(group, now, self._settings.retention_ms)

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
            return self.forget_if_unused(list(self.offsets.keys() | self.groups.keys()), Outcome())

        return Outcome(records=records, then=then)
