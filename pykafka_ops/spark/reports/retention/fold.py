"""Figures of partitions added up to rows of topics and directories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any, Final

from pykafka_ops.analysis.capacity import GRID, Disk, Outlook, Seen, outlook
from pykafka_ops.analysis.clocks import age_of
from pykafka_ops.analysis.forecast import Interval
from pykafka_ops.analysis.retention import RetentionPolicy, worst
from pykafka_ops.spark.reports.known import known_sum
from pykafka_ops.spark.reports.pieces import EDGES
from pykafka_ops.spark.reports.retention.judge import DAY, HORIZONS, PAST_DAYS, PAST_HOURS

Figures = Mapping[str, Any]
Row = dict[str, Any]
DirKey = tuple[int | None, str]
_AHEAD: Final = GRID.index(7)
_FORECAST_DAYS: Final = 30
_FORESEEN: Final = (
    "bytes_per_day", "bytes_per_day_low", "bytes_per_day_high", "days_to_80", "days_to_full",
    "days_to_full_low", "days_to_full_high", "first_topic", "basis",
)  # fmt: skip
"""Fields of a directory that its outlook gives."""


@dataclass(slots=True)
class TopicSums:
    """Sums over the partitions of a topic: bytes, and those of them that should be gone, of what is
    known, None where nothing is; others None once one is not known. ``unknown``: partitions whose
    bytes are not."""

    name: str
    bytes: int | None = None
    oldest: int | None = None
    newest: int | None = None
    late: int | None = None
    old: int | None = None
    overhang: int | None = None
    unknown: int = 0
    steady: int | None = 0
    statuses: set[str] = field(default_factory=set)
    rates: list[int | None] = field(default_factory=list)
    ages: list[int] = field(default_factory=list)
    left: list[int | None] = field(default_factory=list)

    def add(self, row: Figures) -> None:
        """Add a partition."""
        for name in ("bytes", "late", "old", "overhang"):
            setattr(self, name, known_sum((getattr(self, name), row[name])))
        self.unknown += row["bytes"] is None
        self.statuses.add(row["status"])
        self.oldest = _least(self.oldest, row["oldest"])
        self.newest = max((t for t in (self.newest, row["newest"]) if t is not None), default=None)
        both = self.steady, row["steady"]
        self.steady = None if None in both else sum(v or 0 for v in both)
        for name in ("rates", "ages", "left"):
            setattr(self, name, plus(getattr(self, name), row[name]))

    def row(
        self, policy: RetentionPolicy, now: int, replica_bytes: int | None, *, estimated: bool
    ) -> Row:
        """The row of the topic."""
        kinds = (("compact", policy.compact), ("delete", policy.delete))
        age = None if self.oldest is None else age_of(self.oldest, now)
        limited = policy.delete and policy.retention_ms > 0
        hour, day, week = self.rates
        return {
            "topic": self.name,
            "cleanup_policy": ",".join(kind for kind, is_so in kinds if is_so),
            "retention_ms": policy.retention_ms,
            "retention_bytes": policy.retention_bytes,
            "segment_ms": policy.segment_ms,
            "segment_bytes": policy.segment_bytes,
            "oldest": self.oldest,
            "newest": self.newest,
            "age_seconds": None if age is None else age / 1000,
            "age_share": age / policy.retention_ms if limited and age is not None else None,
            "bytes": self.bytes,
            "unknown_partitions": self.unknown,
            "replica_bytes": replica_bytes,
            "bytes_per_hour": hour,
            "bytes_per_hour_day": day,
            "bytes_per_hour_week": week,
            "steady_bytes": self.steady,
            "over_bytes": None if self.late is None else max(self.old or 0, self.late),
            "active_overhang_bytes": self.overhang,
            "estimated": estimated,
            "status": worst(self.statuses),
        }

    def age_rows(self) -> list[Row]:
        """Rows of ``ages``: future, between the edges, older or without time."""
        *known, older, timeless = self.ages
        bounds: list[int | None] = [edge * 3600 for edge in EDGES]
        sizes = zip([*bounds, None], [*known, older + timeless], strict=True)
        return [{"topic": self.name, "up_to_seconds": b, "bytes": s} for b, s in sizes if s]

    def leaving_rows(self) -> list[Row]:
        """Rows of ``leaving``."""
        return [
            {"topic": self.name, "within_seconds": within, "bytes": size}
            for within, size in zip(HORIZONS, self.left, strict=True)
        ]


@dataclass(slots=True)
class Directory:
    """Sums over the replicas in a log directory; ``growing``: bytes by topic in a week, of what is
    added up no more than ``fastest``; ``unforeseen``: how one of them grows is not known."""

    broker: int | None
    log_dir: str
    total: int | None
    usable: int | None
    bytes: int = 0
    kept: list[float] = field(default_factory=lambda: [0.0] * len(GRID))
    fresh: list[float] = field(default_factory=lambda: [0.0] * len(GRID))
    days: list[float] = field(default_factory=lambda: [0.0] * PAST_DAYS)
    hours: list[float] = field(default_factory=lambda: [0.0] * PAST_HOURS)
    uncut: list[float] = field(default_factory=lambda: [0.0] * PAST_DAYS)
    growing: dict[str, float] = field(default_factory=dict)
    oldest: int | None = None
    unforeseen: bool = False

    def add(self, row: Figures, size: int) -> None:
        """Add a replica of ``size`` bytes; its partition's figures are of one that may differ: of
        one that is empty this one stays as it is."""
        self.bytes += size
        if row["bytes"] == 0:
            self.kept = plus(self.kept, [float(size)] * len(GRID))
            return
        if not row["bytes"] or row["kept"] is None:
            self.unforeseen = True
            return
        part = size / row["bytes"]
        for name in ("kept", "fresh", "days", "hours"):
            setattr(self, name, plus(getattr(self, name), [v * part for v in row[name]]))
        if row["uncut"]:
            self.uncut = plus(self.uncut, [v * part for v in row["days"]])
        more = (row["kept"][_AHEAD] + row["fresh"][_AHEAD]) * part - size
        self.growing[row["topic"]] = self.growing.get(row["topic"], 0.0) + more
        self.oldest = _least(self.oldest, row["oldest"])

    def merge(self, other: Directory) -> None:
        """Add what was summed up of other replicas."""
        self.bytes += other.bytes
        self.unforeseen |= other.unforeseen
        for name in ("kept", "fresh", "days", "hours", "uncut"):
            setattr(self, name, plus(getattr(self, name), getattr(other, name)))
        for topic, more in other.growing.items():
            self.growing[topic] = self.growing.get(topic, 0.0) + more
        self.oldest = _least(self.oldest, other.oldest)

    def fastest(self) -> dict[str, float]:
        """Of ``growing`` the topic that grows most, if one does."""
        most = max(self.growing, key=lambda t: (self.growing[t], t), default=None)
        return {} if most is None or self.growing[most] <= 0 else {most: self.growing[most]}

    def outlook(self, now: int, seen: Sequence[Seen]) -> Outlook | None:
        """Its forecast; from days of the past where the logs cover some, else from hours. None
        where it would be made of logs, and how one of them grows is not known."""
        covered = 0.0 if self.oldest is None else (now - self.oldest) / DAY
        writes, step = (self.days, 1.0) if covered >= 3 else (self.hours, 1 / 24)
        known = writes[-max(1, int(covered / step)) :]
        found = outlook(
            Disk(self.bytes, self.kept, self.fresh, self.total, self.usable, known, step, seen)
        )
        return found if found.by_history or not self.unforeseen else None

    def row(self, said: Outlook | None) -> Row:
        """The row of the directory."""
        return {
            "broker": self.broker,
            "log_dir": self.log_dir,
            "bytes": self.bytes,
            "total_bytes": self.total,
            "usable_bytes": self.usable,
            **(dict.fromkeys(_FORESEEN) if said is None else self._foreseen(said)),
        }

    def _foreseen(self, said: Outlook) -> Row:
        """What its outlook says, by _FORESEEN."""
        full, fastest = said.to_full, {} if self.unforeseen else self.fastest()
        values = (
            *(round(each) for each in (said.per_day.value, said.per_day.low, said.per_day.high)),
            *map(self._days, (said.to_high.value, full.value, full.low, full.high)),
            next(iter(fastest), None),
            "history" if said.by_history else "logs",
        )
        return dict(zip(_FORESEEN, values, strict=True))

    def _days(self, found: float | None) -> float | None:
        """inf for not in a year; None where the size of the volume is not known."""
        return inf if found is None and self.total is not None else found

    def growth_rows(self, said: Outlook | None, now: int, seen: Sequence[Seen]) -> list[Row]:
        """Earlier runs, or else what the last days wrote taken off; then what is expected, where
        that is known."""
        past: list[tuple[float, float]] = [(s.days, s.bytes) for s in seen if s.days < 0]
        if not past and not self.unforeseen:
            size = float(self.bytes)
            for day, written in enumerate(reversed(self.uncut), 1):
                size -= written
                past.append((-day, max(0.0, size)))
        rows = [self._grown(now, day, Interval(size, size, size)) for day, size in sorted(past)]
        here = Interval(self.bytes, self.bytes, self.bytes)
        rows.append(self._grown(now, 0, here))
        curve = zip(GRID, said.curve, strict=True) if said is not None else ()
        ahead = [
            self._grown(now, day, size, forecast=True)
            for day, size in curve
            if 0 < day <= _FORECAST_DAYS
        ]
        return rows + ahead

    def _grown(self, now: int, day: float, size: Interval, *, forecast: bool = False) -> Row:
        return {
            "broker": self.broker,
            "log_dir": self.log_dir,
            "time": now + round(day * DAY),
            "bytes": round(size.value),
            "low": round(size.low) if forecast else None,
            "high": round(size.high) if forecast else None,
            "forecast": forecast,
        }


def plus(one: Sequence[Any], other: Sequence[Any]) -> list[Any]:
    """The sums of two lists, place by place, None where one is; of one alone where the other is
    empty."""
    if not one:
        return list(other)
    return [None if a is None or b is None else a + b for a, b in zip(one, other, strict=True)]


def _least(one: int | None, other: int | None) -> int | None:
    return min((t for t in (one, other) if t is not None), default=None)
