"""The skew report: which partitions, keys, brokers and directories carry more than their share.

Batches and records are counted in executors; the driver gets rows of partitions, of heavy keys,
and of windows of the topics that are shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from pykafka_ops.analysis.logs.stats import counted_key
from pykafka_ops.analysis.moves.model import MovePlan
from pykafka_ops.analysis.moves.plan import reassignment
from pykafka_ops.analysis.skew import (
    SEVERE,
    SKEWED,
    Imbalance,
    TopicFacts,
    advice,
    hot,
    imbalance,
    partitions_for,
)
from pykafka_ops.spark.engines import functions_of
from pykafka_ops.spark.inputs import Inputs
from pykafka_ops.spark.inputs.names import INTERNAL
from pykafka_ops.spark.model import Report, Section
from pykafka_ops.spark.options import ReportOptions
from pykafka_ops.spark.reports.damage import DamageTally, problem_of
from pykafka_ops.spark.reports.skew import columns
from pykafka_ops.spark.reports.skew.brokers import (
    ReplicaPlaces,
    broker_rows,
    dir_rows,
    places,
    plan,
    rack_rows,
)
from pykafka_ops.spark.reports.skew.keys import counted
from pykafka_ops.spark.reports.skew.volume import (
    MOST_ROWS,
    WINDOWS,
    FromBatches,
    FromCluster,
    Volume,
    extent,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Key = tuple[str, int]
Row = dict[str, Any]
_NO_COUNTS: Final[Mapping[str, Any]] = {}
_OF_NOTHING: Final[Mapping[str, Any]] = dict.fromkeys(
    ("nulls", "unique_keys", "size_p50", "size_p95", "size_p99"), 0
)
"""Of a partition without records, where they were read."""


@dataclass(slots=True)
class _Facts:
    """What was counted: volumes by partition, length of windows and bytes of each topic's fullest
    one, records' counts by partition, keys by topic; ``read``: whether records were."""

    volumes: Mapping[Key, Volume]
    window: int | None
    peaks: Mapping[str, int]
    places: ReplicaPlaces
    counts: Mapping[Key, Mapping[str, Any]] = field(default_factory=dict)
    keys: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    read: bool = False

    def topics(self) -> dict[str, list[int]]:
        """Partitions by topic, both in order."""
        found: dict[str, list[int]] = {}
        for topic, number in sorted(self.volumes):
            found.setdefault(topic, []).append(number)
        return found

    def span(self, topic: str, numbers: Sequence[int]) -> float | None:
        """Seconds from the first to the last record of a topic; None: unknown, or no time."""
        first, last = extent([self.volumes[topic, n] for n in numbers]) or (0, 0)
        return (last - first) / 1000 if last > first else None


def build(inputs: Inputs, options: ReportOptions) -> Report:
    """The report about ``inputs.now``; sections topics, partitions, windows, brokers, racks,
    log_dirs, keys and moves; ``summary['reassignment']`` is Kafka's document for the moves."""
    options.stage("asking who holds what")
    inputs.freeze(groups=False)
    found = places(inputs)
    hosted = [row for row in found.partitions if _is_shown(inputs, row["topic"])]
    batches = _shown_only(inputs, inputs.batches())
    volume = (
        FromBatches(inputs, batches, options)
        if batches is not None
        else FromCluster(inputs, hosted, found.sizes, options)
    )
    try:
        options.stage("counting batches")
        volumes = volume.volumes()
        for row in hosted:
            volumes.setdefault((row["topic"], row["partition"]), Volume())
        window = volume.window(volumes)
        peaks = volume.peaks(window) if window else {}
        facts = _Facts(volumes, window, peaks, found)
        _count_records(inputs, options, facts, volume.damage, from_files=batches is not None)
        topics, partitions = _rows(facts, options)
        options.stage("looking at windows of time")
        shown = _shown(topics, facts)
        windows = volume.windows(window, shown) if window else []
    finally:
        volume.close()
    moves = plan(found, options.tolerance)
    problems = [*inputs.problems, *volume.damage.problems()]
    sections = [
        Section("topics", "Topics", columns.TOPICS, topics),
        Section("partitions", "Partitions", columns.PARTITIONS, partitions),
        Section("keys", "Heaviest keys", columns.KEYS, _key_rows(facts)),
        Section("windows", "Partitions over time", columns.WINDOWS, windows,
                _left_out(len(topics), len(shown))),
        *_place_sections(found, moves),
    ]  # fmt: skip
    if not facts.read:
        sections[2].unknown = "no records were read (--records all)"
    summary = _summary(topics, partitions, facts) | {
        "damaged_places": len(volume.damage.places),
        "damaged_bytes": volume.damage.bytes,
        **_move_summary(moves),
    }
    return Report("skew", inputs.now, dict(inputs.source), summary, sections, problems)


def _is_shown(inputs: Inputs, topic: str) -> bool:
    """Kafka's own topics are left out unless they are asked for: they are uneven by nature, and
    count for brokers, directories and moves."""
    return not inputs.wanted_topics.every or topic not in INTERNAL


def _shown_only(inputs: Inputs, frame: DataFrame | None) -> DataFrame | None:
    if frame is None or not inputs.wanted_topics.every:
        return frame
    return frame.where(~functions_of(frame).col("topic").isin(*INTERNAL))


def _place_sections(found: ReplicaPlaces, moves: MovePlan | None) -> list[Section]:
    brokers = broker_rows(found)
    rows = [
        {"topic": m.topic, "partition": m.partition, "from": m.source, "to": m.target,
         "bytes": m.size}
        for m in (moves.moves if moves else ())
    ]  # fmt: skip
    note = "; ".join(moves.unmet[:10]) if moves else ""
    return [
        Section("brokers", "Brokers", columns.BROKERS, brokers),
        Section("racks", "Racks", columns.RACKS, rack_rows(brokers)),
        Section("log_dirs", "Directories", columns.LOG_DIRS, dir_rows(found)),
        Section("moves", "Moves that even out the brokers", columns.MOVES, rows, note),
    ]


def _count_records(
    inputs: Inputs,
    options: ReportOptions,
    facts: _Facts,
    damage: DamageTally,
    *,
    from_files: bool,
) -> None:
    """Fill in counts and keys, where records are to be read."""
    wanted = options.records or ("all" if from_files else "none")
    records = _shown_only(inputs, inputs.records()) if wanted == "all" else None
    if records is None:
        return
    options.stage("counting keys and sizes of records")
    counts: dict[Key, Mapping[str, Any]] = {}
    keys: dict[str, list[Mapping[str, Any]]] = {}
    facts.read = True
    for row in counted(records, options.top).toArrow().to_pylist():
        if row["problem"] is not None:
            damage.add(problem_of(row["problem"]))
        elif row["partition"] is not None:
            counts[row["topic"], row["partition"]] = row
        else:
            keys.setdefault(row["topic"], []).append(row)
    facts.counts = counts
    facts.keys = {t: sorted(k, key=lambda r: (-r["bytes"], r["key"])) for t, k in keys.items()}


def _rows(facts: _Facts, options: ReportOptions) -> tuple[list[Row], list[Row]]:
    """Rows of topics, the worst first, and of partitions, by name."""
    topics: list[Row] = []
    partitions: list[Row] = []
    for topic, numbers in facts.topics().items():
        span = facts.span(topic, numbers)
        mine = _partition_rows(facts, topic, numbers, span)
        partitions += mine
        topics.append(_topic_row(facts, options, topic, mine, span))
    return sorted(topics, key=lambda t: (-t["cv"], -t["bytes"], t["topic"])), partitions


def _partition_rows(
    facts: _Facts, topic: str, numbers: Sequence[int], span: float | None
) -> list[Row]:
    sizes = [facts.volumes[topic, n].bytes for n in numbers]
    total = sum(sizes)
    rows = []
    for number, size, is_hot in zip(numbers, sizes, hot(sizes), strict=True):
        key = topic, number
        records = facts.volumes[key].records
        counts = facts.counts.get(key, _OF_NOTHING if facts.read else _NO_COUNTS)
        leader = facts.places.leaders.get(key)
        rows.append(
            {
                "topic": topic,
                "partition": number,
                "leader": leader,
                "rack": None if leader is None else facts.places.racks.get(leader),
                "records": records,
                "bytes": size,
                "share": size / total if total else 0.0,
                "ratio_to_mean": size * len(sizes) / total if total else 1.0,
                "hot": is_hot,
                "average_size": size / records if records else 0 if not size else None,
                "bytes_per_second": size / span if span else 0.0 if not size else None,
                "records_per_second": records / span if span else 0.0 if not size else None,
                "null_keys": counts.get("nulls"),
                **{name: counts.get(name)
                   for name in ("unique_keys", "size_p50", "size_p95", "size_p99")},
            }
        )  # fmt: skip
    return rows


def _topic_row(
    facts: _Facts, options: ReportOptions, topic: str, mine: Sequence[Row], span: float | None
) -> Row:
    size, records = (sum(r[name] for r in mine) for name in ("bytes", "records"))
    balance = imbalance([r["bytes"] for r in mine])
    of_records = imbalance([r["records"] for r in mine])
    peak = facts.peaks.get(topic)
    rate = size / span if span else None if size else 0.0
    peak_rate = None if size else 0.0
    if peak is not None and facts.window:
        peak_rate = peak * 1000 / facts.window
    if peak_rate is not None and rate is not None:
        peak_rate = max(peak_rate, rate)  # all was written in less than a window
    target = options.target if options.target is not None else peak_rate
    advised = (
        None
        if target is None
        else partitions_for(target, options.producer_rate, options.consumer_rate)
    )
    codecs: dict[str, int] = {}
    for row in mine:
        for codec, held in facts.volumes[topic, row["partition"]].codecs.items():
            codecs[codec] = codecs.get(codec, 0) + held
    return {
        "topic": topic,
        "partitions": len(mine),
        "records": records,
        "bytes": size,
        **balance._asdict(),
        **{f"records_{name}": value for name, value in of_records._asdict().items()},
        "band": balance.band,
        "average_size": size / records if records else None if size else 0,
        "compression_ratio": _compression(facts, mine, codecs, size, records),
        "codecs": ", ".join(sorted(codecs, key=lambda c: (-codecs[c], c))) or None,
        "bytes_per_second": rate,
        "peak_bytes_per_second": peak_rate,
        "advised_partitions": advised,
        "advice": advice(_advice_facts(facts, topic, mine, balance, advised)),
    }


def _compression(
    facts: _Facts, mine: Sequence[Row], codecs: Mapping[str, int], size: int, records: int
) -> float | None:
    """Payload per record over bytes on disk per record; 1 for what is not compressed."""
    if set(codecs) == {"none"}:
        return 1.0
    counts = [facts.counts.get((r["topic"], r["partition"]), _NO_COUNTS) for r in mine]
    read, payload = (sum(c.get(name, 0) for c in counts) for name in ("records", "bytes"))
    if not read or not size or not records:
        return None
    return float(payload / read) / (size / records)


def _advice_facts(
    facts: _Facts, topic: str, mine: Sequence[Row], balance: Imbalance, advised: int | None
) -> TopicFacts:
    fullest = max(mine, key=lambda r: (r["bytes"], -r["partition"]))
    counts = [facts.counts[key] for r in mine if (key := (topic, r["partition"])) in facts.counts]
    payload, read = (sum(c[name] for c in counts) for name in ("bytes", "records"))
    shares = {
        key_text(k["key"]): k["bytes"] / payload for k in facts.keys.get(topic, ()) if payload
    }
    return TopicFacts(
        len(mine),
        sum(r["records"] for r in mine),
        balance,
        advised,
        fullest["partition"],
        fullest["share"],
        shares if counts else None,
        sum(c["nulls"] for c in counts) / read if read else None,
    )


def _key_rows(facts: _Facts) -> list[Row]:
    payload: dict[str, int] = {}
    for (topic, _), counts in facts.counts.items():
        payload[topic] = payload.get(topic, 0) + counts["bytes"]
    return [
        {
            "topic": topic,
            "key": key_text(row["key"]),
            "records": row["records"],
            "bytes": row["bytes"],
            "share": row["bytes"] / payload[topic] if payload.get(topic) else 0.0,
            "error": row["error"],
            "partitions": [
                {"partition": p, "share": size / row["bytes"] if row["bytes"] else 0.0}
                for p, size in sorted(zip(row["places"], row["place_bytes"], strict=True),
                                      key=lambda place: (-place[1], place[0]))
            ],
        }
        for topic in sorted(facts.keys)
        for row in facts.keys[topic]
    ]  # fmt: skip


def key_text(key: bytes) -> str:
    """A key as text where it is printable, else in hexadecimal digits; a long one shortened."""
    shown = counted_key(key)
    try:
        text = shown.decode()
    except UnicodeDecodeError:
        return f"0x{shown.hex()}" if shown is key else f"0x{key[:64].hex()}… ({len(key)} bytes)"
    return text if text.isprintable() else f"0x{key.hex()}"


def _shown(topics: Sequence[Row], facts: _Facts) -> list[str]:
    """The topics whose windows are shown: all, or the most skewed ones that fit."""
    shown: list[str] = []
    rows = 0
    for row in topics:
        rows += row["partitions"] * WINDOWS
        if shown and rows > MOST_ROWS:
            break
        shown.append(row["topic"])
    return shown if facts.window else []


def _left_out(topics: int, shown: int) -> str:
    return f"Of the {shown:,} most skewed topics of {topics:,}." if shown < topics else ""


def _summary(topics: Sequence[Row], partitions: Sequence[Row], facts: _Facts) -> Row:
    bad = [t for t in topics if t["band"] in (SKEWED, SEVERE)]
    return {
        "topics": len(topics),
        "partitions": len(partitions),
        "records": sum(t["records"] for t in topics),
        "bytes": sum(t["bytes"] for t in topics),
        "skewed_topics": len(bad),
        "most_skewed": topics[0]["topic"] if bad else None,
        "hot_partitions": sum(1 for p in partitions if p["hot"]),
        "window_ms": facts.window,
        "records_read": sum(c["records"] for c in facts.counts.values()) if facts.counts else None,
    }


def _move_summary(moves: MovePlan | None) -> Row:
    if moves is None:
        return {"moves": None, "moved_bytes": None, "reassignment": None, "rollback": None}
    return {
        "moves": len(moves.moves),
        "moved_bytes": moves.moved,
        "reassignment": reassignment(moves.after),
        "rollback": reassignment(moves.before),
    }
