"""The page of a cost report: money in its currency, and nothing known that is not."""

from __future__ import annotations

from pykafka_ops.analysis.owners import OwnerRules, TopicOwner
from pykafka_ops.spark.model import Report, Row, Section
from pykafka_ops.spark.page import cost, render
from pykafka_ops.spark.page.actions import actions
from pykafka_ops.spark.reports.cost import columns
from pykafka_ops.spark.reports.cost.fold import owner_rows, summary, with_shares

ORDERS: Row = {"topic": "orders", "bytes": 1 << 30, "replica_bytes": 3 << 30, "basis": "measured",
               "storage_cost": 0.24, "in_cost": 1.26, "out_cost": None, "cost": 1.5, "share": 0.75,
               "growth_per_month": 1 << 20}  # fmt: skip
CLICKS: Row = {**ORDERS, "topic": "clicks", "in_cost": 0.26, "cost": 0.5, "share": 0.25}
CUT: Row = {"topic": "orders", "kind": "retention", "retention_ms": 604_800_000,
            "proposed_ms": 86_400_000, "bytes": 1 << 30, "saving": 0.08,
            "advice": "keep 1d"}  # fmt: skip


def made(topics: list[Row], savings: list[Row], unknown: str = "") -> Report:
    sections = [
        Section("topics", "Topics", columns.TOPICS, topics, unknown=unknown),
        Section("owners", "Owners", columns.OWNERS,
                [{"owner": "shop", "topics": 2, "cost": 2.0, "share": 1.0}]),
        Section("savings", "Savings", columns.SAVINGS, savings, unknown=unknown),
    ]  # fmt: skip
    source = {"currency": "EUR", "servers": "broker:9092"}
    figures = summary(topics, savings, savings_known=not unknown)
    return Report("cost", 1_763_800_000_000, source, figures, sections)


def test_the_headline_names_the_sum_the_dearest_and_what_could_be_saved() -> None:
    report = made([ORDERS, CLICKS], [CUT])
    assert cost.headline(report) == (
        "2 topics cost 2.00 EUR a month; orders is the dearest with 75 %."
        " 0.08 EUR could be saved by keeping less."
    )
    page = render([report])
    for said in ("2.00 EUR", "By owner", "1 GiB · 24 h is enough",
                 "pko configs set topics orders retention.ms=86400000 -b broker:9092"):  # fmt: skip
        assert said in page
    assert [step.what for step in actions([report])] == ["Keep orders for less time"]


def test_a_topic_that_nobody_reads_is_asked_about_first() -> None:
    found = actions([made([ORDERS], [{**CUT, "kind": "unread"}])])
    assert [step.command for step in found] == ["pko topics describe orders -b broker:9092"]


def test_what_is_not_known_is_no_zero_and_makes_the_sum_a_least() -> None:
    some = made([ORDERS, {**CLICKS, "in_cost": None, "cost": None, "share": None}], [])
    assert "cost at least 1.74 EUR a month" in cost.headline(some)
    assert cost.view(some).tone == "warn"
    none = made([], [], "nobody knows")
    assert cost.headline(none) == "What the topics cost is not known."
    assert {tile.text for tile in cost.tiles(none)} == {"–"}
    assert {tile.tone for tile in cost.tiles(none)} == {"warn"}


def test_shares_are_of_all_that_is_known_and_so_are_those_of_owners() -> None:
    topics = with_shares([ORDERS, {**CLICKS, "in_cost": None, "cost": None}])
    assert [row["share"] for row in topics] == [None, 1.5 / 1.74]
    owners = owner_rows(topics, [], OwnerRules([("orders", TopicOwner("shop"))]))
    assert [(row["owner"], row["share"]) for row in owners] == [
        ("shop", 1.5 / 1.74), ("unowned", 0.24 / 1.74),
    ]  # fmt: skip
