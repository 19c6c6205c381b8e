from collections.abc import Callable
from typing import Any

import pytest

from pykafka_ops.errors import SettingError
from pykafka_ops.settings.authorizer import super_users, without_rules
from pykafka_ops.settings.broker import BROKER
from pykafka_ops.settings.check import (
    check_values,
    connections_per_ip_overrides,
    flush_ms,
    log_dirs,
    retention_ms,
    review,
    roll_jitter_ms,
    roll_ms,
)
from tests.support.raising import raises_nothing


def getter(**texts: str) -> Callable[[str], Any]:
    """Values of all settings, those given by name with underscores for dots."""
    given = {name.replace("_", "."): text for name, text in texts.items()}
    return lambda name: BROKER[name].parse(given.get(name, BROKER[name].default))


def test_kafkas_defaults_agree_with_each_other() -> None:
    with raises_nothing():
        check_values(getter())


@pytest.mark.parametrize(
    ("texts", "text"),
    [
        ({"broker_id": "3"}, "You must set `node.id` to the same value as `broker.id`."),
        (
            {"broker_id": "1001", "node_id": "1001"},
            "requirement failed: broker.id must be greater than or equal to -1 and not greater "
            "than reserved.broker.max.id",
        ),
        (
            {"broker_id_generation_enable": "false"},
            "requirement failed: broker.id must be greater than or equal to 0",
        ),
        ({"log_dir": " , "}, "requirement failed: At least one log directory must be defined via"),
        ({"log_cleaner_dedupe_buffer_size": "100"}, "requirement failed: log.cleaner.dedupe"),
        ({"replica_socket_timeout_ms": "1"}, "requirement failed: replica.socket.timeout.ms"),
        ({"replica_lag_time_max_ms": "1"}, "requirement failed: replica.fetch.wait.max.ms"),
        ({"queued_max_request_bytes": "5"}, "requirement failed: queued.max.request.bytes"),
        ({"connections_max_idle_ms": "5"}, "connection.failed.authentication.delay.ms=100 should"),
        ({"log_retention_ms": "0"}, "requirement failed: log.retention.ms must be unlimited"),
        ({"log_roll_ms": "0"}, "requirement failed: log.roll.ms must be greater than"),
        ({"max_connections_per_ip": "0"}, "requirement failed: max.connections.per.ip can be"),
        (
            {"max_connections_per_ip": "0", "max_connections_per_ip_overrides": "a:0,b:0"},
            "overrides allows some address a connection",
        ),
        ({"max_connections_per_ip_overrides": "a"}, "Error parsing configuration property"),
        ({"max_connections_per_ip_overrides": "a b:1"}, "contains invalid addresses : a b"),
    ],
)
def test_contradictions_are_refused_with_kafkas_words(texts: dict[str, str], text: str) -> None:
    with pytest.raises(SettingError) as caught:
        check_values(getter(**texts))
    assert text in str(caught.value)


def test_times_come_from_the_finest_unit_that_is_set() -> None:
    assert retention_ms(getter()) == 604_800_000
    assert retention_ms(getter(log_retention_minutes="2")) == 120_000
    assert retention_ms(getter(log_retention_minutes="2", log_retention_ms="-9")) == -1
    assert roll_ms(getter(log_roll_hours="1")) == 3_600_000
    assert roll_ms(getter(log_roll_ms="7", log_roll_hours="1")) == 7
    assert roll_jitter_ms(getter(log_roll_jitter_hours="1")) == 3_600_000
    assert flush_ms(getter(log_flush_scheduler_interval_ms="5")) == 5
    assert flush_ms(getter(log_flush_interval_ms="0")) == 0


def test_log_dirs_come_from_the_plural_first() -> None:
    assert log_dirs(getter(log_dir="/a")) == ["/a"]
    assert log_dirs(getter(log_dir="/a", log_dirs=" /b, /c")) == ["/b", "/c"]


def test_connection_overrides_are_read() -> None:
    get = getter(max_connections_per_ip_overrides="10.0.0.1:5, ::1:7")
    assert connections_per_ip_overrides(get) == {"10.0.0.1": 5, "::1": 7}


def test_settings_without_effect_are_told_and_unsafe_ones_refused() -> None:
    found = review(
        {
            "num.io.threads": "16",
            "num.partitions": "3",
            "process.roles": "broker",
            "ssl.engine.factory.class": "x.Y",
            "listener.name.x.ssl.client.auth": "required",
            "authorizer.class.name": "",
            "inter.broker.protocol.version": "3.9",
            "listener.name.x.max.connections": "4",
            "listener.name.x.num.network.threads": "4",
            "config.providers": "file",
            "no.such": "1",
            "background.threads": "10",
        }
    )
    assert found.warnings == [
        "num.io.threads=16 has no effect on this broker",
        "listener.name.x.num.network.threads: has no effect on this broker for a single listener",
        "no.such is not a setting of a broker and has no effect",
    ]
    assert found.refusals == [
        "process.roles=broker is not supported by this broker: remove it",
        "ssl.engine.factory.class=x.Y is not supported by this broker: remove it",
    ]


def test_an_older_protocol_version_is_refused_with_the_one_to_set() -> None:
    (text,) = review({"inter.broker.protocol.version": "2.8"}).refusals
    assert text.endswith("remove it or set it to 3.9-IV0")


def test_a_malformed_value_is_an_error() -> None:
    with pytest.raises(SettingError, match="Not a number"):
        review({"num.io.threads": "x"})
    with pytest.raises(SettingError, match="Not a number"):
        review({"listener.name.x.max.connections": "x"})


def test_only_selectors_of_kafka_are_known() -> None:
    package = "org.apache.kafka.common.replica"
    for name in ("", f"{package}.RackAwareReplicaSelector", f"{package}.LeaderSelector"):
        assert review({"replica.selector.class": name}).warnings == []
    (line,) = review({"replica.selector.class": "com.example.Mine"}).warnings
    assert "com.example.Mine has no effect" in line


def test_the_authorizer_of_kafka_is_known_and_its_settings_only_count_with_it() -> None:
    known = {"authorizer.class.name": "kafka.security.authorizer.AclAuthorizer"}
    own = {"super.users": "User:root", "allow.everyone.if.no.acl.found": "true"}
    assert review({**known, **own}) == ([], [])
    assert [line.partition(" ")[0] for line in review(own).warnings] == list(own)
    (refusal,) = review({"authorizer.class.name": "org.acme.Mine"}).refusals
    assert refusal.startswith("authorizer.class.name=org.acme.Mine is not supported")
    elsewhere = {**known, "authorizer.zookeeper.url": "zk:2181"}
    assert len(review(elsewhere).refusals) == 1


@pytest.mark.parametrize("text", ["root", "User:", ":x", "User:a;bob"])
def test_super_users_that_are_no_principals_are_named(text: str) -> None:
    with pytest.raises(SettingError, match="is no principal: write User:NAME"):
        super_users({"super.users": text})


def test_super_users_are_separated_by_semicolons_since_names_have_commas() -> None:
    found = super_users({"super.users": " User:CN=a,O=b ; User:root;"})
    assert found == {"User:CN=a,O=b", "User:root"}
    assert super_users({}) == set()


def test_what_counts_without_rules_is_true_or_false() -> None:
    assert not without_rules({})
    assert without_rules({"allow.everyone.if.no.acl.found": "TRUE"})
    with pytest.raises(SettingError, match="neither true nor false"):
        without_rules({"allow.everyone.if.no.acl.found": "yes"})
