"""How brokers, racks and directories share the bytes, and which moves would even them out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from pykafka_ops.analysis.moves.model import Limits, MovePlan, PlanBroker, PlanPartition
from pykafka_ops.analysis.moves.plan import plan_moves
from pykafka_ops.analysis.skew import skew_percent
from pykafka_ops.spark.inputs import Inputs

Key = tuple[str, int]
Rows = Sequence[Mapping[str, Any]]


@dataclass(slots=True)
class ReplicaPlaces:
    """Who holds what. ``replicas``: broker -> bytes by partition; ``leaders`` by partition;
    ``racks`` of all brokers known; ``dirs``: rows of LOG_DIRS; ``partitions``: of PARTITIONS."""

    replicas: dict[int, dict[Key, int]] = field(default_factory=dict)
    leaders: dict[Key, int] = field(default_factory=dict)
    racks: dict[int, str | None] = field(default_factory=dict)
    dirs: Rows = ()
    partitions: Rows = ()

    @property
    def sizes(self) -> dict[Key, int]:
        """Bytes of the leader's replica, or of the largest one where no leader is known."""
        found: dict[Key, int] = {}
        for held in self.replicas.values():
            for key, size in held.items():
                found[key] = max(found.get(key, 0), size)
        for key, leader in self.leaders.items():
            led = self.replicas.get(leader, {}).get(key)
            if led is not None:
                found[key] = led
        return found


def places(inputs: Inputs) -> ReplicaPlaces:
    """The same from the inputs, as far as they have it."""
    made = ReplicaPlaces()
    brokers, dirs, partitions = inputs.brokers(), inputs.log_dirs(), inputs.partitions()
    if brokers is not None:
        made.racks = {r["broker"]: r["rack"] for r in brokers.toArrow().to_pylist()}
    if partitions is not None:
        made.partitions = partitions.toArrow().to_pylist()
    if dirs is not None:
        made.dirs = [r for r in dirs.toArrow().to_pylist() if not r["future"]]
    for row in made.dirs:
        if row["broker"] is None:  # files without meta.properties
            continue
        made.racks.setdefault(row["broker"], None)
        if row["topic"] is not None:
            held = made.replicas.setdefault(row["broker"], {})
            key = row["topic"], row["partition"]
            held[key] = held.get(key, 0) + (row["size"] or 0)
    for row in made.partitions:
        if row["leader"] is not None and row["leader"] >= 0:
            made.leaders[row["topic"], row["partition"]] = row["leader"]
    return made


def broker_rows(found: ReplicaPlaces) -> list[dict[str, Any]]:
    """A row per broker, by id."""
    ids = sorted({*found.racks, *found.replicas})
    sums = {id_: sum(found.replicas.get(id_, {}).values()) for id_ in ids}
    mean = fmean(sums.values()) if sums else 0.0
    leading: dict[int, list[Key]] = {}
    for key, leader in found.leaders.items():
        leading.setdefault(leader, []).append(key)
    rows = []
    for id_ in ids:
        held, led = found.replicas.get(id_, {}), leading.get(id_, [])
        rows.append(
            {
                "broker": id_,
                "rack": found.racks.get(id_),
                "replicas": len(held),
                "leaders": len(led) if found.leaders else None,
                "bytes": sums[id_],
                "leader_bytes": sum(held.get(k, 0) for k in led) if found.leaders else None,
                "skew_percent": skew_percent(sums[id_], mean),
            }
        )
    return rows


def rack_rows(brokers: Rows) -> list[dict[str, Any]]:
    """A row per rack, by name; none where no broker has one."""
    if all(row["rack"] is None for row in brokers):
        return []
    racks: dict[str | None, list[Mapping[str, Any]]] = {}
    for row in brokers:
        racks.setdefault(row["rack"], []).append(row)
    rows: list[dict[str, Any]] = []
    for rack in sorted(racks, key=lambda r: (r is None, r or "")):
        sums = {name: _sum(racks[rack], name)
                for name in ("replicas", "leaders", "bytes", "leader_bytes")}  # fmt: skip
        rows.append({"rack": rack, "brokers": len(racks[rack]), **sums})
    mean = fmean(row["bytes"] for row in rows)
    return [row | {"skew_percent": skew_percent(row["bytes"], mean)} for row in rows]


def _sum(rows: Rows, name: str) -> int | None:
    values = [row[name] for row in rows]
    return None if None in values else sum(values)


def dir_rows(found: ReplicaPlaces) -> list[dict[str, Any]]:
    """A row per directory, by broker and path."""
    rows: dict[tuple[int, str], dict[str, Any]] = {}
    for row in found.dirs:
        made = rows.setdefault(
            (row["broker"], row["log_dir"]),
            {
                "broker": row["broker"],
                "log_dir": row["log_dir"],
                "replicas": 0,
                "bytes": 0,
                "total_bytes": row["total_bytes"],
                "usable_bytes": row["usable_bytes"],
            },
        )
        if row["topic"] is not None:
            made["replicas"] += 1
            made["bytes"] += row["size"] or 0
    held: dict[int, list[int]] = {}
    for row in rows.values():
        held.setdefault(row["broker"], []).append(row["bytes"])
    return [
        row | {"skew_percent": skew_percent(row["bytes"], fmean(held[row["broker"]]))}
        for row in sorted(rows.values(), key=lambda r: (str(r["broker"]), r["log_dir"]))
    ]


def plan(found: ReplicaPlaces, tolerance: float) -> MovePlan | None:
    """The moves that even out the brokers; None where it is not known who holds what, or only one
    broker is."""
    if len(found.racks) < 2 or not found.dirs or not found.partitions:
        return None
    sizes, capacity = found.sizes, _capacity(found.dirs)
    partitions = [
        PlanPartition(r["topic"], r["partition"], tuple(r["replicas"]),
                  sizes.get((r["topic"], r["partition"]), 0))
        for r in found.partitions
        if r["replicas"]
    ]  # fmt: skip
    brokers = [PlanBroker(id_, rack, capacity.get(id_)) for id_, rack in found.racks.items()]
    return plan_moves(partitions, brokers, Limits(tolerance=tolerance, mend_racks=False))


def _capacity(dirs: Iterable[Mapping[str, Any]]) -> dict[int, int]:
    """Bytes of the volumes of each broker, where all of them are known."""
    found: dict[int, dict[str, int | None]] = {}
    for row in dirs:
        found.setdefault(row["broker"], {})[row["log_dir"]] = row["total_bytes"]
    return {
        id_: sum(total for total in totals.values() if total is not None)
        for id_, totals in found.items()
        if None not in totals.values()
    }
