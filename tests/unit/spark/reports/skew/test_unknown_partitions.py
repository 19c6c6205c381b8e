"""Partitions of which nobody tells what they hold: null in rows, in no figure, said on the page."""

from __future__ import annotations

from typing import Any

from pykafka_ops.analysis.skew import Imbalance, TopicFacts, advice
from pykafka_ops.commands.spark.judge import Judge
from pykafka_ops.spark.engines.local.session import LocalSession
from pykafka_ops.spark.model import Report, Row
from pykafka_ops.spark.options import ReportOptions
from pykafka_ops.spark.output.metrics import metrics_text
from pykafka_ops.spark.page import render, skew
from pykafka_ops.spark.reports.skew.report import build
from tests.support.process.browser import parse
from tests.support.spark.given import FrameInputs

HOUR = 3_600_000
NOW = 500_000 * HOUR
SESSION: Any = LocalSession()
OF_BYTES = ("bytes", "share", "ratio_to_mean", "hot", "average_size", "bytes_per_second")


def hosted(topic: str, partition: int, end: int | None, **more: Any) -> Row:
    """A partition of one replica; without an ``end`` it has no leader."""
    is_led = end is not None
    return {"topic": topic, "partition": partition, "leader": 1 if is_led else None,
            "replicas": [1 if is_led else 2], "isr": [1], "start_offset": 0 if is_led else None,
            "end_offset": end, "max_timestamp": NOW if is_led else None, **more}  # fmt: skip


def replica(topic: str, partition: int, size: int, broker: int = 1) -> Row:
    return {"broker": broker, "log_dir": "/d", "topic": topic, "partition": partition, "size": size}


def of_cluster(**more: Any) -> Report:
    """Of ``orders`` broker 2 is gone with one of four partitions, of ``lost`` with all; ``idle`` is
    empty."""
    partitions = [hosted("orders", n, end) for n, end in enumerate((400, 400, 400, None))]
    partitions += [hosted("lost", n, None) for n in range(2)] + [hosted("idle", 0, 0)]
    dirs = [replica("orders", n, 1000) for n in range(3)] + [replica("idle", 0, 0)]
    given: dict[str, Any] = {"partitions": partitions, "log_dirs": dirs, **more}
    brokers = [{"broker": b} for b in (1, 2)]
    return build(FrameInputs(SESSION, now=NOW, brokers=brokers, **given), ReportOptions())


def topics(report: Report) -> dict[Any, Row]:
    return {row["topic"]: row for row in report.section("topics").rows}


def partitions(report: Report) -> dict[Any, Row]:
    return {(r["topic"], r["partition"]): r for r in report.section("partitions").rows}


def test_a_partition_that_no_broker_tells_of_is_null() -> None:
    rows = partitions(of_cluster())
    dark = rows["orders", 3]
    assert {dark[name] for name in (*OF_BYTES, "records", "records_per_second")} == {None}
    assert (rows["idle", 0]["records"], rows["idle", 0]["bytes"]) == (0, 0)


def test_balance_is_that_of_the_partitions_that_are_known() -> None:
    report = of_cluster()
    orders = topics(report)["orders"]
    assert (orders["band"], orders["max_over_mean"], orders["cv"], orders["gini"]) == (
        "even", 1.0, 0.0, 0.0
    )  # fmt: skip
    assert (orders["records_cv"], orders["average_size"]) == (0.0, 2.5)
    assert (orders["partitions"], orders["unknown_partitions"]) == (4, 1)
    assert (orders["records"], orders["bytes"]) == (1200, 3000)
    row = partitions(report)["orders", 0]
    assert (row["share"], row["ratio_to_mean"], row["hot"]) == (1 / 3, 1.0, False)


def test_a_topic_that_nothing_is_known_of_has_no_verdict() -> None:
    report = of_cluster()
    assert list(topics(report)) == ["orders", "idle", "lost"]
    lost = topics(report)["lost"]
    for name in (
        "records", "bytes", "max_over_mean", "cv", "gini", "band", "records_cv", "average_size",
        "bytes_per_second", "peak_bytes_per_second", "advice",
    ):  # fmt: skip
        assert lost[name] is None, name
    assert lost["unknown_partitions"] == 2
    assert Judge(None, "band=severe").count(report) == 1
    assert 'pko_kafka_topic_bytes{cluster="c",topic="lost"}' not in metrics_text(
        [report], "c", lambda _: None
    )


def test_sums_on_top_are_of_what_is_known_and_say_so() -> None:
    report = of_cluster()
    summary = report.summary
    assert (summary["bytes"], summary["records"], summary["unknown_partitions"]) == (3000, 1200, 3)
    assert (summary["skewed_topics"], summary["hot_partitions"]) == (0, 0)
    note = report.section("topics").note
    assert note == "3 of 7 partitions are not known: sums are of the others."
    dark = of_cluster(partitions=[hosted("lost", 0, None)], log_dirs=[])
    names = ("bytes", "records", "skewed_topics", "hot_partitions", "most_skewed")
    assert {dark.summary[name] for name in names} == {None}


def test_without_directories_records_are_known_and_bytes_are_not() -> None:
    report = of_cluster(log_dirs=[])
    orders = topics(report)["orders"]
    assert (orders["records"], orders["bytes"], orders["band"]) == (1200, None, None)
    assert orders["records_cv"] == 0.0


def test_what_followers_tell_of_a_partition_without_a_leader_counts() -> None:
    sizes = [
        *(replica("orders", n, 1000) for n in range(3)),
        replica("orders", 3, 50_000, broker=3),
    ]
    report = of_cluster(log_dirs=sizes)
    orders, row = topics(report)["orders"], partitions(report)["orders", 3]
    assert (row["bytes"], row["records"], row["average_size"], row["hot"]) == (
        50_000, None, None, True
    )  # fmt: skip
    assert (orders["bytes"], orders["average_size"], orders["unknown_partitions"]) == (
        53_000, 2.5, 1
    )  # fmt: skip


def test_a_log_that_is_not_in_the_directories_is_not_empty() -> None:
    batches = [
        {"topic": "orders", "partition": n, "records": 10, "size": 100, "codec": "none",
         "control": False, "first_timestamp": NOW - HOUR, "max_timestamp": NOW}
        for n in (0, 1)
    ]  # fmt: skip
    records = [{"topic": "orders", "partition": n, "key": b"k", "key_size": 1, "value_size": 1}
               for n in (0, 1)]  # fmt: skip
    found = of_cluster(
        batches=batches,
        records=records,
        partitions=[hosted("orders", n, end) for n, end in enumerate((10, 10, 10, 0, 10))],
        log_dirs=[*(replica("orders", n, 100) for n in range(3)), replica("orders", 3, 0)],
    )
    rows = partitions(found)
    told = {n: (rows["orders", n]["records"], rows["orders", n]["bytes"]) for n in range(5)}
    assert told == {0: (10, 100), 1: (10, 100), 2: (None, None), 3: (0, 0), 4: (None, None)}
    assert [rows["orders", n]["null_keys"] for n in range(5)] == [0, 0, None, 0, None]
    assert topics(found)["orders"]["unknown_partitions"] == 2


def test_windows_of_a_log_of_unknown_size_have_records_alone() -> None:
    ends = [
        {"topic": "orders", "partition": n, "at": NOW - HOUR * h, "offset": 400 - 40 * h}
        for h in range(3) for n in (0, 1)
    ]  # fmt: skip
    report = of_cluster(ends=ends, log_dirs=[replica("orders", 0, 1000)])
    windows = report.section("windows").rows
    told = {(r["partition"], r["records"], r["bytes"]) for r in windows}
    assert told == {(0, 40, 100), (1, 40, None)}
    assert topics(report)["orders"]["peak_bytes_per_second"] == 100 / 3600


def test_advice_without_known_records_is_about_bytes() -> None:
    facts = TopicFacts(4, None, Imbalance(4.0, 1.7, 0.75), None, 0, 0.9, None, None)
    assert advice(facts) == "partition 0 holds 90%: look at its keys"
    assert "too few" in advice(facts._replace(records=5))


def test_the_page_names_what_is_not_known_and_is_not_green() -> None:
    report = of_cluster()
    tiles = {tile.name: tile for tile in skew.tiles(report)}
    skewed, hot, held = (tiles[n] for n in ("Skewed topics", "Hot partitions", "Bytes"))
    assert (skewed.text, skewed.note, skewed.tone) == ("0 of 2", "3 partitions not known", "warn")
    assert (hot.text, hot.note, hot.tone) == ("0 of 4", "3 partitions not known", "warn")
    assert (held.value, held.note) == (3000, "at least: 3 partitions not known")
    assert skew.headline(report) == (
        "2 topics are spread evenly enough. What 3 partitions hold is not known."
    )
    page = parse(render([report]))
    assert page.one("h1").has("class_", "warn")
    assert "3 of 7 partitions are not known: sums are of the others." in page.text
    drawn = {p.title: p for p in skew.view(report).pictures}
    assert drawn["Partitions of orders"].more == "1 partition not known"
    assert "Partitions of lost" not in drawn


def test_a_skewed_topic_is_one_of_those_that_are_known() -> None:
    sizes = [replica("orders", n, 1000 if n else 90_000) for n in range(3)]
    said = skew.headline(of_cluster(log_dirs=[*sizes, replica("idle", 0, 0)]))
    assert said == (
        "1 of 2 topics is skewed: orders. Partition 0 of orders holds 97.8 % of its bytes."
        " What 3 partitions hold is not known."
    )


def test_a_page_about_nothing_that_is_known_has_no_figures() -> None:
    dark = of_cluster(partitions=[hosted("lost", 0, None)], log_dirs=[])
    tiles = {tile.name: tile for tile in skew.tiles(dark)}
    for name in ("Skewed topics", "Hot partitions", "Bytes"):
        assert (tiles[name].value, tiles[name].text, tiles[name].tone) == (None, "–", "warn"), name
    assert skew.headline(dark) == (
        "How topics are spread is not known. What 1 partition holds is not known."
    )
    assert parse(render([dark])).one("h1").has("class_", "warn")
