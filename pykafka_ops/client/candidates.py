"""Election of a leader among the members of a group, by the group's coordinator.

The classic protocol (JoinGroup, SyncGroup, Heartbeat), which every Kafka from 0.9 to 4.x speaks.
Members are of a type of their own: such a group has no offsets and reads no topic.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from pykafka_ops.client.answers import raise_error
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.connection import UnsupportedVersionError
from pykafka_ops.client.coordinators import ask_coordinator
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages import heartbeat as hb
from pykafka_ops.wire.messages import join_group as jg
from pykafka_ops.wire.messages import leave_group as lg
from pykafka_ops.wire.messages import sync_group as sg

SESSION_MS: Final = 10_000
"""Within group.min.session.timeout.ms and group.max.session.timeout.ms of Kafka's defaults."""
_KIND, _PROTOCOL = "pko-election", "lead"
_LEADS, _FOLLOWS = b"1", b"0"


class Candidate(NamedTuple):
    """A member of the group in one generation; ``leads``: it was elected."""

    group: str
    member_id: str
    generation: int
    leads: bool


def stand(cluster: Cluster, group: str, before: Candidate | None = None) -> Candidate:
    """Take part in an election; who led ``before`` does so again if it is among the candidates.

    Waits for the others for up to the session timeout. Raises PkoError.
    """
    led = _LEADS if before is not None and before.leads else _FOLLOWS
    request = jg.JoinGroupRequest(
        group_id=group,
        session_timeout_ms=SESSION_MS,
        rebalance_timeout_ms=SESSION_MS,
        member_id=before.member_id if before is not None else "",
        protocol_type=_KIND,
        protocols=[jg.JoinGroupRequestProtocol(name=_PROTOCOL, metadata=led)],
    )
    answer = ask_coordinator(cluster, group, request, jg.JoinGroupResponse)
    if answer.error_code == ErrorCode.MEMBER_ID_REQUIRED:
        request.member_id = answer.member_id
        answer = ask_coordinator(cluster, group, request, jg.JoinGroupResponse)
    raise_error(answer)
    given = []
    if answer.leader == answer.member_id:
        chosen = min(answer.members, key=lambda m: (bytes(m.metadata) != _LEADS, m.member_id))
        given = [
            sg.SyncGroupRequestAssignment(
                member_id=m.member_id,
                assignment=_LEADS if m.member_id == chosen.member_id else _FOLLOWS,
            )
            for m in answer.members
        ]
    sync = sg.SyncGroupRequest(
        group_id=group,
        generation_id=answer.generation_id,
        member_id=answer.member_id,
        protocol_type=_KIND,
        protocol_name=_PROTOCOL,
        assignments=given,
    )
    synced = ask_coordinator(cluster, group, sync, sg.SyncGroupResponse)
    raise_error(synced)
    leads = bytes(synced.assignment) == _LEADS
    return Candidate(group, answer.member_id, answer.generation_id, leads)


def beat(cluster: Cluster, candidate: Candidate) -> bool:
    """Say that it is alive; False where it has to stand again. Raises PkoError, KafkaError where
    the group does not know it any more."""
    request = hb.HeartbeatRequest(
        group_id=candidate.group,
        generation_id=candidate.generation,
        member_id=candidate.member_id,
    )
    answer = ask_coordinator(cluster, candidate.group, request, hb.HeartbeatResponse)
    if answer.error_code == ErrorCode.REBALANCE_IN_PROGRESS:
        return False
    raise_error(answer)
    return True


def resign(cluster: Cluster, candidate: Candidate) -> None:
    """Leave the group, so that the others elect at once. Raises PkoError."""
    group, me = candidate.group, candidate.member_id
    request = lg.LeaveGroupRequest(group_id=group, members=[lg.MemberIdentity(member_id=me)])
    try:
        answer = ask_coordinator(cluster, group, request, lg.LeaveGroupResponse, lowest=3)
    except UnsupportedVersionError:  # a broker before 2.4
        request = lg.LeaveGroupRequest(group_id=group, member_id=me)
        answer = ask_coordinator(cluster, group, request, lg.LeaveGroupResponse, highest=2)
    raise_error(answer)
    for one in answer.members:
        raise_error(one)
