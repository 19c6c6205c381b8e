"""Which replicas to move so that brokers hold a fair share of bytes, moving as little as can be.

It starts from where replicas are. First what must not stay is mended: replicas on brokers that
are drained or unknown, and two of a partition in one rack though there are racks enough. Then the
move that relieves most bytes per byte moved is made, again and again, until every broker is within
the tolerance or nothing helps; where no move does, two replicas are swapped. Ties go by size, then
by topic, partition and broker: the same input gives the same plan. No broker ever gets two replicas
of a partition, none gets more in one rack than the racks make needed.

A replica that moves keeps its place in the list, so leadership moves with it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import NamedTuple

Key = tuple[str, int]
"""Topic, partition."""
_SWAPS = 200
"""Replicas of a broker that are tried in swaps, the largest first."""


@dataclass(frozen=True, slots=True)
class Broker:
    """A broker: its rack (None: none), its ``capacity`` in bytes (None: not known)."""

    id: int
    rack: str | None = None
    capacity: int | None = None


@dataclass(frozen=True, slots=True)
class Partition:
    """A partition: brokers of its replicas, the preferred leader first; bytes of one replica."""

    topic: str
    partition: int
    replicas: tuple[int, ...]
    size: int


@dataclass(frozen=True, slots=True)
class Limits:
    """What a plan may do. ``tolerance``: how far from its fair share of bytes a broker may be
    (0.1: 10 %); ``drain``: brokers that shall hold nothing; ``add``: if there are any, only these
    get replicas, but where something must be mended; ``max_moves``, ``max_bytes``: most replicas
    and bytes that are moved for balance (mending is not bound by them); ``max_disk``: share of the
    capacity that a broker may fill while replicas are in both places; ``mend_racks``: whether
    racks that are broken already are mended, too.
    """

    tolerance: float = 0.1
    drain: frozenset[int] = frozenset()
    add: frozenset[int] = frozenset()
    max_moves: int | None = None
    max_bytes: int | None = None
    max_disk: float = 0.8
    mend_racks: bool = True


class Move(NamedTuple):
    """A replica of ``size`` bytes goes from a broker to another."""

    topic: str
    partition: int
    source: int
    target: int
    size: int


@dataclass(slots=True)
class Plan:
    """What to move, and the replicas of the partitions it touches, before and after.

    ``bytes_before`` and ``bytes_after``: bytes by broker. ``unmet`` says in words what could not be
    reached.
    """

    moves: list[Move]
    before: dict[Key, tuple[int, ...]]
    after: dict[Key, tuple[int, ...]]
    bytes_before: dict[int, int]
    bytes_after: dict[int, int]
    unmet: list[str] = field(default_factory=list)

    @property
    def moved(self) -> int:
        """Bytes that are copied."""
        return sum(move.size for move in self.moves)


def plan_moves(
    partitions: Iterable[Partition], brokers: Iterable[Broker], limits: Limits | None = None
) -> Plan:
    """The plan for these partitions over these brokers (alive ones; of others replicas leave)."""
    state = _State(partitions, brokers, limits or Limits())
    before = state.bytes()
    state.mend()
    state.level()
    changed = sorted(key for key, now in state.replicas.items() if now != state.original[key])
    return Plan(
        state.made(),
        {key: state.original[key] for key in changed},
        {key: state.replicas[key] for key in changed},
        before,
        state.bytes(),
        state.unmet,
    )


def reassignment(replicas: Mapping[Key, Sequence[int]]) -> dict[str, object]:
    """The document that ``kafka-reassign-partitions --reassignment-json-file`` takes."""
    return {
        "version": 1,
        "partitions": [
            {
                "topic": topic,
                "partition": partition,
                "replicas": list(ids),
                "log_dirs": ["any"] * len(ids),
            }
            for (topic, partition), ids in sorted(replicas.items())
        ],
    }


_Held = tuple[int, int]
"""Size, and minus the place among all partitions: what lists of a broker are sorted by."""


class _State:
    """Where replicas are, while the plan is made. Loads are bytes by broker."""

    def __init__(
        self, partitions: Iterable[Partition], brokers: Iterable[Broker], limits: Limits
    ) -> None:
        self.limits = limits
        self.brokers = {b.id: b for b in sorted(brokers, key=lambda b: b.id)}
        self.size: dict[Key, int] = {}
        self.replicas: dict[Key, tuple[int, ...]] = {}
        self.held: dict[int, list[_Held]] = {id_: [] for id_ in self.brokers}
        self.keys: list[Key] = []
        self.place: dict[Key, int] = {}
        for p in sorted(partitions, key=lambda p: (p.topic, p.partition)):
            key = p.topic, p.partition
            self.place[key] = -len(self.keys)
            self.keys.append(key)
            self.size[key], self.replicas[key] = p.size, p.replicas
            for id_ in p.replicas:
                self.held.setdefault(id_, []).append((p.size, self.place[key]))
        for held in self.held.values():
            held.sort()
        self.original = dict(self.replicas)
        self.load = {id_: sum(h[0] for h in held) for id_, held in self.held.items()}
        self.peak = dict(self.load)
        self.open = [id_ for id_ in self.brokers if id_ not in limits.drain]
        self.racks = self._racks()
        self.unmet: list[str] = []

    def _racks(self) -> dict[int, str]:
        """Racks by broker; none at all unless every broker has one, as Kafka wants it."""
        racks = {id_: self.brokers[id_].rack for id_ in self.open}
        known = {id_: rack for id_, rack in racks.items() if rack is not None}
        return known if len(known) == len(racks) else {}

    def bytes(self) -> dict[int, int]:
        return {id_: self.load[id_] for id_ in sorted(self.load)}

    def made(self) -> list[Move]:
        """The moves from the original to the present replicas, by topic and partition."""
        found = []
        for key in sorted(self.replicas):
            old, new = self.original[key], self.replicas[key]
            found += [
                Move(*key, source, target, self.size[key])
                for source, target in zip(old, new, strict=True)
                if source != target
            ]
        return found

    # What is allowed

    def legal(self, key: Key, source: int, target: int) -> bool:
        """Whether the replica on ``source`` may go to ``target``."""
        replicas = self.replicas[key]
        return (
            target not in replicas
            and target not in self.limits.drain
            and self._fits(target, self.size[key])
            and self._rack_allows(key, source, target)
        )

    def _fits(self, target: int, size: int) -> bool:
        capacity = self.brokers[target].capacity
        return capacity is None or self.peak[target] + size <= capacity * self.limits.max_disk

    def _rack_allows(self, key: Key, source: int, target: int) -> bool:
        """No rack gets more replicas than the racks make needed, unless it had them already."""
        if not self.racks:
            return True
        rack = self.racks[target]
        if self.racks.get(source) == rack:
            return True
        replicas = self.replicas[key]
        there = sum(1 for id_ in replicas if id_ != source and self.racks.get(id_) == rack)
        return there < ceil(len(replicas) / len(set(self.racks.values())))

    def move(self, key: Key, source: int, target: int) -> None:
        size = self.size[key]
        held, entry = self.held[source], (size, self.place[key])
        del held[bisect_left(held, entry)]
        insort(self.held[target], entry)
        self.load[source] -= size
        self.load[target] += size
        self.peak[target] += size
        self.replicas[key] = tuple(target if i == source else i for i in self.replicas[key])

    # What must be mended

    def mend(self) -> None:
        """Empty drained and unknown brokers, and part replicas that share a rack for no need."""
        leaving = [id_ for id_ in sorted(self.held) if id_ not in set(self.open)]
        stays = [(-size, -place, id_) for id_ in leaving for size, place in self.held[id_]]
        for _, place, id_ in sorted(stays):
            topic, partition = self.keys[place]
            if not self._mend((topic, partition), id_):
                self.unmet.append(f"{topic}-{partition} finds no broker to leave {id_} for")
        if self.racks and self.limits.mend_racks:
            self._mend_racks()

    def _mend(self, key: Key, source: int) -> bool:
        """Move a replica to the broker that is furthest below its fair share."""
        aims = self.aims()
        ranked = sorted(self.open, key=lambda id_: (self.load[id_] - aims[id_], id_))
        target = next((id_ for id_ in ranked if self.legal(key, source, id_)), None)
        if target is not None:
            self.move(key, source, target)
        return target is not None

    def _mend_racks(self) -> None:
        racks = len(set(self.racks.values()))
        for key in sorted(self.replicas):
            most = ceil(len(self.replicas[key]) / racks)
            seen: dict[str, int] = {}
            for id_ in self.replicas[key]:
                rack = self.racks.get(id_)
                if rack is None:
                    continue
                seen[rack] = seen.get(rack, 0) + 1
                if seen[rack] > most and not self._mend(key, id_):
                    self.unmet.append(f"{key[0]}-{key[1]} stays twice in rack {rack}")

    # What is levelled

    def aims(self) -> dict[int, int]:
        """The fair share of each broker: by capacity where all are known, else the same."""
        total = sum(self.load.values())
        sizes = [self.brokers[id_].capacity or 0 for id_ in self.open]
        weights = sizes if all(sizes) else [1] * len(self.open)
        shares = {
            id_: total * weight // sum(weights)
            for id_, weight in zip(self.open, weights, strict=True)
        }
        return {id_: shares.get(id_, 0) for id_ in self.load}

    def level(self) -> None:
        """Move, then swap, until all are within the tolerance or nothing helps."""
        if len(self.open) < 2:
            return
        aims = self.aims()
        slack = {id_: aim * self.limits.tolerance for id_, aim in aims.items()}
        moves, size = 0, 0
        limits = self.limits
        while True:
            off = [id_ for id_ in self.open if abs(self.load[id_] - aims[id_]) > slack[id_]]
            if not off:
                return
            left = None if limits.max_bytes is None else limits.max_bytes - size
            step = self._best(off, aims, left)
            if step is None or (
                limits.max_moves is not None and moves + len(step) > limits.max_moves
            ):
                self._report(off, aims)
                return
            for key, source, target in step:
                self.move(key, source, target)
                moves += 1
                size += self.size[key]

    def _report(self, off: Sequence[int], aims: Mapping[int, int]) -> None:
        self.unmet += [
            f"broker {id_} stays {(self.load[id_] - aims[id_]) / aims[id_]:+.0%} from its share"
            for id_ in off
            if aims[id_]
        ]

    def _best(
        self, off: Sequence[int], aims: Mapping[int, int], left: int | None
    ) -> list[tuple[Key, int, int]] | None:
        """The best move, or else swap, for the broker that is furthest off; else for the next."""
        ranked = sorted(off, key=lambda id_: (-abs(self.load[id_] - aims[id_]), id_))
        for find in (self._moves, self._swaps):
            for id_ in ranked:
                found = [
                    (score, step)
                    for source, target in self._pairs(id_, aims)
                    for score, step in find(source, target, aims)
                    if left is None or sum(self.size[key] for key, _, _ in step) <= left
                ]
                if found:
                    return min(found, key=lambda f: f[0])[1]
        return None

    def _pairs(self, id_: int, aims: Mapping[int, int]) -> Iterator[tuple[int, int]]:
        """(from, to) brokers that level ``id_``: to all below their share, or from all above."""
        over = self.load[id_] > aims[id_]
        for other in self.open:
            if over and self.load[other] < aims[other]:
                pair = id_, other
            elif not over and self.load[other] > aims[other]:
                pair = other, id_
            else:
                continue
            if not self.limits.add or pair[1] in self.limits.add:
                yield pair

    def _moves(
        self, source: int, target: int, aims: Mapping[int, int]
    ) -> Iterator[tuple[tuple[float, ...], list[tuple[Key, int, int]]]]:
        """The largest replica that fills no more than is needed, and the next larger one."""
        over, under = self.load[source] - aims[source], aims[target] - self.load[target]
        held = self.held[source]
        at = bisect_right(held, (min(over, under), 1))
        for places in (range(at - 1, -1, -1), range(at, len(held))):
            for i in places:
                size, key = held[i][0], self.keys[-held[i][1]]
                relieved = _relieved(over, under, size)
                if relieved <= 0:
                    break
                if self.legal(key, source, target):
                    score = (-relieved / size, -relieved, size, source, target)
                    yield score, [(key, source, target)]
                    break

    def _swaps(
        self, source: int, target: int, aims: Mapping[int, int]
    ) -> Iterator[tuple[tuple[float, ...], list[tuple[Key, int, int]]]]:
        """Two replicas that change places, the larger one from ``source``."""
        over, under = self.load[source] - aims[source], aims[target] - self.load[target]
        if self.limits.add:
            return
        theirs = self.held[target][-_SWAPS:]
        for size, place in reversed(self.held[source][-_SWAPS:]):
            one = self.keys[-place]
            if not self.legal(one, source, target):
                continue
            at = bisect_right(theirs, (size - min(over, under), 1))
            for other, place_too in reversed(theirs[max(0, at - 2) : at + 1]):
                relieved = _relieved(over, under, size - other)
                two = self.keys[-place_too]
                if size > other and relieved > 0 and self.legal(two, target, source):
                    score = (-relieved / (size + other), -relieved, size, source, target)
                    yield score, [(one, source, target), (two, target, source)]


def _relieved(over: int, under: int, size: int) -> int:
    """By how much both brokers together come nearer to their shares when ``size`` goes over."""
    return abs(over) + abs(under) - abs(over - size) - abs(under - size)
