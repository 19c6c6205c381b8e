"""The state of a cluster from plain values: what is missing, who leads, how even it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

Partition = tuple[str, int]

TROUBLES = (
    "offline", "under_min_isr", "under_replicated", "at_min_isr", "not_preferred", "one_rack",
)  # fmt: skip
"""Kinds of partitions worth naming, worst first."""
BAD = (
    "no_controller", "brokers_missing", "brokers_silent", "dirs_failed", "offline",
    "under_min_isr", "under_replicated",
)  # fmt: skip
"""Facts that mean trouble unless 0."""
FACTS = (
    "brokers", "brokers_missing", "brokers_silent", "no_controller", "racks", "topics",
    "partitions", "replicas", *TROUBLES, "reassigning", "dirs_failed", "imbalance_percent",
    "replica_skew_percent", "leader_skew_percent", "bytes_skew_percent",
)  # fmt: skip
"""Every number that a condition may ask for."""


class Placed(NamedTuple):
    """A partition: ``leader`` -1: none; ``min_isr`` is min.insync.replicas, None: not known;
    ``coming``: how many of the replicas a move under way adds, which need not be in sync yet."""

    topic: str
    number: int
    leader: int
    replicas: Sequence[int]
    isr: Sequence[int]
    min_isr: int | None
    coming: int = 0


class BrokerShare(NamedTuple):
    """What a broker has: replicas, those of them out of the ISR, partitions it leads, partitions
    whose preferred replica it is, how many of these another leads."""

    replicas: int
    lagging: int
    leaders: int
    preferred: int
    led_elsewhere: int

    @property
    def imbalance_percent(self) -> float:
        """As leader.imbalance.per.broker.percentage counts it."""
        return 100 * self.led_elsewhere / self.preferred if self.preferred else 0.0


def troubles(partition: Placed, racks: Mapping[int, str | None]) -> list[str]:
    """The kinds of TROUBLES a partition belongs to, as kafka-topics counts them; ``racks`` are
    those of the live brokers."""
    p, found = partition, []
    offline = p.leader not in racks
    if offline:
        found.append("offline")
    if p.min_isr is not None and (p.leader < 0 or len(p.isr) < p.min_isr):
        found.append("under_min_isr")
    if len(p.isr) < len(p.replicas) - p.coming:
        found.append("under_replicated")
    # of a partition that cannot lose a replica without refusing acks=all, if it has one to lose
    if p.min_isr is not None and len(p.isr) == p.min_isr and len(p.replicas) > 1:
        found.append("at_min_isr")
    if not offline and p.replicas and p.leader != p.replicas[0]:
        found.append("not_preferred")
    if _in_one_rack(p.replicas, racks):
        found.append("one_rack")
    return found


def _in_one_rack(replicas: Sequence[int], racks: Mapping[int, str | None]) -> bool:
    """Several replicas, all in one rack of several."""
    if len(replicas) < 2:
        return False
    known = {rack for rack in racks.values() if rack is not None}
    mine = {racks.get(broker) for broker in replicas}
    return len(known) > 1 and len(mine) == 1 and None not in mine


def troubled(
    partitions: Iterable[Placed], racks: Mapping[int, str | None]
) -> dict[str, list[Partition]]:
    """The partitions of each kind of TROUBLES, in the order given."""
    found: dict[str, list[Partition]] = {kind: [] for kind in TROUBLES}
    for partition in partitions:
        for kind in troubles(partition, racks):
            found[kind].append((partition.topic, partition.number))
    return found


def shares(partitions: Iterable[Placed], brokers: Iterable[int]) -> dict[int, BrokerShare]:
    """What each of these brokers has, and each one that a partition names."""
    counts: dict[int, list[int]] = {broker: [0] * 5 for broker in brokers}

    def of(broker: int) -> list[int]:
        return counts.setdefault(broker, [0] * 5)

    for p in partitions:
        for broker in p.replicas:
            of(broker)[0] += 1
            of(broker)[1] += broker not in p.isr
        if p.leader >= 0:
            of(p.leader)[2] += 1
        if p.replicas:
            of(p.replicas[0])[3] += 1
            of(p.replicas[0])[4] += p.leader != p.replicas[0]
    return {broker: BrokerShare(*found) for broker, found in sorted(counts.items())}


def skew_percent(values: Sequence[int]) -> float | None:
    """How far the greatest lies above the mean, in percent of it; None where there is nothing."""
    total = sum(values)
    if not total:
        return None
    return round(100 * (max(values) * len(values) / total - 1), 1)


@dataclass(frozen=True, slots=True)
class ClusterSurvey:
    """All partitions looked at once: those of each kind of TROUBLES, what each broker has, the
    facts that follow from nothing else. ``racks`` are those of the live brokers."""

    racks: Mapping[int, str | None]
    troubled: Mapping[str, Sequence[Partition]]
    shares: Mapping[int, BrokerShare]
    counts: Mapping[str, float | None]


def survey(partitions: Sequence[Placed], racks: Mapping[int, str | None]) -> ClusterSurvey:
    """What partitions and racks of the live brokers say."""
    kinds = troubled(partitions, racks)
    found: dict[str, float | None] = {kind: len(names) for kind, names in kinds.items()}
    if any(p.min_isr is None for p in partitions):
        found["under_min_isr"] = found["at_min_isr"] = None
    by_broker = shares(partitions, racks)
    live = [by_broker[broker] for broker in racks]
    found["brokers"] = len(racks)
    found["brokers_missing"] = len(by_broker) - len(racks)
    found["racks"] = len({rack for rack in racks.values() if rack is not None})
    found["topics"] = len({p.topic for p in partitions})
    found["partitions"] = len(partitions)
    found["replicas"] = sum(len(p.replicas) for p in partitions)
    found["imbalance_percent"] = round(max((s.imbalance_percent for s in live), default=0.0), 1)
    found["replica_skew_percent"] = skew_percent([s.replicas for s in live])
    found["leader_skew_percent"] = skew_percent([s.leaders for s in live])
    return ClusterSurvey(racks, kinds, by_broker, found)


def facts(
    found: ClusterSurvey, controller: int, sizes: Mapping[int, int] | None
) -> dict[str, float | None]:
    """The FACTS that follow from metadata and sizes (bytes by broker; None: not known); the others
    are 0. None: not known."""
    counts: dict[str, float | None] = dict.fromkeys(FACTS, 0)
    counts.update(found.counts)
    counts["no_controller"] = int(controller < 0)
    counts["bytes_skew_percent"] = None if sizes is None else skew_percent(list(sizes.values()))
    return counts
