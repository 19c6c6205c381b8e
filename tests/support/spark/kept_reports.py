"""A forecast and a report on formats, from hand-made rows: for tests of pages."""

from __future__ import annotations

from pykafka_ops.spark.model import Report, Row, Section
from pykafka_ops.spark.reports.forecast import columns as of_forecast
from pykafka_ops.spark.reports.formats import columns as of_formats
from tests.support.spark.reports import DAY, LONG, NOW

GIB = 1 << 30


def forecast_report(name: str = LONG) -> Report:
    """Broker 1 is full in 20 days, 2 perhaps in 60, of 3 too little is known; ``name`` grows."""
    grown: Row = {"bytes": 800 * GIB, "bytes_per_day": 10 * GIB, "bytes_per_day_low": 8 * GIB,
                  "bytes_per_day_high": 12 * GIB, "ahead_bytes": 1700 * GIB,
                  "ahead_low": 1500 * GIB, "ahead_high": 1900 * GIB, "steps": 1,
                  "trend": "growing", "runs": 30,
                  "first_seen": NOW - 30 * DAY, "last_seen": NOW}  # fmt: skip
    disks: list[Row] = [
        {"broker": 1, **grown, "capacity": 1000 * GIB, "days_earliest": 16.6,
         "days_expected": 20.0, "days_latest": 25.0, "status": "within"},
        {"broker": 2, **grown, "capacity": 1000 * GIB, "days_earliest": 60.0,
         "days_expected": float("inf"), "days_latest": float("inf"), "status": "maybe"},
        {"broker": 3, **dict.fromkeys(grown), "bytes": GIB, "trend": "too-few-runs", "runs": 2,
         "capacity": 1000 * GIB, "days_earliest": None, "days_expected": None,
         "days_latest": None, "status": "too-few-runs"},
    ]  # fmt: skip
    course: list[Row] = [
        {"what": "broker", "name": "1", "time": NOW + n * DAY, "bytes": (800 + 10 * n) * GIB,
         "low": (800 + 8 * n) * GIB if n > 0 else None,
         "high": (800 + 12 * n) * GIB if n > 0 else None, "forecast": n > 0}
        for n in range(-30, 90, 3)
    ]  # fmt: skip
    topics: list[Row] = [{"topic": name, **grown, "growth_share": 1.0}]
    sections = [
        Section("brokers", "Brokers", of_forecast.BROKERS, disks, "How."),
        Section("dirs", "Directories", of_forecast.DIRS,
                [{**row, "log_dir": f"/{name}"} for row in disks]),
        Section("topics", "Topics", of_forecast.TOPICS, topics),
        Section("growth", "Growth", of_forecast.GROWTH, course),
    ]  # fmt: skip
    return Report("forecast", NOW, {"history": "/h", "days": 90}, {"topics": 1}, sections)


def formats_report(name: str = LONG) -> Report:
    """``name`` is JSON and not compressed, another topic nobody could look at."""
    topics: list[Row] = [
        {"topic": name, "value_kind": "json", "value_share": 0.9, "key_kind": "uuid",
         "key_share": 1.0, "schemas": 0, "value_mean": 300.5, "value_p99": 900,
         "value_max": 4000, "codec": "none", "ratio": 1.0, "replica_bytes": 90 * GIB,
         "best_codec": "zstd", "saved_bytes": 70 * GIB, "saving": 5.6, "sampled_records": 10_000,
         "records": 10**9, "sampled_partitions": 16, "partitions": 64, "advice": "zstd"},
        {"topic": "dark", "sampled_records": 0, "records": 5, "partitions": 1},
    ]  # fmt: skip
    kinds: list[Row] = [
        {"topic": name, "side": side, "kind": kind, "schema": None, "records": records,
         "share": records / 10_000, "bytes": 300 * records}
        for side, kind, records in (
            ("key", "uuid", 10_000), ("value", "json", 9_000), ("value", "null", 1_000),
        )
    ]  # fmt: skip
    sizes: list[Row] = [{"topic": name, "side": "value", "records": 9_000, "mean": 300.5,
                         "p50": 250, "p99": 900, "largest": 4000}]  # fmt: skip
    codecs: list[Row] = [
        {"topic": name, "codec": "zstd", "batches": 0, "records": 0, "stored": 0, "plain": 0,
         "tried_batches": 90, "share_of_now": 0.22, "estimated_bytes": 20 * GIB,
         "saved_bytes": 70 * GIB, "saving": 5.6}
    ]  # fmt: skip
    sections = [
        Section("topics", "Topics", of_formats.TOPICS, topics, "Of a sample."),
        Section("kinds", "What keys and values are", of_formats.KINDS, kinds),
        Section("sizes", "Sizes", of_formats.SIZES, sizes),
        Section("codecs", "Codecs", of_formats.CODECS, codecs),
    ]
    return Report("formats", NOW, {"servers": "b:9092", "currency": "EUR"}, {"topics": 2}, sections)
