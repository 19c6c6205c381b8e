"""Owners beside topics: by name before pattern, and nobody where no rule fits."""

from __future__ import annotations

from pykafka_ops.analysis.owners import UNOWNED, OwnerRules, TopicOwner
from pykafka_ops.spark.model import Column, Report, Section
from pykafka_ops.spark.output.document import document
from pykafka_ops.spark.owned import with_owners

RULES = OwnerRules(
    [
        ("pay*", TopicOwner("finance")),
        ("payments.?", TopicOwner("second")),
        ("payments.eu", TopicOwner("europe", "eu-pay", ("pii",))),
    ]
)


def test_a_name_goes_before_patterns_and_these_in_their_order() -> None:
    topics = ("payments.eu", "payments.x", "orders", "Pay")
    assert [RULES.of(t).owner for t in topics] == ["europe", "finance", UNOWNED, UNOWNED]


def test_sections_with_topics_get_owners_and_others_stay() -> None:
    topics = Section("topics", "Topics", (Column("topic", "Topic"), Column("bytes", "Bytes")),
                     [{"topic": "payments.eu", "bytes": 3}, {"topic": "orders", "bytes": 1},
                      {"topic": None, "bytes": 0}])  # fmt: skip
    brokers = Section("brokers", "Brokers", (Column("broker", "Broker"),), [{"broker": 1}])
    made = with_owners(Report("skew", 0, {}, {"a": 1}, [topics, brokers]), RULES)
    assert made.summary == {"a": 1, "unowned_topics": 1}
    assert made.section("brokers") is brokers
    section = document(made)["sections"]["topics"]  # type: ignore[index]
    assert [c["name"] for c in section["columns"]] == ["topic", "owner", "team", "tags", "bytes"]
    assert section["rows"] == [
        {"topic": "payments.eu", "owner": "europe", "team": "eu-pay", "tags": ["pii"], "bytes": 3},
        {"topic": "orders", "owner": UNOWNED, "team": None, "tags": None, "bytes": 1},
        {"topic": None, "owner": None, "team": None, "tags": None, "bytes": 0},
    ]
    rows = made.section("topics").rows
    assert len(rows) == 3
    assert [row.get("owner") for row in rows[:2]] == ["europe", UNOWNED]
    assert rows[-1]["topic"] is None
