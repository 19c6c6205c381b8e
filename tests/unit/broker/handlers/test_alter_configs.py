"""Codes and texts are those of Apache Kafka 3.9.1 for the same requests."""

from pathlib import Path

import pytest

from pykafka_ops.wire.codes import ErrorCode
from tests.support.memory.config_desk import BROKER, LOGGER, TOPIC, ConfigDesk

OK = (ErrorCode.NONE, None)


@pytest.fixture
def desk(tmp_path: Path) -> ConfigDesk:
    return ConfigDesk(tmp_path)


def test_what_is_not_named_goes(desk: ConfigDesk) -> None:
    assert desk.replace(TOPIC, "t", {"retention.ms": "1", "segment.ms": "2"}) == OK
    assert desk.replace(TOPIC, "t", {"retention.ms": "3"}) == OK
    assert desk.stored("topics/t") == {"retention.ms": "3"}
    assert desk.replace(TOPIC, "t", {}) == OK
    assert desk.stored("topics/t") == {}
    assert desk.notified() == ["topics/t"] * 3


def test_settings_of_brokers_are_replaced(desk: ConfigDesk) -> None:
    assert desk.replace(BROKER, "", {"max.connections": "5"}) == OK
    assert desk.replace(BROKER, "0", {"custom.thing": "5"}) == OK
    assert desk.stored("brokers/<default>") == {"max.connections": "5"}
    assert desk.stored("brokers/0") == {"custom.thing": "5"}


@pytest.mark.parametrize(
    ("kind", "name", "values", "code", "text"),
    [
        (
            TOPIC,
            "t",
            {"no.such": "7"},
            ErrorCode.INVALID_CONFIG,
            "Unknown topic config name: no.such",
        ),
        (
            TOPIC,
            "nope",
            {"retention.ms": "7"},
            ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
            "The topic 'nope' does not exist.",
        ),
        (
            TOPIC,
            "t",
            {"retention.ms": None},
            ErrorCode.INVALID_REQUEST,
            "Null value not supported for : retention.ms",
        ),
        (LOGGER, "0", {"root": "DEBUG"}, ErrorCode.INVALID_REQUEST, "Unknown resource type 8"),
        (0, "x", {"a": "b"}, ErrorCode.INVALID_REQUEST, "Unknown resource type 0"),
    ],
)
def test_what_is_wrong_is_refused(
    desk: ConfigDesk,
    kind: int,
    name: str,
    values: dict[str, str | None],
    code: ErrorCode,
    text: str,
) -> None:
    assert desk.replace(kind, name, values) == (code, text)
    assert desk.notified() == []
