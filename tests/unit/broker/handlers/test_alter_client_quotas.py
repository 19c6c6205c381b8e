"""AlterClientQuotas: what is checked, what is stored, what is told."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from pykafka_ops.wire.messages.alter_client_quotas import (
    AlterClientQuotasRequest,
    AlterClientQuotasRequestEntryData,
    OpData,
)
from pykafka_ops.wire.messages.describe_client_quotas import EntityData
from tests.support.memory.config_desk import ConfigDesk, Outcome

INVALID, UNKNOWN = 42, -1
Name = str | None


@pytest.fixture
def desk(tmp_path: Path) -> ConfigDesk:
    return ConfigDesk(tmp_path)


def entry(names: dict[str, Name], **quotas: float | None) -> AlterClientQuotasRequestEntryData:
    """Set quotas of an entity, or remove those that are None."""
    return AlterClientQuotasRequestEntryData(
        entity=[EntityData(entity_type=t, entity_name=n) for t, n in names.items()],
        ops=[
            OpData(key=k.replace("SCRAM_SHA_", "SCRAM-SHA-"), value=v or 0.0, remove=v is None)
            for k, v in quotas.items()
        ],
    )


def alter(
    desk: ConfigDesk,
    *entries: AlterClientQuotasRequestEntryData,
    only: bool = False,
    version: int = 1,
) -> list[Outcome]:
    request = AlterClientQuotasRequest(entries=list(entries), validate_only=only)
    (answer,) = desk.serve((request, version))
    return [(each.error_code, each.error_message) for each in answer.entries]


@pytest.mark.parametrize("version", [0, 1])
def test_each_entity_has_its_znode_and_a_notification(desk: ConfigDesk, version: int) -> None:
    said = alter(
        desk,
        entry({"user": "a b"}, producer_byte_rate=1048576, request_percentage=12.5),
        entry({"user": "a b", "client-id": None}, consumer_byte_rate=2048),
        entry({"client-id": "c"}, controller_mutation_rate=5),
        entry({"user": None}, producer_byte_rate=1),
        entry({"ip": "10.0.0.1"}, connection_creation_rate=100),
        entry({"ip": None}, connection_creation_rate=200),
        version=version,
    )
    assert said == [(0, None)] * 6
    znodes = desk.znodes()
    assert znodes.pop("users/a%20b/clients") is None
    assert znodes == {
        "users/a%20b": b'{"version":1,"config":{"producer_byte_rate":"1048576",'
        b'"request_percentage":"12.5"}}',
        "users/a%20b/clients/<default>": b'{"version":1,"config":{"consumer_byte_rate":"2048"}}',
        "clients/c": b'{"version":1,"config":{"controller_mutation_rate":"5.0"}}',
        "users/<default>": b'{"version":1,"config":{"producer_byte_rate":"1"}}',
        "ips/10.0.0.1": b'{"version":1,"config":{"connection_creation_rate":"100"}}',
        "ips/<default>": b'{"version":1,"config":{"connection_creation_rate":"200"}}',
    }
    assert desk.notified() == [
        "users/a%20b",
        "users/a%20b/clients/<default>",
        "clients/c",
        "users/<default>",
        "ips/10.0.0.1",
        "ips/<default>",
    ]


def test_what_is_not_named_stays(desk: ConfigDesk) -> None:
    alter(desk, entry({"user": "u"}, producer_byte_rate=1, consumer_byte_rate=2))
    alter(desk, entry({"user": "u"}, producer_byte_rate=None, request_percentage=3))
    assert desk.stored("users/u") == {"consumer_byte_rate": "2", "request_percentage": "3.0"}


def test_the_last_quota_takes_the_znode_along(desk: ConfigDesk) -> None:
    both = {"user": "u", "client-id": "c"}
    alter(desk, entry(both, producer_byte_rate=1), entry({"user": "u"}, producer_byte_rate=1))
    alter(desk, entry({"user": "u"}, producer_byte_rate=None))
    assert desk.znodes()["users/u"] == b'{"version":1,"config":{}}'
    alter(desk, entry({**both, "client-id": "d"}, producer_byte_rate=1))
    alter(desk, entry(both, producer_byte_rate=None))
    assert set(desk.znodes()) == {"users/u", "users/u/clients", "users/u/clients/d"}
    alter(desk, entry({**both, "client-id": "d"}, producer_byte_rate=None))
    assert desk.znodes() == {}


def test_a_users_own_quotas_keep_its_znode(desk: ConfigDesk) -> None:
    both = {"user": "u", "client-id": "c"}
    alter(desk, entry(both, producer_byte_rate=1), entry({"user": "u"}, producer_byte_rate=1))
    alter(desk, entry(both, producer_byte_rate=None))
    assert set(desk.znodes()) == {"users/u"}
    alter(desk, entry({"client-id": "nobody"}, producer_byte_rate=None))
    assert desk.notified()[-1] == "clients/nobody"


def test_a_trial_stores_nothing(desk: ConfigDesk) -> None:
    assert alter(desk, entry({"user": "u"}, producer_byte_rate=1), only=True) == [(0, None)]
    (refused,) = alter(desk, entry({"user": "u"}, producer_byte_rate=1.5), only=True)
    assert refused[0] == INVALID
    assert desk.znodes() == {}
    assert desk.notified() == []


@pytest.mark.parametrize(
    ("names", "quotas", "said"),
    [
        ({}, {"producer_byte_rate": 1}, "Invalid empty client quota entity"),
        ({"tribe": "x"}, {}, "Unhandled client quota entity type: tribe"),
        ({"user": ""}, {}, "Empty user not supported"),
        (
            {"user": "u", "ip": "10.0.0.1"},
            {},
            "Invalid quota entity combination, IP entity should not be used with user/client ID "
            "entity.",
        ),
        (
            {"ip": "no.such.host.invalid"},
            {},
            "no.such.host.invalid is not a valid IP or resolvable host.",
        ),
        ({"ip": "::1"}, {}, "%3A%3A1 is not a valid IP or resolvable host."),
        ({"user": "u"}, {"bytes": 1}, "Invalid configuration key bytes"),
        (
            {"ip": "10.0.0.1"},
            {"producer_byte_rate": 1},
            "Invalid configuration key producer_byte_rate",
        ),
        (
            {"client-id": "c"},
            {"SCRAM_SHA_256": 1},
            "Invalid configuration key SCRAM-SHA-256",
        ),
        (
            {"user": "u"},
            {"producer_byte_rate": -5},
            "Configuration producer_byte_rate must be a LONG value",
        ),
        (
            {"user": "u"},
            {"producer_byte_rate": 0.5},
            "Configuration producer_byte_rate must be a LONG value",
        ),
        (
            {"user": "u"},
            {"producer_byte_rate": math.inf},
            "Configuration producer_byte_rate must be a LONG value",
        ),
        (
            {"ip": None},
            {"connection_creation_rate": 3e9},
            "Configuration connection_creation_rate must be a INT value",
        ),
        (
            {"ip": None},
            {"connection_creation_rate": 0},
            "connection_creation_rate of all addresses must be at least 1, else nobody connects",
        ),
    ],
)
def test_what_cannot_be_is_refused_in_kafkas_words(
    desk: ConfigDesk, names: dict[str, Name], quotas: dict[str, float], said: str
) -> None:
    good = entry({"user": "good"}, producer_byte_rate=1)
    assert alter(desk, entry(names, **quotas), good) == [(INVALID, said), (0, None)]
    assert set(desk.znodes()) == {"users/good"}


def test_a_credential_is_no_quota(desk: ConfigDesk) -> None:
    assert alter(desk, entry({"user": "u"}, SCRAM_SHA_256=1)) == [(UNKNOWN, None)]


@pytest.mark.parametrize("value", [math.nan, 2.0000001, 1.9999999])
def test_numbers_are_rounded_as_kafka_does(desk: ConfigDesk, value: float) -> None:
    alter(desk, entry({"user": "u"}, producer_byte_rate=value))
    rounded = "0" if math.isnan(value) else "2"
    assert desk.stored("users/u") == {"producer_byte_rate": rounded}


def test_of_an_entity_named_twice_the_last_outcome_is_told(desk: ConfigDesk) -> None:
    said = alter(
        desk,
        entry({"user": "u"}, producer_byte_rate=1),
        entry({"user": "u"}, consumer_byte_rate=0.5),
    )
    assert [code for code, _ in said] == [INVALID]
    assert desk.stored("users/u") == {"producer_byte_rate": "1"}


def test_what_was_stored_by_hand_and_is_no_setting_stops_a_change(desk: ConfigDesk) -> None:
    desk.write("clients/c", b'{"version":1,"config":{"bytes":"1"}}')
    assert alter(desk, entry({"client-id": "c"}, producer_byte_rate=1)) == [(UNKNOWN, None)]
