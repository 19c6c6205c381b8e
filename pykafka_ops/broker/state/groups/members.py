"""SyncGroup, Heartbeat and LeaveGroup (``GroupCoordinator.doSyncGroup`` and its neighbours)."""

from __future__ import annotations

from functools import partial

from pykafka_ops.broker.hot.deferred import Deferred
from pykafka_ops.broker.state.append_errors import group_code
from pykafka_ops.broker.state.groups.answers import Leaving, Synced, SyncRequest
from pykafka_ops.broker.state.groups.group import Group, GroupState
from pykafka_ops.broker.state.groups.rebalance import Rebalance
from pykafka_ops.broker.state.groups.records import GroupRecord, group_value
from pykafka_ops.broker.state.outcome import Instant, Outcome
from pykafka_ops.wire.codes import ErrorCode


class Members:
    """What members of a group send after they have joined."""

    def __init__(self, rebalance: Rebalance) -> None:
        self._rebalance = rebalance

    # -- SyncGroup -----------------------------------------------------------------------------

    def assigned(self, group: Group, request: SyncRequest, now: float) -> Synced | None:
        """What a member of a stable group has; None if it is not stable, or that is no member."""
        if group.state is not GroupState.STABLE or _check_sync(group, request):
            return None
        member = group.members[request.member_id]
        self._rebalance.has_synced(group, member)
        self._rebalance.expect(group, member, now)
        return Synced(ErrorCode.NONE, group.protocol_type, group.protocol, member.assignment)

    def sync(self, group: Group, request: SyncRequest, ticket: Deferred, now: Instant) -> Outcome:
        """Give a member its assignment; ``ticket`` gets a :class:`Synced`, now or later."""
        out = Outcome()
        found = self.assigned(group, request, now.timer)
        if found is not None:
            out.reply(ticket, found)
            return out
        code = _check_sync(group, request)
        if code is ErrorCode.NONE and group.state is not GroupState.COMPLETING:
            code = _SYNC_IN.get(group.state, ErrorCode.NONE)
        if code is not ErrorCode.NONE:
            out.reply(ticket, Synced(code))
            return out
        member = group.members[request.member_id]
        self._rebalance.has_synced(group, member)
        self._rebalance.answer_sync(member, Synced(ErrorCode.REBALANCE_IN_PROGRESS), out)
        member.sync = ticket
        if group.leader == member.id and not group.memory.admits(_grown(group, request)):
            return self._stored(group, group.generation, ErrorCode.MESSAGE_TOO_LARGE, now) or out
        if group.leader == member.id:
            value = group_value(group, request.assignments)
            out.notes.append(
                f"group {group.id}: {member.id}, its leader, has assigned partitions to "
                f"{len(group.members)} members in generation {group.generation}"
            )
            out.records = [GroupRecord(group.id, value)]
            out.then = partial(self._stored, group, group.generation)
        return out

    def _stored(
        self, group: Group, generation: int, code: ErrorCode, now: Instant
    ) -> Outcome | None:
        """The assignments were written: hand them out; nothing if the group has moved on."""
        if group.generation != generation:
            return None
        out = Outcome()
        if code is ErrorCode.NONE and group.state is GroupState.STABLE:
            self._rebalance.propagate(group, ErrorCode.NONE, now.timer, out)
        elif code is not ErrorCode.NONE and group.state is GroupState.COMPLETING:
            self._rebalance.reset_assignments(group, group_code(code), now.timer, out)
            why = f"its assignment could not be stored: {code.name}"
            self._rebalance.prepare(group, now, out, why)
        return out

    # -- Heartbeat -----------------------------------------------------------------------------

    def heartbeat(
        self, group: Group, member_id: str, instance_id: str | None, generation: int, now: float
    ) -> ErrorCode:
        """A member lives; REBALANCE_IN_PROGRESS tells it to join again."""
        state = group.state
        if state is GroupState.DEAD:
            return ErrorCode.COORDINATOR_NOT_AVAILABLE
        code = group.check_member(member_id, instance_id)
        if code is not ErrorCode.NONE:
            return code
        if generation != group.generation:
            return ErrorCode.ILLEGAL_GENERATION
        if state is GroupState.EMPTY:
            return ErrorCode.UNKNOWN_MEMBER_ID
        self._rebalance.expect(group, group.members[member_id], now)
        return ErrorCode.REBALANCE_IN_PROGRESS if state is GroupState.PREPARING else ErrorCode.NONE

    # -- LeaveGroup ----------------------------------------------------------------------------

    def leave(
        self, group: Group, leaving: list[Leaving], now: Instant, out: Outcome
    ) -> list[ErrorCode]:
        """Take members out, each with its own result."""
        return [self._leave(group, each, now, out) for each in leaving]

    def _leave(self, group: Group, leaving: Leaving, now: Instant, out: Outcome) -> ErrorCode:
        member_id, instance_id = leaving.member_id, leaving.instance_id
        if not member_id:
            found = None if instance_id is None else group.static_members.get(instance_id)
            if found is None:
                return ErrorCode.UNKNOWN_MEMBER_ID
            member_id = found
        elif group.forget_pending(member_id):
            self._rebalance.check_joined(group, now, out)
            return ErrorCode.NONE
        else:
            code = group.check_member(member_id, instance_id)
            if code is not ErrorCode.NONE:
                return code
        member = group.members[member_id]
        why = f"{member_id} has left ({leaving.reason})"
        out.notes.append(f"group {group.id}: {why}")
        self._rebalance.remove(group, member, now, out, why)
        return ErrorCode.NONE


_SYNC_IN = {
    GroupState.EMPTY: ErrorCode.UNKNOWN_MEMBER_ID,
    GroupState.PREPARING: ErrorCode.REBALANCE_IN_PROGRESS,
}


def _grown(group: Group, request: SyncRequest) -> int:
    """Bytes that the assignments take more than those there are."""
    before = sum(len(member.assignment) for member in group.members.values())
    return sum(map(len, request.assignments.values())) - before


def _check_sync(group: Group, request: SyncRequest) -> ErrorCode:
    if group.state is GroupState.DEAD:
        return ErrorCode.COORDINATOR_NOT_AVAILABLE
    code = group.check_member(request.member_id, request.instance_id)
    if code is not ErrorCode.NONE:
        return code
    if request.generation != group.generation:
        return ErrorCode.ILLEGAL_GENERATION
    if request.protocol_type is not None and request.protocol_type != group.protocol_type:
        return ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    if request.protocol is not None and request.protocol != group.protocol:
        return ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    return ErrorCode.NONE
