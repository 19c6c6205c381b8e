"""What retention and compaction do to one partition: a row of its state to its figures.

It runs in executors, by the rules of ``analysis``; the driver gets a row per partition.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from pykafka_ops.analysis.capacity import GRID
from pykafka_ops.analysis.compaction import Cleaning, debt
from pykafka_ops.analysis.lag.unread import SAFE, GroupReader, unread
from pykafka_ops.analysis.moments import UNITS
from pykafka_ops.analysis.retention import (
    UNKNOWN,
    LogStretch,
    RetentionPolicy,
    held,
    judge,
    steady_bytes,
)
from pykafka_ops.spark.arrow import map_rows
from pykafka_ops.spark.reports.pieces import (
    A_DAY,
    HOUR,
    SPANS,
    ToldPieces,
    ages,
    base_of,
    cut,
    given_up,
    rates,
    segments_of,
    span_of,
)
from pykafka_ops.spark.schemas import array_of, columns

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

DAY: Final = UNITS["d"]
#: Spans (seconds) for which the bytes that leave within them are shown.
HORIZONS: Final = (3600, 21_600, 86_400, 259_200, 604_800)
#: Stretches of the past whose writes are counted one by one: days, or hours of the last day.
PAST_DAYS: Final = 7
PAST_HOURS: Final = 24

RISK: Final = columns(
    "group string, lag bigint, unread_bytes bigint, oldest_unread bigint,"
    "deleted_in_seconds double, catch_up_seconds double, records_lost bigint, status string"
)
"""A group that will not read all of a partition; without a status that is not known."""
FIGURES: Final = columns(
    "topic string, partition int, bytes bigint, oldest bigint, newest bigint, late bigint,"
    "old bigint, overhang bigint, status string, steady bigint, rates rates, ages longs,"
    "left rates, kept longs, fresh longs, days longs, hours longs, clean_bytes bigint,"
    "dirty_bytes bigint, dirty_ratio double, first_dirty_offset bigint, uncleanable bigint,"
    "oldest_dirty bigint, debt string, damaged bigint, uncut boolean, risks risks, damage texts",
    rates=array_of(pa.int64(), nulls=True),
    risks=array_of(RISK, nulls=True),
    texts=array_of(pa.string(), nulls=True),
)
"""Figures of a partition; null is not known, as all that depends on the rate of a log without any
timestamp, and of a log that is dark (see ``pieces.ToldPieces``). Lists: ``rates``: bytes per hour
over each of SPANS; ``ages``: bytes between each two of EDGES, before the first, behind the last,
and without time; ``left``: bytes gone after each of HORIZONS; ``kept``, ``fresh``: of each day of
GRID what is left of what is there and what is there of what will be written; ``days``, ``hours``:
bytes written in each of the last, the oldest first. ``uncut``: nothing was deleted yet. ``risks``:
groups that will not reach all."""


@dataclass(frozen=True, slots=True)
class RetentionRules:
    """What holds for each topic, and what the last report saw of compaction."""

    now: int
    policies: Mapping[str, tuple[RetentionPolicy, Cleaning]] = field(default_factory=dict)
    before: Mapping[tuple[str, int], tuple[int, str]] = field(default_factory=dict)
    cleaner_known: bool = True

    def of(self, topic: str) -> tuple[RetentionPolicy, Cleaning]:
        """The settings of a topic, Kafka's defaults where none are known."""
        return self.policies.get(topic) or (RetentionPolicy(), Cleaning())


def figures(states: DataFrame, rules: RetentionRules) -> DataFrame:
    """FIGURES of the frame that ``frames.states`` makes."""
    return map_rows(states, lambda state: [one(cut(state, rules.now), rules)], FIGURES)


def one(state: Mapping[str, Any], rules: RetentionRules) -> dict[str, Any]:
    """The figures of one partition."""
    now = rules.now
    policy, cleaning = rules.of(state["topic"])
    told = ToldPieces.of(state)
    if told.dark:
        return _of_the_dark(state, told, policy, now)
    sound, broken = told.sound, told.broken
    segments = segments_of(sound)
    overhang = sum(p["old"] for p in sound if base_of(p) == segments[-1].base)
    size = sum(p["bytes"] for p in sound)
    old = sum(p["old"] for p in sound)
    span = span_of(sound, now)
    hourly = rates(sound, span)
    rate = None if hourly is None else hourly[A_DAY] / HOUR
    judged = judge(
        segments,
        policy,
        now,
        old_bytes=old if policy.delete else 0,
        full_for=policy.retention_bytes / rate if rate else None,
    )
    is_judged = judged.status != UNKNOWN
    made = {
        "topic": state["topic"],
        "partition": state["partition"],
        "bytes": size,
        **_dates(sound),
        "late": judged.late if is_judged else None,
        "old": (old if policy.delete else 0) if is_judged else None,
        "overhang": overhang if policy.delete else 0,
        "status": judged.status,
        "steady": None if rate is None else steady_bytes(policy, rate),
        "rates": [None] * len(SPANS) if hourly is None else [round(r) for r in hourly],
        "ages": ages(sound),
        **given_up(broken),
        "risks": _risks(state, segments, policy, rate, now),
    }
    uncut = not segments or segments[0].base == 0
    return (
        made
        | {"uncut": uncut}
        | _ahead(segments, policy, rate, now)
        | _past(sound, span, rate, uncut=uncut)
        | _debt(state, segments, rules, policy, cleaning)
    )


def _of_the_dark(
    state: Mapping[str, Any], pieces: ToldPieces, policy: RetentionPolicy, now: int
) -> dict[str, Any]:
    """The figures of a partition of whose log, or of its size, nobody tells."""
    nothing = ("bytes", "late", "old", "overhang", "steady")
    return {
        "topic": state["topic"],
        "partition": state["partition"],
        "status": UNKNOWN,
        **dict.fromkeys(nothing),
        **_dates(pieces.sound),
        "rates": [None] * len(SPANS),
        "ages": ages([]),
        **_ahead([], policy, None, now),
        **given_up(pieces.broken),
        "risks": _risks(state, None, policy, None, now),
    }


def _dates(sound: Sequence[Mapping[str, Any]]) -> dict[str, int | None]:
    firsts = [p["first"] for p in sound if p["first"] is not None and p["first"] >= 0]
    lasts = [p["newest"] for p in sound if p["newest"] is not None and p["newest"] >= 0]
    return {"oldest": min(firsts, default=None), "newest": max(lasts, default=None)}


def _ahead(
    segments: Sequence[LogStretch], policy: RetentionPolicy, rate: float | None, now: int
) -> dict[str, Any]:
    """What leaves and what is held later; not known without a rate, but that nothing leaves where
    nothing limits it."""
    if rate is None:
        return {"left": [None if policy.limited else 0] * len(HORIZONS)}
    size = sum(s.size for s in segments)
    moments = {**{now + s * 1000: s for s in HORIZONS}, **{now + d * DAY: -d for d in GRID}}
    at = dict(zip(sorted(moments), held(segments, policy, rate, now, sorted(moments)), strict=True))
    days = [at[now + d * DAY] for d in GRID]
    return {
        "left": [size - at[now + s * 1000].old for s in HORIZONS],
        "kept": [h.old for h in days],
        "fresh": [h.new for h in days],
    }


def _past(
    sound: Sequence[Mapping[str, Any]], span: int | None, rate: float | None, *, uncut: bool
) -> dict[str, list[int]]:
    """Bytes written in each of the last days and hours; nothing is known of them without a rate.
    Where retention took what was written then, it is taken to have been as much as now."""
    if rate is None:
        return {}
    days, hours = [0.0] * PAST_DAYS, [0.0] * PAST_HOURS
    for piece in sound:
        age = piece["age"]
        if age is None or age >= PAST_DAYS * 24:
            continue
        days[max(0, age) // 24] += piece["bytes"]
        if age < PAST_HOURS:
            hours[max(0, age)] += piece["bytes"]
    if span is not None and not uncut:
        for stretch, found in ((DAY, days), (HOUR, hours)):
            for i in range(span // stretch, len(found)):
                found[i] = max(found[i], rate * stretch)
    return {name: [round(v) for v in reversed(found)]
            for name, found in (("days", days), ("hours", hours))}  # fmt: skip


def _risks(
    state: Mapping[str, Any],
    segments: Sequence[LogStretch] | None,
    policy: RetentionPolicy,
    rate: float | None,
    now: int,
) -> list[dict[str, Any]]:
    """The groups that will not read all of it, or of which that is not known."""
    found = []
    for row in state["readers"] or ():
        reader = GroupReader(row["committed"], row["end"], row["rate_out"], row["rate_in"])
        said = unread(reader, segments, policy, rate, now)
        if said.status != SAFE:
            found.append(
                {"group": row["group"]}
                | {name: getattr(said, name) for name in RISK.names if name != "group"}
            )
    return found


def _debt(
    state: Mapping[str, Any],
    segments: Sequence[LogStretch],
    rules: RetentionRules,
    policy: RetentionPolicy,
    cleaning: Cleaning,
) -> dict[str, Any]:
    """What waits for the cleaner; nothing where the log is not compacted or that is not known."""
    if not policy.compact or not rules.cleaner_known:
        return {}
    key = state["topic"], state["partition"]
    found = debt(segments, state["cleaned"], cleaning, rules.now, before=rules.before.get(key))
    names = ("clean_bytes", "dirty_bytes", "dirty_ratio", "first_dirty_offset", "uncleanable",
             "oldest_dirty")  # fmt: skip
    return {name: getattr(found, name) for name in names} | {"debt": found.status}
