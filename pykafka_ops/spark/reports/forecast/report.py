"""The forecast: what brokers, directories and topics will hold, and when capacities are reached.

It is made of the runs that a history keeps, by ``analysis.growth``, in this process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite
from typing import Any, Final, NamedTuple

from pykafka_ops.analysis.growth import (
    GONE,
    GROWING,
    STATUSES,
    TOO_FEW,
    CapacityReached,
    GrowthTrend,
    reached,
    trend,
)
from pykafka_ops.analysis.moments import moment_text
from pykafka_ops.spark.inputs.history_runs import HistoryRuns
from pykafka_ops.spark.model import Report, Section
from pykafka_ops.spark.reports.forecast import columns
from pykafka_ops.spark.reports.forecast.gather import (
    DIR_SECTIONS,
    DirKey,
    KeptSizes,
    VolumeSize,
    WantedRuns,
    gathered,
)

Row = dict[str, Any]
DAY: Final = 86_400_000
_AHEAD: Final = 30
"""Points of a forecast that is drawn."""
METHOD: Final = (
    "Theil-Sen line through earlier runs, jumps that came once taken out; the bounds hold in nine"
    " of ten cases."
)


class ForecastRules(NamedTuple):
    """``capacity`` of a broker in bytes (None: as its volumes say), how many ``days`` are looked
    ahead, the ``top`` brokers, directories and topics whose course is told."""

    capacity: int | None
    days: float
    top: int


def build(
    history: HistoryRuns, wanted: WantedRuns, rules: ForecastRules, topic: Callable[[str], bool]
) -> Report:
    """Sections brokers, dirs, topics and growth; ``topic`` says which topics are wanted. Raises
    UsageError where there are no runs, or not of one input."""
    sizes = gathered(history, wanted, topic)
    topics = [
        _Grown((name,), seen, sizes.last, rules, is_here=name in sizes.here)
        for name, seen in sizes.topics.items()
    ]
    dirs, brokers = _dirs(sizes, rules), _brokers(sizes, rules)
    sections = [
        Section("brokers", "Brokers", columns.BROKERS, [b.row for b in brokers], METHOD),
        Section("dirs", "Directories", columns.DIRS, [d.row for d in dirs], METHOD),
        Section("topics", "Topics", columns.TOPICS, _topic_rows(topics),
                "Of one replica per partition."),
        _growth(rules.top, brokers, dirs, topics),
    ]  # fmt: skip
    if not dirs:
        why = _NO_DIRS if sizes.kind in DIR_SECTIONS else f"{sizes.kind} runs have no directories"
        sections[0].unknown = sections[1].unknown = why
    elif not brokers:
        sections[0].unknown = "the runs do not say whose the directories are"
    source = {
        "history": history.place,
        "runs": f"{sizes.runs} of {sizes.kind}, since {moment_text(sizes.first, parts=False)}",
        "days": rules.days,
        "capacity": None if rules.capacity is None else f"{rules.capacity} bytes",
    }
    return Report("forecast", sizes.last, source, _summary(brokers or dirs, topics),
                  sections, list(history.problems))  # fmt: skip


_NO_DIRS: Final = "the runs have no directories"


@dataclass(slots=True)
class _Grown:
    """One broker, directory or topic: its bytes by run (ms), the trend of them. ``last`` is the
    last run; ``capacity`` in bytes, None where nobody knows it; ``is_here``: the last run has it,
    even if it does not know its bytes."""

    key: tuple[Any, ...]
    seen: Mapping[int, int]
    last: int
    rules: ForecastRules
    capacity: int | None = None
    is_here: bool = False
    points: Sequence[tuple[float, float]] = ()
    bytes: int = 0
    is_gone: bool = False
    trend: GrowthTrend | None = None

    def __post_init__(self) -> None:
        times = sorted(self.seen)
        self.points = [((t - self.last) / DAY, float(self.seen[t])) for t in times]
        self.bytes = self.seen[times[-1]]
        self.is_gone = times[-1] < self.last and not self.is_here
        self.trend = None if self.is_gone else trend(self.points)

    def figures(self) -> Row:
        """The columns that all have."""
        found, days = self.trend, self.rules.days
        slope = found.slope if found else None
        ahead = found.predict(days) if found else None
        return {
            "bytes": self.bytes,
            "bytes_per_day": round(slope.value) if slope else None,
            "bytes_per_day_low": round(slope.low) if slope else None,
            "bytes_per_day_high": round(slope.high) if slope else None,
            "ahead_bytes": round(ahead.value) if ahead else None,
            "ahead_low": round(ahead.low) if ahead else None,
            "ahead_high": round(ahead.high) if ahead else None,
            "trend": GONE if self.is_gone else found.said if found else TOO_FEW,
            "steps": len(found.steps) if found else None,
            "runs": len(self.points),
            "first_seen": min(self.seen),
            "last_seen": max(self.seen),
        }

    def course(self, what: str) -> Iterator[Row]:
        """What was measured, then what is expected."""
        same = {"what": what, "name": " ".join(str(part) for part in self.key)}
        for time in sorted(self.seen):
            yield {**same, "time": time, "bytes": self.seen[time], "low": None, "high": None,
                   "forecast": False}  # fmt: skip
        for n in range(1, _AHEAD + 1 if self.trend else 0):
            assert self.trend is not None
            day = self.rules.days * n / _AHEAD
            said = self.trend.predict(day)
            yield {**same, "time": self.last + round(day * DAY), "bytes": round(said.value),
                   "low": round(said.low), "high": round(said.high), "forecast": True}  # fmt: skip


@dataclass(slots=True)
class _Ranked:
    """A broker or directory with its row."""

    grown: _Grown
    row: Row

    @classmethod
    def of(cls, grown: _Grown, named: Row) -> _Ranked:
        """``named`` are the columns that say which it is."""
        said = CapacityReached(None, None, None, GONE)
        if not grown.is_gone:
            said = reached(grown.trend, grown.bytes, grown.capacity, grown.rules.days)
        return cls(grown, {
            **named,
            **grown.figures(),
            "capacity": grown.capacity,
            "days_earliest": said.earliest,
            "days_expected": said.expected,
            "days_latest": said.latest,
            "status": said.status,
        })  # fmt: skip


def _dirs(sizes: KeptSizes, rules: ForecastRules) -> list[_Ranked]:
    """The most urgent first, as ``_brokers``."""
    found = []
    for key, seen in (sizes.dirs or {}).items():
        grown = _Grown(key, seen, sizes.last, rules, _room([seen], [sizes.volumes[key]]))
        found.append(_Ranked.of(grown, {"broker": key[0], "log_dir": key[1]}))
    return sorted(found, key=_urgency)


def _brokers(sizes: KeptSizes, rules: ForecastRules) -> list[_Ranked]:
    """Sums over the directories that brokers have now."""
    each: dict[int, dict[DirKey, dict[int, int]]] = {}
    for key, seen in (sizes.dirs or {}).items():
        if key[0] is not None:
            each.setdefault(key[0], {})[key] = seen
    found = []
    for broker, known in each.items():
        newest = max(max(seen) for seen in known.values())
        now = {key: seen for key, seen in known.items() if newest in seen}
        room = _room([*now.values()], [sizes.volumes[key] for key in now])
        capacity = room if rules.capacity is None else rules.capacity
        grown = _Grown((broker,), _total([*now.values()]), sizes.last, rules, capacity)
        found.append(_Ranked.of(grown, {"broker": broker, "log_dirs": len(now)}))
    return sorted(found, key=_urgency)


def _total(dirs: Sequence[Mapping[int, int]]) -> dict[int, int]:
    """Bytes by run; one that misses a directory which was there before does not count."""
    firsts = [min(seen) for seen in dirs]
    return {
        now: sum(seen.get(now, 0) for seen in dirs)
        for now in set().union(*dirs)
        if all(now in seen or now < first for seen, first in zip(dirs, firsts, strict=True))
    }


def _room(seen: Sequence[Mapping[int, int]], volumes: Sequence[VolumeSize]) -> int | None:
    """Bytes that logs may grow to: what they hold and what is free; directories whose volumes are
    as large and as free are taken to share one."""
    if any(volume.total is None or volume.usable is None for volume in volumes):
        return None
    held = sum(sizes[max(sizes)] for sizes in seen)
    return held + sum(usable or 0 for _, usable in set(volumes))


def _urgency(one: _Ranked) -> tuple[object, ...]:
    """The worst verdict first, then what is reached first."""
    row = one.row
    expected, earliest = (
        inf if row[name] is None else row[name] for name in ("days_expected", "days_earliest")
    )
    return (-STATUSES.index(row["status"]), expected, earliest, -row["bytes"],
            str(row["broker"]), str(row.get("log_dir")))  # fmt: skip


def _topic_rows(topics: Sequence[_Grown]) -> list[Row]:
    """What grows most first, by bytes where nothing is known."""
    rows = [{"topic": one.key[0], **one.figures()} for one in topics if not one.is_gone]
    more = sum(max(0, row["bytes_per_day"] or 0) for row in rows)
    for row in rows:
        slope = row["bytes_per_day"]
        row["growth_share"] = None if slope is None else max(0, slope) / more if more else 0.0
    return sorted(
        rows,
        key=lambda r: (
            -(r["bytes_per_day"] if r["bytes_per_day"] is not None else -inf),
            -r["bytes"],
            r["topic"],
        ),
    )


def _growth(
    top: int, brokers: Sequence[_Ranked], dirs: Sequence[_Ranked], topics: Sequence[_Grown]
) -> Section:
    """The course of those that come first."""
    here = [one for one in topics if not one.is_gone]
    rising = sorted(here, key=lambda one: -(one.trend.slope.value if one.trend else -inf))
    first = [
        *((columns.BROKER, one.grown) for one in brokers[:top]),
        *((columns.DIR, one.grown) for one in dirs[:top]),
        *((columns.TOPIC, one) for one in rising[:top]),
    ]
    rows = [row for what, one in first for row in one.course(what)]
    note = f"Of the first {top} brokers, directories and topics (--top)."
    return Section("growth", "Growth", columns.GROWTH, rows, note)


def _summary(disks: Sequence[_Ranked], topics: Sequence[_Grown]) -> Row:
    """The figures on top; of brokers, or directories where nobody knows whose they are."""
    slopes = [one.grown.trend.slope.value for one in disks if one.grown.trend is not None]
    first = [one.row["days_expected"] for one in disks]
    known = [one for one in topics if not one.is_gone]
    return {
        "bytes": sum(one.grown.bytes for one in disks) if disks else None,
        "bytes_per_day": round(sum(slopes)) if slopes else None,
        "too_few_runs": sum(one.row["status"] == TOO_FEW for one in disks) if disks else None,
        "first_reached_days": min(
            (days for days in first if days is not None and isfinite(days)), default=None
        ),
        "topics": len(known),
        "growing_topics": sum(one.trend is not None and one.trend.said == GROWING for one in known),
        "gone_topics": len(topics) - len(known),
    }
