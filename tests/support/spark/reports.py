"""Reports as the three jobs make them, from hand-made rows: for tests of pages and outputs."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence

from pykafka_ops.spark.model import Column, Problem, Report, Row, Section

NOW = 1_763_800_000_000  # 2025-11-22 08:26:40 UTC
HOUR, DAY = 3_600_000, 86_400_000
HOSTILE = '<script>alert("x")</script>&\'"\u202egnp.\u0000\t'
LONG = "very-" * 48 + "long-name"
UNITS = {
    "bytes": "bytes", "bytes_per_second": "bytes/s", "peak_bytes_per_second": "bytes/s",
    "lag": "records", "max_lag": "records", "records": "records", "share": "share",
    "rate_in": "records/s", "rate_out": "records/s", "start": "ms", "end": "ms", "since": "ms",
    "last_commit": "ms", "oldest": "ms", "newest": "ms", "time": "ms", "skew_percent": "percent",
    "days_to_full": "days", "days_to_80": "days", "days_to_full_low": "days",
    "days_to_full_high": "days", "clean_bytes": "bytes", "dirty_bytes": "bytes",
    "uncleanable": "bytes", "size": "bytes", "over_bytes": "bytes", "total_bytes": "bytes",
    "low": "bytes", "high": "bytes", "error": "bytes", "unread_bytes": "bytes",
}  # fmt: skip


def section(name: str, rows: Sequence[Row], note: str = "") -> Section:
    """A section whose columns are the fields of its first row."""
    names = list(rows[0]) if rows else ["topic"]
    columns = [
        Column(n, n.replace("_", " "), "seconds" if "seconds" in n else UNITS.get(n, ""),
               f"What {n} of {name} means.") for n in names
    ]  # fmt: skip
    return Section(name, name.replace("_", " ").capitalize(), columns, rows, note)


def report(kind: str, sections: Mapping[str, Sequence[Row]], problems: int = 0) -> Report:
    """A report of that kind with these sections."""
    bad = [Problem(f"orders-0/{i:020d}.log", "torn batch at 4096") for i in range(problems)]
    made = [section(name, rows) for name, rows in sections.items()]
    source = {"bootstrap_server": "127.0.0.1:9092", "topics": None}
    return Report(kind, NOW, source, {"rows": sum(len(r) for r in sections.values())}, made, bad)


def lag_partition(group: str, topic: str, partition: int, lag: int, status: str) -> Row:
    """A row of the lag report."""
    return {
        "group": group, "topic": topic, "partition": partition, "state": "Stable",
        "client_id": "app-1" if status == "OK" else None, "current_offset": 100_000,
        "log_end_offset": 100_000 + lag, "lag": lag, "lag_seconds": lag / 50 if lag else 0.0,
        "rate_in": 50.0, "rate_out": 50.0 if status == "OK" else 12.5,
        "catch_up_seconds": None if lag else 0.0, "lead": 90_000, "status": status,
        "since": NOW - 3 * HOUR if status != "OK" else None, "last_commit": NOW - 60_000,
        "loss_in_seconds": 10_800.0 if status == "STALL" else None,
    }  # fmt: skip


GROUPS = (
    ("payments", "STALL", 48_210), ("search-indexer", "WARN", 12_900), ("audit", "STOP", 31_007),
    ("billing", "OK", 12), ("mailer", "OK", 0), ("fraud", "REWIND", 7_700),
    ("archive", "LOST", 920), ("reports", "UNKNOWN", 3),
)  # fmt: skip


def lag_report(groups: Sequence[tuple[str, str, int]] = GROUPS, problems: int = 2) -> Report:
    """A lag report of these groups: (name, status, lag)."""
    partitions = [
        lag_partition(g, "orders", p, round(lag * share), s)
        for g, s, lag in groups for p, share in enumerate((0.1, 0.15, 0.05, 0.7))
    ]  # fmt: skip
    by_group: list[Row] = [
        {"group": g, "status": s, "lag": lag, "max_lag": round(lag * 0.7), "partitions": 4,
         "lag_seconds": lag / 50, "rate_in": 200.0, "rate_out": 150.5,
         "since": NOW - 3 * HOUR if s not in ("OK", "UNKNOWN") else None}
        for g, s, lag in groups
    ]  # fmt: skip
    over_time: list[Row] = [
        {"group": g, "start": NOW - (24 - i) * HOUR, "end": NOW - (23 - i) * HOUR, "commits": 60,
         "moved": 1000, "lag": round(lag * (i / 23) ** 2) + round(200 * (1 + math.sin(i))),
         "status": s if i > 14 else "OK"}
        for g, s, lag in groups for i in range(24)
    ]  # fmt: skip
    return report("lag", {
        "partitions": partitions,
        "groups": by_group,
        "topics": [{"topic": "orders", "groups": 8, "partitions": 4, "lag": 1, "max_lag": 1,
                    "rate_in": 50.25}],
        "silent_groups": [{"group": "audit", "last_commit": NOW - DAY, "silence_seconds": 86_400.0,
                           "lag": 31_007}],
        "unread_topics": [{"topic": "clicks", "partitions": 12, "records": 1_000_000,
                           "rate_in": 12.0}],
        "over_time": over_time,
    }, problems)  # fmt: skip


def skew_report(partitions: int = 24, topic: str = "clicks") -> Report:
    """A skew report with one severely skewed topic and two even ones."""
    held = [round(5e9 / (i + 1) ** 1.1) for i in range(partitions)]
    mean = sum(held) / len(held)
    ranked = sorted(held)
    gini = 2 * sum((i + 1) * v for i, v in enumerate(ranked)) / (len(held) * sum(held)) - (
        len(held) + 1
    ) / len(held)
    topics: list[Row] = [
        {"topic": topic, "partitions": partitions, "records": 40_000_000, "bytes": sum(held),
         "max_over_mean": max(held) / mean, "cv": 1.42, "gini": gini, "band": "severe",
         "compression_ratio": 3.21, "codecs": ["lz4", "none"], "bytes_per_second": 120_000.0,
         "advice": "partition 0 holds 24%, key user-1 alone 18% of the records: split the key"},
        {"topic": "orders", "partitions": 6, "records": 5_000_000, "bytes": 2_000_000_000,
         "max_over_mean": 1.31, "cv": 0.27, "gini": 0.12, "band": "uneven",
         "compression_ratio": 2.0, "codecs": ["zstd"], "bytes_per_second": 9_000.0, "advice": ""},
        {"topic": "audit", "partitions": 3, "records": 30_000, "bytes": 40_000_000,
         "max_over_mean": 1.02, "cv": 0.02, "gini": 0.01, "band": "even",
         "compression_ratio": None, "codecs": ["none"], "bytes_per_second": 100.0, "advice": ""},
    ]  # fmt: skip
    parts: list[Row] = [
        {"topic": topic, "partition": i, "leader": i % 3, "records": v // 120, "bytes": v,
         "share": v / sum(held), "ratio_to_mean": v / mean, "hot": v > 2 * mean,
         "average_size": 120.0}
        for i, v in enumerate(held)
    ]  # fmt: skip
    windows: list[Row] = [
        {"topic": topic, "partition": p, "start": NOW - (24 - i) * HOUR, "records": 100,
         "bytes": round(held[p] / 24 * (1.2 + math.sin(i / 3 + p)))}
        for p in range(partitions) for i in range(24)
    ]  # fmt: skip
    keys: list[Row] = [
        {"topic": topic, "key": f"user-{i + 1}", "records": 9_000_000 // (i + 1),
         "bytes": 900_000_000 // (i + 1), "share": 0.18 / (i + 1), "error": 20_000_000,
         "partitions": [{"partition": i % partitions, "share": 1.0}]}
        for i in range(10)
    ]  # fmt: skip
    brokers: list[Row] = [
        {"broker": b, "rack": f"r{b % 2}", "replicas": 30, "leaders": 10, "bytes": size,
         "leader_bytes": size // 3, "skew_percent": size / 7e9 * 100 - 100}
        for b, size in enumerate((9_000_000_000, 6_500_000_000, 5_500_000_000))
    ]  # fmt: skip
    return report("skew", {"topics": topics, "partitions": parts, "windows": windows,
                           "brokers": brokers, "keys": keys, "moves": []})  # fmt: skip


def retention_report() -> Report:
    """A retention report with a group about to lose data and a disk that fills up."""
    topics: list[Row] = [
        {"topic": t, "cleanup_policy": c, "retention_ms": 7 * DAY, "oldest": NOW - age * DAY,
         "newest": NOW, "age_seconds": age * 86_400.0, "age_share": age / 7, "bytes": b,
         "replica_bytes": 3 * b, "over_bytes": over, "status": s}
        for t, c, age, b, over, s in (
            ("orders", "delete", 6.5, 4_000_000_000, 0, "ok"),
            ("clicks", "delete", 21.0, 9_500_000_000, 5_100_000_000, "over"),
            ("profiles", "compact", 40.0, 700_000_000, 0, "compact"),
        )
    ]  # fmt: skip
    bounds = (3_600.0, 21_600.0, 86_400.0, 259_200.0, 604_800.0, None)
    ages: list[Row] = [
        {"topic": r["topic"], "up_to_seconds": b, "bytes": round(_int(r["bytes"]) * share)}
        for r in topics
        for b, share in zip(bounds, (0.02, 0.08, 0.15, 0.25, 0.3, 0.2), strict=True)
    ]  # fmt: skip
    leaving: list[Row] = [
        {"topic": r["topic"], "within_seconds": w, "bytes": round(_int(r["bytes"]) * share)}
        for r in topics[:2]
        for w, share in ((3_600.0, 0.01), (21_600.0, 0.05), (86_400.0, 0.15), (604_800.0, 0.9))
    ]  # fmt: skip
    dirs: list[Row] = [
        {"broker": b, "log_dir": f"/data{b}", "bytes": 14_000_000_000,
         "total_bytes": 30_000_000_000, "days_to_full": d, "days_to_full_low": low,
         "days_to_full_high": high, "first_topic": "clicks"}
        for b, d, low, high in ((1, 12.4, 9.1, 19.0), (2, 80.0, 55.0, None), (3, None, None, None))
    ]  # fmt: skip
    growth: list[Row] = [
        {"broker": 1, "log_dir": "/data1", "time": NOW + i * DAY // 2,
         "bytes": 14_000_000_000 + i * 640_000_000 + (i % 3) * 90_000_000,
         "low": 14_000_000_000 + i * 500_000_000 if i > 0 else None,
         "high": 14_000_000_000 + i * 800_000_000 if i > 0 else None, "forecast": i > 0}
        for i in range(-20, 22)
    ]  # fmt: skip
    compaction: list[Row] = [
        {"topic": "profiles", "partition": p, "clean_bytes": 200_000_000 * (p + 1),
         "dirty_bytes": 150_000_000 * (4 - p), "uncleanable": 20_000_000,
         "dirty_ratio": 0.75 - 0.2 * p, "first_dirty_offset": 1000, "status": s}
        for p, s in enumerate(("stuck", "due", "dirty"))
    ]  # fmt: skip
    risk: list[Row] = [
        {"group": "payments", "topic": "orders", "partition": p, "lag": 40_000,
         "unread_bytes": 4_800_000, "deleted_in_seconds": s, "catch_up_seconds": None,
         "records_lost": 31_000, "status": st}
        for p, s, st in ((0, 10_800.0, "AT_RISK"), (1, 0.0, "LOSING"), (2, 400_000.0, "SAFE"))
    ]  # fmt: skip
    made = {"topics": topics, "ages": ages, "leaving": leaving, "dirs": dirs, "growth": growth}
    return report("retention", {**made, "compaction": compaction, "at_risk": risk})


def _int(value: object) -> int:
    assert isinstance(value, int)
    return value


def empty_report(kind: str) -> Report:
    """A report that found nothing at all."""
    names = {
        "lag": ("partitions", "groups", "topics", "silent_groups", "unread_topics", "over_time"),
        "skew": ("topics", "partitions", "windows", "brokers", "keys", "moves"),
        "retention": ("topics", "ages", "leaving", "dirs", "growth", "compaction", "at_risk"),
    }[kind]
    return report(kind, {name: [] for name in names})


def past(made: Report, main: str, days: int) -> dict[str, list[Row]]:
    """Rows as ``--history`` keeps them: ``days`` earlier runs of a section, a little smaller."""
    rows: list[Row] = []
    for day in range(days, 0, -1):
        for row in made.section(main).rows:
            old = json.loads(json.dumps(row))
            for name in ("lag", "bytes", "lag_seconds"):
                if isinstance(old.get(name), int | float):
                    old[name] = old[name] * (10 - day) // 10
            rows.append({**old, "now": made.now - day * DAY})
    return {main: rows}
