"""JoinGroup: new members, static members that come back, members that join again.

The rules of ``GroupCoordinator.handleJoinGroup`` and what it calls (KIP-345, KIP-394, KIP-814).
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from typing import NamedTuple

from pykafka_ops.broker.hot.deferred import Deferred
from pykafka_ops.broker.state.append_errors import group_code
from pykafka_ops.broker.state.groups.answers import NO_MEMBER, Joined, JoinRequest, Synced
from pykafka_ops.broker.state.groups.group import Group, GroupState, Member
from pykafka_ops.broker.state.groups.rebalance import NEW_MEMBER_JOIN_TIMEOUT_MS, Rebalance
from pykafka_ops.broker.state.groups.records import GroupRecord, group_value
from pykafka_ops.broker.state.outcome import Instant, Outcome
from pykafka_ops.wire.codes import ErrorCode


class _Call(NamedTuple):
    """A JoinGroup at work: what was asked, who waits for the answer, when, and what comes of it."""

    request: JoinRequest
    ticket: Deferred
    now: Instant
    out: Outcome


class Joins:
    """JoinGroup on groups that exist; ``new_id()`` gives the random part of member ids."""

    def __init__(self, rebalance: Rebalance, new_id: Callable[[], str]) -> None:
        self._rebalance = rebalance
        self._new_id = new_id

    def join(self, group: Group, request: JoinRequest, ticket: Deferred, now: Instant) -> Outcome:
        """Admit a member, or answer why not; ``ticket`` gets a :class:`Joined`, now or later."""
        out = Outcome()
        member = group.members.get(request.member_id)
        if member is not None and self._is_expected(group, member, request):
            self._update(group, member, _Call(request, ticket, now, out))
        elif not group.memory.admits(request.size - self._held(group, request.member_id)):
            out.reply(ticket, Joined(ErrorCode.GROUP_MAX_SIZE_REACHED, request.member_id))
            out.notes.append(f"group {group.id}: no memory for what {request.client_id} sent")
        elif not self._accepts(group, request.member_id):
            member = group.members.get(request.member_id)
            if member is not None:
                group.remove(member)
            group.forget_pending(request.member_id)
            out.reply(ticket, Joined(ErrorCode.GROUP_MAX_SIZE_REACHED, NO_MEMBER))
        elif group.state is GroupState.DEAD:
            out.reply(ticket, Joined(ErrorCode.COORDINATOR_NOT_AVAILABLE, request.member_id))
        elif not group.supports(request.protocol_type, request.protocols):
            out.reply(ticket, Joined(ErrorCode.INCONSISTENT_GROUP_PROTOCOL, request.member_id))
        elif not request.member_id:
            self._new(group, _Call(request, ticket, now, out))
        else:
            self._known(group, _Call(request, ticket, now, out))
        self._rebalance.check_joined(group, now, out)
        return out

    def _is_expected(self, group: Group, member: Member, request: JoinRequest) -> bool:
        """Whether a rebalance waits for this member, and it says of itself what it did before:
        nothing is left to be decided then."""
        return (
            group.state is GroupState.PREPARING
            and member.protocols == request.protocols
            and group.supports(request.protocol_type, request.protocols)
            and not group.check_member(member.id, request.instance_id)
            and (member.join is not None or group.awaiting_join < self._rebalance.settings.max_size)
        )

    @staticmethod
    def _held(group: Group, member_id: str) -> int:
        """What a member that joins again holds already."""
        member = group.members.get(member_id)
        return 0 if member is None else member.counted

    def _accepts(self, group: Group, member_id: str) -> bool:
        """Whether ``group.max.size`` leaves room; who waits in a rebalance has it for sure."""
        most = self._rebalance.settings.max_size
        if group.state is GroupState.PREPARING:
            member = group.members.get(member_id)
            return (member is not None and member.join is not None) or group.awaiting_join < most
        if group.state in (GroupState.COMPLETING, GroupState.STABLE):
            return member_id in group.members or len(group.members) < most
        return True

    # -- new members ---------------------------------------------------------------------------

    def _new(self, group: Group, call: _Call) -> None:
        request, ticket, now, out = call
        instance_id = request.instance_id
        prefix = request.client_id if instance_id is None else instance_id
        member_id = f"{prefix}-{self._new_id()}"
        old = None if instance_id is None else group.static_members.get(instance_id)
        if old is not None:
            self._replace_static(group, group.members[old], member_id, call)
        elif instance_id is None and request.known_id:
            self._rebalance.await_pending(group, member_id, request.session_timeout, now.timer)
            out.reply(ticket, Joined(ErrorCode.MEMBER_ID_REQUIRED, member_id))
        else:
            self._add(group, member_id, call)

    def _add(self, group: Group, member_id: str, call: _Call) -> None:
        request, ticket, now, _ = call
        member = Member(
            member_id,
            instance_id=request.instance_id,
            client_id=request.client_id,
            client_host=request.client_host,
            rebalance_timeout=request.rebalance_timeout,
            session_timeout=request.session_timeout,
            protocols=request.protocols,
        )
        member.is_new = True
        if group.state is GroupState.PREPARING and group.generation == 0:
            group.member_added = True
        if not group.members:
            group.protocol_type = request.protocol_type
        group.add(member, ticket)
        self._rebalance.expect(group, member, now.timer, NEW_MEMBER_JOIN_TIMEOUT_MS)
        static = "" if request.instance_id is None else f" as {request.instance_id}"
        self._prepare(group, call, f"{member_id} has joined{static}")

    def _prepare(self, group: Group, call: _Call, why: str) -> None:
        if group.state is GroupState.PREPARING:
            return
        self._rebalance.prepare(group, call.now, call.out, f"{why} ({call.request.reason})")

    # -- static members ------------------------------------------------------------------------

    def _replace_static(self, group: Group, member: Member, member_id: str, call: _Call) -> None:
        """A static member is back under a new id; whoever holds the old one is fenced."""
        request, _, now, out = call
        leader = group.leader
        before = copy(member)
        self._rebalance.answer_join(
            group, member, Joined(ErrorCode.FENCED_INSTANCE_ID, member.id), out
        )
        self._rebalance.answer_sync(member, Synced(ErrorCode.FENCED_INSTANCE_ID), out)
        group.rename(member, member_id)
        self._rebalance.expect(group, member, now.timer)
        self._update(group, member, call)
        why = f"static member {request.instance_id} is back"
        if group.state is GroupState.STABLE and group.elect_protocol() == group.protocol:
            done = _Stored(self._rebalance, group, member, before, leader, request.may_skip)
            assignments = {m.id: m.assignment for m in group.members.values()}
            out.records = [GroupRecord(group.id, group_value(group, assignments))]
            out.then = done
        elif group.state is GroupState.STABLE:
            self._prepare(group, call, f"{why} with other assignors")
        elif group.state is GroupState.COMPLETING:
            self._prepare(group, call, f"{why} under a new id")

    # -- members that join again ---------------------------------------------------------------

    def _known(self, group: Group, call: _Call) -> None:
        request, ticket, _, out = call
        if request.member_id in group.pending_members:
            if request.instance_id is None:
                self._add(group, request.member_id, call)
            else:
                out.reply(ticket, Joined(ErrorCode.UNKNOWN_MEMBER_ID, request.member_id))
            return
        code = group.check_member(request.member_id, request.instance_id)
        if code is not ErrorCode.NONE:
            out.reply(ticket, Joined(code, request.member_id))
            return
        member = group.members[request.member_id]
        state = group.state
        same = member.protocols == request.protocols
        if same and (
            state is GroupState.COMPLETING
            or (state is GroupState.STABLE and group.leader != member.id)
        ):
            out.reply(ticket, self._rebalance.joined(group, member))
            return
        self._update(group, member, call)
        why = f"{member.id} has joined again while the group was {state.value}"
        self._prepare(group, call, why)

    def _update(self, group: Group, member: Member, call: _Call) -> None:
        """Take over what a member says of itself. A JoinGroup it still waits with on another
        connection is answered, so that it does not wait for ever."""
        request = call.request
        self._rebalance.answer_join(
            group, member, Joined(ErrorCode.REBALANCE_IN_PROGRESS, member.id), call.out
        )
        group.set_protocols(member, request.protocols)
        member.rebalance_timeout = request.rebalance_timeout
        member.session_timeout = request.session_timeout
        group.set_join(member, call.ticket)


@dataclass(slots=True, eq=False)
class _Stored:
    """Answers a static member once the group with its new id was written, or makes it what it was
    ``before``, with the group's former ``leader``."""

    rebalance: Rebalance
    group: Group
    member: Member
    before: Member
    leader: str | None
    may_skip: bool

    def __call__(self, code: ErrorCode, now: Instant) -> Outcome:
        """As ``Outcome.then``."""
        group, member, out = self.group, self.member, Outcome()
        if member.gone:
            return out
        if code is ErrorCode.NONE:
            leads = group.leader == member.id
            answer = self.rebalance.joined(group, member, skip_assignment=leads and self.may_skip)
            if not self.may_skip:
                # The old leader's id: with its own the client would assign partitions, and a
                # stable group would not take the assignment.
                answer = answer._replace(leader=self.leader or "", members=())
            self.rebalance.answer_join(group, member, answer, out)
            self.rebalance.expect(group, member, now.timer)
            return out
        answer = Joined(
            group_code(code),
            NO_MEMBER,
            group.generation,
            group.protocol_type,
            group.protocol,
            self.leader or "",
        )
        self.rebalance.answer_join(group, member, answer, out)
        before = self.before
        group.set_protocols(member, before.protocols)
        member.rebalance_timeout = before.rebalance_timeout
        member.session_timeout = before.session_timeout
        group.rename(member, before.id)
        self.rebalance.expect(group, member, now.timer)
        return out
