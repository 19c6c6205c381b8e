"""Delegation tokens by the rules of Apache Kafka's ``DelegationTokenManager``."""

from __future__ import annotations

from base64 import b64encode

import pytest

from pykafka_ops.broker.state.logins import delegation
from pykafka_ops.broker.state.logins.delegation import (
    DelegationToken,
    DelegationTokens,
    TokenLimits,
    may_ask,
    new_token,
)
from pykafka_ops.broker.state.logins.dialogue import Heard, begun
from pykafka_ops.broker.state.logins.scram import ScramSide
from pykafka_ops.broker.state.session import Session
from pykafka_ops.errors import KafkaError, LoginError
from pykafka_ops.security import sasl
from pykafka_ops.settings.scram import MECHANISMS
from pykafka_ops.wire.codes import ErrorCode

LIMITS = TokenLimits(longest=1000, renewal=100)
ALICE, BOB, CAROL = "User:alice", "User:bob", "User:carol"
TOKEN = DelegationToken("id", ALICE, CAROL, (BOB,), issued=50, latest=1050, expires=150)


@pytest.mark.parametrize(
    ("session", "may"),
    [
        (Session(), False),
        (Session(ALICE, protocol="SASL_PLAINTEXT"), True),
        (Session(ALICE, protocol="SASL_SSL"), True),
        (Session(ALICE, protocol="SASL_SSL", by_token=True), False),
        (Session(ALICE, protocol="SSL"), True),
        (Session(protocol="SSL"), False),
    ],
)
def test_who_has_shown_something_of_its_own_may_ask(session: Session, may: bool) -> None:
    assert may_ask(session) is may


@pytest.mark.parametrize(
    ("lifetime", "latest", "expires"),
    [(-1, 1050, 150), (0, 1050, 150), (70, 120, 120), (500, 550, 150), (9999, 1050, 150)],
)
def test_a_token_lives_as_long_as_asked_within_the_limits(
    lifetime: int, latest: int, expires: int
) -> None:
    made = new_token("id", (ALICE, CAROL, [BOB]), lifetime, LIMITS, 50)
    assert made == TOKEN._replace(latest=latest, expires=expires)


def test_only_users_renew() -> None:
    with pytest.raises(KafkaError) as refused:
        new_token("id", (ALICE, ALICE, ["Group:x"]), -1, LIMITS, 50)
    assert refused.value.code == ErrorCode.INVALID_PRINCIPAL_TYPE


@pytest.mark.parametrize("who", [ALICE, BOB])
@pytest.mark.parametrize(("period", "expires"), [(-1, 200), (0, 100), (300, 400), (5000, 1050)])
def test_owner_and_renewers_renew(who: str, period: int, expires: int) -> None:
    assert delegation.renewed(TOKEN, who, period, LIMITS, 100).expires == expires


@pytest.mark.parametrize(("period", "expires"), [(0, 100), (30, 130), (5000, 1050)])
def test_owner_and_renewers_say_when_it_expires(period: int, expires: int) -> None:
    found = delegation.expired(TOKEN, BOB, period, 100)
    assert found is not None
    assert found.expires == expires


def test_a_negative_period_ends_a_token_even_an_expired_one() -> None:
    assert delegation.expired(TOKEN, ALICE, -1, 100) is None
    assert delegation.expired(TOKEN, ALICE, -1, 99_999) is None


@pytest.mark.parametrize("who", [CAROL, "User:mallory", "Robot:alice"])
def test_nobody_else_changes_it(who: str) -> None:
    for change in (
        lambda: delegation.renewed(TOKEN, who, -1, LIMITS, 100),
        lambda: delegation.expired(TOKEN, who, -1, 100),
    ):
        with pytest.raises(KafkaError) as refused:
            change()
        assert refused.value.code == ErrorCode.DELEGATION_TOKEN_OWNER_MISMATCH


def test_an_expired_token_stays_expired() -> None:
    for change in (
        lambda: delegation.renewed(TOKEN, ALICE, -1, LIMITS, 151),
        lambda: delegation.expired(TOKEN, ALICE, 5, 151),
    ):
        with pytest.raises(KafkaError) as refused:
            change()
        assert refused.value.code == ErrorCode.DELEGATION_TOKEN_EXPIRED


def store() -> DelegationTokens:
    made = DelegationTokens("the secret")
    made.put(TOKEN)
    made.put(TOKEN._replace(id="other", owner=BOB, requester=BOB, renewers=()))
    return made


def test_a_token_is_found_by_its_secret_as_long_as_it_is_there() -> None:
    known = store()
    secret = known.hmac("id")
    assert len(secret) == 64
    assert known.by_hmac(secret) == TOKEN
    known.remove("id")
    with pytest.raises(KafkaError) as refused:
        known.by_hmac(secret)
    assert refused.value.code == ErrorCode.DELEGATION_TOKEN_NOT_FOUND


def test_the_secret_is_that_of_apache_kafka() -> None:
    """``openssl dgst -sha512 -hmac 'the secret'`` of ``id``."""
    assert store().hmac("id").hex().startswith(HMAC)


HMAC = "95dd49580a69a935de486da7b4c3487ecbd616dca4081e523feeaf1a6121d888"


@pytest.mark.parametrize(
    ("who", "owners", "ids"),
    [
        (ALICE, None, ["id"]),
        (BOB, None, ["id", "other"]),
        (CAROL, None, ["id"]),
        ("User:mallory", None, []),
        (BOB, [ALICE], ["id"]),
        (BOB, [BOB], ["id", "other"]),
        (BOB, [], []),
    ],
)
def test_who_has_to_do_with_a_token_hears_of_it(
    who: str, owners: list[str] | None, ids: list[str]
) -> None:
    assert [token.id for token in store().visible_to(who, owners, lambda *_: False)] == ids


def test_who_has_the_right_hears_of_others_tokens() -> None:
    assert len(store().visible_to("User:mallory", None, lambda *_: True)) == 2
    found = store().visible_to("User:mallory", None, lambda _, owner: owner == BOB)
    assert [token.id for token in found] == ["other"]


def log_in(known: DelegationTokens, name: str, now: int, token_id: str = "id") -> str:
    mechanism = MECHANISMS[name]
    side = ScramSide(
        mechanism,
        lambda user, by_token, at: known.login(mechanism, user, at) if by_token else None,
        lambda: "nonce",
        b"salts",
    )
    password = b64encode(known.hmac(token_id)).decode()
    client = sasl.dialogue(name, token_id, password, "theirs", by_token=True)
    talk = begun(side.new_login())
    last = client.send(talk.send(Heard(next(client), now)))
    with pytest.raises(StopIteration) as done:
        talk.send(Heard(last, now))
    assert done.value.value.expires_at == TOKEN.expires
    return str(done.value.value.name)


@pytest.mark.parametrize("name", MECHANISMS)
def test_the_secret_in_base64_is_a_password_for_its_owner(name: str) -> None:
    known = store()
    assert log_in(known, name, 100) == "alice"
    assert log_in(known, name, 150) == "alice"


@pytest.mark.parametrize("now", [151, 10**9])
def test_an_expired_token_lets_nobody_in(now: int) -> None:
    with pytest.raises(LoginError):
        log_in(store(), "SCRAM-SHA-256", now)


def test_a_token_that_is_gone_lets_nobody_in() -> None:
    known = store()
    log_in(known, "SCRAM-SHA-256", 100)
    known.remove("id")
    with pytest.raises(LoginError):
        log_in(known, "SCRAM-SHA-256", 100)
