"""Groups of both protocols of one partition of ``__consumer_offsets``."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from pykafka_ops.broker.hot.deferred import Deferred
from pykafka_ops.broker.state.groups.answers import (
    Joined,
    JoinRequest,
    Leaving,
    Synced,
    SyncRequest,
)
from pykafka_ops.broker.state.groups.consumer.answers import Beat, Beaten
from pykafka_ops.broker.state.groups.consumer.change import GroupChange
from pykafka_ops.broker.state.groups.consumer.checks import not_found
from pykafka_ops.broker.state.groups.consumer.classic import ClassicMembers
from pykafka_ops.broker.state.groups.consumer.expressions import Expressions, Found, resolved
from pykafka_ops.broker.state.groups.consumer.group import ConsumerGroup
from pykafka_ops.broker.state.groups.consumer.heartbeat import Heartbeats
from pykafka_ops.broker.state.groups.consumer.kept import KeptGroups, Protocols
from pykafka_ops.broker.state.groups.consumer.migration import downgraded, obituary, upgraded
from pykafka_ops.broker.state.groups.consumer.work import Decided, Work
from pykafka_ops.broker.state.groups.group import Group, GroupState
from pykafka_ops.broker.state.groups.logged import ShardParts
from pykafka_ops.broker.state.groups.records import (
    GroupRecord,
    group_value,
)
from pykafka_ops.broker.state.outcome import Instant, Outcome
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode


class ConsumerShard(KeptGroups):
    """What members of both protocols ask."""

    def __init__(self, parts: ShardParts, protocols: Protocols) -> None:
        super().__init__(parts, protocols)
        wanted, topics = protocols
        expressions = Expressions(topics, self._timeouts, self._resolved)
        served = (wanted, topics, self._timeouts, expressions, self._leavings, parts.new_id)
        self._heartbeats = Heartbeats(*served)
        self._classic = ClassicMembers(*served)

    # -- members of the consumer protocol ------------------------------------------------------

    def beat(self, beat: Beat, ticket: Deferred, now: Instant) -> Outcome:
        """ConsumerGroupHeartbeat; ``ticket`` gets a ``Beaten``."""

        def refuse(error: KafkaError) -> Beaten:
            return Beaten(ErrorCode.of(error.code), error.message or None)

        work = Work(lambda now: self._beat(beat, ticket, now), ticket, refuse)
        return self._desk.submit(beat.group_id, work, now)

    def _beat(self, beat: Beat, ticket: Deferred, now: Instant) -> Decided:
        group_id = beat.group_id
        group = self.consumers.get(group_id)
        if group is not None:
            return self._heartbeats.decide(group, beat, now)
        classic = self.groups.get(group_id)
        if beat.epoch != 0:
            if classic is None:
                raise not_found(group_id, "Group" if beat.leaves else "Consumer group")
            raise _no_consumer_group(group_id)
        if classic is None or (classic.state is GroupState.EMPTY and not classic.pending_members):
            return self._begin(classic, beat, now)
        return self._upgrade(classic, beat, ticket, now)

    def _begin(self, classic: Group | None, beat: Beat, now: Instant) -> Decided:
        """The first member of a group; an empty classic group gives way to it."""
        group = ConsumerGroup(beat.group_id, memory=self._memory.holder())
        decided = self._heartbeats.decide(group, beat, now)
        before: list[GroupRecord] = []
        if classic is not None:
            if classic.generation > 0:
                before = [GroupRecord(classic.id, None)]
            self._silence(classic, Outcome(), now)
            del self.groups[classic.id]
        self.consumers[group.id] = group

        def failed() -> None:
            self._forget(group.id)
            if classic is not None:
                self.groups[classic.id] = classic

        decided.records = [*before, *decided.records]
        decided.failed = failed
        return decided

    # -- from one protocol to the other --------------------------------------------------------

    def _upgrade(self, classic: Group, beat: Beat, ticket: Deferred, now: Instant) -> Decided:
        """Make a consumer group of a classic one, then go on with the heartbeat."""
        settings = self._protocols.settings
        if (
            not settings.policy.allows_upgrade
            or not classic.is_consumer
            or len(classic.members) > settings.max_size
            or classic.state is GroupState.DEAD
        ):
            raise _no_consumer_group(classic.id)
        records = upgraded(classic, self._protocols.topics, now.time)
        del self.groups[classic.id]
        group = self._made(classic.id)
        for record in records:
            group.apply(record)

        def failed() -> None:
            self._forget(group.id)
            self.groups[classic.id] = classic

        def then(now: Instant) -> Outcome:
            out = Outcome(notes=[f"group {group.id} is a consumer group from now on"])
            self._silence(classic, out, now)
            classic.memory.release()
            self._watch(group, now)
            return _joined(out, self.beat(beat, ticket, now))

        return Decided([GroupRecord(classic.id, None), *records], then=then, failed=failed)

    def _silence(self, classic: Group, out: Outcome, now: Instant) -> None:
        """Answer all who wait in a classic group, and wait for none of them any more."""
        again = ErrorCode.REBALANCE_IN_PROGRESS
        for member in list(classic.members.values()):
            self._rebalance.answer_join(classic, member, Joined(again, member.id), out)
            self._rebalance.answer_sync(member, Synced(again), out)
            classic.remove(member)
        for member_id in list(classic.pending_members):
            classic.forget_pending(member_id)
        self._rebalance.stop_join_timer(classic)
        self._rebalance.stop_sync_timer(classic)

    def _downgrade(
        self,
        group: ConsumerGroup,
        now: Instant,
        following: Callable[[Instant], Outcome] | None = None,
    ) -> Outcome | None:
        """Make a classic group of one that has only classic members, if it may be; None if not.
        ``following`` comes behind that."""
        settings = self._protocols.settings
        if (
            not settings.policy.allows_downgrade
            or not group.members
            or len(group.classic_members) < len(group.members)
            or len(group.members) > settings.classic_max_size
        ):
            return None

        def decide(now: Instant) -> Decided:
            classic = downgraded(group, self._protocols.topics, now.time, self._memory)
            assignments = {each.id: each.assignment for each in classic.members.values()}
            record = GroupRecord(group.id, group_value(classic, assignments))
            return Decided(
                [*obituary(group), record],
                then=partial(self._downgraded, classic, following),
                failed=classic.memory.release,
            )

        return self._desk.submit(group.id, Work(decide), now)

    def _downgraded(
        self, classic: Group, following: Callable[[Instant], Outcome] | None, now: Instant
    ) -> Outcome:
        self.groups[classic.id] = classic
        out = Outcome(notes=[f"group {classic.id} is a classic group from now on"])
        for member in classic.members.values():
            self._rebalance.expect(classic, member, now.timer)
        self._rebalance.prepare(classic, now, out, "its last consumer of the new protocol left")
        return out if following is None else _joined(out, following(now))

    # -- members of the classic protocol -------------------------------------------------------

    def join(self, group_id: str, request: JoinRequest, ticket: Deferred, now: Instant) -> Outcome:
        """As in ``GroupShard``."""
        if group_id not in self.consumers:
            return super().join(group_id, request, ticket, now)

        def refuse(error: KafkaError) -> Joined:
            return Joined(ErrorCode.of(error.code), request.member_id)

        work = Work(lambda now: self._join(group_id, request, ticket, now), ticket, refuse)
        return self._desk.submit(group_id, work, now)

    def _join(self, group_id: str, request: JoinRequest, ticket: Deferred, now: Instant) -> Decided:
        group = self.consumers.get(group_id)
        if group is None:
            return Decided(then=lambda now: self.join(group_id, request, ticket, now))
        if not group.members:  # nobody is there: it becomes a classic group again
            records = obituary(group)
            return Decided(records, then=lambda now: self.join(group_id, request, ticket, now))
        decided = self._classic.join(group, request, now)
        inner, answer = decided.then, decided.answer
        if inner is None:
            return decided

        def then(now: Instant) -> Outcome | None:
            inner(now)
            assert isinstance(answer, Joined)
            again = request._replace(member_id=answer.member_id, known_id=False)
            following = self._downgrade(
                group, now, lambda now: self.join(group_id, again, ticket, now)
            )
            if following is not None:
                decided.answer = None  # it comes from the classic group
            return following

        decided.then = then
        return decided

    def sync(self, group_id: str, request: SyncRequest, ticket: Deferred, now: Instant) -> Outcome:
        """As in ``GroupShard``."""
        if group_id not in self.consumers:
            return super().sync(group_id, request, ticket, now)

        def decide(now: Instant) -> Decided:
            group = self.consumers.get(group_id)
            if group is None:
                return Decided(then=lambda now: self.sync(group_id, request, ticket, now))
            return self._classic.sync(group, request, now)

        def refuse(error: KafkaError) -> Synced:
            return Synced(ErrorCode.of(error.code))

        return self._desk.submit(group_id, Work(decide, ticket, refuse), now)

    def heartbeat(
        self, group_id: str, member_id: str, instance_id: str | None, generation: int, now: float
    ) -> ErrorCode:
        """As in ``GroupShard``."""
        group = self.consumers.get(group_id)
        if group is None:
            return super().heartbeat(group_id, member_id, instance_id, generation, now)
        when = Instant(0, now)
        return self._classic.heartbeat(group, member_id, instance_id, generation, when)

    def leave(
        self, group_id: str, leaving: list[Leaving], ticket: Deferred, now: Instant
    ) -> Outcome:
        """As in ``GroupShard``."""
        if group_id not in self.consumers:
            return super().leave(group_id, leaving, ticket, now)

        def decide(now: Instant) -> Decided:
            group = self.consumers.get(group_id)
            if group is None:
                return Decided(then=lambda now: self.leave(group_id, leaving, ticket, now))
            return self._classic.leave(group, leaving)

        return self._desk.submit(group_id, Work(decide, ticket), now)

    # -- expressions ---------------------------------------------------------------------------

    def _resolved(self, group_id: str, found: Found, now: Instant) -> Outcome:
        def decide(now: Instant) -> Decided:
            group = self.consumers.get(group_id)
            if group is None:
                return Decided()
            change = GroupChange(group, self._protocols.topics, self._protocols.settings, now.time)
            resolved(change, found)
            return Decided(change.records, failed=change.stale)

        return self._desk.submit(group_id, Work(decide), now)


def _joined(first: Outcome, second: Outcome) -> Outcome:
    """Both, where only the second writes."""
    second.replies[:0] = first.replies
    second.notes[:0] = first.notes
    return second


def _no_consumer_group(group_id: str) -> KafkaError:
    return KafkaError(ErrorCode.GROUP_ID_NOT_FOUND, f"Group {group_id} is not a consumer group.")
