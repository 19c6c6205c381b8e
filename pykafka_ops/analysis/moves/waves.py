"""Which moves of a plan go on at the same time: so many that no broker copies more than a few."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

Key = tuple[str, int]
"""Topic, partition."""


class PartitionMove(NamedTuple):
    """A partition that gets other replicas: ``before`` and ``after``, the preferred leader
    first; ``size``: bytes of one replica."""

    key: Key
    before: tuple[int, ...]
    after: tuple[int, ...]
    size: int

    @property
    def targets(self) -> tuple[int, ...]:
        """Brokers that it is copied to."""
        return tuple(i for i in self.after if i not in self.before)

    @property
    def copied(self) -> int:
        """Bytes that are copied."""
        return self.size * len(self.targets)

    @property
    def brokers(self) -> frozenset[int]:
        """Brokers that are busy with it: those copied to, and the one copied from."""
        return frozenset((*self.targets, *self.before[:1])) if self.targets else frozenset()


def next_jobs(
    waiting: Iterable[PartitionMove], under_way: Iterable[PartitionMove], per_broker: int
) -> list[PartitionMove]:
    """The jobs to start now, the largest first; a job that copies nothing never waits.

    A job starts if each of its brokers is busy with fewer than ``per_broker``.
    """
    busy: dict[int, int] = {}
    for job in under_way:
        _occupy(busy, job)
    chosen = []
    for job in sorted(waiting, key=lambda j: (-j.size, j.key)):
        if all(busy.get(i, 0) < per_broker for i in job.brokers):
            _occupy(busy, job)
            chosen.append(job)
    return chosen


def _occupy(busy: dict[int, int], job: PartitionMove) -> None:
    for id_ in job.brokers:
        busy[id_] = busy.get(id_, 0) + 1


def waves(jobs: Iterable[PartitionMove], per_broker: int) -> list[list[PartitionMove]]:
    """The jobs in the order of their start, if all of a wave took equally long."""
    left, found = list(jobs), []
    while left:
        wave = next_jobs(left, (), per_broker)
        started = {job.key for job in wave}
        left = [job for job in left if job.key not in started]
        found.append(wave)
    return found


def least_seconds(jobs: Iterable[PartitionMove], rate: int, leaders: Mapping[Key, int]) -> float:
    """How long copying takes at least where no broker sends or receives more than ``rate`` bytes a
    second: as long as the busiest one does. ``leaders`` are who sends."""
    sent: dict[int, int] = {}
    received: dict[int, int] = {}
    for job in jobs:
        leader = leaders.get(job.key, -1)
        if job.targets:
            sent[leader] = sent.get(leader, 0) + job.copied
        for id_ in job.targets:
            received[id_] = received.get(id_, 0) + job.size
    return max([0, *sent.values(), *received.values()]) / max(rate, 1)
