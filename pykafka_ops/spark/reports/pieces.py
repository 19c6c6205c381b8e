"""Logs in pieces: segments by age, from batches or, of a cluster alone, from where logs ended at
some moments. Batches are folded in executors; the pieces stay there, too.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pykafka_ops.analysis.clocks import age_of
from pykafka_ops.analysis.compaction import Cleaning, cleaning_of
from pykafka_ops.analysis.moments import UNITS
from pykafka_ops.analysis.retention import LogStretch, RetentionPolicy, policy_of
from pykafka_ops.spark.arrow import map_rows
from pykafka_ops.spark.engines import functions_of, made_frame
from pykafka_ops.spark.inputs import Inputs
from pykafka_ops.spark.reports.damage import damaged_place
from pykafka_ops.spark.schemas import array_of, columns

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

HOUR: Final = UNITS["h"]
#: Borders of the age classes of bytes, in hours; below the first: timestamps in the future.
EDGES: Final = (0, 1, 6, 24, 72, 168, 336, 720, 2160, 8760)
#: Hours that are counted one by one.
FINE: Final = 168
#: Where a cluster alone is asked where its logs ended: hours before now.
ASKED: Final = (1, 6, 12, 18, 24, 48, 72, 96, 120, 144, 168, 336, 720, 2160, 8760)
#: Spans that rates are shown for: hours; that of a day is the rate of forecasts.
SPANS: Final = (1, 24, 168)
A_DAY: Final = SPANS.index(24)
PLACE: Final = ("topic", "partition")
_LEAST_SPAN: Final = UNITS["m"]
"""A log is taken to be no younger, so that one batch makes no rate."""

PIECE: Final = columns(
    "segment string, age int, base bigint, last bigint, bytes bigint, records bigint,"
    "first bigint, newest bigint, old bigint, damage string"
)
"""Part of a segment with one age: hours (-1: in the future; from FINE on the first hour of the
EDGES it is between; null: no time). ``bytes`` null: nobody tells how large the log is. ``old``
bytes are beyond ``retention.ms``. With ``damage`` it
says where and what cannot be read, ``bytes`` are those given up."""
LOGS: Final = columns(
    "topic string, partition int, broker int, log_dir string, pieces pieces", pieces=array_of(PIECE)
)
"""A log that has pieces, all of them in one row, in no order: what reports make of a log they make
of all its pieces, and to bring rows of them together costs more than to make them."""
_SETTINGS: Final = (
    "cleanup.policy", "retention.ms", "retention.bytes", "segment.ms", "segment.bytes",
    "min.cleanable.dirty.ratio", "min.compaction.lag.ms", "max.compaction.lag.ms",
)  # fmt: skip
ESTIMATED: Final = (
    "Estimated from where logs ended at some moments, since no segments were read; the oldest "
    "record of each log was looked at."
)
Policies = Mapping[str, tuple[RetentionPolicy, Cleaning]]


def policies(inputs: Inputs) -> Policies | None:
    """The settings of each topic; None where they are not known."""
    frame = inputs.configs()
    if frame is None:
        return None
    f = functions_of(frame)
    found: dict[str, dict[str, str | None]] = {}
    wanted = frame.where(f.col("name").isin(list(_SETTINGS))).select("topic", "name", "value")
    for row in wanted.toArrow().to_pylist():
        found.setdefault(row["topic"], {})[row["name"]] = row["value"]
    return {topic: (policy_of(own), cleaning_of(own)) for topic, own in found.items()}


def pieces(inputs: Inputs, known: Policies) -> DataFrame | None:
    """LOGS, read once for all reports of a run; None where nothing is known."""
    found, before = inputs.batches(), _cutoffs(inputs, known)
    made = of_cluster(inputs, before) if found is None else of_batches(found, inputs.now, before)
    return None if made is None else inputs.keep("pieces", lambda: made)


def uncut(inputs: Inputs, known: Policies) -> DataFrame | None:
    """Rows for ``cut``, for a report that looks at each log once: of a cluster that no other report
    of the run is about they are not in pieces yet, since to bring these from one task to the next
    costs more than to make them."""
    if inputs.shared or inputs.batches() is not None or inputs.cleaned() is not None:
        return pieces(inputs, known)
    return _limited(pasts(inputs), _cutoffs(inputs, known))


def cut(row: Mapping[str, Any], now: int) -> Mapping[str, Any]:
    """A row with ``pieces``."""
    return row if "pieces" in row else {**row, "pieces": list(slices(row, now))}


def _cutoffs(inputs: Inputs, known: Policies) -> DataFrame:
    limited = {t: p for t, (p, _) in known.items() if p.delete and p.retention_ms >= 0}
    return cutoffs(inputs, [(t, p.retention_ms) for t, p in limited.items()])


def _limited(logs: DataFrame | None, cutoffs: DataFrame) -> DataFrame | None:
    if logs is None:
        return None
    return logs.join(functions_of(logs).broadcast(cutoffs), ["topic"], "left")


def of_batches(batches: DataFrame, now: int, cutoffs: DataFrame) -> DataFrame:
    """LOGS of a frame with BATCHES' columns; ``cutoffs`` are topics with the ms before which their
    time limit lets nothing stay."""
    f = functions_of(batches)
    newest = f.unix_millis("max_timestamp")
    keyed = batches.join(f.broadcast(cutoffs), ["topic"], "left").select(
        *PLACE, "broker", "log_dir", "segment", "base_offset", "last_offset", "size", "cutoff",
        _age(f, now).alias("age"),
        f.when(f.col("control"), 0).otherwise(f.col("records")).alias("records"),
        f.unix_millis("first_timestamp").alias("first"),
        newest.alias("newest"),
        damaged_place(batches).alias("damage"),
    )  # fmt: skip
    each = keyed.groupBy(*PLACE, "broker", "log_dir", "segment", "age", "damage").agg(
        f.min("base_offset").alias("base"),
        f.max("last_offset").alias("last"),
        f.sum("size").cast("long").alias("bytes"),
        f.sum("records").cast("long").alias("records"),
        f.min("first").alias("first"),
        f.max("newest").alias("newest"),
        f.sum(f.when(f.col("newest") < f.col("cutoff"), f.col("size")).otherwise(0))
        .cast("long")
        .alias("old"),
    )
    logs = each.groupBy(*PLACE).agg(
        f.max("broker").alias("broker"),
        f.max("log_dir").alias("log_dir"),
        f.collect_list(f.struct(*PIECE.names)).alias("pieces"),
    )
    return logs.select(*LOGS.names)


def _age(f: Any, now: int) -> Any:
    """``age`` of PIECE."""
    behind = f.lit(now) - f.unix_millis("max_timestamp")
    hours = f.floor(behind / HOUR).cast("int")
    found = f.when(behind < 0, -1).when(hours < FINE, hours)
    coarse = [edge for edge in EDGES if edge >= FINE]
    for edge, after in pairwise(coarse):
        found = found.when(hours < after, edge)
    return found.when(hours.isNotNull(), coarse[-1])


def of_cluster(inputs: Inputs, cutoffs: DataFrame) -> DataFrame | None:
    """LOGS where no batch can be read: stretches of the logs between the moments of ASKED, with
    bytes in proportion to their offsets; None where nothing is known."""
    found = _limited(pasts(inputs), cutoffs)
    return None if found is None else map_rows(found, partial(_sliced, now=inputs.now), LOGS)


def pasts(inputs: Inputs, readers: DataFrame | None = None) -> DataFrame | None:
    """What ``slices`` are made of but ``cutoff``, a row for each log; of ``readers`` as
    ``Inputs.pasts``, where the rate of the last day is known, and the stretch that holds the
    offset. None where nothing is known."""
    partitions, dirs = inputs.partitions(), inputs.log_dirs()
    if partitions is None or dirs is None:
        return None
    f, place = functions_of(dirs), list(PLACE)
    is_held = f.col("topic").isNotNull() & ~f.coalesce("future", f.lit(False))
    sizes = dirs.where(is_held).groupBy(*PLACE)
    sized = sizes.agg(f.max("size").alias("bytes"))
    logs = partitions.select(
        *PLACE, f.col("start_offset").alias("start"), f.col("end_offset").alias("end"),
        f.unix_millis("max_timestamp").alias("newest"),
    )  # fmt: skip
    moments = [inputs.now - HOUR * hours for hours in reversed(ASKED)]
    past = inputs.pasts(moments, readers, (inputs.now - HOUR * SPANS[A_DAY],))
    if past is None:
        none = logs.withColumn("ends", f.lit(None).cast("array<array<bigint>>"))
        return none.withColumn("first", f.lit(None).cast("bigint")).join(sized, place, "left")
    if readers is not None:
        return past.join(logs, place, "left").join(sized, place, "left")
    return logs.join(sized, place, "left").join(past, place, "left")


def _sliced(row: Mapping[str, Any], now: int) -> Iterator[dict[str, Any]]:
    found = list(slices(row, now))
    if found:
        yield {"topic": row["topic"], "partition": row["partition"], "pieces": found}


def slices(row: Mapping[str, Any], now: int) -> Iterator[dict[str, Any]]:
    """The stretches of one log as PIECE: start, end, bytes, first and newest (ms), ``ends`` (pairs
    of ms and an offset), and cutoff (ms), if there is one. Where neither the first nor the newest
    record has a time, no record has one."""
    start, end, size = row["start"] or 0, row["end"] or 0, row["bytes"]
    if end <= start:
        return
    if row["newest"] is None and row.get("first") is None:
        yield {"segment": f"{start:020d}.log", "age": None, "base": start, "last": end - 1,
               "bytes": size, "records": end - start, "first": None, "newest": None,
               "old": 0, "damage": None}  # fmt: skip
        return
    newest = row["newest"] if row["newest"] is not None else now
    if age_of(newest, now) is not None:
        newest = min(now, newest)
    until = min(now, newest)
    borders = sorted((at, offset) for at, offset in row["ends"] or ())
    before, since = start, row.get("first")
    for at, offset in [*((at, min(o, end)) for at, o in borders if at < until), (newest, end)]:
        if offset <= before:
            since = at if since is None or before > start else since
            continue
        held = (
            None
            if size is None
            else _share(size, offset - start, end - start)
            - _share(size, before - start, end - start)
        )
        limit = row.get("cutoff")
        yield {
            "segment": f"{before:020d}.log",
            "age": -1 if since is not None and since > now else _hours(max(0, now - at)),
            "base": before,
            "last": offset - 1,
            "bytes": held,
            "records": offset - before,
            "first": at if since is None else since,
            "newest": at,
            "old": held or 0 if limit is not None and at < limit else 0,
            "damage": None,
        }
        before, since = offset, at


def _share(size: int, part: int, whole: int) -> int:
    return size * part // whole


def _hours(behind: int) -> int:
    """``age`` of PIECE, of a time so many ms ago."""
    hours = behind // HOUR
    return hours if hours < FINE else max(e for e in EDGES if e <= hours)


def cutoffs(inputs: Inputs, limits: Sequence[tuple[str, int]]) -> DataFrame:
    """``cutoff`` (ms) of the topics that have a time limit (ms)."""
    rows = [(topic, inputs.now - limit) for topic, limit in limits]
    return made_frame(inputs.spark, rows, columns("topic string, cutoff bigint"))


class ToldPieces(NamedTuple):
    """The pieces of a log that can be read, and those that cannot. It is ``dark`` where nothing can
    be said of what it holds: nobody tells of it or of its size, or all of it is broken."""

    sound: Sequence[Mapping[str, Any]]
    broken: Sequence[Mapping[str, Any]]
    dark: bool

    @classmethod
    def of(cls, state: Mapping[str, Any]) -> ToldPieces:
        """Of a row with ``pieces``, and ``empty`` where the offsets of the log say so."""
        pieces = state["pieces"] or ()
        sound = [p for p in pieces if p["damage"] is None]
        broken = [p for p in pieces if p["damage"] is not None]
        if sound:
            return cls(sound, broken, any(p["bytes"] is None for p in sound))
        return cls(sound, broken, bool(broken) or not state["empty"])


def given_up(broken: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """``damaged`` (bytes) and ``damage`` (texts) of the pieces of a log that cannot be read."""
    return {
        "damaged": sum(p["bytes"] for p in broken),
        "damage": sorted(p["damage"] for p in broken),
    }


def segments_of(sound: Sequence[Mapping[str, Any]]) -> list[LogStretch]:
    """The segments of one log, in order, from its pieces that are no damage; of no size where
    nobody tells it."""
    found: dict[int, list[Mapping[str, Any]]] = {}
    for piece in sound:
        found.setdefault(base_of(piece), []).append(piece)
    segments = []
    for base in sorted(found):
        mine = found[base]
        firsts = [p["first"] for p in mine if p["first"] is not None and p["first"] >= 0]
        segments.append(
            LogStretch(
                base,
                max(p["last"] for p in mine),
                sum(p["bytes"] or 0 for p in mine),
                min(firsts, default=-1),
                max((p["newest"] for p in mine if p["newest"] is not None), default=-1),
            )
        )
    return segments


def base_of(piece: Mapping[str, Any]) -> int:
    """The base offset by the name of the file: compaction may have taken the first records."""
    digits = (piece["segment"] or "").partition(".")[0]
    return int(digits) if digits.isdigit() and len(digits) <= 20 else int(piece["base"])


def span_of(sound: Sequence[Mapping[str, Any]], now: int) -> int | None:
    """How long a log has been written to (ms): since its oldest record, which it may be too early
    to say where a clock is ahead: then until its newest one. None without any time."""
    firsts = [p["first"] for p in sound if p["first"] is not None and p["first"] >= 0]
    if not firsts:
        return None
    oldest: int = min(firsts)
    until = now
    if age_of(oldest, now) is None:
        until = max((p["newest"] for p in sound if p["newest"] is not None), default=oldest)
    return max(_LEAST_SPAN, until - oldest)


def rates(sound: Sequence[Mapping[str, Any]], span: int | None) -> list[float] | None:
    """Bytes per hour over each of SPANS, or as much of it as the log covers; what has a timestamp
    in the future counts as new, and where all has, over all of the log's own span. None where
    nothing in the log says when it was written."""
    if span is None:
        return None if sound else [0.0] * len(SPANS)
    aged = [(p["age"], p["bytes"] or 0) for p in sound if p["age"] is not None]
    if all(age < 0 for age, _ in aged):
        return [sum(size for _, size in aged) * HOUR / span] * len(SPANS)
    return [
        sum(size for age, size in aged if age < hours) * HOUR / min(span, hours * HOUR)
        for hours in SPANS
    ]


def day_rate(sound: Sequence[Mapping[str, Any]], span: int | None) -> float | None:
    """Bytes per hour over the last day, which forecasts go by; None as in ``rates``."""
    found = rates(sound, span)
    return None if found is None else found[A_DAY]


def ages(sound: Sequence[Mapping[str, Any]]) -> list[int]:
    """Bytes before the first of EDGES, between each two, behind the last, and without time."""
    found = [0] * (len(EDGES) + 2)
    for piece in sound:
        age = piece["age"]
        found[-1 if age is None else bisect_right(EDGES, age)] += piece["bytes"]
    return found
