"""Who may connect: limits of the broker, of a listener and of an address."""

from __future__ import annotations

import pytest

from pykafka_ops.broker.state.configs.running import BrokerConfigs
from pykafka_ops.broker.state.quotas.connections import ConnectionQuotas
from pykafka_ops.broker.state.quotas.entities import DEFAULT, QuotaEntities, QuotaEntity
from pykafka_ops.broker.state.quotas.sampled import Windows
from pykafka_ops.errors import SettingError

CLIENTS, BROKERS = "PLAINTEXT", "INTERNAL"
IP = "10.0.0.1"


def made(*listeners: str, entities: QuotaEntities | None = None, **limits: str) -> ConnectionQuotas:
    found = ConnectionQuotas(Windows(11, 1000.0), entities or QuotaEntities(), BROKERS)
    for name in listeners or (CLIENTS,):
        found.add_listener(name)
    configs = BrokerConfigs({k.replace("_", "."): v for k, v in limits.items()})
    found.configure(configs.value, configs.text)
    return found


def enter(quotas: ConnectionQuotas, count: int, name: str = CLIENTS) -> None:
    for number in range(count):
        assert quotas.enter(name, f"10.1.1.{number}")


def test_without_limits_everybody_comes_in_at_once_and_nothing_is_kept() -> None:
    quotas = made()
    for _ in range(1000):
        assert quotas.arrival_ms(CLIENTS, 0.0) == 0
        assert quotas.refusal_ms(CLIENTS, IP, 0.0) == 0
        assert quotas.has_room(CLIENTS)
        assert quotas.enter(CLIENTS, IP)
    for _ in range(1000):
        quotas.leave(CLIENTS, IP)
    assert (quotas.total, quotas._per_ip, quotas._ip_rates) == (0, {}, {})


def test_the_broker_and_each_listener_have_room_for_so_many() -> None:
    quotas = made(
        CLIENTS, "OTHER", max_connections="3", listener_name_plaintext_max_connections="2"
    )
    enter(quotas, 2)
    assert (quotas.has_room(CLIENTS), quotas.has_room("OTHER")) == (False, True)
    enter(quotas, 1, "OTHER")
    assert not quotas.has_room("OTHER")
    quotas.leave(CLIENTS, "10.1.1.0")
    assert quotas.has_room(CLIENTS)


def test_brokers_come_in_though_clients_have_taken_all_room() -> None:
    quotas = made(CLIENTS, BROKERS, max_connections="2")
    enter(quotas, 2)
    assert (quotas.has_room(CLIENTS), quotas.has_room(BROKERS)) == (False, True)
    assert not quotas.is_crowded()
    enter(quotas, 1, BROKERS)
    assert quotas.is_crowded()


def test_a_listener_that_serves_clients_too_is_not_spared() -> None:
    quotas = made(BROKERS, max_connections="1")
    enter(quotas, 1, BROKERS)
    assert not quotas.has_room(BROKERS)


def test_each_address_has_its_limit_and_may_have_its_own() -> None:
    quotas = made(
        max_connections_per_ip="1", max_connections_per_ip_overrides="5.5.5.5:2, 6.6.6.6:0"
    )
    assert [quotas.enter(CLIENTS, IP) for _ in range(2)] == [True, False]
    assert [quotas.enter(CLIENTS, "5.5.5.5") for _ in range(3)] == [True, True, False]
    assert not quotas.enter(CLIENTS, "6.6.6.6")
    quotas.leave(CLIENTS, IP)
    assert quotas.enter(CLIENTS, IP)
    assert quotas.total == 3


def test_connections_beyond_the_rate_wait_one_window_at_most() -> None:
    """20 per second for 10 s are free at first: that is Kafka's rate over eleven windows."""
    quotas = made(max_connection_creation_rate="20")
    waits = [quotas.arrival_ms(CLIENTS, 0.0) for _ in range(230)]
    assert waits[:200] == [0] * 200
    assert waits[200] == pytest.approx(50)
    assert waits[210] == pytest.approx(550)
    assert waits[-1] == 1000


def test_a_listener_may_have_a_rate_of_its_own() -> None:
    quotas = made(
        CLIENTS,
        BROKERS,
        max_connection_creation_rate="1",
        listener_name_internal_max_connection_creation_rate="2",
    )
    waits = [quotas.arrival_ms(BROKERS, 0.0) for _ in range(21)]
    assert waits[:20] == [0] * 20
    assert waits[20] == pytest.approx(500)
    assert [quotas.arrival_ms(CLIENTS, 0.0) for _ in range(11)][9:] == [0, 1000]


def test_an_address_beyond_its_rate_is_refused_and_counts_for_nobody() -> None:
    entities = QuotaEntities()
    entities.set(QuotaEntity(ip=IP), {"connection_creation_rate": "1"})
    quotas = made(entities=entities, max_connection_creation_rate="100")
    for _ in range(10):
        quotas.arrival_ms(CLIENTS, 0.0)
        assert quotas.refusal_ms(CLIENTS, IP, 0.0) == 0
    for _ in range(500):
        assert quotas.arrival_ms(CLIENTS, 0.0) == 0
        assert quotas.refusal_ms(CLIENTS, IP, 0.0) == 1000
    assert quotas.refusal_ms(CLIENTS, "10.0.0.2", 0.0) == 0
    assert quotas.refusal_ms(CLIENTS, IP, 11_000.0) == 0


def test_addresses_that_do_not_come_any_more_are_forgotten() -> None:
    entities = QuotaEntities()
    entities.set(QuotaEntity(ip=DEFAULT), {"connection_creation_rate": "5"})
    quotas = made(entities=entities)
    for number in range(500):
        assert quotas.refusal_ms(CLIENTS, f"10.2.{number // 250}.{number % 250}", 0.0) == 0
    assert len(quotas._ip_rates) == 500
    quotas.refusal_ms(CLIENTS, IP, 11_000.0)
    assert list(quotas._ip_rates) == [IP]


def test_a_limit_of_a_listener_that_is_none_is_refused() -> None:
    with pytest.raises(SettingError):
        made(listener_name_plaintext_max_connections="many")
