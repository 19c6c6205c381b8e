"""Reports as Prometheus' text: its own parser reads it, and what is not known is not there."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import import_module

import pytest
from prometheus_client.parser import text_string_to_metric_families

from pykafka_ops.commands.spark.judge import SECTIONS
from pykafka_ops.monitor.metrics import kafka_exporter, kminion, own
from pykafka_ops.spark.model import Problem, Report, Row, Section
from pykafka_ops.spark.output.metrics import ROW_METRICS, metrics_text

NOW = 1_763_769_600_500
HOSTILE = 'a"b\\c\nd'
LAG = {
    "groups": [
        {"group": HOSTILE, "status": "STOP", "lag_seconds": 4.5, "catch_up_seconds": None,
         "unknown_partitions": 1},
        {"group": "ok", "status": "OK", "lag_seconds": 0.0, "catch_up_seconds": 0.0,
         "unknown_partitions": 0},
    ],
    "partitions": [
        {"group": HOSTILE, "topic": "t", "partition": 0, "lag": 7, "current_offset": 3,
         "log_end_offset": 10, "loss_in_seconds": 60.0},
        {"group": HOSTILE, "topic": "t", "partition": 1, "lag": None, "current_offset": 5,
         "log_end_offset": None, "loss_in_seconds": None},
        {"group": "ok", "topic": "t", "partition": 0, "lag": 0, "current_offset": 10,
         "log_end_offset": 10, "loss_in_seconds": math.inf},
        {"group": "unsure", "topic": "u", "partition": 0, "lag": 1, "current_offset": 1,
         "log_end_offset": 2, "loss_in_seconds": math.inf},
        {"group": "unsure", "topic": "u", "partition": 1, "lag": 1, "current_offset": 1,
         "log_end_offset": 2, "loss_in_seconds": None},
    ],
}  # fmt: skip


def report(kind: str, sections: Mapping[str, Sequence[Row]], **summary: object) -> Report:
    made = [Section(name, name, (), rows) for name, rows in sections.items()]
    return Report(kind, NOW, {}, summary, made, [Problem("t-0", "torn")])


def samples(*reports: Report, met: int | None = None) -> dict[tuple[str, ...], float]:
    """By name and values of labels, in the order of their names, without the cluster."""
    text = metrics_text(reports, "eu", lambda _: met)
    found: dict[tuple[str, ...], float] = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            assert sample.labels.pop("cluster") == "eu"
            key = (sample.name, *(sample.labels[name] for name in sorted(sample.labels)))
            assert key not in found  # node_exporter refuses a file that says something twice
            found[key] = sample.value
    return found


def test_what_is_not_known_is_left_out_and_never_0() -> None:
    found = samples(report("lag", LAG, lag=None, groups=3, worst="STOP", bad=math.nan))
    assert found["kafka_consumergroup_lag", HOSTILE, "0", "t"] == 7
    assert ("kafka_consumergroup_lag", HOSTILE, "1", "t") not in found
    assert ("kafka_topic_partition_current_offset", "1", "t") not in found
    assert ("kafka_consumergroup_lag_sum", HOSTILE, "t") not in found
    assert found["kafka_consumergroup_lag_sum", "unsure", "u"] == 2
    assert ("pko_kafka_group_eta_seconds", HOSTILE) not in found
    assert found["pko_kafka_group_eta_seconds", "ok"] == 0
    figures = {key[1]: value for key, value in found.items() if key[0] == "pko_report_figure"}
    assert figures == {"groups": 3}
    assert ("pko_report_condition_rows", "lag") not in found


def test_a_loss_that_never_comes_is_infinite_unless_a_partition_is_not_known() -> None:
    found = samples(report("lag", LAG))
    losses = {key[1]: v for key, v in found.items() if key[0] == "pko_kafka_group_loss_seconds"}
    assert losses == {HOSTILE: 60.0, "ok": math.inf}


def test_every_report_says_when_it_was_what_it_left_out_and_what_met_the_condition() -> None:
    found = samples(report("new", {"things": [{}, {}]}, bytes=5), met=2)
    assert found == {
        ("pko_report_time_seconds", "new"): NOW / 1000,
        ("pko_report_problems", "new"): 1,
        ("pko_report_condition_rows", "new"): 2,
        ("pko_report_rows", "new", "things"): 2,
        ("pko_report_figure", "bytes", "new"): 5,
    }


def test_a_section_of_which_nothing_is_known_has_no_samples() -> None:
    made = report("lag", LAG)
    dark = replace(made, sections=[replace(s, unknown="no commits") for s in made.sections])
    assert {key[0] for key in samples(dark)} == {"pko_report_time_seconds", "pko_report_problems"}


def test_a_disk_is_full_in_seconds_and_a_verdict_is_a_label() -> None:
    rows = {
        "dirs": [
            {"broker": 1, "log_dir": "/d", "days_to_full": 2.0, "usable_bytes": 9,
             "total_bytes": None},
        ],
        "topics": [{"topic": "t", "status": "over", "replica_bytes": 6}],
    }  # fmt: skip
    found = samples(report("retention", rows))
    assert found["pko_kafka_log_dir_full_seconds", "1", "/d"] == 172_800
    assert found["pko_kafka_log_dir_free_bytes", "1", "/d"] == 9
    assert ("pko_kafka_log_dir_size_bytes", "1", "/d") not in found
    assert found["pko_kafka_topic_retention_verdict", "t", "over"] == 1
    assert found["kminion_kafka_topic_log_dir_size_total_bytes", "t"] == 6


def test_tiers_are_named_as_the_monitor_names_them() -> None:
    made = report("audit", {}, compared=3, differing=1, missing=8, extra=None)
    both = replace(made, source={"tier": "eu", "against": "us"})
    found = samples(both)
    assert found["pko_audit_missing_records", "us", "eu"] == 8
    assert found["pko_audit_differing_partitions", "us", "eu"] == 1
    assert ("pko_audit_extra_records", "us", "eu") not in found
    alone = samples(replace(made, source={"tier": "eu", "against": None}))
    assert not any(key[0].startswith("pko_audit") for key in alone)


def test_several_reports_share_their_families() -> None:
    text = metrics_text([report("lag", LAG), report("skew", {})], "eu", lambda _: None)
    helped = [line for line in text.splitlines() if line.startswith("# TYPE")]
    assert len(helped) == len(set(helped))
    assert text.startswith("# HELP pko_report_time_seconds")


@pytest.mark.parametrize("kind", ROW_METRICS)
def test_every_metric_is_of_a_column_that_the_report_has(kind: str) -> None:
    known = import_module(f"pykafka_ops.spark.reports.{kind}.columns")
    for metric in ROW_METRICS[kind]:
        columns = {c.name for c in getattr(known, SECTIONS[kind][metric.section])}
        assert {metric.column, *metric.labels} <= columns, metric.name


def test_a_name_of_the_monitor_means_what_it_means_there() -> None:
    theirs = {m.name: m.what for m in (*own.METRICS, *kafka_exporter.METRICS, *kminion.METRICS)}
    text = metrics_text(
        [report("lag", LAG), report("retention", {}), report("skew", {})], "eu", lambda _: None
    )
    ours = {m.name: m.what for every in ROW_METRICS.values() for m in every}
    ours |= dict(line[7:].split(" ", 1) for line in text.splitlines() if line[:7] == "# HELP ")
    shared = {name: what for name, what in ours.items() if name in theirs}
    assert len(shared) >= 10
    assert shared == {name: theirs[name] for name in shared}
