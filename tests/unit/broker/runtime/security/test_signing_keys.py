"""Signing keys: read at the start or not at all, then kept, and read again for new ones."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from pykafka_ops.broker.runtime.security.signing_keys import KeyTimes, SigningKeys, keys_of
from pykafka_ops.errors import ConnectError
from tests.support.wire.server import run, until

URL = "file:///keys"
LONG = KeyTimes(3_600_000, 100, 10_000)


def jwks(*ids: str) -> bytes:
    return json.dumps({"keys": [{"kid": each, "kty": "RSA"} for each in ids]}).encode()


class Provider:
    """What is at the address: the last of ``says`` stays."""

    def __init__(self, *says: bytes | None) -> None:
        self.says = list(says)
        self.reads = 0

    def __call__(self, url: str) -> bytes:
        self.reads += 1
        found = self.says.pop(0) if len(self.says) > 1 else self.says[0]
        if found is None:
            raise ConnectError(f"{url}: refused")
        return found


def on(
    provider: Provider, body: Callable[[SigningKeys, list[float]], Awaitable[None]], **times: int
) -> None:
    async def go() -> None:
        clock = [0.0]
        keys = SigningKeys(URL, LONG._replace(**times), lambda: clock[0], provider)
        try:
            await body(keys, clock)
        finally:
            await keys.close()

    run(go())


def ids(keys: SigningKeys, identity: str | None = None) -> list[Any]:
    return [key["kid"] for key in keys.find(identity)]


def test_without_keys_there_is_no_start() -> None:
    async def body(keys: SigningKeys, _: list[float]) -> None:
        with pytest.raises(ConnectError, match="refused"):
            await keys.start()

    on(Provider(None), body)


def test_an_unknown_key_has_them_read_again_once_a_minute() -> None:
    provider = Provider(jwks("a"), jwks("a", "b"))

    async def body(keys: SigningKeys, clock: list[float]) -> None:
        await keys.start()
        assert ids(keys) == ["a"]
        assert ids(keys, "b") == []
        await until(lambda: ids(keys, "b") == ["b"])
        for _ in range(100):
            keys.find("never")
        await until(lambda: provider.reads == 3)
        keys.find("never")
        keys.find("x" * 5000)
        await asyncio.sleep(0)
        assert not keys._wanted.is_set()
        clock[0] = 60_000
        keys.find("never")
        await until(lambda: provider.reads == 4)

    on(provider, body)


def test_what_cannot_be_read_again_stays_as_it_was() -> None:
    provider = Provider(jwks("a"), None, None, jwks("c"))

    async def body(keys: SigningKeys, _: list[float]) -> None:
        await keys.start()
        await until(lambda: provider.reads == 3)
        assert ids(keys) == ["a"]
        await until(lambda: ids(keys) == ["c"])

    on(provider, body, refresh=50, backoff=5, backoff_max=50)


def test_names_of_missing_keys_take_bounded_memory() -> None:
    async def body(keys: SigningKeys, _: list[float]) -> None:
        for number in range(10_000):
            keys.find(str(number))
        assert len(keys._missing) == 16

    on(Provider(jwks()), body)


def test_keys_that_only_encrypt_are_left_out() -> None:
    data = {"keys": [{"kid": "a", "use": "enc"}, {"kid": "b", "use": "sig"}, {"kid": "c"}, 5]}
    assert [key["kid"] for key in keys_of(URL, json.dumps(data).encode())] == ["b", "c"]


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b'{"keys":5}', b"\xff", b"[" * 100_000])
def test_what_is_no_key_set_is_told(data: bytes) -> None:
    with pytest.raises(ConnectError, match="no JSON web key set"):
        keys_of(URL, data)
