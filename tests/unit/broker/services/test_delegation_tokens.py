"""Delegation tokens in the tree: two brokers on it know the same of them."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from pykafka_ops.broker.metadata.embedded import EmbeddedStore
from pykafka_ops.broker.metadata.registration import ensure_paths
from pykafka_ops.broker.metadata.znodes import delegation_tokens as znodes
from pykafka_ops.broker.metadata.znodes.json_data import ZnodeError
from pykafka_ops.broker.services.delegation_tokens import TokenAdmin
from pykafka_ops.broker.state.logins.delegation import (
    DelegationToken,
    DelegationTokens,
    TokenLimits,
)
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode

ALICE, BOB = "User:alice", "User:bob"


class World:
    """A tree with two brokers on it, and a clock."""

    def __init__(self, path: Path) -> None:
        self.now = 1000
        self.store = EmbeddedStore(path / "m.db", clock=lambda: self.now, durable=False)
        ids = itertools.count(1)
        self.one, self.two = (self._broker(ids) for _ in range(2))

    def _broker(self, ids: itertools.count[int]) -> TokenAdmin:
        return TokenAdmin(
            self.store,
            DelegationTokens("secret"),
            limits=TokenLimits(1000, 100),
            clock=lambda: self.now,
            new_id=lambda: f"id{next(ids)}",
        )

    async def tell_two(self) -> None:
        for name in sorted(await self.store.children(znodes.CHANGES)):
            node = await self.store.get(f"{znodes.CHANGES}/{name}")
            assert node is not None
            await self.two.read_again(node.data)


def on(tmp_path: Path, body: Callable[[World], Awaitable[None]]) -> None:
    async def go() -> None:
        world = World(tmp_path)
        await ensure_paths(world.store, znodes.PERSISTENT_PATHS)
        await body(world)
        await world.store.close()

    asyncio.run(go())


def test_what_one_broker_changes_the_other_hears_of(tmp_path: Path) -> None:
    async def body(world: World) -> None:
        made = await world.one.create(ALICE, ALICE, [BOB], -1)
        await world.tell_two()
        assert list(world.two.tokens) == [made]
        world.now += 50
        secret = world.two.tokens.hmac(made.id)
        assert await world.two.renew(BOB, secret, -1) == 1150
        assert await world.one.expire(ALICE, secret, 10) == 1060
        await world.tell_two()
        assert [token.expires for token in world.two.tokens] == [1060]
        assert await world.two.expire(ALICE, secret, -1) == world.now
        with pytest.raises(KafkaError) as refused:
            await world.one.renew(ALICE, secret, -1)  # it has not heard yet
        assert refused.value.code == ErrorCode.DELEGATION_TOKEN_NOT_FOUND
        assert list(world.one.tokens) == []

    on(tmp_path, body)


def test_a_broker_that_starts_reads_all_and_leaves_out_what_is_none(tmp_path: Path) -> None:
    async def body(world: World) -> None:
        made = await world.one.create(ALICE, BOB, [], 70)
        await world.store.create(znodes.TokenZNode.path("junk"), b"{}")
        data = znodes.TokenZNode.encode(made)
        await world.store.create(znodes.TokenZNode.path("elsewhere"), data)
        await world.two.load()
        assert list(world.two.tokens) == [made]

    on(tmp_path, body)


def test_expired_tokens_are_removed_and_the_others_stay(tmp_path: Path) -> None:
    async def body(world: World) -> None:
        await world.one.create(ALICE, ALICE, [], 10)
        stays = await world.one.create(ALICE, ALICE, [], -1)
        world.now += 50
        await world.one.remove_expired()
        assert list(world.one.tokens) == [stays]
        assert await world.store.children(znodes.TOKENS) == [stays.id]

    on(tmp_path, body)


def test_renewers_without_number_are_refused(tmp_path: Path) -> None:
    async def body(world: World) -> None:
        with pytest.raises(KafkaError) as refused:
            await world.one.create(ALICE, ALICE, [f"User:{n}" for n in range(100_000)], -1)
        assert refused.value.code == ErrorCode.INVALID_REQUEST
        assert await world.store.children(znodes.TOKENS) == []

    on(tmp_path, body)


@pytest.mark.parametrize("data", [None, b"", b"a/b", b"../x"])
def test_a_notification_that_names_no_token_is_none(tmp_path: Path, data: bytes | None) -> None:
    async def body(world: World) -> None:
        with pytest.raises(ZnodeError):
            await world.one.read_again(data)

    on(tmp_path, body)


# -- the data of a znode ------------------------------------------------------------------------

TOKEN = DelegationToken("id", "User:a b", BOB, (ALICE, "User:é"), 1, 3, 2)
APACHE = (
    b'{"owner":"User%%3Aalice","tokenId":"x","renewers":["User%%3Abob"],"maxTimestamp":3,'
    b'"issueTimestamp":1,"expiryTimestamp":2,"version":%d%s}'
)


def test_what_is_written_is_read_again() -> None:
    assert znodes.TokenZNode.decode("id", znodes.TokenZNode.encode(TOKEN)) == TOKEN
    assert b"User%3Aa%20b" in znodes.TokenZNode.encode(TOKEN)


def test_each_version_of_apache_kafka_is_read() -> None:
    old = znodes.TokenZNode.decode("x", APACHE % (1, b""))
    assert old == DelegationToken("x", ALICE, ALICE, (BOB,), 1, 3, 2)
    new = znodes.TokenZNode.decode("x", APACHE % (3, b',"tokenRequester":"User%3Abob"'))
    assert new == old._replace(requester=BOB)


@pytest.mark.parametrize(
    "data",
    [
        None,
        b"[]",
        APACHE % (4, b""),
        (APACHE % (1, b"")).replace(b"User%3Aalice", b"alice"),
        (APACHE % (1, b"")).replace(b'"tokenId":"x",', b""),
    ],
)
def test_other_data_is_none(data: bytes | None) -> None:
    with pytest.raises(ZnodeError):
        znodes.TokenZNode.decode("x", data)
