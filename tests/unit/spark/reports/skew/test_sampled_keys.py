"""Keys of a sample of segments: what is estimated, what is told, and what nobody can know."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

from pykafka_ops.analysis import sampled
from pykafka_ops.commands.spark.judge import Judge, main_section
from pykafka_ops.commands.spark.show import TerminalPage
from pykafka_ops.disk.names import partition_dir, segment_file
from pykafka_ops.errors import UsageError
from pykafka_ops.page.units import value_text
from pykafka_ops.spark.engines import local_session
from pykafka_ops.spark.inputs import InputQuery
from pykafka_ops.spark.inputs.cluster import ClusterInputs
from pykafka_ops.spark.inputs.log_dirs import LogDirInputs
from pykafka_ops.spark.model import Report
from pykafka_ops.spark.options import ReportOptions
from pykafka_ops.spark.output.document import document
from pykafka_ops.spark.page import render
from pykafka_ops.spark.reports.skew import report as skew
from tests.support.spark.key_logs import HOT, IN_BATCH, NOW, KeyTruth, write_keys

RATE = 0.25
BATCHES = 900


@pytest.fixture(autouse=True)
def least(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampled, "LEAST_BYTES", 2 << 20)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("sampled")


@pytest.fixture(scope="module")
def truth(place: Path) -> KeyTruth:
    write_keys(place, "small", 40, partitions=1)
    return write_keys(place, "orders", BATCHES, partitions=3)


@pytest.fixture
def report(place: Path, truth: KeyTruth) -> Report:
    return made(place)


def made(place: Path, rate: float = RATE, **query: Any) -> Report:
    inputs = LogDirInputs(local_session(), [str(place)], InputQuery(now=NOW, **query))
    try:
        return skew.build(inputs, ReportOptions(key_sample=rate, top=40))
    finally:
        inputs.close()


def rows(report: Report, section: str, topic: str = "orders") -> list[dict[str, Any]]:
    return [dict(row) for row in report.section(section).rows if row["topic"] == topic]


def test_heavy_keys_have_the_truth_in_their_bands(report: Report, truth: KeyTruth) -> None:
    found = {row["key"]: row for row in rows(report, "keys")}
    for key in HOT:
        row = found[key.decode()]
        assert row["basis"] == "sample"
        assert row["share_low"] < row["share"] < row["share_high"]
        assert row["share_low"] <= truth.share(key) <= row["share_high"]
        assert row["bytes"] == pytest.approx(truth.held[key], rel=0.15)
        assert sum(part["share"] for part in row["partitions"]) == pytest.approx(1)


def test_what_is_in_few_places_is_not_told_from_noise(report: Report) -> None:
    noise = [row for row in rows(report, "keys") if row["basis"] == "noise"]
    assert "burst" in [row["key"] for row in noise]
    for row in noise:
        names = ("records", "bytes", "share", "share_high", "error")
        assert [row[name] for name in names] == [None] * 5
        assert (row["share_low"], row["partitions"]) == (0.0, [])


def test_volumes_are_exact_and_what_a_sample_cannot_tell_is_null(
    report: Report, truth: KeyTruth
) -> None:
    (topic,) = rows(report, "topics")
    assert (topic["bytes"], topic["records"]) == (truth.stored, truth.records)
    assert topic["sampled"] == pytest.approx(RATE, abs=0.05)
    assert topic["compression_ratio"] is None and topic["codecs"] is None
    for part in rows(report, "partitions"):
        assert part["records"] == BATCHES * IN_BATCH
        unknown = ("null_keys", "unique_keys", "size_p50", "size_p95", "size_p99")
        assert [part[name] for name in unknown] == [None] * 5
    assert report.summary["damaged_places"] is None
    assert 0 < report.summary["records_read"] < truth.records / 2  # type: ignore[operator]


def test_small_topics_are_read_whole(report: Report) -> None:
    (topic,) = rows(report, "topics", "small")
    assert topic["sampled"] == 1
    (part,) = rows(report, "partitions", "small")
    assert part["unique_keys"] > 100 and part["null_keys"] > 0
    keys = rows(report, "keys", "small")
    assert {row["basis"] for row in keys} == {"all"}
    assert all(row["share_low"] == row["share"] == row["share_high"] for row in keys)


def test_the_same_files_have_the_same_sample(place: Path, report: Report) -> None:
    for section in ("keys", "topics", "partitions", "windows"):
        assert rows(made(place), section) == rows(report, section)


def test_what_was_read_of_how_much_is_said_everywhere(report: Report, truth: KeyTruth) -> None:
    source: Any = document(report)["source"]
    read = source["read"]["records"]
    assert source["sample"] == RATE and "batches" not in source["read"]
    assert 0 < read["units"] < read["of_units"] / 2
    assert read["bytes"] < read["of_bytes"] / 2
    said = f"a sample of {read['units']:,} of {read['of_units']:,} units"
    html = render([report])
    band = next(row for row in rows(report, "keys") if row["key"] == "hot")
    low, high = (value_text(band[name], "share") for name in ("share_low", "share_high"))
    assert said in html and "the band of 95 %" in html
    out = io.StringIO()
    page = TerminalPage(out, 200, colours=False)
    page.report(report, main_section(report, "keys"), wide=False, top=10)
    text = out.getvalue()
    assert said in text and "not told from noise" in text
    assert f"({low} to {high})" in text


def test_an_unread_batch_is_not_checked_and_a_read_one_is(tmp_path: Path) -> None:
    write_keys(tmp_path, "orders", BATCHES, partitions=1)
    log = tmp_path / partition_dir("orders", 0) / segment_file(0)
    data = bytearray(log.read_bytes())
    for at in range(len(data) // 40, len(data), len(data) // 40):
        data[at] ^= 1
    log.write_bytes(data)
    few, all_ = made(tmp_path, 0.25), made(tmp_path, 0.9999)
    assert 0 < len(few.problems) < len(all_.problems)
    assert few.summary["damaged_places"] == len(few.problems)


def test_a_sample_of_a_stretch_of_time_and_without_an_index(tmp_path: Path) -> None:
    truth = write_keys(tmp_path, "orders", BATCHES, partitions=2, indexed=0)
    report = made(tmp_path)
    row = next(row for row in rows(report, "keys") if row["key"] == "hot")
    assert row["share_low"] <= truth.share(b"hot") <= row["share_high"]
    nothing = made(tmp_path, since=1_900_000_000_000)
    assert rows(nothing, "keys") == []
    assert nothing.summary["records_read"] is None


def test_a_condition_on_a_share_asks_for_what_is_sure(report: Report) -> None:
    row = next(row for row in rows(report, "keys") if row["key"] == "hot")
    low, share, high = (row[name] for name in ("share_low", "share", "share_high"))

    def met(condition: str) -> list[str]:
        return Judge("keys", condition).met([report])

    assert met(f"topic=orders&share>{low - 0.001}")
    assert met(f"topic=orders&share>{share}") == []
    assert met(f"topic=orders&share<{high + 0.001}&share_low>0.1")
    assert met(f"topic=orders&share<{high - 0.001}&share_low>0.1") == []


def test_a_cluster_alone_has_no_sample() -> None:
    inputs = ClusterInputs(local_session(), {"bootstrap.servers": "127.0.0.1:1"}, InputQuery())
    with pytest.raises(UsageError, match="a cluster does not show"):
        inputs.records(0.01)
