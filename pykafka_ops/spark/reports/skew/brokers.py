"""How brokers, racks and directories share the bytes, and which moves would even them out.

Replicas are added up in executors: what comes here are rows of brokers and directories, and the
largest partitions, which are those that a plan moves.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import TYPE_CHECKING, Any, Final

from pykafka_ops.analysis.moves.model import Limits, MovePlan, PlanBroker, PlanPartition
from pykafka_ops.analysis.moves.plan import plan_moves
from pykafka_ops.analysis.skew import skew_percent
from pykafka_ops.spark.engines import first_rows, functions_of, kept
from pykafka_ops.spark.inputs import Inputs

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Rows = Sequence[Mapping[str, Any]]
PLACE: Final = ("topic", "partition")
MOST_ROWS: Final = 20_000
"""Partitions that a report shows, and that a plan moves, at most."""
_OTHERS: Final = "all others"


@dataclass(slots=True)
class ReplicaPlaces:
    """Who holds what, added up. ``racks`` of all brokers known; ``held`` and ``led``: rows of what
    brokers hold (replicas, bytes, leader_bytes) and lead (leaders), None where leaders are not
    known; ``dirs``: rows of directories; ``largest``: partitions with replicas and bytes of one;
    ``assigned``: how many replicas brokers should have.

    ``sizes``: a frame of topic, partition and bytes, those of the leader's replica, or of the
    largest one where no leader is known; None where no directories are.
    """

    racks: dict[int, str | None] = field(default_factory=dict)
    held: Rows = ()
    led: Rows | None = None
    dirs: Rows = ()
    largest: Rows = ()
    assigned: Mapping[int, int] = field(default_factory=dict)
    partitions: int = 0
    sizes: DataFrame | None = None

    def close(self) -> None:
        """Free what executors keep."""
        if self.sizes is not None:
            self.sizes.unpersist()


def places(inputs: Inputs) -> ReplicaPlaces:
    """The same from the inputs, as far as they have it."""
    made = ReplicaPlaces()
    brokers, dirs, partitions = inputs.brokers(), inputs.log_dirs(), inputs.partitions()
    if brokers is not None:
        made.racks = {r["broker"]: r["rack"] for r in brokers.toArrow().to_pylist()}
    if partitions is not None:
        f = functions_of(partitions)
        leaders = partitions.where(f.col("leader") >= 0).groupBy("leader")
        led = leaders.agg(f.count("*").alias("leaders")).toArrow().to_pylist()
        made.led, made.partitions = led or None, partitions.count()
        made.assigned = inputs.assigned()
    if dirs is not None:
        f = functions_of(dirs)
        here = dirs.where(~f.coalesce("future", f.lit(False)))
        made.dirs = _dirs(here)
        _add_replicas(made, here, partitions)
    for row in made.dirs:
        if row["broker"] is not None:  # else files without meta.properties
            made.racks.setdefault(row["broker"], None)
    return made


def _add_replicas(made: ReplicaPlaces, here: DataFrame, partitions: DataFrame | None) -> None:
    f = functions_of(here)
    replicas = here.where(f.col("topic").isNotNull() & f.col("broker").isNotNull())
    sums = replicas.groupBy(*PLACE, "broker").agg(
        f.sum(f.coalesce("size", f.lit(0))).cast("bigint").alias("bytes")
    )
    if partitions is None:
        placed = sums.withColumn("leader", f.lit(None).cast("int"))
    else:
        placed = sums.join(partitions.select(*PLACE, "leader"), list(PLACE), "left")
    of_leader = f.when(f.col("broker") == f.col("leader"), f.col("bytes"))
    by_broker = placed.groupBy("broker").agg(
        f.count("*").alias("replicas"),
        f.sum("bytes").alias("bytes"),
        f.sum(of_leader).alias("leader_bytes"),
    )
    made.held = by_broker.toArrow().to_pylist()
    both = placed.groupBy(*PLACE).agg(f.max(of_leader).alias("led"), f.max("bytes").alias("most"))
    made.sizes = kept(both.select(*PLACE, f.coalesce("led", "most").alias("bytes")))
    if partitions is not None:
        known = partitions.where(f.size("replicas") > 0).select(*PLACE, "replicas")
        sized = known.join(made.sizes, list(PLACE), "left")
        sized = sized.select(*PLACE, "replicas", f.coalesce("bytes", f.lit(0)).alias("bytes"))
        order = [("bytes", "descending"), ("topic", "ascending"), ("partition", "ascending")]
        made.largest = first_rows(sized, order, MOST_ROWS).to_pylist()


def _dirs(here: DataFrame) -> list[dict[str, Any]]:
    f = functions_of(here)
    found = here.groupBy("broker", "log_dir").agg(
        f.sum(f.col("topic").isNotNull().cast("bigint")).alias("replicas"),
        f.sum(f.coalesce("size", f.lit(0))).cast("bigint").alias("bytes"),
        f.max("total_bytes").alias("total_bytes"),
        f.max("usable_bytes").alias("usable_bytes"),
    )
    rows: list[dict[str, Any]] = found.toArrow().to_pylist()
    return rows


def dark(found: ReplicaPlaces) -> list[int]:
    """Brokers that should have replicas, and tell of no directory."""
    return sorted(found.assigned.keys() - {row["broker"] for row in found.dirs})


def broker_rows(found: ReplicaPlaces) -> list[dict[str, Any]]:
    """A row per broker, by id; of one that does not tell of its directories nothing is known but
    how many replicas it should have."""
    held = {row["broker"]: row for row in found.held}
    tell = {row["broker"] for row in found.dirs}
    ids = sorted({*found.racks, *held, *found.assigned})
    sums = {id_: held[id_]["bytes"] if id_ in held else 0 for id_ in ids if id_ in tell}
    mean = fmean(sums.values()) if sums else 0.0
    led = None if found.led is None else {row["leader"]: row["leaders"] for row in found.led}
    rows = []
    for id_ in ids:
        mine: Mapping[str, Any] = held.get(id_, {})
        is_dark = id_ not in tell
        rows.append(
            {
                "broker": id_,
                "rack": found.racks.get(id_),
                "replicas": found.assigned.get(id_) if is_dark else mine.get("replicas", 0),
                "leaders": None if led is None else led.get(id_, 0),
                "bytes": sums.get(id_),
                "leader_bytes": None if led is None or is_dark else mine.get("leader_bytes") or 0,
                "skew_percent": None if is_dark else skew_percent(sums[id_], mean),
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
    known = [row["bytes"] for row in rows if row["bytes"] is not None]
    mean = fmean(known) if known else 0.0
    return [row | {"skew_percent": None if row["bytes"] is None
                   else skew_percent(row["bytes"], mean)} for row in rows]  # fmt: skip


def _sum(rows: Rows, name: str) -> int | None:
    values = [row[name] for row in rows]
    return None if None in values else sum(values)


def dir_rows(found: ReplicaPlaces) -> list[dict[str, Any]]:
    """A row per directory, by broker and path."""
    held: dict[int, list[int]] = {}
    for row in found.dirs:
        held.setdefault(row["broker"], []).append(row["bytes"])
    return [
        {**row, "skew_percent": skew_percent(row["bytes"], fmean(held[row["broker"]]))}
        for row in sorted(found.dirs, key=lambda r: (str(r["broker"]), r["log_dir"]))
    ]


def plan(found: ReplicaPlaces, tolerance: float) -> MovePlan | None:
    """The moves that even out the brokers; None where it is not known who holds what (a broker that
    restarts is not to be emptied), or only one broker is. Of more than MOST_ROWS partitions the
    largest are moved, the others stay."""
    if len(found.racks) < 2 or not found.dirs or not found.largest or dark(found):
        return None
    capacity = _capacity(found.dirs)
    partitions = [
        PlanPartition(r["topic"], r["partition"], tuple(r["replicas"]), r["bytes"])
        for r in found.largest
    ]
    if found.partitions > len(found.largest):
        partitions += _others(found)
    brokers = [PlanBroker(id_, rack, capacity.get(id_)) for id_, rack in found.racks.items()]
    return plan_moves(partitions, brokers, Limits(tolerance=tolerance, mend_racks=False))


def _others(found: ReplicaPlaces) -> list[PlanPartition]:
    """What brokers hold beside the largest partitions, as one that stays on each."""
    left = {row["broker"]: row["bytes"] for row in found.held}
    for row in found.largest:
        for id_ in row["replicas"]:
            if id_ in left:
                left[id_] -= row["bytes"]
    return [
        PlanPartition(_OTHERS, id_, (id_,), size, fixed=True)
        for id_, size in sorted(left.items())
        if size > 0 and id_ in found.racks
    ]


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
