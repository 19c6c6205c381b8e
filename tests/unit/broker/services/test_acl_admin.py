"""Rules in the tree: added, deleted, found, and read again when another broker changes them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from pykafka_ops.broker.metadata import registration
from pykafka_ops.broker.metadata.embedded import EmbeddedStore
from pykafka_ops.broker.metadata.store import Create, OpResult
from pykafka_ops.broker.metadata.znodes import acl
from pykafka_ops.broker.runtime.cluster.acl_watch import AclWatch
from pykafka_ops.broker.services.acl_admin import AclAdmin
from pykafka_ops.broker.services.authorizer import Authorizer
from pykafka_ops.errors import SettingError
from pykafka_ops.security.acls.filters import AclFilter
from pykafka_ops.security.acls.rules import (
    AclBinding,
    AclEntry,
    Operation,
    PatternType,
    Permission,
    ResourcePattern,
    ResourceType,
)
from pykafka_ops.wire.codes import ErrorCode

TOPIC = ResourceType.TOPIC
ORDERS = ResourcePattern(TOPIC, "orders")
PREFIX = ResourcePattern(TOPIC, "ord", PatternType.PREFIXED)


def entry(name: str, operation: Operation = Operation.READ) -> AclEntry:
    return AclEntry(f"User:{name}", "*", operation, Permission.ALLOW)


class World:
    """One tree and two brokers on it."""

    def __init__(self, store: EmbeddedStore) -> None:
        self.store = store
        self.admins = [AclAdmin(store, Authorizer()) for _ in range(2)]
        self.watches = [AclWatch(admin) for admin in self.admins]

    async def settle(self) -> None:
        """Until both have read what was notified."""
        for _ in range(3):
            await asyncio.sleep(0)
            for watch in self.watches:
                for notes in watch._notes:
                    while notes._task is not None and not notes._task.done():
                        await asyncio.sleep(0)

    def rules(self, broker: int) -> set[AclBinding]:
        return set(self.admins[broker].authorizer.book)


@pytest.fixture
def run(tmp_path: Path) -> Callable[[Callable[[World], Coroutine[Any, Any, None]]], None]:
    def go(body: Callable[[World], Coroutine[Any, Any, None]]) -> None:
        async def main() -> None:
            store = EmbeddedStore(tmp_path / "m.db", clock=lambda: 1000, durable=False)
            await registration.ensure_paths(store, acl.PERSISTENT_PATHS)
            world = World(store)
            try:
                await body(world)
            finally:
                for watch in world.watches:
                    await watch.close()
                await store.close()

        asyncio.run(main())

    return go


def test_a_rule_added_on_one_broker_holds_on_the_other(run: Any) -> None:
    async def body(world: World) -> None:
        for watch in world.watches:
            await watch.start()
        wanted = [AclBinding(ORDERS, entry("ann")), AclBinding(PREFIX, entry("bob"))]
        assert await world.admins[0].create(wanted) == [None, None]
        assert world.rules(0) == set(wanted)
        await world.settle()
        assert world.rules(1) == set(wanted)
        ((_, error),) = (await world.admins[1].delete([AclFilter(principal="User:ann")]))[0]
        assert error is None
        await world.settle()
        assert world.rules(0) == {wanted[1]}
        assert await world.store.exists(acl.AclRules.path(ORDERS)) is None, "nothing is left"

    run(body)


def test_rules_that_are_there_already_are_read_at_the_start(run: Any) -> None:
    async def body(world: World) -> None:
        await world.admins[0].create([AclBinding(ORDERS, entry("ann"))])
        await world.watches[1].start()
        assert world.rules(1) == {AclBinding(ORDERS, entry("ann"))}

    run(body)


def test_a_start_ends_where_a_rule_makes_no_sense(run: Any) -> None:
    async def body(world: World) -> None:
        await world.store.create(acl.AclRules.path(ORDERS), b"junk")
        with pytest.raises(SettingError, match="access rules cannot be read: /kafka-acl/Topic"):
            await world.watches[0].start()

    run(body)


def test_a_rule_that_makes_no_sense_later_leaves_those_before(
    run: Any, caplog: pytest.LogCaptureFixture
) -> None:
    async def body(world: World) -> None:
        await world.admins[0].create([AclBinding(ORDERS, entry("ann"))])
        await world.watches[0].start()
        await world.store.set(acl.AclRules.path(ORDERS), b"junk")
        note = acl.AclChanges.encode(ORDERS)
        await world.store.create(acl.AclChanges.prefix(ORDERS), note, sequence=True)
        await world.settle()
        assert world.rules(0) == {AclBinding(ORDERS, entry("ann"))}
        assert "/kafka-acl/Topic/orders: not JSON" in caplog.text

    run(body)


def test_two_brokers_that_add_rules_at_once_lose_none(run: Any) -> None:
    async def body(world: World) -> None:
        for watch in world.watches:
            await watch.start()
        wanted = [AclBinding(ORDERS, entry(f"u{n}")) for n in range(10)]
        results = await asyncio.gather(
            *(world.admins[n % 2].create([rule]) for n, rule in enumerate(wanted))
        )
        assert results == [[None]] * 10
        await world.settle()
        assert world.rules(0) == world.rules(1) == set(wanted)

    run(body)


def test_what_was_read_before_a_write_never_replaces_it(
    run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A broker hears of another one's rule while its own write is under way."""

    async def body(world: World) -> None:
        for watch in world.watches:
            await watch.start()
        write = world.store.multi

        async def slow(ops: Any) -> list[OpResult]:
            done = await write(ops)
            created = [op for op in ops if isinstance(op, Create)]
            if any(b"User:first" in (op.data or b"") for op in created):
                monkeypatch.setattr(world.store, "multi", write)
                await world.admins[1].create([AclBinding(ORDERS, entry("second"))])
                await asyncio.sleep(0)
            return done

        monkeypatch.setattr(world.store, "multi", slow)
        await world.admins[0].create([AclBinding(ORDERS, entry("first"))])
        await world.settle()
        both = {AclBinding(ORDERS, entry("first")), AclBinding(ORDERS, entry("second"))}
        assert world.rules(0) == world.rules(1) == both

    run(body)


@pytest.mark.parametrize("name", ["", "a/b", "a\0b", "a\n", "\ue000", ".", ".."])
def test_names_that_no_znode_can_have_are_refused_alone(run: Any, name: str) -> None:
    async def body(world: World) -> None:
        bad = AclBinding(ResourcePattern(TOPIC, name), entry("ann"))
        refused, added = await world.admins[0].create([bad, AclBinding(ORDERS, entry("ann"))])
        assert refused is not None
        trips = ErrorCode.INVALID_REQUEST, ErrorCode.UNKNOWN_SERVER_ERROR
        assert refused.code in trips
        assert refused.message
        assert added is None

    run(body)


def test_rules_about_one_resource_that_take_too_much_are_refused(run: Any) -> None:
    async def body(world: World) -> None:
        rules = [AclBinding(ORDERS, entry("x" * 1000 + str(n))) for n in range(700)]
        (error, *_) = await world.admins[0].create(rules)
        assert error is not None
        assert "more than 600000" in error.message
        assert not world.rules(0)

    run(body)


def test_each_rule_that_goes_is_named_by_the_first_filter_that_met_it(run: Any) -> None:
    async def body(world: World) -> None:
        admin = world.admins[0]
        rules = [AclBinding(ORDERS, entry(name)) for name in ("ann", "bob", "eve")]
        await admin.create(rules)
        found = await admin.delete(
            [AclFilter(principal="User:ann"), AclFilter(name="orders"), AclFilter(name="other")]
        )
        assert found == [[(rules[0], None)], [(rules[1], None), (rules[2], None)], []]

    run(body)


def test_found_are_the_rules_that_pass(run: Any) -> None:
    async def body(world: World) -> None:
        admin = world.admins[0]
        await admin.create([AclBinding(ORDERS, entry("ann")), AclBinding(PREFIX, entry("bob"))])
        wanted = AclFilter(TOPIC, "orders", PatternType.MATCH, principal="User:bob")
        assert admin.find(wanted) == [AclBinding(PREFIX, entry("bob"))]
        assert len(admin.find(AclFilter())) == 2

    run(body)
