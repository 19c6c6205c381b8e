"""Settings with where they come from; secrets stay secret, unknown is said."""

from __future__ import annotations

from pykafka_ops.client.configs import ConfigEntry, ConfigSynonym
from pykafka_ops.monitor.cluster.enquiries import EnquiryReply
from pykafka_ops.monitor.pages.settings import setting_rows, settings_block
from pykafka_ops.settings.source import ConfigSource
from pykafka_ops.settings.topic import TOPIC as TOPIC_SETTINGS

TOPIC = ConfigSource.DYNAMIC_TOPIC_CONFIG
DEFAULT = ConfigSource.DEFAULT_CONFIG


def entry(name: str, value: str | None, source: int, *synonyms: tuple[str, int]) -> ConfigEntry:
    others = [ConfigSynonym(name, v, s) for v, s in synonyms]
    return ConfigEntry(name, value, source, False, name.endswith("password"), others, 2, None)


def test_what_somebody_set_comes_first_with_its_default() -> None:
    rows = setting_rows([
        entry("a", "1", DEFAULT, ("1", DEFAULT)),
        entry("retention.ms", "5", TOPIC, ("5", TOPIC), ("9", DEFAULT)),
    ], {})  # fmt: skip
    assert [list(row.values())[:4] for row in rows] == [
        ["retention.ms", "5", "this topic", "9"],
        ["a", "1", "default of Kafka", "1"],
    ]


def test_a_secret_is_never_shown_and_a_new_source_is_told_by_its_number() -> None:
    rows = setting_rows([entry("ssl.key.password", "hidden", 77)], {})
    assert (rows[0]["value"], rows[0]["source"]) == ("(secret)", "source 77")


def test_without_an_answer_the_page_says_why_and_shows_what_rounds_know() -> None:
    reply: EnquiryReply[list[ConfigEntry]] = EnquiryReply(None, "b1 is silent")
    said = settings_block("Settings", "pko configs", reply, {}, {"retention.ms": "7"})
    assert "b1 is silent" in said
    assert "retention.ms" in said
    assert "Comes from" not in said
    assert "not known" in settings_block("Settings", "pko configs", reply, {})


def test_defaults_may_be_left_out() -> None:
    reply = EnquiryReply([entry("a", "1", DEFAULT), entry("b", "2", TOPIC)])
    said = settings_block("Settings", "pko configs", reply, {}, only_set=True)
    assert "1 of 2 are not defaults" in said
    assert "<bdi>a</bdi>" not in said


def test_a_default_under_another_name_is_not_taken_for_one_in_the_same_unit() -> None:
    hours = ConfigSynonym("log.retention.hours", "168", DEFAULT)
    one = entry("retention.ms", "5", TOPIC)._replace(synonyms=[hours])
    (row,) = setting_rows([one], TOPIC_SETTINGS)
    assert row["default"] == "604800000"
    assert setting_rows([one], {})[0]["default"] is None
