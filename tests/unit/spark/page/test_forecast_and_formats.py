"""Pages of a forecast and of formats: what is full when, what could be saved, nothing known that
is not."""

from __future__ import annotations

from dataclasses import replace

from pykafka_ops.spark.model import Report
from pykafka_ops.spark.page import forecast, formats, render, retention, verdicts
from pykafka_ops.spark.page.actions import actions
from tests.support.spark.kept_reports import forecast_report, formats_report
from tests.support.spark.reports import HOSTILE, retention_report, skew_report


def unknown(report: Report) -> Report:
    sections = [replace(s, rows=[], unknown="nobody looked") for s in report.sections]
    return replace(report, sections=sections)


def with_status(report: Report, *status: str) -> Report:
    """Only brokers of these verdicts."""
    brokers = report.section("brokers")
    rows = [row for row in brokers.rows if row["status"] in status]
    return replace(report, sections=[replace(brokers, rows=rows), *report.sections[2:]])


def test_a_forecast_names_what_is_full_first_and_what_nobody_knows() -> None:
    report = forecast_report("orders")
    assert forecast.headline(report) == (
        "1 of 3 brokers will be full within 90 d: broker 1 in 20 d, 16 d 14 h at the earliest, 25 d"
        " at the latest. Not known of 1 of 3 brokers: too few runs."
    )
    assert forecast.headline(with_status(report, "maybe")) == (
        "1 of 1 broker may be full within 90 d, though it is not expected: broker 2 in 60 d at the"
        " earliest."
    )
    steps = [(step.what, step.why) for step in actions([report])]
    assert steps == [
        ("Make room on broker 1", "1000 GiB will be reached in 20 d. orders grows most."),
        ("Make room on broker 2",
         "1000 GiB will be reached in 60 d at the earliest. orders grows most."),
    ]  # fmt: skip
    assert verdicts([report])[0].tone == "warn"
    assert verdicts([with_status(report, "too-few-runs")])[0].tone == "warn"
    page = render([report])
    for said in ("Until capacity is reached", "Growth of broker 1", "full at 1000 GiB",
                 "What grows most", "1 jump taken out of the trend"):  # fmt: skip
        assert said in page


def test_a_full_broker_is_bad_and_one_that_will_not_be_is_fine() -> None:
    report = forecast_report()
    (first, *_) = report.section("brokers").rows
    full = {**first, "days_earliest": 0.0, "days_expected": 0.0, "days_latest": 0.0,
            "status": "reached"}  # fmt: skip
    far = {**first, "days_earliest": float("inf"), "days_expected": float("inf"),
           "days_latest": float("inf"), "status": "not-within"}  # fmt: skip
    said = []
    for row in (full, far):
        brokers = replace(report.section("brokers"), rows=[row])
        verdict = verdicts([replace(report, sections=[brokers, *report.sections[1:]])])[0]
        said.append((verdict.tone, verdict.text))
    assert said == [
        ("bad", "Broker 1 has reached capacity."),
        ("ok", "1 broker will not be full within 90 d."),
    ]


def test_formats_say_what_is_not_compressed_and_what_that_costs() -> None:
    report = formats_report("orders")
    assert formats.headline(report) == (
        "Of 2 topics values are mostly json in 1. Other codecs would save about 70 GiB, most in"
        " orders (zstd: 70 GiB)."
    )
    (step,) = actions([report])
    assert step.command == "pko configs set topics orders compression.type=zstd -b b:9092"
    tiles = {tile.name: (tile.text, tile.note) for tile in formats.tiles(report)}
    assert tiles["Could be saved"] == ("70 GiB", "5.60 EUR a month")
    assert tiles["Looked at"] == ("10,000", "of 1,000,000,005 records")
    page = render([report])
    for said in ("What values are made of", "none → zstd", "json 90 %"):
        assert said in page


def test_what_is_not_known_is_neither_zero_nor_green() -> None:
    for report in (unknown(forecast_report()), unknown(formats_report())):
        assert verdicts([report])[0].tone == "warn"
        assert "0 B" not in render([report]).partition("<article")[2].partition("Figures")[0]
    assert formats.headline(unknown(formats_report())) == (
        "What the topics are made of is not known."
    )


def test_names_are_text() -> None:
    for report in (forecast_report(HOSTILE), formats_report(HOSTILE)):
        assert "<script>alert" not in render([report])


def test_sentences_leave_the_names_in_them_as_they_are() -> None:
    forecasted = forecast_report()
    (first, *_) = forecasted.section("brokers").rows
    full = {**first, "log_dir": "/Data/A", "days_expected": 0.0, "status": "reached"}
    dirs = replace(forecasted.section("dirs"), rows=[full])
    assert forecast.headline(replace(forecasted, sections=[dirs])) == (
        "Broker 1 /Data/A has reached capacity."
    )
    kept = retention_report()
    rows = [{**row, "log_dir": "/Data/A"} for row in kept.section("dirs").rows]
    dirs = replace(kept.section("dirs"), rows=rows)
    assert "Broker 1 /Data/A is full in" in retention.headline(replace(kept, sections=[dirs]))
    skewed = skew_report()
    topics = [{**row, "advice": "partition 0 holds 24 %, key User-A alone 18 %"}
              for row in skewed.section("topics").rows]  # fmt: skip
    uneven = replace(skewed, sections=[replace(skewed.section("topics"), rows=topics)])
    assert actions([uneven])[0].why == "Partition 0 holds 24 %, key User-A alone 18 %."


def test_directories_of_no_known_broker_are_told_by_their_path() -> None:
    kept = retention_report()
    rows = [{**row, "broker": None} for row in kept.section("dirs").rows]
    said = retention.headline(replace(kept, sections=[replace(kept.section("dirs"), rows=rows)]))
    assert said.startswith("/data1 is full in")


def test_that_nothing_gets_full_is_not_said_of_what_nobody_knows() -> None:
    report = forecast_report()
    far = with_status(report, "maybe").section("brokers").rows[0] | {"status": "not-within"}
    dark = with_status(report, "too-few-runs").section("brokers").rows[0]
    said = []
    for found in ([far], [far, dark], [dark]):
        brokers = replace(report.section("brokers"), rows=found)
        tile = forecast.tiles(replace(report, sections=[brokers]))[2]
        said.append((tile.name, tile.note, tile.tone))
    assert said == [
        ("First full in", "none expected in 90 d", ""),
        ("First full in", "none expected in 90 d, not known of 1", "warn"),
        ("First full in", "not known", "warn"),
    ]
