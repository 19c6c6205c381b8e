"""Codes and texts are those of Apache Kafka 3.9.1 for the same requests."""

import logging
from pathlib import Path

import pytest

from pykafka_ops.broker.state.configs.alter import Op
from pykafka_ops.settings.source import ConfigSource
from pykafka_ops.settings.topic import TOPIC as TOPIC_SETTINGS
from pykafka_ops.settings.types import Type
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
)
from tests.support.memory.config_desk import BROKER, CLIENT_METRICS, LOGGER, TOPIC, ConfigDesk


@pytest.fixture
def desk(tmp_path: Path) -> ConfigDesk:
    return ConfigDesk(tmp_path, {"num.partitions": "3"})


def test_a_topic_shows_all_its_settings_in_kafkas_order(desk: ConfigDesk) -> None:
    desk.change(TOPIC, "t", ("segment.bytes", Op.SET, "100"))
    found = desk.describe(TOPIC, "t")
    assert (found.error_code, found.error_message) == (ErrorCode.NONE, "")
    assert [c.name for c in found.configs] == list(TOPIC_SETTINGS)
    own = next(c for c in found.configs if c.name == "segment.bytes")
    assert (own.value, own.config_source, own.read_only) == (
        "100",
        ConfigSource.DYNAMIC_TOPIC_CONFIG,
        False,
    )
    assert [(s.name, s.value, s.source) for s in own.synonyms] == [
        ("segment.bytes", "100", ConfigSource.DYNAMIC_TOPIC_CONFIG),
        ("log.segment.bytes", "1073741824", ConfigSource.DEFAULT_CONFIG),
    ]
    assert own.config_type == Type.INT
    assert own.documentation is None


def test_only_the_settings_asked_for_are_shown(desk: ConfigDesk) -> None:
    names = ["segment.bytes", "retention.ms", "no.such"]
    found = desk.describe(TOPIC, "t", names)
    assert {c.name for c in found.configs} == {"segment.bytes", "retention.ms"}
    assert len(desk.describe(TOPIC, "t", []).configs) == 36


def test_names_of_settings_that_do_not_exist_are_not_remembered(desk: ConfigDesk) -> None:
    memo = desk.configs.memo
    for n in range(5):
        assert desk.describe(TOPIC, "t", [f"no.{n}"]).configs == []
        found = desk.describe(TOPIC, "t", ["retention.ms", "x" * 1000 + str(n)])
        assert [c.name for c in found.configs] == ["retention.ms"]
    assert len(memo) == 2


def test_settings_that_are_long_lists_are_not_remembered(desk: ConfigDesk) -> None:
    configs = desk.configs
    for n in range(5):
        throttled = ",".join(f"{p}:{n}" for p in range(500))
        overrides = {"leader.replication.throttled.replicas": throttled, "retention.ms": "7"}
        assert configs.topic_config(overrides).retention_ms == 7
    assert len(configs._topic_cache) == 0


def test_a_broker_shows_itself(desk: ConfigDesk) -> None:
    (found,) = desk.describe(BROKER, "0", ["num.partitions"]).configs
    assert (found.value, found.config_source, found.read_only) == (
        "3",
        ConfigSource.STATIC_BROKER_CONFIG,
        True,
    )


def test_the_defaults_of_the_cluster_are_shown(desk: ConfigDesk) -> None:
    desk.configs.set_dynamic_default({"max.connections": "7"})
    (found,) = desk.describe(BROKER, "").configs
    assert (found.name, found.value) == ("max.connections", "7")


@pytest.mark.parametrize("version", [0, 1, 2, 3, 4])
def test_each_version_tells_what_it_can(desk: ConfigDesk, version: int) -> None:
    flags = {"include_documentation": True} if version >= 3 else {}
    (found,) = desk.describe(BROKER, "0", ["max.connections"], version, **flags).configs
    assert (found.value, found.is_sensitive) == ("2147483647", False)
    if version == 0:
        assert found.is_default
    else:
        assert found.config_source == ConfigSource.DEFAULT_CONFIG
        assert [s.name for s in found.synonyms] == ["max.connections"]
    if version >= 3:
        assert found.documentation
        assert found.config_type == Type.INT


def test_synonyms_come_only_when_asked_for(desk: ConfigDesk) -> None:
    (found,) = desk.describe(BROKER, "0", ["max.connections"], include_synonyms=False).configs
    assert found.synonyms == []
    assert found.config_source == ConfigSource.DEFAULT_CONFIG


def test_loggers_show_the_level_that_counts(desk: ConfigDesk) -> None:
    logging.getLogger("kafka.server.Described").setLevel(logging.WARNING)
    names = ["root", "kafka.server.Described"]
    found = {c.name: c for c in desk.describe(LOGGER, "0", names).configs}
    assert set(found) == set(names)
    one = found["kafka.server.Described"]
    assert (one.value, one.config_source, one.config_type, one.synonyms) == (
        "WARN",
        ConfigSource.DYNAMIC_BROKER_LOGGER_CONFIG,
        Type.UNKNOWN,
        [],
    )


@pytest.mark.parametrize(
    ("kind", "name", "code", "text"),
    [
        (TOPIC, "nope", ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ""),
        (
            TOPIC,
            "",
            ErrorCode.INVALID_TOPIC_EXCEPTION,
            "Topic name is invalid: the empty string is not allowed",
        ),
        (
            TOPIC,
            "a b",
            ErrorCode.INVALID_TOPIC_EXCEPTION,
            "Topic name is invalid: 'a b' contains one or more characters other than ASCII "
            "alphanumerics, '.', '_' and '-'",
        ),
        (
            BROKER,
            "9",
            ErrorCode.INVALID_REQUEST,
            "Unexpected broker id, expected 0 or empty string, but received 9",
        ),
        (BROKER, "x", ErrorCode.INVALID_REQUEST, "Broker id must be an integer, but it is: x"),
        (
            BROKER,
            "4294967296",
            ErrorCode.INVALID_REQUEST,
            "Broker id must be an integer, but it is: 4294967296",
        ),
        (LOGGER, "", ErrorCode.INVALID_REQUEST, "Broker id must not be empty"),
        (
            LOGGER,
            "9",
            ErrorCode.INVALID_REQUEST,
            "Unexpected broker id, expected 0 but received 9",
        ),
        (
            CLIENT_METRICS,
            "m",
            ErrorCode.INVALID_REQUEST,
            "Config type client-metrics is only supported on KRaft clusters",
        ),
        (
            CLIENT_METRICS,
            "",
            ErrorCode.INVALID_REQUEST,
            "Client metrics subscription name must not be empty",
        ),
    ],
)
def test_what_cannot_be_described_is_an_error_of_that_resource(
    desk: ConfigDesk, kind: int, name: str, code: ErrorCode, text: str
) -> None:
    found = desk.describe(kind, name)
    assert (found.error_code, found.error_message, found.configs) == (code, text, [])


def test_resources_are_answered_in_the_order_asked(desk: ConfigDesk) -> None:
    asked = [(TOPIC, "nope"), (BROKER, "0"), (TOPIC, "t"), (BROKER, "")]
    request = DescribeConfigsRequest(
        resources=[
            DescribeConfigsResource(resource_type=kind, resource_name=name) for kind, name in asked
        ]
    )
    (answer,) = desk.serve((request, 4))
    assert [(r.resource_type, r.resource_name) for r in answer.results] == asked
    assert [r.error_code for r in answer.results] == [3, 0, 0, 0]


def test_an_unknown_kind_of_resource_fails_the_request(desk: ConfigDesk) -> None:
    request = DescribeConfigsRequest(
        resources=[DescribeConfigsResource(resource_type=7, resource_name="x")]
    )
    (answer,) = desk.serve((request, 4))
    assert [(r.error_code, r.error_message) for r in answer.results] == [
        (ErrorCode.INVALID_REQUEST, ErrorCode.INVALID_REQUEST.text)
    ]


def test_a_change_shows_in_the_next_answer(desk: ConfigDesk) -> None:
    def value() -> str | None:
        (found,) = desk.describe(TOPIC, "t", ["segment.bytes"]).configs
        return found.value

    assert value() == "1073741824"
    desk.configs.set_dynamic_default({"log.segment.bytes": "200"})
    assert value() == "200"
    desk.change(TOPIC, "t", ("segment.bytes", Op.SET, "100"))
    assert value() == "100"
    desk.change(TOPIC, "t", ("segment.bytes", Op.DELETE, None))
    assert value() == "200"
