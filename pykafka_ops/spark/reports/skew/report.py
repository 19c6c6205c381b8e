"""The skew report: which partitions, keys, brokers and directories carry more than their share.

Batches and records are counted in executors, and so are topics and partitions; the driver gets rows
of topics, of the partitions that stand out, of heavy keys, and of windows of the topics shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from pykafka_ops.analysis.moves.model import MovePlan
from pykafka_ops.analysis.moves.plan import reassignment
from pykafka_ops.analysis.sampled import ALL
from pykafka_ops.analysis.skew import SEVERE, SKEWED
from pykafka_ops.spark.arrow import map_rows
from pykafka_ops.spark.engines import first_rows, functions_of, kept
from pykafka_ops.spark.inputs import Inputs
from pykafka_ops.spark.inputs.names import INTERNAL
from pykafka_ops.spark.model import MetRows, Report, Section
from pykafka_ops.spark.options import ReportOptions
from pykafka_ops.spark.reports.known import known_sum
from pykafka_ops.spark.reports.skew import columns
from pykafka_ops.spark.reports.skew.brokers import (
    MOST_ROWS,
    PLACE,
    ReplicaPlaces,
    broker_rows,
    dark,
    dir_rows,
    places,
    plan,
    rack_rows,
)
from pykafka_ops.spark.reports.skew.gather import CountedRecords, gathered
from pykafka_ops.spark.reports.skew.key_rows import key_row
from pykafka_ops.spark.reports.skew.rows import PARTITION, TOPIC, topic_rows
from pykafka_ops.spark.reports.skew.volume import MOST_ROWS as MOST_WINDOWS
from pykafka_ops.spark.reports.skew.volume import WINDOWS, FromBatches, FromEnds

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Row = dict[str, Any]
_PLAIN: Final = ReportOptions()
_NAMED: Final = 20


@dataclass(slots=True)
class _Rows:
    """Rows of sections; ``count`` and ``hot``: partitions in all, and of them that stand out (None:
    not known of any)."""

    topics: list[Row]
    partitions: list[Row]
    windows: list[Row]
    shown: int
    window: int | None
    count: int
    hot: int | None
    met: MetRows | None
    elsewhere: str


def build(inputs: Inputs, options: ReportOptions) -> Report:
    """The report about ``inputs.now``; sections topics, partitions, windows, brokers, racks,
    log_dirs, keys and moves; ``summary['reassignment']`` is Kafka's document for the moves.

    With ``key_sample`` no batch is read but those of the sample: volumes are sizes and offsets.
    """
    options.stage("asking who holds what")
    inputs.freeze(groups=False)
    found = places(inputs)
    hosted = _shown_only(inputs, inputs.partitions())
    is_sample = options.key_sample is not None
    batches = None if is_sample else _shown_only(inputs, inputs.batches())
    sizes = inputs.sizes() if is_sample else None
    sizes = found.sizes if sizes is None else sizes
    volume = (
        FromBatches(inputs, batches, options)
        if batches is not None
        else FromEnds(inputs, hosted, sizes, options)
    )
    try:
        counts = _counted(inputs, options, usual=is_sample or batches is not None)
        options.stage("counting batches")
        told = hosted, None if batches is None else sizes  # those of FromEnds have them
        made = _rows(volume, told, found, counts, options)
        keys = _key_rows(counts)
        counts.add_damage(volume.damage)
    finally:
        volume.close()
        found.close()
    moves = plan(found, options.tolerance)
    problems = [*inputs.problems, *volume.damage.problems()]
    sections = [
        Section("topics", "Topics", columns.TOPICS, made.topics, _unknown(made)),
        Section("partitions", "Partitions", columns.PARTITIONS, made.partitions, total=made.count,
                met=made.met, elsewhere=made.elsewhere),
        Section("keys", "Heaviest keys", columns.KEYS, keys, _told(keys)),
        Section("windows", "Partitions over time", columns.WINDOWS, made.windows,
                _left_out(len(made.topics), made.shown)),
        *_place_sections(found, moves),
    ]  # fmt: skip
    if not counts.read:
        sections[2].unknown = "no records were read (--records all)"
    summary = _summary(made, counts) | {
        **volume.damage.figures(whole=bool(inputs.directories) and not is_sample),
        **_move_summary(moves),
    }
    counts.close()
    source = {**inputs.source, **({"sample": options.key_sample} if is_sample else {})}
    return Report("skew", inputs.now, source, summary, sections, problems)


def _shown_only(inputs: Inputs, frame: DataFrame | None) -> DataFrame | None:
    """Kafka's own topics are left out unless they are asked for: they are uneven by nature, and
    count for brokers, directories and moves."""
    if frame is None or not inputs.wanted_topics.every:
        return frame
    return frame.where(~functions_of(frame).col("topic").isin(*INTERNAL))


def _counted(inputs: Inputs, options: ReportOptions, *, usual: bool) -> CountedRecords:
    """Counts of records, where they are to be read: asked for, or ``usual``."""
    wanted = options.records or ("all" if usual else "none")
    records = inputs.records(options.key_sample) if wanted == "all" else None
    records = _shown_only(inputs, records)
    if records is not None:
        options.stage("counting keys and sizes of records")
    return CountedRecords.of(records, options.top)


def _rows(
    volume: FromBatches | FromEnds,
    told: tuple[DataFrame | None, DataFrame | None],
    found: ReplicaPlaces,
    counts: CountedRecords,
    options: ReportOptions,
) -> _Rows:
    """``told``: partitions that are hosted, and sizes of logs beside ``volume``."""
    volumes, (hosted, sizes) = kept(volume.volumes()), told
    every = kept(gathered(volumes, hosted, counts, sizes))
    try:
        f = functions_of(volumes)
        sums = volumes.groupBy(f.lit(True).alias("every")).agg(
            f.min("first").alias("first"), f.max("last").alias("last")
        )
        (ends,) = sums.toArrow().to_pylist() or [{"first": None, "last": None}]
        known = None not in (ends["first"], ends["last"])
        window = volume.window((ends["first"], ends["last"]) if known else None)
        figures = partial(
            topic_rows, window=window, racks=dict(found.racks), read=counts.read,
            options=replace(options, stage=_PLAIN.stage, history=None, checkpoints=(),
                            whole=None),
        )  # fmt: skip
        # The order of topics does not depend on their peaks, which are asked for of those shown.
        plain = map_rows(every, partial(figures, peaks={}), TOPIC, at_once=1)
        order = plain.select("topic", "partitions", "cv", "bytes").toArrow().to_pylist()
        order = sorted(order, key=_skewed_first)
        shown = _shown(order) if window else []
        is_small = sum(topic["partitions"] for topic in order) <= MOST_ROWS
        options.stage("looking at windows of time")
        asked = [topic["topic"] for topic in order] if is_small else shown
        peaks = volume.peaks(window, asked) if window else {}
        windows = volume.windows(window, shown) if window else []
        rows = kept(map_rows(every, partial(figures, peaks=peaks), TOPIC, at_once=1))
        try:
            names = [name for name in TOPIC.names if name != "parts"]
            topics = sorted(rows.select(*names).toArrow().to_pylist(), key=_skewed_first)
            found_partitions = _partitions(rows, options)
        finally:
            rows.unpersist()
        partitions, count, is_hot, met, where = found_partitions
        return _Rows(topics, partitions, windows, len(shown), window, count, is_hot, met, where)
    finally:
        every.unpersist()
        volumes.unpersist()


def _skewed_first(topic: Mapping[str, Any]) -> tuple[bool, float, int, str]:
    """What nothing is known of comes last."""
    is_dark = topic["cv"] is None
    return is_dark, -(topic["cv"] or 0.0), -(topic["bytes"] or 0), topic["topic"]


def _partitions(
    topics: DataFrame, options: ReportOptions
) -> tuple[list[Row], int, int | None, MetRows | None, str]:
    """Rows of partitions by name, of many those that stand out, then the largest; how many there
    are, and how many stand out; of many those that meet the condition, and where all are."""
    rows = kept(map_rows(topics.select("parts"), lambda topic: topic["parts"], PARTITION))
    try:
        f = functions_of(rows)
        sums = rows.groupBy("hot").agg(f.count("*").alias("count")).toArrow().to_pylist()
        counts = {row["hot"]: row["count"] for row in sums}
        order = [("hot", "descending"), ("bytes", "descending"), ("topic", "ascending"),
                 ("partition", "ascending")]  # fmt: skip
        shown = first_rows(rows, order, MOST_ROWS).to_pylist()
        shown.sort(key=lambda row: tuple(row[name] for name in PLACE))
        met, where, total = None, "", sum(counts.values())
        if total > len(shown):
            if options.condition is not None:
                met = options.condition.met("partitions", rows, known=columns.PARTITIONS)
            where = options.all_rows("partitions", rows, known=columns.PARTITIONS)
        is_known = not total or True in counts or False in counts
        return shown, total, counts.get(True, 0) if is_known else None, met, where
    finally:
        rows.unpersist()


def _place_sections(found: ReplicaPlaces, moves: MovePlan | None) -> list[Section]:
    brokers = broker_rows(found)
    rows = [
        {"topic": m.topic, "partition": m.partition, "from": m.source, "to": m.target,
         "bytes": m.size}
        for m in (moves.moves if moves else ())
    ]  # fmt: skip
    notes = list(moves.unmet[:10]) if moves else []
    if moves and found.partitions > len(found.largest):
        notes.append(f"planned with the {len(found.largest):,} largest partitions")
    note, silent = "; ".join(notes), dark(found) if found.dirs else []
    why = f"broker {', '.join(map(str, silent[:_NAMED]))} tells of no directory" if silent else ""
    return [
        Section("brokers", "Brokers", columns.BROKERS, brokers),
        Section("racks", "Racks", columns.RACKS, rack_rows(brokers)),
        Section("log_dirs", "Directories", columns.LOG_DIRS, dir_rows(found)),
        Section("moves", "Moves that even out the brokers", columns.MOVES, rows, note, why),
    ]


def _key_rows(counts: CountedRecords) -> list[Row]:
    return [key_row(topic, payload, row) for topic, payload, rows in counts.heavy() for row in rows]


def _told(keys: Sequence[Row]) -> str:
    """What shares are, where some are of a sample."""
    if all(row["basis"] == ALL for row in keys):
        return ""
    return (
        "Of a sample: a share is within its band with a probability of 95 %; where there is none,"
        " the key is not told from noise."
    )


def _shown(topics: Sequence[Row]) -> list[str]:
    """The topics whose windows are shown: all, or the most skewed ones that fit."""
    shown: list[str] = []
    rows = 0
    for row in topics:
        rows += row["partitions"] * WINDOWS
        if shown and rows > MOST_WINDOWS:
            break
        shown.append(row["topic"])
    return shown


def _unknown(made: _Rows) -> str:
    """How many partitions the sums of topics lack."""
    count = sum(topic["unknown_partitions"] for topic in made.topics)
    if not count:
        return ""
    return f"{count:,} of {made.count:,} partitions are not known: sums are of the others."


def _left_out(topics: int, shown: int) -> str:
    return f"Of the {shown:,} most skewed topics of {topics:,}." if shown < topics else ""


def _summary(made: _Rows, counts: CountedRecords) -> Row:
    topics = made.topics
    banded = [t for t in topics if t["band"] is not None]
    bad = [t for t in banded if t["band"] in (SKEWED, SEVERE)]
    return {
        "topics": len(topics),
        "partitions": made.count,
        "unknown_partitions": sum(t["unknown_partitions"] for t in topics),
        "records": known_sum([t["records"] for t in topics]),
        "bytes": known_sum([t["bytes"] for t in topics]),
        "skewed_topics": len(bad) if banded or not topics else None,
        "most_skewed": bad[0]["topic"] if bad else None,
        "hot_partitions": made.hot,
        "window_ms": made.window,
        "records_read": counts.records,
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
