"""Codes and texts are those of Apache Kafka 3.9.1 for the same requests."""

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from pykafka_ops.broker.services import broker_loggers
from pykafka_ops.broker.state.configs.alter import Op
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from tests.support.memory.config_desk import BROKER, CLIENT_METRICS, LOGGER, TOPIC, ConfigDesk

SET, DELETE, APPEND, SUBTRACT = Op.SET, Op.DELETE, Op.APPEND, Op.SUBTRACT
OK = (ErrorCode.NONE, None)
LOGGER_NAME = "kafka.server.TestLogger"


@pytest.fixture
def desk(tmp_path: Path) -> ConfigDesk:
    return ConfigDesk(tmp_path)


@pytest.fixture
def logger() -> Iterator[logging.Logger]:
    found = logging.getLogger(LOGGER_NAME)
    yield found
    found.setLevel(logging.NOTSET)


def test_settings_of_a_topic_are_stored_and_told(desk: ConfigDesk) -> None:
    assert desk.change(TOPIC, "t", ("retention.ms", SET, "5"), ("segment.ms", SET, "6")) == OK
    assert desk.change(TOPIC, "t", ("segment.ms", DELETE, None)) == OK
    assert desk.change(TOPIC, "t", ("cleanup.policy", APPEND, "compact")) == OK
    assert desk.stored("topics/t") == {"retention.ms": "5", "cleanup.policy": "delete,compact"}
    assert desk.notified() == ["topics/t"] * 3


def test_settings_of_this_broker_and_of_all_are_stored_apart(desk: ConfigDesk) -> None:
    assert desk.change(BROKER, "0", ("max.connections", SET, "5")) == OK
    assert desk.change(BROKER, "", ("max.connections", SET, "6")) == OK
    assert desk.stored("brokers/0") == {"max.connections": "5"}
    assert desk.stored("brokers/<default>") == {"max.connections": "6"}
    assert desk.notified() == ["brokers/0", "brokers/<default>"]


def test_a_trial_changes_nothing(desk: ConfigDesk) -> None:
    assert desk.change(TOPIC, "t", ("retention.ms", SET, "5"), only=True) == OK
    assert desk.change(BROKER, "0", ("max.connections", SET, "5"), only=True) == OK
    assert desk.notified() == []


@pytest.mark.parametrize(
    ("kind", "name", "key", "code", "text"),
    [
        (
            TOPIC,
            "t",
            ("retention.ms", SET, "x"),
            ErrorCode.INVALID_CONFIG,
            "Invalid config value for resource ConfigResource(type=TOPIC, name='t'): Invalid "
            "value x for configuration retention.ms: Not a number of type LONG",
        ),
        (
            TOPIC,
            "t",
            ("no.such", SET, "x"),
            ErrorCode.INVALID_CONFIG,
            "Unknown topic config name: no.such",
        ),
        (
            TOPIC,
            "t",
            ("retention.ms", APPEND, "5"),
            ErrorCode.INVALID_CONFIG,
            "Config value append is not allowed for config key: retention.ms",
        ),
        (
            TOPIC,
            "t",
            ("retention.ms", SET, None),
            ErrorCode.INVALID_REQUEST,
            "Null value not supported for : retention.ms",
        ),
        (
            TOPIC,
            "",
            ("retention.ms", SET, "5"),
            ErrorCode.INVALID_REQUEST,
            "Default topic resources are not allowed.",
        ),
        (
            TOPIC,
            "a b",
            ("retention.ms", SET, "5"),
            ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
            "The topic 'a b' does not exist.",
        ),
        (
            TOPIC,
            "t",
            ("remote.storage.enable", SET, "true"),
            ErrorCode.INVALID_CONFIG,
            "Invalid config value for resource ConfigResource(type=TOPIC, name='t'): Tiered "
            "Storage functionality is disabled in the broker. Topic cannot be configured with "
            "remote log storage.",
        ),
        (
            BROKER,
            "0",
            ("broker.rack", SET, "x"),
            ErrorCode.INVALID_REQUEST,
            "Cannot update these configs dynamically: Set(broker.rack)",
        ),
        (
            BROKER,
            "0",
            ("sasl.jaas.config", SET, "x"),
            ErrorCode.INVALID_CONFIG,
            "Invalid config value for resource ConfigResource(type=BROKER, name='0'): Password "
            "encoder secret not configured",
        ),
        (
            BROKER,
            "9",
            ("num.io.threads", SET, "8"),
            ErrorCode.INVALID_REQUEST,
            "Unexpected broker id, expected 0, but received 9",
        ),
        (
            BROKER,
            "x",
            ("num.io.threads", SET, "8"),
            ErrorCode.INVALID_REQUEST,
            "Node id must be an integer, but it is: x",
        ),
        (
            CLIENT_METRICS,
            "m",
            ("interval.ms", SET, "8"),
            ErrorCode.INVALID_REQUEST,
            "AlterConfigs is only supported for topics and brokers, but resource type is "
            "CLIENT_METRICS",
        ),
        (7, "x", ("a", SET, "b"), ErrorCode.INVALID_REQUEST, "Unknown resource type 7"),
    ],
)
def test_what_is_wrong_is_refused(
    desk: ConfigDesk,
    kind: int,
    name: str,
    key: tuple[str, int, str | None],
    code: ErrorCode,
    text: str,
) -> None:
    assert desk.change(kind, name, key) == (code, text)
    assert desk.notified() == []


def test_a_resource_named_twice_is_refused_and_others_are_not(desk: ConfigDesk) -> None:
    def resource(name: str, value: str) -> AlterConfigsResource:
        key = AlterableConfig(name="retention.ms", config_operation=SET, value=value)
        return AlterConfigsResource(resource_type=TOPIC, resource_name=name, configs=[key])

    desk.image.topics["s"] = desk.image.topics["t"]
    request = IncrementalAlterConfigsRequest(
        resources=[resource("t", "1"), resource("s", "2"), resource("t", "3")]
    )
    (answer,) = desk.serve((request, 0))
    text = "Each resource must appear at most once."
    assert [(r.resource_name, r.error_code, r.error_message) for r in answer.responses] == [
        ("t", ErrorCode.INVALID_REQUEST, text),
        ("s", ErrorCode.NONE, None),
        ("t", ErrorCode.INVALID_REQUEST, text),
    ]
    assert desk.stored("topics/s") == {"retention.ms": "2"}


def test_stored_settings_that_cannot_be_used_go_with_the_next_change(desk: ConfigDesk) -> None:
    assert desk.change(BROKER, "0", ("custom.thing", SET, "1")) == OK
    assert desk.change(BROKER, "0", ("max.connections", SET, "5")) == OK
    assert desk.stored("brokers/0") == {"custom.thing": "1", "max.connections": "5"}


def test_levels_of_loggers_are_changed_at_once(desk: ConfigDesk, logger: logging.Logger) -> None:
    said: list[int] = []
    desk.levels_changed.append(lambda: said.append(logger.level))
    assert desk.change(LOGGER, "0", (LOGGER_NAME, SET, "TRACE")) == OK
    assert logger.level == broker_loggers.TRACE
    assert desk.change(LOGGER, "0", (LOGGER_NAME, DELETE, None)) == OK
    assert logger.level == logging.NOTSET
    assert desk.change(LOGGER, "0", (LOGGER_NAME, SET, "FATAL"), only=True) == OK
    assert logger.level == logging.NOTSET
    assert said == [broker_loggers.TRACE, logging.NOTSET]
    assert desk.notified() == []


@pytest.mark.parametrize(
    ("name", "key", "code", "text"),
    [
        (
            "0",
            (LOGGER_NAME, SET, "debug"),
            ErrorCode.INVALID_CONFIG,
            f"Cannot set the log level of {LOGGER_NAME} to debug as it is not a supported log "
            "level. Valid log levels are DEBUG, ERROR, FATAL, INFO, TRACE, WARN",
        ),
        (
            "0",
            ("no.logger", SET, "DEBUG"),
            ErrorCode.INVALID_CONFIG,
            "Logger no.logger does not exist!",
        ),
        (
            "0",
            ("root", DELETE, None),
            ErrorCode.INVALID_REQUEST,
            "Removing the log level of the root logger is not allowed",
        ),
        (
            "0",
            ("root", APPEND, "DEBUG"),
            ErrorCode.INVALID_REQUEST,
            "APPEND operation is not allowed for the BROKER_LOGGER resource",
        ),
        (
            "0",
            ("root", 9, "DEBUG"),
            ErrorCode.INVALID_REQUEST,
            "Unknown operation type 9 is not allowed for the BROKER_LOGGER resource",
        ),
        (
            "1",
            ("root", SET, "DEBUG"),
            ErrorCode.INVALID_REQUEST,
            "Unexpected node id. Expected 0, but received 1",
        ),
        (
            "",
            ("root", SET, "DEBUG"),
            ErrorCode.INVALID_REQUEST,
            "Node id must be an integer, but it is: ",
        ),
    ],
)
def test_impossible_levels_are_refused(
    desk: ConfigDesk,
    logger: logging.Logger,
    name: str,
    key: tuple[str, int, str | None],
    code: ErrorCode,
    text: str,
) -> None:
    assert desk.change(LOGGER, name, key) == (code, text)
