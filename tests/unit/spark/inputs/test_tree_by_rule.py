"""Log directories whose figures follow from a rule: reports of them say what the rule says."""

from __future__ import annotations

from pathlib import Path

import pytest

from pykafka_ops.spark.engines import local_session
from pykafka_ops.spark.inputs import InputQuery, planned
from pykafka_ops.spark.inputs.opened import open_inputs
from pykafka_ops.spark.options import ReportOptions
from pykafka_ops.spark.reports.skew import report as skew
from tests.support.by_rule.rules import ClusterRules
from tests.support.by_rule.tree import batch_of, records_of, write_tree

RULES = ClusterRules(1_800_000_000_000, brokers=7, partitions=163, per_topic=20)


def test_a_report_of_many_directories_says_what_the_rule_says(tmp_path: Path) -> None:
    places = write_tree(tmp_path, RULES)
    inputs = open_inputs(local_session(), InputQuery(RULES.now), locations=[str(p) for p in places])
    made = skew.build(inputs, ReportOptions())
    every = range(RULES.partitions)
    sizes = [len(batch_of(RULES, n)) for n in every]
    assert made.summary["topics"] == RULES.topics
    assert made.summary["partitions"] == RULES.partitions
    assert made.summary["records"] == sum(records_of(RULES, n) for n in every)
    assert made.summary["bytes"] == sum(sizes)
    assert made.summary["records_read"] == made.summary["records"]
    assert made.source["read"]["records"]["of_segments"] == RULES.partitions  # type: ignore[index]
    brokers = {row["broker"]: (row["replicas"], row["bytes"])
               for row in made.section("brokers").rows}  # fmt: skip
    for broker in range(RULES.brokers):
        held = RULES.held(broker).tolist()
        assert brokers[broker] == (len(held), sum(sizes[n] for n in held))
    assert not made.problems


def test_many_logs_are_no_small_report_however_little_they_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = [str(place) for place in write_tree(tmp_path, RULES)]
    size = sum(len(batch_of(RULES, n)) for n in range(RULES.partitions)) * RULES.copies()
    assert planned.bytes_in(places, lambda _: True, 1 << 30) == size
    monkeypatch.setattr(planned, "LOCAL_PARTITIONS", 100)
    assert planned.bytes_in(places, lambda _: True, 1 << 30) == (1 << 30) + 1
    assert planned.bytes_in(places, lambda topic: topic == "none", 1 << 30) == 0
