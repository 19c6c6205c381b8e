"""Rebalancing a group: who joins, how long it waits for the others, when it drops members.

The rules of ``GroupCoordinator``, ``DelayedJoin``, ``InitialDelayedJoin``, ``DelayedSync`` and
``DelayedHeartbeat``. Functions of one group add to the ``Outcome`` they are given.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from pykafka_ops.broker.state.groups.answers import NO_MEMBER, Joined, JoinMember, Synced
from pykafka_ops.broker.state.groups.group import Group, GroupState, Member
from pykafka_ops.broker.state.groups.records import GroupRecord, group_value
from pykafka_ops.broker.state.groups.settings import GroupSettings
from pykafka_ops.broker.state.outcome import Instant, Outcome
from pykafka_ops.broker.state.timers import Timer, Timers
from pykafka_ops.wire.codes import ErrorCode

NEW_MEMBER_JOIN_TIMEOUT_MS = 5 * 60 * 1000
"""A new member that waits in JoinGroup is dropped after this: it asks again if it still lives."""

_new = tuple.__new__


class Rebalance:
    """The rebalances of a shard's groups; ``owner`` is what their timers belong to."""

    def __init__(self, settings: GroupSettings, timers: Timers, owner: object) -> None:
        self.settings = settings
        self._timers = timers
        self._owner = owner

    def at(self, deadline: float, action: Callable[[Instant], Outcome | None]) -> Timer:
        """Have ``action`` done at ``deadline`` (monotonic ms)."""
        return self._timers.at(deadline, self._owner, action)

    # -- sessions ------------------------------------------------------------------------------

    def expect(self, group: Group, member: Member, now: float, delay: int | None = None) -> None:
        """Await the next sign of life: the session timeout, or ``delay`` ms from now.

        The timer stays where it is when the deadline moves on, which is what heartbeats do.
        """
        member.deadline = now + (member.session_timeout if delay is None else delay)
        timer = member.timer
        if timer is not None and timer.deadline <= member.deadline:
            return
        if timer is not None:
            timer.cancel()
        member.timer = self.at(member.deadline, partial(self._session_over, group, member))

    def _session_over(self, group: Group, member: Member, now: Instant) -> Outcome | None:
        member.timer = None
        if member.gone or group.state is GroupState.DEAD:
            return None
        if member.deadline > now.timer:
            again = partial(self._session_over, group, member)
            member.timer = self.at(member.deadline, again)
            return None
        if not member.is_new and (member.join is not None or member.sync is not None):
            return None
        out = Outcome(notes=[f"Member {member.id} in group {group.id} has failed, removing it"])
        self.remove(group, member, now, out, f"no heartbeat of {member.id} in time")
        return out

    def await_pending(self, group: Group, member_id: str, timeout: int, now: float) -> None:
        """Keep an id that was given out for a member that has not joined with it yet."""
        expired = partial(self._pending_over, group, member_id)
        group.await_pending(member_id, self.at(now + timeout, expired))

    def _pending_over(self, group: Group, member_id: str, now: Instant) -> Outcome:
        out = Outcome()
        group.forget_pending(member_id)
        self.check_joined(group, now, out)
        return out

    def remove(self, group: Group, member: Member, now: Instant, out: Outcome, reason: str) -> None:
        """Take a member out and let the others share what it had."""
        self.answer_join(group, member, Joined(ErrorCode.UNKNOWN_MEMBER_ID, NO_MEMBER), out)
        self.answer_sync(member, Synced(ErrorCode.UNKNOWN_MEMBER_ID), out)
        group.remove(member)
        if group.state is GroupState.PREPARING:
            self.check_joined(group, now, out)
        else:
            self.prepare(group, now, out, reason)

    # -- answers -------------------------------------------------------------------------------

    @staticmethod
    def answer_join(group: Group, member: Member, answer: Joined, out: Outcome) -> None:
        """Answer the JoinGroup a member waits with, if it does."""
        if member.join is not None:
            out.reply(member.join, answer)
            group.set_join(member, None)

    @staticmethod
    def answer_sync(member: Member, answer: Synced, out: Outcome) -> None:
        """Answer the SyncGroup a member waits with, if it does."""
        if member.sync is not None:
            out.reply(member.sync, answer)
            member.sync = None

    @staticmethod
    def _known(group: Group) -> tuple[int, str | None, str | None, str]:
        """What the answers to all members of a generation say."""
        return group.generation, group.protocol_type, group.protocol, group.leader or ""

    def joined(self, group: Group, member: Member, *, skip_assignment: bool = False) -> Joined:
        """A member's answer about the generation; the leader gets the list of members."""
        leader = group.leader
        members: tuple[JoinMember, ...] = ()
        if leader == member.id:
            protocol = group.protocol
            members = tuple(
                JoinMember(m.id, m.instance_id, m.metadata(protocol))
                for m in group.members.values()
            )
        return Joined(ErrorCode.NONE, member.id, *self._known(group), skip_assignment, members)

    def propagate(self, group: Group, code: ErrorCode, now: float, out: Outcome) -> None:
        """Give every waiting member its assignment, or ``code``."""
        known = (group.protocol_type, group.protocol) if code is ErrorCode.NONE else (None, None)
        for member in group.members.values():
            if member.sync is None:  # it has not asked yet
                continue
            assignment = member.assignment if code is ErrorCode.NONE else b""
            self.answer_sync(member, Synced(code, *known, assignment), out)
            self.expect(group, member, now)

    def reset_assignments(self, group: Group, code: ErrorCode, now: float, out: Outcome) -> None:
        """Forget the assignments and answer those who wait for them."""
        for member in group.members.values():
            group.assign(member, b"")
        self.propagate(group, code, now, out)

    # -- joining -------------------------------------------------------------------------------

    def prepare(self, group: Group, now: Instant, out: Outcome, reason: str) -> None:
        """Begin a rebalance, unless one has begun or no member is left."""
        if GroupState.PREPARING is group.state or group.state is GroupState.DEAD:
            return
        if group.state is GroupState.EMPTY and not group.members:
            return
        if group.state is GroupState.COMPLETING:
            self.reset_assignments(group, ErrorCode.REBALANCE_IN_PROGRESS, now.timer, out)
        self.stop_sync_timer(group)
        first = group.state is GroupState.EMPTY
        out.notes.append(
            f"group {group.id}, {group.state.value} in generation {group.generation}, rebalances: "
            f"{reason}"
        )
        group.move(GroupState.PREPARING, now.time)
        if first:
            delay = self.settings.initial_delay_ms
            group.initial_left = max(group.rebalance_timeout - delay, 0)
            self._wait_for_joins(group, now.timer + delay)
        else:
            group.initial_left = None
            self._wait_for_joins(group, now.timer + group.rebalance_timeout)
            self.check_joined(group, now, out)

    def _wait_for_joins(self, group: Group, deadline: float) -> None:
        self.stop_join_timer(group)
        group.join_timer = self.at(deadline, partial(self._joins_over, group))

    @staticmethod
    def stop_join_timer(group: Group) -> None:
        """Stop waiting for members to join."""
        if group.join_timer is not None:
            group.join_timer.cancel()
            group.join_timer = None

    def check_joined(self, group: Group, now: Instant, out: Outcome) -> None:
        """Begin the generation as soon as everybody has joined; the first delay is kept."""
        if group.state is GroupState.PREPARING and group.initial_left is None and group.all_joined:
            self._complete_join(group, now, out)

    def _joins_over(self, group: Group, now: Instant) -> Outcome | None:
        group.join_timer = None
        if group.state is not GroupState.PREPARING:
            return None
        left = group.initial_left
        if left is not None and group.member_added and left > 0:
            group.member_added = False
            delay = min(self.settings.initial_delay_ms, left)
            group.initial_left = left - delay
            self._wait_for_joins(group, now.timer + delay)
            return None
        out = Outcome()
        self._complete_join(group, now, out)
        return out

    def _complete_join(self, group: Group, now: Instant, out: Outcome) -> None:
        """Drop who has not joined and begin the next generation."""
        group.initial_left = None
        self.stop_join_timer(group)
        late = [m for m in group.members.values() if m.join is None and m.instance_id is None]
        for member in late:
            group.remove(member)
            out.notes.append(f"group {group.id}: {member.id} has not joined again and is out")
        if not group.elect_leader() and group.members:
            self._wait_for_joins(group, now.timer + group.rebalance_timeout)
            return
        group.next_generation(now.time)
        out.notes.append(
            f"group {group.id}: generation {group.generation} has {len(group.members)} members"
        )
        if group.state is GroupState.EMPTY:
            out.records = [GroupRecord(group.id, group_value(group, {}))]
            out.then = partial(_warn_of_empty, group)
            return
        leader, known = group.leader, self._known(group)
        for member in group.members.values():
            ticket, member_id = member.join, member.id
            if ticket is not None:
                if member_id == leader:
                    answer = self.joined(group, member)
                else:
                    answer = _new(Joined, (ErrorCode.NONE, member_id, *known, False, ()))
                out.replies.append((ticket, answer))
                member.join = None
            self.expect(group, member, now.timer)
            member.is_new = False
        group.awaiting_join = 0
        group.pending_sync.update(group.members)
        deadline = now.timer + group.rebalance_timeout
        group.sync_timer = self.at(deadline, partial(self._syncs_over, group, group.generation))

    # -- synchronising -------------------------------------------------------------------------

    @staticmethod
    def stop_sync_timer(group: Group) -> None:
        """Stop waiting for members."""
        if group.sync_timer is not None:
            group.sync_timer.cancel()
            group.sync_timer = None

    def has_synced(self, group: Group, member: Member) -> None:
        """A member has sent SyncGroup."""
        group.pending_sync.discard(member.id)
        if not group.pending_sync:
            self.stop_sync_timer(group)

    def _syncs_over(self, group: Group, generation: int, now: Instant) -> Outcome | None:
        """Drop the members that have joined and then not asked for their assignment."""
        group.sync_timer = None
        if generation != group.generation or group.state not in (
            GroupState.COMPLETING,
            GroupState.STABLE,
        ):
            return None
        late = [m for m in group.members.values() if m.id in group.pending_sync]
        if not late:
            return None
        out = Outcome()
        for member in late:
            self.answer_sync(member, Synced(ErrorCode.UNKNOWN_MEMBER_ID), out)
            group.remove(member)
        names = ", ".join(member.id for member in late)
        self.prepare(group, now, out, f"{names} did not ask for an assignment in time")
        return out


def _warn_of_empty(group: Group, code: ErrorCode, _: Instant) -> Outcome | None:
    """The generation without members could not be written: the old one would come back after a
    crash, and time out."""
    if code is ErrorCode.NONE:
        return None
    return Outcome(notes=[f"group {group.id}: that it is empty could not be written: {code.text}"])
