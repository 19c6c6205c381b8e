"""Lag of directories that Apache Kafka wrote equals a count over what its own dump tool printed."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pykafka_ops.spark.inputs import InputQuery
from pykafka_ops.spark.inputs.opened import open_inputs
from pykafka_ops.spark.model import Report
from pykafka_ops.spark.options import ReportOptions
from pykafka_ops.spark.reports.lag.report import build

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

GOLDEN = Path(__file__).parent.parent / "golden"
DIRECTORIES = {
    "internal-consumer-offsets-0": "__consumer_offsets-0",
    "internal-consumer-offsets-1": "__consumer_offsets-1",
    "v2-none": "parcels-0-0",
    "v2-gzip": "devices-1-0",
}
CASES = {"parcels-0": "v2-none", "devices-1": "v2-gzip"}
RECORD = re.compile(r"^\| offset: (\d+) CreateTime: (\d+) ", re.MULTILINE)
COMMIT = re.compile(
    r'^\| offset: (\d+) .* key: \{"type":"1","data":(\{.*?\})\} payload: (.*)$', re.MULTILINE
)
Key = tuple[str, str, int]


def printed(case: str, name: str) -> str:
    return (GOLDEN / "expected" / case / name).read_text()


def commits() -> dict[Key, list[tuple[int, int]]]:
    """Time and offset of each commit, as kafka-dump-log decodes them; a deletion is (-1, -1)."""
    found: dict[Key, list[tuple[int, int]]] = {}
    for number in range(2):
        text = printed(f"internal-consumer-offsets-{number}", "log.offsets-decoder.txt")
        for _, key_text, payload in COMMIT.findall(text):
            key = json.loads(key_text)
            value = {"offset": -1, "commitTimestamp": -1}
            if payload != "<DELETE>":
                value = json.loads(payload)["data"]
            place = (key["group"], key["topic"], key["partition"])
            found.setdefault(place, []).append((value["commitTimestamp"], value["offset"]))
    return found


NOW = max(time for made in commits().values() for time, _ in made)


@pytest.fixture(scope="module")
def report(engine: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Report:
    root = tmp_path_factory.mktemp("golden-lag")
    for case, name in DIRECTORIES.items():
        shutil.copytree(GOLDEN / "segments" / case, root / name)
    inputs = open_inputs(engine, InputQuery(now=NOW), locations=[str(root)])
    try:
        return build(inputs, ReportOptions())
    finally:
        inputs.close()


def counted(key: Key, made: list[tuple[int, int]]) -> dict[str, Any]:
    """The figures of a partition by hand."""
    records = [(int(o), int(t)) for o, t in RECORD.findall(printed(CASES[key[1]], "log.deep.txt"))]
    end, committed = records[-1][0] + 1, made[-1][1]
    following = next((t for o, t in records if o >= committed), None)
    newest = max(t for _, t in records)
    (first, low), (last, high) = made[0], made[-1]
    return {
        "current_offset": committed,
        "log_end_offset": end,
        "lag": end - committed,
        "lag_seconds": None if following is None else (newest - following) / 1000,
        "lead": committed - records[0][0],
        "rate_in": 0.0,
        "rate_out": round((high - low) * 1000 / (last - first), 3) if last > first else None,
        "last_commit": last,
        "retained_share": round((end - committed) / (end - records[0][0]), 6),
    }


def test_partitions_equal_a_count_over_what_kafka_printed(report: Report) -> None:
    wanted = {key: counted(key, made) for key, made in commits().items() if made[-1][1] >= 0}
    assert len(wanted) >= 10
    found = {(r["group"], r["topic"], r["partition"]): r for r in report.section("partitions").rows}
    assert found.keys() == wanted.keys()
    for key, row in wanted.items():
        assert {name: found[key][name] for name in row} == row, key


def test_groups_add_up_and_deleted_ones_are_not_there(report: Report) -> None:
    alive = {key[0] for key, made in commits().items() if made[-1][1] >= 0}
    groups = {r["group"]: r for r in report.section("groups").rows}
    assert groups.keys() == alive
    assert "audit-svc" not in groups
    for name, row in groups.items():
        own = [r for r in report.section("partitions").rows if r["group"] == name]
        assert row["lag"] == sum(int(str(r["lag"])) for r in own)
        assert row["partitions"] == len(own) == 2


def test_old_records_under_a_week_of_retention_may_go_at_any_moment(report: Report) -> None:
    losses = [r["loss_in_seconds"] for r in report.section("partitions").rows if r["lag"]]
    assert losses
    assert set(losses) == {0.0}
    assert not report.problems


def test_damage_in_the_log_of_offsets_is_told_and_the_rest_goes_on(
    engine: SparkSession, tmp_path: Path
) -> None:
    for case, name in DIRECTORIES.items():
        shutil.copytree(GOLDEN / "segments" / case, tmp_path / name)
    first = tmp_path / "__consumer_offsets-1" / "00000000000000000000.log"
    data = bytearray(first.read_bytes())
    data[100] ^= 1  # in the records of seats-svc
    first.write_bytes(data)
    inputs = open_inputs(engine, InputQuery(now=NOW), locations=[str(tmp_path)])
    found = build(inputs, ReportOptions())
    inputs.close()
    (problem,) = found.problems
    assert problem.where.endswith("/__consumer_offsets-1/00000000000000000000.log at byte 0")
    assert problem.what.endswith(": commits there are left out")
    assert found.summary["damaged_places"] == 1
    alive = {key[0] for key, made in commits().items() if made[-1][1] >= 0}
    assert {r["group"] for r in found.section("groups").rows} == alive - {"seats-svc"}
