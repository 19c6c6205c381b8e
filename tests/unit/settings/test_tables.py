"""Our tables against the definitions of Apache Kafka 3.9.1 (printed by its own classes)."""

import json
from pathlib import Path

import pytest

from pykafka_ops.settings.broker import BROKER
from pykafka_ops.settings.broker_own import ROWS as OWN
from pykafka_ops.settings.setting import Setting, Support
from pykafka_ops.settings.topic import TOPIC
from pykafka_ops.settings.types import Type
from pykafka_ops.settings.validators import (
    LevelOrDefault,
    OneOf,
    OneOfAnyCase,
    Range,
)
from tests.support.each import each

FACTS = [
    json.loads(line)
    for line in Path(__file__).with_name("kafka-3.9.1.jsonl").read_text("utf-8").splitlines()
]
BROKER_FACTS = {f["name"]: f for f in FACTS if f["kind"] == "broker"}
TOPIC_FACTS = {f["name"]: f for f in FACTS if f["kind"] == "topic"}


def described(setting: Setting) -> dict[str, object]:
    """What both sides can be compared by."""
    return {
        "name": setting.name,
        "type": setting.type.name,
        "default": setting.default,
        "internal": setting.internal,
    }


def only(facts: dict[str, object]) -> dict[str, object]:
    return {k: facts[k] for k in ("name", "type", "default", "internal")}


STRICTER = {
    "max.connections": "[1,...]",
    "max.connection.creation.rate": "[1,...]",
    "socket.request.max.bytes": "[1024,...]",
}
"""Kafka allows less here, with which nobody gets in to mend it."""


def test_every_broker_setting_of_kafka_is_known_and_no_other() -> None:
    assert set(BROKER) - set(OWN) == set(BROKER_FACTS)
    assert len(BROKER_FACTS) == 328


def test_settings_of_our_own_are_listed_where_they_are_set_alone() -> None:
    assert all(setting.internal for setting in OWN.values())
    assert not set(OWN) & set(BROKER_FACTS)


def test_every_topic_setting_of_kafka_is_known_and_no_other() -> None:
    assert set(TOPIC) == set(TOPIC_FACTS)
    assert len(TOPIC) == 36


@each("name", sorted(BROKER_FACTS))
def test_a_broker_setting_is_defined_as_in_kafka(name: str) -> None:
    assert described(BROKER[name]) == only(BROKER_FACTS[name])
    assert BROKER[name].update.value == BROKER_FACTS[name]["update"]


@each("name", sorted(TOPIC_FACTS))
def test_a_topic_setting_is_defined_as_in_kafka(name: str) -> None:
    assert described(TOPIC[name]) == only(TOPIC_FACTS[name])
    assert [s.name for s in TOPIC[name].synonyms] == TOPIC_FACTS[name]["synonyms"]


@pytest.mark.parametrize(
    ("table", "facts"), [(BROKER, BROKER_FACTS), (TOPIC, TOPIC_FACTS)], ids=["broker", "topic"]
)
def test_valid_values_are_those_of_kafka(
    table: dict[str, Setting], facts: dict[str, dict[str, object]]
) -> None:
    for name in facts:
        check = table[name].validator
        if isinstance(check, Range | OneOf | OneOfAnyCase | LevelOrDefault):
            assert str(check) == STRICTER.get(name, facts[name]["valid"])
        else:
            assert (check is None) == (facts[name]["valid"] is None), name


@pytest.mark.parametrize("table", [BROKER, TOPIC], ids=["broker", "topic"])
def test_defaults_pass_their_own_check(table: dict[str, Setting]) -> None:
    for setting in table.values():
        if setting.default is not None:
            assert setting.parse(setting.default) == setting.default_value


@pytest.mark.parametrize("table", [BROKER, TOPIC], ids=["broker", "topic"])
def test_docs_are_one_sentence_with_the_unit_of_the_name(table: dict[str, Setting]) -> None:
    for setting in table.values():
        assert setting.doc.endswith("."), setting.name
        assert setting.doc[0].isupper()
        if setting.name.endswith(".ms"):
            assert " ms" in setting.doc, setting.name
        if setting.name.endswith(".seconds"):
            assert "seconds" in setting.doc.lower(), setting.name


def test_only_passwords_are_sensitive() -> None:
    assert {s.name for s in BROKER.values() if s.sensitive} == {
        n for n, f in BROKER_FACTS.items() if f["type"] == "PASSWORD"
    }
    assert not any(s.sensitive for s in TOPIC.values())


def test_topic_settings_come_in_the_order_a_broker_sends_them() -> None:
    assert list(TOPIC)[:3] == [
        "compression.type",
        "remote.log.delete.on.disable",
        "leader.replication.throttled.replicas",
    ]
    assert list(TOPIC)[-1] == "segment.index.bytes"


def test_units_of_synonyms_are_converted() -> None:
    retention = {s.name: s for s in TOPIC["retention.ms"].synonyms}
    assert retention["log.retention.hours"].convert("168") == "604800000"
    assert retention["log.retention.minutes"].convert(" 2 ") == "120000"
    assert retention["log.retention.ms"].convert("5") == "5"


def test_what_cannot_be_ignored_safely_is_refused() -> None:
    for name in ("process.roles", "principal.builder.class", "zookeeper.ssl.crl.enable"):
        assert BROKER[name].support is Support.REFUSE
    assert BROKER["log.segment.bytes"].support is Support.HONOURED
    assert BROKER["num.io.threads"].support is Support.WARN


def test_type_numbers_are_those_of_the_protocol() -> None:
    assert [t.value for t in Type] == list(range(10))
    assert Type.PASSWORD == 9
