"""What BrokerConfigs refuses, with the codes and words of Apache Kafka 3.9.1."""

import pytest

from pykafka_ops.broker.state.configs.running import BrokerConfigs
from pykafka_ops.errors import KafkaError, SettingError
from pykafka_ops.wire.codes import ErrorCode
from tests.support.raising import raises_nothing


@pytest.mark.parametrize(
    ("values", "code", "text"),
    [
        ({"no.such": "5"}, ErrorCode.INVALID_CONFIG, "Unknown topic config name: no.such"),
        (
            {"min.compaction.lag.ms": "10", "max.compaction.lag.ms": "5"},
            ErrorCode.INVALID_CONFIG,
            "conflict topic config setting min.compaction.lag.ms (10) > max.compaction.lag.ms (5)",
        ),
        (
            {"remote.log.copy.disable": "true"},
            ErrorCode.INVALID_CONFIG,
            "It is invalid to set `remote.log.delete.on.disable` or `remote.log.copy.disable` "
            "under Zookeeper's mode.",
        ),
    ],
)
def test_topic_settings_that_cannot_be_are_refused(
    values: dict[str, str], code: ErrorCode, text: str
) -> None:
    with pytest.raises(KafkaError) as caught:
        BrokerConfigs({}).check_topic(values)
    assert (caught.value.code, caught.value.message) == (code, text)


@pytest.mark.parametrize(
    ("values", "text"),
    [
        (
            {"retention.ms": "abc"},
            "Invalid value abc for configuration retention.ms: Not a number of type LONG",
        ),
        (
            {"remote.storage.enable": "true"},
            "Tiered Storage functionality is disabled in the broker. "
            "Topic cannot be configured with remote log storage.",
        ),
    ],
)
def test_topic_values_that_do_not_fit_are_refused(values: dict[str, str], text: str) -> None:
    with pytest.raises(SettingError) as caught:
        BrokerConfigs({}).check_topic(values)
    assert str(caught.value) == text


def test_good_topic_settings_pass() -> None:
    with raises_nothing():
        BrokerConfigs({}).check_topic({"retention.ms": "-1", "cleanup.policy": "compact,delete"})


JAVA = "Invalid value org.apache.kafka.common.config.ConfigException: "


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({"broker.rack": "x"}, "Cannot update these configs dynamically: Set(broker.rack)"),
        (
            {"num.io.threads": "0"},
            "Invalid value 0 for configuration num.io.threads: Value must be at least 1",
        ),
        (
            {"num.io.threads": "100"},
            f"{JAVA}Dynamic thread count update validation failed for num.io.threads=100, value "
            "should not be greater than double the current value 4 for configuration Invalid "
            "dynamic configuration",
        ),
        (
            {"num.io.threads": "1"},
            f"{JAVA}Dynamic thread count update validation failed for num.io.threads=1, value "
            "should be at least half the current value 4 for configuration Invalid dynamic "
            "configuration",
        ),
        (
            {"log.cleaner.threads": "9"},
            f"{JAVA}Log cleaner threads cannot be increased to more than double the current value "
            "1 for configuration Invalid dynamic configuration",
        ),
        ({"log.cleaner.threads": "0"}, "/ by zero"),
        (
            {"ssl.keystore.location": "/x"},
            "These security configs can be dynamically updated only per-listener using the "
            "listener prefix: HashSet(ssl.keystore.location)",
        ),
        (
            {"log.retention.ms": "0"},
            "requirement failed: log.retention.ms must be unlimited (-1) or, greater than or "
            "equal to 1",
        ),
        (
            {"max.connections.per.ip": "0"},
            "requirement failed: max.connections.per.ip can be set to zero only if "
            "max.connections.per.ip.overrides property is set.",
        ),
        (
            {"leader.replication.throttled.rate": "-5"},
            "Invalid value -5 for configuration leader.replication.throttled.rate: Value must be "
            "at least 0",
        ),
        (
            {"listeners": "PLAINTEXT://:1"},
            "These configs cannot be updated while this broker runs: Set(listeners)",
        ),
    ],
)
def test_broker_settings_that_cannot_be_are_refused(values: dict[str, str], text: str) -> None:
    configs = BrokerConfigs({"num.io.threads": "4"})
    with pytest.raises(KafkaError) as caught:
        configs.check_broker(values, per_broker=True)
    assert (caught.value.code, caught.value.message) == (ErrorCode.INVALID_REQUEST, text)


@pytest.mark.parametrize(
    "name", ["listeners", "ssl.client.auth", "listener.name.a.ssl.client.auth"]
)
def test_settings_of_one_broker_cannot_be_set_for_all(name: str) -> None:
    with pytest.raises(KafkaError) as caught:
        BrokerConfigs({}).check_broker({name: "none"}, per_broker=False)
    assert caught.value.message == (
        "Cannot update these configs at default cluster level, broker id must be specified: "
        f"Set({name})"
    )


@pytest.mark.parametrize(
    ("static", "per_broker", "text"),
    [
        ({}, True, "Password encoder secret not configured"),
        ({}, False, "Password config can be defined only at broker level"),
    ],
)
def test_passwords_are_not_stored(static: dict[str, str], per_broker: bool, text: str) -> None:
    with pytest.raises(SettingError) as caught:
        BrokerConfigs(static).check_broker({"custom.ssl.key.password": "x"}, per_broker=per_broker)
    assert str(caught.value) == text


def test_good_broker_settings_pass_and_change_nothing_yet() -> None:
    configs = BrokerConfigs({})
    values = {"log.cleanup.policy": "compact", "custom.thing": "1", "num.io.threads": "16"}
    configs.check_broker(values, per_broker=True)
    configs.check_broker(values, per_broker=False)
    assert configs.value("log.cleanup.policy") == ("delete",)
