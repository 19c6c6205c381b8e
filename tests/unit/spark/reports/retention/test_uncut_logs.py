"""Logs of a cluster alone are cut into pieces where figures are made, or once for several reports:
the figures are the same."""

from __future__ import annotations

from typing import Any

from pykafka_ops.spark.engines.local.session import LocalSession
from pykafka_ops.spark.options import ReportOptions
from pykafka_ops.spark.reports.retention.report import build
from tests.support.spark.given import FrameInputs

HOUR = 3_600_000
NOW = 20_000 * 24 * HOUR
TOPICS = {"limited": 48, "endless": -1, "unsized": 72, "empty": 24, "timeless": 24}
"""Hours of ``retention.ms``."""


def given(*, shared: bool) -> FrameInputs:
    """Two partitions of each topic, which grow by 10 records an hour; a group reads one."""
    local: Any = LocalSession()
    logs = [
        (topic, n, 0 if topic == "empty" else 1000 * (n + 1)) for topic in TOPICS for n in (0, 1)
    ]
    place = [{"topic": topic, "partition": n} for topic, n, _ in logs]
    inputs = FrameInputs(
        local,
        now=NOW,
        partitions=[
            at | {"leader": 1, "start_offset": 0, "end_offset": end,
                  "max_timestamp": None if topic == "timeless" else NOW - HOUR // 4}
            for at, (topic, _, end) in zip(place, logs, strict=True)
        ],
        log_dirs=[
            at | {"broker": 1, "log_dir": "/d", "size": end * 7, "total_bytes": 10**6,
                  "usable_bytes": 10**5}
            for at, (topic, _, end) in zip(place, logs, strict=True)
            if topic != "unsized"
        ],
        configs=[
            {"topic": topic, "name": "retention.ms",
             "value": str(hours * HOUR if hours > 0 else hours)}
            for topic, hours in TOPICS.items()
        ],
        ends=[
            at | {"at": NOW - hours * HOUR, "offset": max(0, end - 10 * hours)}
            for at, (*_, end) in zip(place, logs, strict=True)
            for hours in (1, 6, 24, 72)
        ],
        firsts=[
            at | {"offset": 0, "timestamp": NOW - end // 10 * HOUR}
            for at, (topic, _, end) in zip(place, logs, strict=True)
            if end and topic != "timeless"
        ],
        committed=[{"group": "g", "topic": "limited", "partition": 1, "offset": 300}],
        groups=[{"group": "g", "state": "Empty"}],
    )  # fmt: skip
    inputs.shared = shared
    return inputs


def test_figures_are_those_of_logs_that_were_cut_before() -> None:
    alone, among_others = given(shared=False), given(shared=True)
    one, other = (build(inputs, ReportOptions()) for inputs in (alone, among_others))
    assert one.summary == other.summary
    assert one.summary["groups_at_risk"] == 1
    for mine, theirs in zip(one.sections, other.sections, strict=True):
        assert list(mine.rows) == list(theirs.rows), mine.name
    assert "pieces" in among_others.frames
    assert "pieces" not in alone.frames
