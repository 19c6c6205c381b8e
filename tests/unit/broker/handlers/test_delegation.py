"""The four APIs of delegation tokens for clients that have logged in."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pykafka_ops.broker.handlers.api import Context
from pykafka_ops.broker.metadata.embedded import EmbeddedStore
from pykafka_ops.broker.metadata.registration import ensure_paths
from pykafka_ops.broker.metadata.znodes.delegation_tokens import PERSISTENT_PATHS
from pykafka_ops.broker.services.delegation_tokens import TokenAdmin
from pykafka_ops.broker.state.logins.delegation import DelegationTokens, TokenLimits
from pykafka_ops.broker.state.session import Session
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.create_delegation_token import (
    CreatableRenewers,
    CreateDelegationTokenRequest,
)
from pykafka_ops.wire.messages.describe_delegation_token import (
    DescribeDelegationTokenOwner,
    DescribeDelegationTokenRequest,
)
from pykafka_ops.wire.messages.expire_delegation_token import ExpireDelegationTokenRequest
from pykafka_ops.wire.messages.renew_delegation_token import RenewDelegationTokenRequest
from tests.support.memory.asking import ask_and_wait

ALICE = Session("User:alice", protocol="SASL_PLAINTEXT")
BOB = Session("User:bob", protocol="SASL_PLAINTEXT")
TOKEN_USER = Session("User:alice", protocol="SASL_PLAINTEXT", by_token=True)
NOW = 1000
EVERY = (
    CreateDelegationTokenRequest(max_lifetime_ms=-1),
    RenewDelegationTokenRequest(hmac=b"x", renew_period_ms=-1),
    ExpireDelegationTokenRequest(hmac=b"x", expiry_time_period_ms=-1),
    DescribeDelegationTokenRequest(owners=None),
)


class Desk:
    def __init__(self, admin: TokenAdmin | None) -> None:
        self.services: Any = SimpleNamespace(delegation_tokens=admin, authorizer=None)

    async def ask(self, session: Session, request: Any, version: int) -> Any:
        context = Context(self.services, version, "c", 1, "LOGIN", "h", 1, session)
        return await ask_and_wait(context, request)


def on(tmp_path: Path, body: Callable[[Desk], Awaitable[None]]) -> None:
    async def go() -> None:
        store = EmbeddedStore(tmp_path / "m.db", clock=lambda: NOW, durable=False)
        await ensure_paths(store, PERSISTENT_PATHS)
        limits, known = TokenLimits(1000, 100), DelegationTokens("secret")
        admin = TokenAdmin(store, known, limits=limits, clock=lambda: NOW, new_id=lambda: "id")
        await body(Desk(admin))
        await store.close()

    asyncio.run(go())


def person(name: str) -> Any:
    return CreatableRenewers(principal_type="User", principal_name=name)


@pytest.mark.parametrize("version", range(4))
def test_a_token_is_made_told_of_renewed_and_ended(tmp_path: Path, version: int) -> None:
    async def body(desk: Desk) -> None:
        wanted = CreateDelegationTokenRequest(renewers=[person("bob")], max_lifetime_ms=-1)
        made = await desk.ask(ALICE, wanted, version)
        assert (made.error_code, made.token_id, len(made.hmac)) == (0, "id", 64)
        assert (made.principal_type, made.principal_name) == ("User", "alice")
        assert (made.issue_timestamp_ms, made.expiry_timestamp_ms) == (1000, 1100)
        assert made.max_timestamp_ms == 2000
        asked = DescribeDelegationTokenRequest(owners=None)
        (said,) = (await desk.ask(BOB, asked, version)).tokens
        assert (said.principal_name, said.token_id, said.hmac) == ("alice", "id", made.hmac)
        assert said.renewers == [person("bob")]
        asker = "alice" if version >= 3 else ""
        assert said.token_requester_principal_name == asker
        older = min(version, 2)
        renew = RenewDelegationTokenRequest(hmac=made.hmac, renew_period_ms=500)
        assert (await desk.ask(BOB, renew, older)).expiry_timestamp_ms == 1500
        expire = ExpireDelegationTokenRequest(hmac=made.hmac, expiry_time_period_ms=-1)
        assert (await desk.ask(BOB, expire, older)).expiry_timestamp_ms == NOW
        assert (await desk.ask(BOB, asked, version)).tokens == []
        gone = await desk.ask(BOB, renew, older)
        expected = ErrorCode.DELEGATION_TOKEN_NOT_FOUND
        assert (gone.error_code, gone.expiry_timestamp_ms) == (expected, -1)

    on(tmp_path, body)


def test_a_token_may_be_for_somebody_else(tmp_path: Path) -> None:
    async def body(desk: Desk) -> None:
        wanted = CreateDelegationTokenRequest(
            owner_principal_type="User", owner_principal_name="bob", max_lifetime_ms=-1
        )
        made = await desk.ask(ALICE, wanted, 3)
        assert (made.error_code, made.principal_name) == (0, "bob")
        assert made.token_requester_principal_name == "alice"
        renew = RenewDelegationTokenRequest(hmac=made.hmac, renew_period_ms=-1)
        refused = await desk.ask(ALICE, renew, 2)
        assert refused.error_code == ErrorCode.DELEGATION_TOKEN_OWNER_MISMATCH

    on(tmp_path, body)


def test_owners_are_looked_for_and_an_empty_list_finds_nothing(tmp_path: Path) -> None:
    async def body(desk: Desk) -> None:
        await desk.ask(ALICE, EVERY[0], 3)
        for names, count in (([], 0), (["bob"], 0), (["bob", "alice"], 1)):
            owners = [
                DescribeDelegationTokenOwner(principal_type="User", principal_name=name)
                for name in names
            ]
            asked = DescribeDelegationTokenRequest(owners=owners)
            assert len((await desk.ask(ALICE, asked, 3)).tokens) == count

    on(tmp_path, body)


def test_who_has_logged_in_by_a_token_gets_no_other(tmp_path: Path) -> None:
    async def body(desk: Desk) -> None:
        for request in EVERY:
            answer = await desk.ask(TOKEN_USER, request, 2)
            assert answer.error_code == ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED

    on(tmp_path, body)


def test_without_a_secret_there_are_no_tokens() -> None:
    async def body() -> None:
        for request in EVERY:
            answer = await Desk(None).ask(ALICE, request, 2)
            assert answer.error_code == ErrorCode.DELEGATION_TOKEN_AUTH_DISABLED

    asyncio.run(body())


def test_rights_to_others_tokens_are_asked_for(tmp_path: Path) -> None:
    """CREATE_TOKENS for another owner, DESCRIBE of a token or DESCRIBE_TOKENS of its owner."""

    async def body(desk: Desk) -> None:
        rights: set[tuple[str, str]] = set()
        desk.services.authorizer = SimpleNamespace(
            allows=lambda _, operation, __, name, **___: (operation.name, name) in rights
        )
        wanted = CreateDelegationTokenRequest(
            owner_principal_type="User", owner_principal_name="bob", max_lifetime_ms=-1
        )
        refused = await desk.ask(ALICE, wanted, 3)
        assert refused.error_code == ErrorCode.DELEGATION_TOKEN_AUTHORIZATION_FAILED
        assert (refused.principal_name, refused.token_requester_principal_name) == ("bob", "alice")
        rights.add(("CREATE_TOKENS", "User:bob"))
        assert (await desk.ask(ALICE, wanted, 3)).error_code == 0
        carol, asked = Session("User:carol", protocol="SSL"), DescribeDelegationTokenRequest()
        asked.owners = None
        for right in (None, ("DESCRIBE", "id"), ("DESCRIBE_TOKENS", "User:bob")):
            rights.clear()
            rights |= {right} if right else set()
            assert len((await desk.ask(carol, asked, 3)).tokens) == bool(right)

    on(tmp_path, body)


def test_only_users_are_renewers(tmp_path: Path) -> None:
    async def body(desk: Desk) -> None:
        robot = CreatableRenewers(principal_type="Robot", principal_name="r")
        wanted = CreateDelegationTokenRequest(renewers=[robot], max_lifetime_ms=-1)
        answer = await desk.ask(ALICE, wanted, 2)
        assert answer.error_code == ErrorCode.INVALID_PRINCIPAL_TYPE
        assert answer.expiry_timestamp_ms == -1

    on(tmp_path, body)
