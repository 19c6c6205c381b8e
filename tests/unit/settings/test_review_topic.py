"""A topic's settings without effect are said aloud."""

from __future__ import annotations

from pykafka_ops.settings.check import review, review_topic


def test_settings_that_work_are_not_mentioned() -> None:
    assert review_topic({"retention.ms": "1", "cleanup.policy": "delete"}) == []


def test_compaction_and_its_settings_work() -> None:
    assert review_topic({"cleanup.policy": "compact,delete", "min.compaction.lag.ms": "5"}) == []


def test_settings_without_effect_are_named_with_their_value() -> None:
    lines = review_topic({"local.retention.ms": "5", "segment.bytes": "1000"})
    assert lines == ["local.retention.ms=5 has no effect on this broker"]


def test_a_default_is_not_mentioned() -> None:
    assert review_topic({"preallocate": "false"}) == []


def test_formats_before_v2_are_said_to_be_ignored_as_kafka_does() -> None:
    (line,) = review_topic({"message.format.version": "0.10.2"})
    assert line.startswith("message.format.version=0.10.2 is ignored because the inter-broker")
    assert review_topic({"message.format.version": "2.8"}) == []
    found = review({"log.message.format.version": "0.9.0"})
    assert [text.partition(" is ")[0] for text in found.warnings] == [
        "log.message.format.version=0.9.0"
    ]
    assert review({"log.message.format.version": "1.0"}) == ([], [])


def test_a_value_that_is_none_is_told_of() -> None:
    (line,) = review_topic({"retention.ms": "soon", "segment.bytes": "1000"})
    assert line.startswith("Invalid value soon for configuration retention.ms")
    assert line.endswith("the broker's own counts")
