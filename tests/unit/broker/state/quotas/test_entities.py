"""Who may use how much: the order of precedence, sharing, changes."""

from __future__ import annotations

import pytest

from pykafka_ops.broker.state.quotas.entities import (
    CONNECTION,
    DEFAULT,
    FETCH,
    PRODUCE,
    REQUEST,
    QuotaEntities,
    QuotaEntity,
    QuotaLimit,
)

ORDER = [
    (QuotaEntity("alice", "app"), "alice", "app"),
    (QuotaEntity("alice", DEFAULT), "alice", "app"),
    (QuotaEntity("alice"), "alice", ""),
    (QuotaEntity(DEFAULT, "app"), "alice", "app"),
    (QuotaEntity(DEFAULT, DEFAULT), "alice", "app"),
    (QuotaEntity(DEFAULT), "alice", ""),
    (QuotaEntity(client_id="app"), "", "app"),
    (QuotaEntity(client_id=DEFAULT), "", "app"),
]
"""The most specific first, and who shares it."""


def test_the_most_specific_quota_counts() -> None:
    table = QuotaEntities()
    for rate, (entity, _, _) in enumerate(ORDER, 1):
        assert table.set(entity, {PRODUCE: str(rate)}) == []
    for rate, (entity, user, client_id) in enumerate(ORDER, 1):
        assert table.limit(PRODUCE, "alice", "app") == QuotaLimit(rate, entity, user, client_id)
        table.set(entity, {})
    assert table.limit(PRODUCE, "alice", "app") == QuotaLimit(None, None, "", "app")


def test_kinds_are_counted_apart() -> None:
    table = QuotaEntities()
    table.set(QuotaEntity("alice"), {PRODUCE: "5", REQUEST: "12.5", "SCRAM-SHA-256": "secret"})
    table.set(QuotaEntity(client_id=DEFAULT), {FETCH: "7"})
    assert table.limit(PRODUCE, "alice", "app").value == 5
    assert table.limit(REQUEST, "alice", "app").value == 12.5
    assert table.limit(FETCH, "alice", "app").entity == QuotaEntity(client_id=DEFAULT)
    assert table.limit(PRODUCE, "bob", "app").value is None


def test_an_empty_client_id_has_only_the_quotas_of_its_user() -> None:
    table = QuotaEntities()
    for entity, _, _ in ORDER:
        if entity.client_id:
            table.set(entity, {PRODUCE: "1"})
    table.set(QuotaEntity("alice", DEFAULT), {PRODUCE: "1"})
    table.set(QuotaEntity(client_id=DEFAULT), {PRODUCE: "1"})
    assert table.limit(PRODUCE, "alice", "").value is None
    table.set(QuotaEntity(DEFAULT), {PRODUCE: "9"})
    assert table.limit(PRODUCE, "alice", "") == QuotaLimit(9, QuotaEntity(DEFAULT), "alice", "")


def test_addresses_have_their_own_rate_or_the_default() -> None:
    table = QuotaEntities()
    assert table.connection_rate("10.0.0.1") is None
    table.set(QuotaEntity(ip=DEFAULT), {CONNECTION: "20"})
    table.set(QuotaEntity(ip="10.0.0.1"), {CONNECTION: "0"})
    assert table.connection_rate("10.0.0.1") == 0
    assert table.connection_rate("10.0.0.2") == 20


def test_the_version_tells_of_changes_only() -> None:
    table = QuotaEntities()
    table.set(QuotaEntity("alice"), {PRODUCE: "5"})
    version = table.version
    table.set(QuotaEntity("alice"), {PRODUCE: "5", "SCRAM-SHA-512": "x"})
    assert table.version == version
    table.set(QuotaEntity("alice"), {PRODUCE: "6"})
    assert table.version > version


@pytest.mark.parametrize("text", ["", "1.5", "many", "9" * 400])
def test_a_value_that_is_no_quota_is_told_and_does_not_count(text: str) -> None:
    table = QuotaEntities()
    table.set(QuotaEntity("alice"), {PRODUCE: "5"})
    (line,) = table.set(QuotaEntity("alice"), {PRODUCE: text, FETCH: "3"})
    assert line.startswith(f"Invalid value {text} for configuration {PRODUCE}: Not a number")
    assert table.limit(PRODUCE, "alice", "app").value is None
    assert table.limit(FETCH, "alice", "app").value == 3
