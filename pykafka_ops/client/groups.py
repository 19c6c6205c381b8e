"""Which consumer groups there are: every broker lists those that it coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.coordinators import GROUP
from pykafka_ops.errors import PkoError
from pykafka_ops.wire.messages.list_groups import ListGroupsRequest, ListGroupsResponse


class GroupListing(NamedTuple):
    """A group; state and type are "" where the broker is too old to say."""

    id: str
    protocol_type: str
    state: str
    type: str
    coordinator: int


def list_groups(
    cluster: Cluster, *, states: Sequence[str] = (), types: Sequence[str] = ()
) -> tuple[dict[str, GroupListing], dict[int, PkoError]]:
    """The groups by id, and the brokers that did not answer.

    ``cluster`` remembers who coordinates them.
    """
    request = ListGroupsRequest(states_filter=list(states), types_filter=list(types))
    lowest = 5 if types else 4 if states else 0
    name = "listConsumerGroups"
    answers, failed = cluster.call_all(request, ListGroupsResponse, name=name, lowest=lowest)
    groups: dict[str, GroupListing] = {}
    for broker, answer in answers.items():
        for g in answer.groups:
            cluster.coordinators[GROUP, g.group_id] = broker
            groups[g.group_id] = GroupListing(
                g.group_id, g.protocol_type, g.group_state, g.group_type, broker
            )
    return groups, failed
