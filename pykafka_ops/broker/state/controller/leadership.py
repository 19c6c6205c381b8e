"""The replicas of a partition, and its leader: the two values the controller works with."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

NO_LEADER = -1
LEADER_DURING_DELETE = -2
EPOCH_DURING_DELETE = -2

TopicPartition = tuple[str, int]
Replicas = tuple[int, ...]

_INTERNED: dict[Replicas, Replicas] = {}
_INTERN_LIMIT = 4096


def intern_replicas(ids: Iterable[int]) -> Replicas:
    """Broker ids as a tuple; equal lists share one object (thousands of partitions, few lists)."""
    replicas = tuple(ids)
    known = _INTERNED.get(replicas)
    if known is not None:
        return known
    if len(_INTERNED) < _INTERN_LIMIT:
        _INTERNED[replicas] = replicas
    return replicas


class ReplicaAssignment(NamedTuple):
    """The brokers that hold a partition, in order of preference (``ReplicaAssignment``).

    During a reassignment ``replicas`` includes both those that are ``adding`` and ``removing``.
    """

    replicas: Replicas
    adding: Replicas = ()
    removing: Replicas = ()

    @classmethod
    def of(cls, replicas: Iterable[int]) -> ReplicaAssignment:
        """An assignment that nobody is changing."""
        return cls(intern_replicas(replicas))

    @property
    def origin(self) -> Replicas:
        """What the replicas were before the reassignment."""
        return tuple(id_ for id_ in self.replicas if id_ not in self.adding)

    @property
    def target(self) -> Replicas:
        """What the replicas will be after the reassignment."""
        return tuple(id_ for id_ in self.replicas if id_ not in self.removing)

    @property
    def being_reassigned(self) -> bool:
        """Whether a reassignment is under way."""
        return bool(self.adding or self.removing)

    def reassign_to(self, target: Iterable[int]) -> ReplicaAssignment:
        """The assignment with which a move to ``target`` begins (KIP-455)."""
        wanted = tuple(target)
        origin = self.origin
        full = tuple(dict.fromkeys(wanted + origin))
        old, new = frozenset(origin), frozenset(wanted)  # there may be thousands, by mistake
        return ReplicaAssignment(
            full,
            adding=tuple(id_ for id_ in full if id_ not in old),
            removing=tuple(id_ for id_ in full if id_ not in new),
        )


class LeaderAndIsr(NamedTuple):
    """The contents of a partition's state znode, and that znode's version.

    ``recovering`` is true after an unclean election until the leader has recovered (KIP-704).
    """

    leader: int
    leader_epoch: int
    isr: Replicas
    controller_epoch: int
    partition_epoch: int = 0
    recovering: bool = False

    @classmethod
    def first(cls, live: Iterable[int], controller_epoch: int) -> LeaderAndIsr:
        """Of a new partition: the first live replica leads, all live ones are in sync."""
        isr = intern_replicas(live)
        return cls(isr[0], 0, isr, controller_epoch)

    def elect(
        self,
        leader: int,
        isr: Iterable[int],
        controller_epoch: int,
        *,
        recovering: bool | None = None,
    ) -> LeaderAndIsr:
        """The state to write for a new leader or ISR: the next leader epoch.

        ``partition_epoch`` stays what it is: the version the write expects.
        """
        return LeaderAndIsr(
            leader,
            self.leader_epoch + 1,
            intern_replicas(isr),
            controller_epoch,
            self.partition_epoch,
            self.recovering if recovering is None else recovering,
        )

    def written(self) -> LeaderAndIsr:
        """The state after its write: the znode's version has gone up by one."""
        return self._replace(partition_epoch=self.partition_epoch + 1)


class TopicRecord(NamedTuple):
    """A topic's id (zero in clusters from before 2.8) and who holds its partitions."""

    topic_id: bytes
    partitions: dict[int, ReplicaAssignment]
