"""Changes of settings are reported once and in order."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from pykafka_ops.broker.metadata import registration
from pykafka_ops.broker.metadata.embedded import EmbeddedStore
from pykafka_ops.broker.metadata.store import Create
from pykafka_ops.broker.metadata.znodes.config import ConfigChanges, EntityConfig
from pykafka_ops.broker.runtime.settings.watch import ConfigWatch

Told = list[tuple[str, dict[str, str]]]


class Clock:
    now = 1_000_000

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def run(tmp_path: Path) -> Callable[[Callable[..., Coroutine[Any, Any, None]]], None]:
    """Run a coroutine with a store, a clock and the list of what was told."""

    def go(body: Callable[..., Coroutine[Any, Any, None]]) -> None:
        async def main() -> None:
            clock = Clock()
            store = EmbeddedStore(tmp_path / "m.db", clock=clock, durable=False)
            await registration.ensure_paths(store)
            said: Told = []
            watch = ConfigWatch(store, lambda entity, values: said.append((entity, values)))
            await body(store, watch, said, clock)
            await watch.close()
            await store.close()

        asyncio.run(main())

    return go


async def put(store: EmbeddedStore, entity: str, **values: str) -> None:
    await store.multi(
        [
            Create(EntityConfig.path(entity), EntityConfig.encode(values)),
            Create(ConfigChanges.prefix, ConfigChanges.encode(entity), sequence=True),
        ]
    )


async def settle(watch: ConfigWatch) -> None:
    """Until everything that was notified has been told."""
    await asyncio.sleep(0)
    while (task := watch._changes._task) is not None and not task.done():
        await asyncio.sleep(0)


def test_present_settings_of_wanted_entities_are_told_at_start(run: Any) -> None:
    async def body(store: EmbeddedStore, watch: ConfigWatch, said: Told, clock: Clock) -> None:
        await put(store, "brokers/<default>", a="1")
        await put(store, "topics/t", b="2")
        await watch.start("brokers/<default>", "brokers/0")
        await settle(watch)
        assert said == [("brokers/<default>", {"a": "1"}), ("brokers/0", {})]

    run(body)


def test_changes_are_told_once_and_in_order(run: Any) -> None:
    async def body(store: EmbeddedStore, watch: ConfigWatch, said: Told, clock: Clock) -> None:
        await watch.start()
        await put(store, "topics/t", a="1")
        await put(store, "topics/s", b="2")
        await settle(watch)
        assert said == [("topics/t", {"a": "1"}), ("topics/s", {"b": "2"})]
        await put(store, "users/u", c="3")
        await settle(watch)
        assert said[2:] == [("users/u", {"c": "3"})]

    run(body)


def test_a_notification_in_the_old_format_is_understood(run: Any) -> None:
    async def body(store: EmbeddedStore, watch: ConfigWatch, said: Told, clock: Clock) -> None:
        await watch.start()
        data = b'{"version":1,"entity_type":"topics","entity_name":"t"}'
        await store.create(ConfigChanges.prefix, data, sequence=True)
        await settle(watch)
        assert said == [("topics/t", {})]

    run(body)


def test_what_cannot_be_read_or_applied_stops_nothing(
    run: Any, caplog: pytest.LogCaptureFixture
) -> None:
    async def body(store: EmbeddedStore, watch: ConfigWatch, said: Told, clock: Clock) -> None:
        def fail(entity: str, values: dict[str, str]) -> None:
            said.append((entity, values))
            raise ValueError(entity)

        watch._on_change = fail
        await watch.start()
        await store.create(ConfigChanges.prefix, b"junk", sequence=True)
        await put(store, "topics/t", a="1")
        await put(store, "topics/bad", a="1")
        await store.set(EntityConfig.path("topics/bad"), b"junk")
        await put(store, "topics/s", a="1")
        await settle(watch)
        assert [entity for entity, _ in said] == ["topics/t", "topics/s"]
        assert "topics/bad stay as they are: /config/topics/bad: not JSON" in caplog.text
        assert caplog.text.count("Traceback") == 2, "only of what was not expected"

    run(body)


def test_nothing_is_told_after_close(run: Any) -> None:
    async def body(store: EmbeddedStore, watch: ConfigWatch, said: Told, clock: Clock) -> None:
        await watch.start()
        await watch.close()
        await put(store, "topics/t", a="1")
        await settle(watch)
        assert said == []

    run(body)
