"""What an assignor is asked, and what assignors there are (``GroupSpec``)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pykafka_ops.broker.state.groups.consumer.member import Target


@dataclass(frozen=True, slots=True)
class Assignee:
    """A member, the ids of the topics it subscribes to, and the target that it had."""

    id: str
    instance_id: str | None
    topics: frozenset[bytes]
    target: Target


Assign = Callable[[list[Assignee], Mapping[bytes, int]], dict[str, Target]]
"""Targets by member id, for members and the number of partitions by topic id; topics that are not
in there do not exist."""


def subscribes_alike(members: list[Assignee]) -> bool:
    """Whether all members subscribe to the same topics."""
    first = members[0].topics
    return all(each.topics is first or each.topics == first for each in members)
