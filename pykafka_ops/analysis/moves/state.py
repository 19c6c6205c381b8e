"""Where replicas are while a plan is made, and which moves are allowed."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Mapping
from math import ceil

from pykafka_ops.analysis.moves.model import (
    Key,
    Limits,
    PlanBroker,
    PlanPartition,
    PlanShare,
    ReplicaMove,
)

Held = tuple[int, int]
"""Size, and minus the place among all partitions: what lists of a broker are sorted by."""


class PlanState:
    """``load`` are bytes by broker, ``peak`` those while replicas are in both places; ``held`` the
    replicas of a broker that may move, by size; ``count`` how many it has in all. ``open`` brokers
    may get replicas. ``steps`` and ``copied`` count what was moved for balance.
    """

    def __init__(
        self, partitions: Iterable[PlanPartition], brokers: Iterable[PlanBroker], limits: Limits
    ) -> None:
        self.limits = limits
        self.brokers = {b.id: b for b in sorted(brokers, key=lambda b: b.id)}
        self.size: dict[Key, int] = {}
        self.replicas: dict[Key, tuple[int, ...]] = {}
        self.fixed: set[Key] = set()
        self.others: set[Key] = set()
        self.held: dict[int, list[Held]] = {id_: [] for id_ in self.brokers}
        self.load = dict.fromkeys(self.brokers, 0)
        self.count = dict.fromkeys(self.brokers, 0)
        self.keys: list[Key] = []
        self.place: dict[Key, int] = {}
        for p in sorted(partitions, key=lambda p: (p.topic, p.partition)):
            self._take(p)
        for held in self.held.values():
            held.sort()
        self.original = dict(self.replicas)
        self.peak = dict(self.load)
        self.first = dict(self.load)
        closed = limits.drain | limits.keep
        self.open = [id_ for id_ in self.brokers if id_ not in closed]
        self.racks = self._racks()
        self._rack_count = len(set(self.racks.values()))
        self.steps = self.copied = 0

    def _take(self, p: PlanPartition) -> None:
        key = p.topic, p.partition
        self.place[key] = -len(self.keys)
        self.keys.append(key)
        self.size[key], self.replicas[key] = p.size, p.replicas
        if p.fixed or p.other:
            self.fixed.add(key)
        if p.other:
            self.others.add(key)
        for id_ in p.replicas:
            if key not in self.fixed:
                self.held.setdefault(id_, []).append((p.size, self.place[key]))
            self.load[id_] = self.load.get(id_, 0) + p.size
            self.count[id_] = self.count.get(id_, 0) + 1

    def _racks(self) -> dict[int, str]:
        """Racks by broker; none at all unless every broker has one, as Kafka wants it."""
        racks = {id_: self.brokers[id_].rack for id_ in self.open}
        known = {id_: rack for id_, rack in racks.items() if rack is not None}
        return known if len(known) == len(racks) else {}

    def key(self, held: Held) -> Key:
        """The partition of an entry of ``held``."""
        return self.keys[-held[1]]

    def shares(self) -> dict[int, PlanShare]:
        """What each broker has now."""
        leaders = dict.fromkeys(self.load, 0)
        for ids in self.replicas.values():
            if ids:
                leaders[ids[0]] += 1
        return {
            id_: PlanShare(self.count[id_], leaders[id_], self.load[id_])
            for id_ in sorted(self.load)
        }

    def made(self) -> list[ReplicaMove]:
        """The moves from the original to the present replicas, by topic and partition."""
        found = []
        for key in sorted(self.replicas):
            old, new = self.original[key], self.replicas[key]
            if old == new:
                continue
            gone = [id_ for id_ in old if id_ not in new]
            come = [id_ for id_ in new if id_ not in old]
            size = self.size[key]
            found += [ReplicaMove(*key, a, b, size) for a, b in zip(gone, come, strict=False)]
            found += [ReplicaMove(*key, None, b, size) for b in come[len(gone) :]]
            found += [ReplicaMove(*key, a, None, size) for a in gone[len(come) :]]
        return found

    # What is allowed

    def legal(self, key: Key, source: int, target: int) -> bool:
        """Whether the replica on ``source`` may go to ``target``."""
        return (
            target not in self.replicas[key]
            and self.fits(target, self.size[key])
            and self._rack_allows(key, source, target)
        )

    def fits(self, target: int, size: int) -> bool:
        """Whether the disks of ``target`` take so many bytes more."""
        broker = self.brokers[target]
        if broker.capacity is None or not size:
            return True
        used = 0 if broker.free is None else broker.capacity - broker.free - self.first[target]
        return used + self.peak[target] + size <= broker.capacity * self.limits.max_disk

    def _rack_allows(self, key: Key, source: int, target: int) -> bool:
        """No rack gets more replicas than the racks make needed, unless it had them already."""
        if not self.racks:
            return True
        rack = self.racks[target]
        if self.racks.get(source) == rack:
            return True
        replicas = self.replicas[key]
        there = sum(1 for id_ in replicas if id_ != source and self.racks.get(id_) == rack)
        return there < self.most_in_rack(len(replicas))

    def most_in_rack(self, replicas: int) -> int:
        """Replicas of a partition that a rack has to have, with so many of them in all."""
        return ceil(replicas / self._rack_count)

    def within_limits(self, replicas: int, size: int) -> bool:
        """Whether so many replicas and bytes more may be moved for balance."""
        most, bytes_ = self.limits.max_moves, self.limits.max_bytes
        return (most is None or self.steps + replicas <= most) and (
            bytes_ is None or self.copied + size <= bytes_
        )

    # What is done

    def move(self, key: Key, source: int, target: int) -> None:
        """Put the replica elsewhere; it keeps its place in the list."""
        self._leave(key, source)
        self._enter(key, target)
        self.replicas[key] = tuple(target if i == source else i for i in self.replicas[key])

    def level(self, key: Key, source: int, target: int) -> None:
        """A move for balance."""
        self.move(key, source, target)
        self.steps += 1
        self.copied += self.size[key]

    def add(self, key: Key, target: int) -> None:
        """One more replica, the last of the list."""
        self._enter(key, target)
        self.replicas[key] = (*self.replicas[key], target)

    def drop(self, key: Key, source: int) -> None:
        """One replica less."""
        self._leave(key, source)
        self.replicas[key] = tuple(i for i in self.replicas[key] if i != source)

    def lead(self, key: Key, leader: int) -> None:
        """Let another of its replicas be the preferred leader: the two change places."""
        ids = list(self.replicas[key])
        at = ids.index(leader)
        ids[0], ids[at] = ids[at], ids[0]
        self.replicas[key] = tuple(ids)

    def _leave(self, key: Key, source: int) -> None:
        held = self.held[source]
        del held[bisect_left(held, (self.size[key], self.place[key]))]
        self.load[source] -= self.size[key]
        self.count[source] -= 1

    def _enter(self, key: Key, target: int) -> None:
        insort(self.held[target], (self.size[key], self.place[key]))
        self.load[target] += self.size[key]
        self.count[target] += 1
        if target not in self.original[key]:
            self.peak[target] += self.size[key]

    # What is aimed at

    def aims(self) -> dict[int, int]:
        """The fair share of bytes of each broker: by capacity where all are known, else the same;
        brokers that are to keep what they hold have that."""
        total = sum(size for id_, size in self.load.items() if id_ not in self.limits.keep)
        sizes = [self.brokers[id_].capacity or 0 for id_ in self.open]
        weights = sizes if all(sizes) else [1] * len(self.open)
        aims = {id_: self.load[id_] if id_ in self.limits.keep else 0 for id_ in self.load}
        for id_, weight in zip(self.open, weights, strict=True):
            aims[id_] = total * weight // sum(weights)
        return aims

    def slack(self, aims: Mapping[int, int]) -> dict[int, float]:
        """By how many bytes a broker may miss its share: one in any case, as shares are rounded."""
        return {id_: max(1, aim * self.limits.tolerance) for id_, aim in aims.items()}
