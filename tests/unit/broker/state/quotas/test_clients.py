"""What clients use of their quotas; the numbers are those of Kafka's own tests."""

from __future__ import annotations

from typing import Any

import pytest

from pykafka_ops.broker.state.quotas.clients import (
    MOST_KNOWN,
    MOST_MEASURED,
    PERCENT_PER_MS,
    ClientQuotas,
)
from pykafka_ops.broker.state.quotas.entities import DEFAULT, QuotaEntities, QuotaEntity

SECOND = 1000.0
SETTINGS: dict[str, Any] = {
    "quota.window.num": 11,
    "quota.window.size.seconds": 1,
    "controller.quota.window.num": 10,
    "controller.quota.window.size.seconds": 1,
}
ME = ("ANONYMOUS", "unknown")
ALL_CLIENTS = QuotaEntity(client_id=DEFAULT)
ALL_USERS = QuotaEntity(user=DEFAULT)


@pytest.fixture
def entities() -> QuotaEntities:
    return QuotaEntities()


@pytest.fixture
def quotas(entities: QuotaEntities) -> ClientQuotas:
    return ClientQuotas(entities, SETTINGS.__getitem__)


def test_without_quotas_nothing_is_measured(quotas: ClientQuotas) -> None:
    assert not quotas.concern(*ME)
    assert quotas.produce.charge(*ME, 1e12, 0.0) == 0
    assert quotas.fetch.most_at_once(*ME, 0.0) == float("inf")
    assert quotas.mutation.take(*ME, 10**6, 0.0, strict=True) == 0
    assert len(quotas.produce.measured) == len(quotas.mutation.measured) == 0


def test_a_spike_is_paid_for_and_forgotten(entities: QuotaEntities, quotas: ClientQuotas) -> None:
    entities.set(ALL_CLIENTS, {"producer_byte_rate": "500"})
    assert quotas.concern(*ME)
    now = 0.0
    for _ in range(10):
        assert quotas.produce.charge(*ME, 400, now) == 0
        now += SECOND
    now += 500
    assert quotas.produce.charge(*ME, 2300, now) == 2100
    now += 2100
    for _ in range(10):
        quotas.produce.charge(*ME, 400, now)
        now += SECOND
    assert quotas.produce.charge(*ME, 0, now) == 0


def test_time_of_a_thread_is_paid_for_in_breaks_of_one_window(
    entities: QuotaEntities, quotas: ClientQuotas
) -> None:
    """1 % is 10 ms per second: 4 in each of 10 s and 67.1 are 10.2 per second."""
    entities.set(QuotaEntity(*ME), {"request_percentage": "1"})
    now = 0.0
    for _ in range(10):
        assert quotas.request.charge(*ME, 4 * PERCENT_PER_MS, now) == 0
        now += SECOND
    now += 500
    assert quotas.request.charge(*ME, 67.1 * PERCENT_PER_MS, now) == 210
    now += 20 * SECOND
    assert quotas.request.charge(*ME, 500 * PERCENT_PER_MS, now) == 1000
    for _ in range(10):
        now += SECOND
        assert quotas.request.charge(*ME, 0, now) == 1000
    now += SECOND
    assert quotas.request.charge(*ME, 0, now) == 0


def test_a_fetch_is_cut_to_what_ten_windows_let_through(
    entities: QuotaEntities, quotas: ClientQuotas
) -> None:
    entities.set(ALL_USERS, {"consumer_byte_rate": "10"})
    assert quotas.fetch.most_at_once(*ME, 0.0) == 100


def test_clients_of_a_user_share_its_quota_and_others_have_their_own(
    entities: QuotaEntities, quotas: ClientQuotas
) -> None:
    entities.set(ALL_USERS, {"producer_byte_rate": "100"})
    charge = quotas.produce.charge
    assert charge("alice", "a", 900, 0.0) == 0
    assert charge("bob", "a", 900, 0.0) == 0
    assert charge("alice", "b", 200, 0.0) == 1000
    entities.set(QuotaEntity("alice", "b"), {"producer_byte_rate": "1000"})
    assert charge("alice", "b", 9000, 0.0) == 0
    assert charge("alice", "a", 0, 0.0) == 1000


def test_a_new_limit_counts_at_once_for_what_was_used_before(
    entities: QuotaEntities, quotas: ClientQuotas
) -> None:
    entities.set(ALL_CLIENTS, {"producer_byte_rate": "1000"})
    assert quotas.produce.charge(*ME, 5000, 0.0) == 0
    entities.set(ALL_CLIENTS, {"producer_byte_rate": "250"})
    assert quotas.produce.charge(*ME, 0, 0.0) == 10_000
    entities.set(ALL_CLIENTS, {})
    assert quotas.produce.charge(*ME, 10**9, 0.0) == 0
    assert not quotas.concern(*ME)


def test_a_strict_quota_refuses_once_it_is_used_up_and_counts_nothing_then(
    entities: QuotaEntities, quotas: ClientQuotas
) -> None:
    entities.set(ALL_USERS, {"controller_mutation_rate": "10"})

    def take(partitions: int, now: float) -> int:
        return quotas.mutation.take(*ME, partitions, now, strict=True)

    assert take(90, 0.0) == 0
    assert take(50, 0.0) == 0  # however many, as long as there is something left
    assert [take(1, 0.0), take(1, 0.0)] == [4000, 4000]
    assert take(1, 3000.0) == 1000
    assert take(1, 4000.0) == 0
    assert take(1, 4000.0) == 100


def test_a_permissive_quota_lets_everything_through_and_asks_for_breaks(
    entities: QuotaEntities, quotas: ClientQuotas
) -> None:
    entities.set(ALL_USERS, {"controller_mutation_rate": "10"})

    def take(partitions: int, now: float) -> int:
        return quotas.mutation.take(*ME, partitions, now, strict=False)

    assert take(90, 0.0) == 0
    assert [take(50, 0.0), take(10, 0.0)] == [4000, 5000]
    assert take(0, 5000.0) == 0


def test_idle_clients_are_forgotten_and_busy_ones_are_not(
    entities: QuotaEntities, quotas: ClientQuotas
) -> None:
    entities.set(ALL_CLIENTS, {"producer_byte_rate": "500", "controller_mutation_rate": "1"})
    for number in range(3 * MOST_KNOWN):
        quotas.produce.charge("u", f"c{number}", 1, 0.0)
        quotas.mutation.take("u", f"c{number}", 1, 0.0, strict=True)
    assert len(quotas.produce.measured) == 3 * MOST_KNOWN
    assert len(quotas.produce.measured._known) <= MOST_KNOWN
    quotas.produce.charge("u", "c7", 6000, 5 * SECOND)
    quotas.produce.charge("u", "c8", 1, 12 * SECOND)
    quotas.mutation.take("u", "c8", 1, 12 * SECOND, strict=True)
    assert len(quotas.produce.measured) == 2
    assert len(quotas.mutation.measured) == 1
    assert quotas.produce.charge("u", "c7", 0, 12 * SECOND) == 2000


def test_client_ids_that_are_invented_take_no_memory_without_end(
    entities: QuotaEntities, quotas: ClientQuotas
) -> None:
    entities.set(ALL_CLIENTS, {"producer_byte_rate": "500"})
    for number in range(MOST_MEASURED + 100):
        quotas.produce.charge("u", f"c{number}", 1, 0.0)
    assert len(quotas.produce.measured) == MOST_MEASURED
    for number in range(100):
        quotas.concern("u", f"{number}" * 10_000)
        quotas.produce.charge("u", f"{number}-" * 10_000, 1, 0.0)
    names = [*quotas._concerned, *quotas.produce.measured._known, *quotas.produce.measured._shared]
    assert max(len(client_id) for _, client_id in names) <= 256


def test_no_break_is_longer_than_an_answer_can_tell(
    entities: QuotaEntities, quotas: ClientQuotas
) -> None:
    entities.set(ALL_CLIENTS, {"producer_byte_rate": "1"})
    assert quotas.produce.charge(*ME, 2**40, 0.0) == 2**31 - 1


def test_who_is_measured_is_told_with_what_was_used_and_the_limit(
    entities: QuotaEntities, quotas: ClientQuotas
) -> None:
    entities.set(ALL_CLIENTS, {"producer_byte_rate": "100"})
    pause = quotas.produce.charge(*ME, 5000, 0.0)
    ((who, rate, limit),) = quotas.produce.measured
    assert (who, limit) == (("", "unknown"), 100)
    assert quotas.produce.pause_ms(rate, limit, 0.0) == pause > 0
