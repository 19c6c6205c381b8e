"""Quotas reach the table that brokers measure by: at start, after changes, from odd znodes."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from pykafka_ops.broker.metadata import registration
from pykafka_ops.broker.metadata.embedded import EmbeddedStore
from pykafka_ops.broker.runtime.settings.live import LiveSettings
from pykafka_ops.broker.services import config_store
from pykafka_ops.broker.state.configs.running import BrokerConfigs
from pykafka_ops.broker.state.quotas.entities import (
    FETCH,
    PRODUCE,
    QuotaEntities,
    QuotaEntity,
)
from pykafka_ops.broker.state.replication.throttle import ReplicationThrottles
from tests.support.memory.replica_double import eventually

Change = Callable[[str, dict[str, str]], Awaitable[None]]


def follow(
    tmp_path: Path,
    before: dict[str, bytes],
    then: Callable[[QuotaEntities, Change], Awaitable[None]],
) -> QuotaEntities:
    """Write znodes, start to follow them, do what ``then`` does; the table in the end."""
    quotas = QuotaEntities()

    async def main() -> None:
        ticks = itertools.count(1)
        store = EmbeddedStore(tmp_path / "m.db", clock=lambda: next(ticks), durable=False)
        await registration.ensure_paths(store)
        for path, data in before.items():
            await store.create(f"/config/{path}", data, make_parents=True)
        configs = BrokerConfigs({"broker.id": "0"})
        settings = LiveSettings(
            store,
            0,
            configs,
            throttles=ReplicationThrottles(0, configs.value),
            quotas=quotas,
        )
        await settings.start()

        async def change(entity: str, values: dict[str, str]) -> None:
            await config_store.change(store, entity, lambda _: values)

        await then(quotas, change)
        await settings.close()
        await store.close()

    asyncio.run(main())
    return quotas


def config(text: str) -> bytes:
    return b'{"version":1,"config":{%s}}' % text.encode()


async def nothing(_quotas: QuotaEntities, _change: Change) -> None:
    """What is there at start is all."""


def test_all_quotas_are_known_at_start(tmp_path: Path) -> None:
    before = {
        "users/a%20b": config('"producer_byte_rate":"1"'),
        "users/a%20b/clients/c": config('"producer_byte_rate":"2"'),
        "users/<default>/clients/<default>": config('"producer_byte_rate":"3"'),
        "clients/c": config('"consumer_byte_rate":"4"'),
        "ips/10.0.0.1": config('"connection_creation_rate":"5"'),
        "ips/<default>": config('"connection_creation_rate":"6"'),
    }
    quotas = follow(tmp_path, before, nothing)
    assert quotas.limit(PRODUCE, "a b", "x").value == 1
    assert quotas.limit(PRODUCE, "a b", "c").value == 2
    assert quotas.limit(PRODUCE, "z", "c").value == 3
    assert quotas.limit(FETCH, "z", "c").value == 4
    assert quotas.connection_rate("10.0.0.1") == 5
    assert quotas.connection_rate("10.0.0.2") == 6


def test_changes_are_followed(tmp_path: Path) -> None:
    async def then(quotas: QuotaEntities, change: Change) -> None:
        assert quotas.limit(PRODUCE, "u", "c").value == 1
        await change("users/u/clients/c", {PRODUCE: "2"})
        await eventually(lambda: quotas.limit(PRODUCE, "u", "c").value == 2)
        await change("users/u/clients/c", {})
        await eventually(lambda: quotas.limit(PRODUCE, "u", "c").value == 1)
        await change("users/u", {"SCRAM-SHA-256": "secret"})
        await eventually(lambda: quotas.limit(PRODUCE, "u", "c").value is None)

    follow(tmp_path, {"users/u": config('"producer_byte_rate":"1"')}, then)


def test_hosts_count_by_their_address(tmp_path: Path) -> None:
    async def then(quotas: QuotaEntities, change: Change) -> None:
        await change("ips/localhost", {"connection_creation_rate": "7"})
        await change("ips/no.such.host.invalid", {"connection_creation_rate": "8"})
        await eventually(lambda: 7 in map(quotas.connection_rate, ("127.0.0.1", "::1")))
        await change("ips/localhost", {})
        await eventually(lambda: quotas.connection_rate("127.0.0.1") is None)

    follow(tmp_path, {}, then)


def test_znodes_that_make_no_sense_are_told_and_left_out(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    before = {
        "users/u": b"{",
        "users/v": config('"producer_byte_rate":"many","consumer_byte_rate":"3"'),
        "clients/c": b"[1]",
        "clients/d": config('"consumer_byte_rate":"9"'),
    }
    quotas = follow(tmp_path, before, nothing)
    assert quotas.limit(FETCH, "v", "x").entity == QuotaEntity("v")
    assert quotas.limit(FETCH, "u", "d").value == 9
    said = "\n".join(record.getMessage() for record in caplog.records)
    for text in (
        "ignoring settings of users/u",
        "/config/users/v: Invalid value many",
        "clients/c",
    ):
        assert text in said
