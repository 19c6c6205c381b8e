"""Members put out of a group (KIP-345, KIP-571)."""

from __future__ import annotations

from collections.abc import Iterable

from pykafka_ops.client.answers import raise_error
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.coordinators import ask_coordinator
from pykafka_ops.client.group_describe import MemberDescription
from pykafka_ops.wire.messages import leave_group as lg


def remove_members(cluster: Cluster, group: str, members: Iterable[MemberDescription]) -> None:
    """Let them leave, static ones by their names, as removeMembersFromConsumerGroup of Kafka's
    admin client. Raises PkoError, also that of a member."""
    gone = [
        lg.MemberIdentity(group_instance_id=m.instance_id)
        if m.instance_id
        else lg.MemberIdentity(member_id=m.id)
        for m in members
    ]
    request = lg.LeaveGroupRequest(group_id=group, members=gone)
    answer = ask_coordinator(cluster, group, request, lg.LeaveGroupResponse, lowest=3)
    raise_error(answer)
    for one in answer.members:
        raise_error(one)
