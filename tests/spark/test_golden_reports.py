"""Skew and retention of logs that Apache Kafka wrote equal a count over what its own dump tool
printed of them; damage is counted, and the rest goes on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from pykafka_ops.analysis.skew import imbalance
from pykafka_ops.spark.inputs import InputQuery
from pykafka_ops.spark.inputs.opened import open_inputs
from pykafka_ops.spark.model import Report
from pykafka_ops.spark.options import ReportOptions
from pykafka_ops.spark.reports.retention import report as retention
from pykafka_ops.spark.reports.skew import report as skew
from tests.support.golden.dumped import Batch, batches, damaged, log_directory

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pykafka_ops.spark.inputs import Inputs

CASES = {
    "logs-0": "v2-none",
    "logs-1": "v2-gzip",
    "logs-2": "v2-mixed-codecs",
    "logs-3": "v2-transactions",
    "catalog-18-0": "v2-compacted",
    "broken-0": "damage-bad-magic",
}
MINUTE = 60_000
HOUR = 60 * MINUTE
Row = dict[str, Any]


def _printed() -> dict[tuple[str, int], list[Batch]]:
    found = {}
    for name, case in CASES.items():
        topic, _, number = name.rpartition("-")
        if case != "damage-bad-magic":
            found[topic, int(number)] = batches(case)
    found["broken", 0], _ = damaged("damage-bad-magic", "v2-none")
    return found


PRINTED = _printed()
NOW = max(b.timestamp for made in PRINTED.values() for b in made) + HOUR
SETTINGS = '{"catalog-18": {"cleanup.policy": "compact"}, "logs": {"retention.ms": "%d"}}'
LIMIT = NOW - PRINTED["logs", 0][3].timestamp - 1
"""The fourth batch of logs-0 is just beyond it."""


@pytest.fixture(scope="module")
def inputs(engine: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Inputs]:
    root = tmp_path_factory.mktemp("golden-reports")
    log_directory(root / "kafka", CASES)
    (root / "settings.json").write_text(SETTINGS % LIMIT)
    made = open_inputs(
        engine,
        InputQuery(now=NOW),
        locations=[str(root / "kafka")],
        configs=str(root / "settings.json"),
    )
    yield made
    made.close()


@pytest.fixture(scope="module")
def skewed(inputs: Inputs) -> Report:
    return skew.build(inputs, ReportOptions(window=MINUTE, top=1000))


@pytest.fixture(scope="module")
def retained(inputs: Inputs) -> Report:
    return retention.build(inputs, ReportOptions())


def _rows(report: Report, name: str) -> list[Row]:
    return [dict(r) for r in report.section(name).rows]


def _size(made: list[Batch]) -> int:
    return sum(b.size for b in made)


def test_partitions_hold_what_was_printed(skewed: Report) -> None:
    found = {(r["topic"], r["partition"]): r for r in _rows(skewed, "partitions")}
    assert set(found) == set(PRINTED)
    for key, made in PRINTED.items():
        row = found[key]
        assert row["bytes"] == _size(made)
        assert row["records"] == sum(b.count for b in made if not b.control)


def test_topics_are_measured_by_what_was_printed(skewed: Report) -> None:
    (logs,) = [r for r in _rows(skewed, "topics") if r["topic"] == "logs"]
    sizes = [_size(PRINTED["logs", p]) for p in range(4)]
    counts = [sum(b.count for b in PRINTED["logs", p] if not b.control) for p in range(4)]
    assert (logs["max_over_mean"], logs["cv"], logs["gini"]) == imbalance(sizes)
    assert logs["records_gini"] == imbalance(counts).gini
    every = [b for p in range(4) for b in PRINTED["logs", p]]
    assert set(logs["codecs"].split(", ")) == {b.codec for b in every}
    windows = Counter[int]()
    for b in every:
        windows[b.timestamp // MINUTE] += b.size
    assert logs["peak_bytes_per_second"] == pytest.approx(max(windows.values()) / 60)
    payload = sum(_payload(b) for b in every)
    assert logs["compression_ratio"] == pytest.approx(payload / sum(sizes))


def _payload(batch: Batch) -> int:
    if batch.control:
        return 0
    return sum(max(0, r.key_size) + max(0, r.value_size) for r in batch.records)


def test_windows_hold_what_was_printed(skewed: Report) -> None:
    found = {(r["topic"], r["partition"], r["start"]): r["bytes"] for r in _rows(skewed, "windows")}
    counted = Counter[tuple[str, int, int]]()
    for (topic, number), made in PRINTED.items():
        for b in made:
            counted[topic, number, b.timestamp // MINUTE * MINUTE] += b.size
    assert found == dict(counted)


def test_keys_weigh_what_was_printed(skewed: Report) -> None:
    counted = Counter[tuple[str, str]]()
    nulls = Counter[tuple[str, int]]()
    for (topic, number), made in PRINTED.items():
        for r in (r for b in made if not b.control for r in b.records):
            if r.key is None:
                nulls[topic, number] += 1
            else:
                counted[topic, r.key] += r.key_size + max(0, r.value_size)
    found = _rows(skewed, "keys")
    assert {(r["topic"], r["key"]): r["bytes"] for r in found} == dict(counted)
    assert all(r["error"] == 0 for r in found)
    without = {(r["topic"], r["partition"]): r["null_keys"] for r in _rows(skewed, "partitions")}
    assert without == {key: nulls[key] for key in PRINTED}


def test_damage_is_counted_and_the_rest_goes_on(skewed: Report, retained: Report) -> None:
    _, broken = damaged("damage-bad-magic", "v2-none")
    for report in (skewed, retained):
        assert report.summary["damaged_places"] == 1
        assert report.summary["damaged_bytes"] == _size(broken)
        (problem,) = [p for p in report.problems if "broken-0" in p.where]
        assert broken[0].segment in problem.where
        assert problem.where.endswith(f"at byte {broken[0].position}")


def test_ages_are_those_printed(retained: Report) -> None:
    found = Counter[tuple[str, int | None]]()
    for row in _rows(retained, "ages"):
        found[row["topic"], row["up_to_seconds"]] += row["bytes"]
    edges = [0, 1, 6, 24, 72, 168, 336, 720, 2160, 8760]
    counted = Counter[tuple[str, int | None]]()
    for (topic, _), made in PRINTED.items():
        for b in made:
            age = (NOW - b.timestamp) / HOUR
            counted[topic, next((e * 3600 for e in edges if age < e), None)] += b.size
    assert found == counted


def test_topics_are_held_against_their_limit(retained: Report) -> None:
    topics = {r["topic"]: r for r in _rows(retained, "topics")}
    logs = topics["logs"]
    every = [b for p in range(4) for b in PRINTED["logs", p]]
    assert logs["bytes"] == sum(b.size for b in every)
    stamps = [r.timestamp for b in every for r in b.records if r.timestamp >= 0]
    newest = max(b.timestamp for b in every)
    assert logs["newest"] == newest
    # Headers tell the time of a batch's first record only, which is seldom its oldest.
    assert min(stamps) <= logs["oldest"] <= min(b.records[0].timestamp for b in every if b.records)
    old = sum(b.size for b in every if b.timestamp < NOW - LIMIT)
    assert logs["over_bytes"] == old > 0
    assert topics["catalog-18"]["status"] == "compact"
    sizes = sum(b.size for made in PRINTED.values() for b in made)
    assert retained.summary["bytes"] == sizes


def test_debt_is_what_lies_behind_the_cleaners_checkpoint(retained: Report) -> None:
    (row,) = _rows(retained, "compaction")
    made = PRINTED["catalog-18", 0]
    last = max(int(b.segment[:20]) for b in made)
    assert row["first_dirty_offset"] == 269  # cleaner-offset-checkpoint of the broker
    bases = [(int(b.segment[:20]), b.size) for b in made]
    assert row["clean_bytes"] == sum(size for base, size in bases if base < 269)
    assert row["dirty_bytes"] == sum(size for base, size in bases if 269 <= base < last)
    assert row["uncleanable"] == sum(size for base, size in bases if base >= max(269, last))
