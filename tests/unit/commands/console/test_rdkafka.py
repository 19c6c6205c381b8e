"""Java client properties become librdkafka's."""

from __future__ import annotations

import pytest

from pykafka_ops.client.config import ClientConfigError
from pykafka_ops.commands.console.rdkafka import client, librdkafka, load, pairs
from pykafka_ops.errors import UsageError


def test_common_names_pass_and_java_only_ones_go() -> None:
    given = {"bootstrap.servers": "a:1", "key.serializer": "x", "max.block.ms": "1"}
    assert librdkafka(given, consumer=False) == {"bootstrap.servers": "a:1"}


def test_other_names_are_renamed() -> None:
    given = {"send.buffer.bytes": "1000", "buffer.memory": "33554432", "fetch.max.wait.ms": "5"}
    assert librdkafka(given, consumer=False) == {
        "socket.send.buffer.bytes": "1000",
        "queue.buffering.max.kbytes": "32768",
        "fetch.wait.max.ms": "5",
    }


def test_a_socket_buffer_of_minus_one_is_the_systems() -> None:
    found = librdkafka({"send.buffer.bytes": "-1", "receive.buffer.bytes": "-1"}, consumer=True)
    assert found == {"socket.send.buffer.bytes": "0", "socket.receive.buffer.bytes": "0"}


def test_a_jaas_line_gives_user_and_password() -> None:
    line = (
        "org.apache.kafka.common.security.plain.PlainLoginModule required "
        'username="alice" password="a;b c";'
    )
    assert librdkafka({"sasl.jaas.config": line}, consumer=True) == {
        "sasl.username": "alice",
        "sasl.password": "a;b c",
    }


def test_a_jaas_line_without_a_user_is_refused() -> None:
    with pytest.raises(UsageError, match=r"sasl\.jaas\.config"):
        librdkafka({"sasl.jaas.config": "x required;"}, consumer=True)


def test_assignor_classes_are_translated() -> None:
    name = "partition.assignment.strategy"
    value = "org.apache.kafka.clients.consumer.CooperativeStickyAssignor"
    assert librdkafka({name: value}, consumer=True) == {name: "cooperative-sticky"}


def test_no_reset_policy_has_another_name() -> None:
    given = {"auto.offset.reset": "none"}
    assert librdkafka(given, consumer=True) == {"auto.offset.reset": "error"}


def test_a_number_that_is_none_is_refused_with_kafkas_words() -> None:
    with pytest.raises(UsageError, match=r"Invalid value x for configuration buffer\.memory"):
        librdkafka({"buffer.memory": "x"}, consumer=False)


def test_pairs_are_strict_only_where_asked() -> None:
    assert pairs(["a=b=c", "d"], "property", strict=False) == {"a": "b=c", "d": ""}
    with pytest.raises(UsageError, match="--property d"):
        pairs(["d"], "property", strict=True)


def test_what_librdkafka_does_not_know_is_dropped_with_a_warning() -> None:
    said: list[str] = []
    settings = {"bootstrap.servers": "127.0.0.1:1", "no.such": "1", "nor.such": ""}
    assert client("Producer", settings, debug=False, warn=said.append)
    assert sorted(said) == ["no.such", "nor.such"]


def test_a_value_that_librdkafka_refuses_is_told_with_kafkas_words() -> None:
    with pytest.raises(UsageError, match=r"^Invalid value abc for configuration linger\.ms$"):
        client("Producer", {"linger.ms": "abc"}, debug=False, warn=print)


def test_the_c_module_is_the_one_that_the_package_uses() -> None:
    module = load()
    import confluent_kafka

    assert confluent_kafka.Producer is module.Producer


def test_kerberos_goes_by_the_keytab_or_by_the_ticket_cache() -> None:
    module = "com.sun.security.auth.module.Krb5LoginModule required "
    keys = 'useKeyTab="true" keyTab="/k" principal="alice@R";'
    found = librdkafka({"sasl.jaas.config": module + keys}, consumer=False)
    assert found == {"sasl.kerberos.principal": "alice@R", "sasl.kerberos.keytab": "/k"}
    found = librdkafka({"sasl.jaas.config": f'{module}useTicketCache="true";'}, consumer=False)
    assert found == {"sasl.kerberos.kinit.cmd": ""}
    with pytest.raises(ClientConfigError, match="has no keys"):
        librdkafka({"sasl.jaas.config": f"{module};"}, consumer=False)


def test_a_librdkafka_without_kerberos_is_told_in_one_line() -> None:
    settings = {"sasl.mechanism": "GSSAPI", "security.protocol": "SASL_SSL"}
    words = "is built without GSSAPI here: build one with it"
    with pytest.raises(ClientConfigError, match=words):
        client("Producer", settings, debug=False, warn=print)
