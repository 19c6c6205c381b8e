"""A member of a consumer group, as its records say it (``ConsumerGroupMember``)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum

Partitions = dict[bytes, dict[int, int]]
"""By topic id the partitions, each with the epoch in which it was assigned. Never changed in
place."""
Target = dict[bytes, frozenset[int]]
"""By topic id the partitions that a member is to have."""

LEFT = -1
"""The epoch of a member that leaves."""
STATIC_LEFT = -2
"""The epoch of a static member that goes and will be back."""
MEMBER_BYTES = 1500
"""What a member holds besides what it sent."""
PARTITION_BYTES = 250
"""What a partition that is assigned holds; it stands in target and assignment."""


class MemberState(IntEnum):
    """How far a member is on its way to its target; the numbers stand in records."""

    STABLE = 0
    UNREVOKED_PARTITIONS = 1
    UNRELEASED_PARTITIONS = 2
    UNKNOWN = 127


@dataclass(frozen=True, slots=True)
class ClassicMetadata:
    """What a member of the classic protocol said in JoinGroup; the timeout in ms."""

    session_timeout: int
    protocols: tuple[tuple[str, bytes], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsumerMember:
    """A member. ``epoch`` is what it was told, ``previous_epoch`` what it may still believe;
    ``assigned`` it may use, ``revoking`` it has to give up. Timeout in ms, -1 for none. ``classic``
    is None for members of the consumer protocol."""

    id: str
    instance_id: str | None = None
    rack_id: str | None = None
    client_id: str = ""
    client_host: str = ""
    rebalance_timeout: int = -1
    names: frozenset[str] = frozenset()
    regex: str | None = ""
    assignor: str | None = None
    classic: ClassicMetadata | None = None
    epoch: int = 0
    previous_epoch: int = -1
    state: MemberState = MemberState.STABLE
    assigned: Partitions = field(default_factory=dict)
    revoking: Partitions = field(default_factory=dict)

    @property
    def size(self) -> int:
        """Bytes it holds."""
        said = sum(map(len, self.names)) + 60 * len(self.names) + len(self.regex or "")
        if self.classic is not None:
            said += sum(len(name) + len(data) for name, data in self.classic.protocols)
        count = sum(map(len, self.assigned.values())) + sum(map(len, self.revoking.values()))
        named = len(self.id) + len(self.instance_id or "") + len(self.client_id)
        return MEMBER_BYTES + named + said + PARTITION_BYTES * count

    def is_reconciled_to(self, epoch: int) -> bool:
        """Whether it has all that the target of this epoch gives it, and nothing else."""
        return self.state is MemberState.STABLE and self.epoch == epoch


def assigned_by_id(places: Iterable[tuple[bytes, int]], epoch: int) -> Partitions:
    """Partitions by topic id, all assigned in one epoch."""
    found: Partitions = {}
    for topic_id, index in places:
        found.setdefault(topic_id, {})[index] = epoch
    return found


def as_target(partitions: Mapping[bytes, Iterable[int]]) -> Target:
    """The same without epochs; topics without partitions are left out."""
    found = {topic_id: frozenset(indexes) for topic_id, indexes in partitions.items()}
    return {topic_id: indexes for topic_id, indexes in found.items() if indexes}
