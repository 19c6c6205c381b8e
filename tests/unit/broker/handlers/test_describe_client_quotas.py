"""DescribeClientQuotas: which entities a filter finds."""

from __future__ import annotations

from typing import Any

import pytest

from pykafka_ops.broker.handlers import failed
from pykafka_ops.broker.state.quotas.requests import filter_of
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.messages.describe_client_quotas import (
    ComponentData,
    DescribeClientQuotasRequest,
)
from tests.support.memory.config_desk import ConfigDesk
from tests.unit.broker.handlers.test_alter_client_quotas import alter, entry

ANY = object()
ENTITIES: dict[str, dict[str, str | None]] = {
    "u": {"user": "u"},
    "v": {"user": "v"},
    "U": {"user": None},
    "uc": {"user": "u", "client-id": "c"},
    "uC": {"user": "u", "client-id": None},
    "Uc": {"user": None, "client-id": "c"},
    "UC": {"user": None, "client-id": None},
    "c": {"client-id": "c"},
    "C": {"client-id": None},
    "i": {"ip": "10.0.0.1"},
    "I": {"ip": None},
}


def components(**wanted: object) -> list[ComponentData]:
    """``ANY``, None for the default, or a name."""
    return [
        ComponentData(
            entity_type=kind.replace("_", "-"),
            match_type=2 if name is ANY else 1 if name is None else 0,
            match=name if isinstance(name, str) else None,
        )
        for kind, name in wanted.items()
    ]


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> ConfigDesk:
    desk = ConfigDesk(tmp_path_factory.mktemp("desk"))
    for names in ENTITIES.values():
        quota = "connection_creation_rate" if "ip" in names else "producer_byte_rate"
        assert alter(desk, entry(names, **{quota: 7})) == [(0, None)]
    desk.write("users/w", b'{"version":1,"config":{"SCRAM-SHA-256":"x"}}')
    return desk


@pytest.mark.parametrize(
    ("wanted", "strict", "loose"),
    [
        ({}, "", "u v U uc uC Uc UC c C i I"),
        ({"user": ANY}, "u v U", "u v U uc uC Uc UC"),
        ({"user": "u"}, "u", "u uc uC"),
        ({"user": None}, "U", "U Uc UC"),
        ({"user": "w"}, "", ""),
        ({"user": ""}, "", ""),
        ({"user": "u", "client_id": ""}, "", ""),
        ({"client_id": ANY}, "c C", "c C uc uC Uc UC"),
        ({"client_id": "c"}, "c", "c uc Uc"),
        ({"client_id": None}, "C", "C uC UC"),
        ({"user": ANY, "client_id": ANY}, "uc uC Uc UC", "uc uC Uc UC"),
        ({"user": "u", "client_id": ANY}, "uc uC", "uc uC"),
        ({"user": ANY, "client_id": "c"}, "uc Uc", "uc Uc"),
        ({"user": "u", "client_id": None}, "uC", "uC"),
        ({"user": "nobody", "client_id": "c"}, "", ""),
        ({"ip": ANY}, "i I", "i I"),
        ({"ip": "10.0.0.1"}, "i", "i"),
        ({"ip": None}, "I", "I"),
    ],
)
def test_a_filter_finds(
    desk: ConfigDesk, wanted: dict[str, object], strict: str, loose: str
) -> None:
    for flag, names in ((True, strict), (False, loose)):
        request = DescribeClientQuotasRequest(components=components(**wanted), strict=flag)
        for answer in desk.serve((request, 0), (request, 1)):
            assert answer.error_code == 0
            found = [{e.entity_type: e.entity_name for e in each.entity} for each in answer.entries]
            expected = [ENTITIES[name] for name in names.split()]
            assert sorted(map(repr, found)) == sorted(map(repr, expected))
            assert {v.value for each in answer.entries for v in each.values} <= {7.0}


@pytest.mark.parametrize(
    ("wanted", "code", "text"),
    [
        (components(user="u") * 2, 42, "Duplicate user filter component entity type"),
        (components(client_id="u") * 2, 42, "Duplicate client filter component entity type"),
        (components(ip="u") * 2, 42, "Duplicate ip filter component entity type"),
        ([ComponentData(match_type=2)], 42, "Unexpected empty filter component entity type"),
        (components(tribe=ANY), 35, "Custom entity type 'tribe' not supported"),
        (
            components(ip=ANY, user=ANY),
            42,
            "Invalid entity filter component combination, IP filter component should not be used "
            "with user or clientId filter component.",
        ),
        ([ComponentData(entity_type="user", match_type=3)], -1, ""),
        ([ComponentData(entity_type="user", match_type=0, match=None)], -1, ""),
    ],
)
def test_filters_that_cannot_be_are_refused(
    wanted: list[ComponentData], code: int, text: str
) -> None:
    with pytest.raises(KafkaError) as raised:
        filter_of(wanted, True)
    assert (raised.value.code, raised.value.message) == (code, text)
    answer: Any = failed.answer_to(
        ApiKey.DESCRIBE_CLIENT_QUOTAS, None, DescribeClientQuotasRequest(), 1, raised.value
    )
    assert (answer.error_code, answer.error_message, answer.entries) == (code, text or None, None)
