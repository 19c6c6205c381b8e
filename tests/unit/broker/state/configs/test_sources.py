import pytest

from pykafka_ops.broker.state.configs.sources import (
    PASSWORDS,
    is_password,
    merge,
    synonyms,
    type_of,
)
from pykafka_ops.settings.source import ConfigSource
from pykafka_ops.settings.types import Type


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("log.roll.hours", ("log.roll.ms", "log.roll.hours")),
        ("log.retention.ms", ("log.retention.ms", "log.retention.minutes", "log.retention.hours")),
        ("log.flush.interval.ms", ("log.flush.interval.ms", "log.flush.scheduler.interval.ms")),
        ("log.flush.scheduler.interval.ms", ("log.flush.scheduler.interval.ms",)),
        (
            "listener.name.in.scram-sha-256.sasl.jaas.config",
            ("listener.name.in.scram-sha-256.sasl.jaas.config", "sasl.jaas.config"),
        ),
        (
            "listener.name.in.ssl.key.password",
            ("listener.name.in.ssl.key.password", "ssl.key.password"),
        ),
        ("anything", ("anything",)),
    ],
)
def test_names_that_can_give_a_value(name: str, found: tuple[str, ...]) -> None:
    assert synonyms(name) == found


def test_without_listeners_the_plain_name_is_not_a_synonym() -> None:
    name = "listener.name.in.ssl.key.password"
    assert synonyms(name, listener=False) == (name,)


def test_overrides_take_out_their_synonyms() -> None:
    static = {"log.retention.hours": "1", "log.roll.ms": "5", "a": "x"}
    assert merge(static, {"log.retention.ms": "2"}, {"log.roll.ms": "6"}) == {
        "log.retention.ms": "2",
        "log.roll.ms": "6",
        "a": "x",
    }


def test_types_follow_the_name() -> None:
    assert type_of("log.retention.hours") is Type.INT
    assert type_of("log.retention.ms") is Type.LONG
    assert type_of("listener.name.x.ssl.key.password") is Type.PASSWORD
    assert type_of("leader.replication.throttled.rate") is Type.LONG
    assert type_of("no.such") is Type.UNKNOWN


def test_dynamic_passwords_are_those_of_kafka() -> None:
    assert set(PASSWORDS) == {
        "ssl.keystore.certificate.chain",
        "ssl.keystore.password",
        "ssl.key.password",
        "sasl.jaas.config",
        "ssl.keystore.key",
        "ssl.truststore.password",
        "ssl.truststore.certificates",
    }
    assert is_password("listener.name.x.ssl.key.password")
    assert not is_password("password.encoder.secret")


def test_source_numbers_are_those_of_the_protocol() -> None:
    assert [s.value for s in ConfigSource] == list(range(9))
    assert ConfigSource.STATIC_BROKER_CONFIG == 4
