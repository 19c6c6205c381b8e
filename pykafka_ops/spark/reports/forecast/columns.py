"""The columns of the forecast: what each figure is."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from pykafka_ops.analysis.growth import STATUSES, TRENDS
from pykafka_ops.spark.model import Column

_BROKER: Final = Column("broker", "Broker", kind="number")
_DIR: Final = Column("log_dir", "Directory")
_BYTES: Final = Column(
    "bytes", "Bytes", "bytes", "At the last run that saw it, and knew all of it."
)
_GROWTH: Final = (
    Column("bytes_per_day", "Per day", "bytes",
           "The slope of the line through earlier runs; empty: too few of them."),
    Column("bytes_per_day_low", "at least", "bytes", "In nine of ten cases.", detail=True),
    Column("bytes_per_day_high", "at most", "bytes", "In nine of ten cases.", detail=True),
    Column("ahead_bytes", "At the end", "bytes",
           "What is expected after --days; empty: too few runs.", detail=True),
    Column("ahead_low", "at least", "bytes", "In nine of ten cases.", detail=True),
    Column("ahead_high", "at most", "bytes", "In nine of ten cases.", detail=True),
)  # fmt: skip
_TREND: Final = Column(
    "trend", "Trend", values=TRENDS,
    doc="growing or shrinking: in nine of ten cases; steady: neither is sure; too-few-runs: less"
    " than five, or over less than two days; gone: not in the last run.",
)  # fmt: skip
_SEEN: Final = (
    Column("steps", "Steps", kind="number", detail=True,
           doc="Jumps that came once and are taken out of the trend."),
    Column("runs", "Runs", kind="number", detail=True, doc="That saw it and were used."),
    Column("first_seen", "Since", "ms", "The first of these runs.", detail=True),
    Column("last_seen", "Until", "ms", "The last of them.", detail=True),
)  # fmt: skip
_CAPACITY: Final = (
    Column("capacity", "Capacity", "bytes",
           "--capacity, else what the logs may grow to on the volume, as the last run saw it;"
           " empty: not known."),
    Column("days_expected", "Full in", "days",
           "Until it is reached by the line; ∞ or empty: not known, or not within --days, as the"
           " verdict says."),
    Column("days_earliest", "earliest", "days", "By the upper bound; ∞ or empty likewise."),
    Column("days_latest", "latest", "days", "By the lower bound; ∞ or empty likewise."),
    Column("status", "Verdict", values=STATUSES,
           doc="reached; within: expected within --days; maybe: by the upper bound alone;"
           " not-within: not even by that; no-capacity: nobody knows it; too-few-runs: as under"
           " trend; gone: not in the last run."),
)  # fmt: skip

BROKERS: Final = (
    _BROKER,
    Column("log_dirs", "Directories", kind="number", detail=True),
    _BYTES, *_CAPACITY, *_GROWTH, replace(_TREND, detail=True), *_SEEN,
)  # fmt: skip
DIRS: Final = (
    _BROKER, _DIR, _BYTES, *_CAPACITY, *_GROWTH, replace(_TREND, detail=True), *_SEEN,
)  # fmt: skip
TOPICS: Final = (
    Column("topic", "Topic"),
    _BYTES,
    *_GROWTH,
    _TREND,
    Column("growth_share", "Of growth", "share", "Of what all growing topics add per day."),
    *_SEEN,
)  # fmt: skip
BROKER, DIR, TOPIC = "broker", "directory", "topic"
GROWTH: Final = (
    Column("what", "What", values=(BROKER, DIR, TOPIC)),
    Column("name", "Name"),
    Column("time", "Time", "ms"),
    Column("bytes", "Bytes", "bytes"),
    Column("low", "At least", "bytes", "In nine of ten cases.", spare=True),
    Column("high", "At most", "bytes", "In nine of ten cases.", spare=True),
    Column("forecast", "Forecast", doc="Whether it is yet to come.", kind="flag"),
)
