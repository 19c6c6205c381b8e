"""OAUTHBEARER's messages, and tokens that nobody signed."""

from __future__ import annotations

import json
from base64 import urlsafe_b64encode
from typing import Any

import pytest

from pykafka_ops.broker.state.logins import unsecured_jws
from pykafka_ops.broker.state.logins.dialogue import Accepted, Heard, begun
from pykafka_ops.broker.state.logins.oauthbearer import (
    MOST_TOKEN,
    Bearer,
    TokenRefusedError,
    new_login,
)
from pykafka_ops.errors import LoginError, SettingError
from pykafka_ops.security import sasl
from pykafka_ops.security.bearer_tokens import unsigned

NOW = 1_000_000


def validate(token: str, now: int) -> Bearer:
    if token == "narrow":
        raise TokenRefusedError("too narrow", "insufficient_scope", "read write")
    if token != "good":
        raise TokenRefusedError("a reason for the log")
    return Bearer("alice", now + 5)


def first(message: bytes) -> tuple[bytes, Any]:
    """What the broker says to a first message, and who it accepts."""
    talk = begun(new_login(validate))
    try:
        return talk.send(Heard(message, NOW)), talk
    except StopIteration as done:
        return b"", done.value


@pytest.mark.parametrize(
    "message",
    [
        b"n,,\x01auth=Bearer good\x01\x01",
        b"n,,\x01auth=bEARER   good\x01\x01",
        b"n,a=alice,\x01auth=Bearer good\x01\x01",
        b"n,,\x01host=x\x01auth=Bearer good\x01traceId=1 2\x01\x01",
    ],
)
def test_a_good_token_lets_in_until_it_expires(message: bytes) -> None:
    assert first(message) == (b"", Accepted("alice", b"", NOW + 5))


def test_our_client_says_it_right() -> None:
    client = sasl.bearer("good", {"traceId": "1"})
    assert first(next(client))[1] == Accepted("alice", b"", NOW + 5)
    with pytest.raises(StopIteration):
        client.send(b"")


@pytest.mark.parametrize(
    ("token", "answer"),
    [
        ("bad", '{"status":"invalid_token"}'),
        ("narrow", '{"status":"insufficient_scope", "scope":"read write"}'),
        ("x" * (MOST_TOKEN + 1), '{"status":"invalid_token"}'),
    ],
)
def test_a_bad_token_gets_the_reason_and_then_fails(token: str, answer: str) -> None:
    client = sasl.bearer(token)
    said, talk = first(next(client))
    assert said == answer.encode()
    with pytest.raises(LoginError) as failed:
        talk.send(Heard(client.send(said), NOW))
    assert failed.value.answer == answer
    assert len(str(failed.value)) > len(answer)


def test_after_a_bad_token_no_other_is_taken() -> None:
    _, talk = first(b"n,,\x01auth=Bearer bad\x01\x01")
    with pytest.raises(LoginError):
        talk.send(Heard(b"n,,\x01auth=Bearer good\x01\x01", NOW))


@pytest.mark.parametrize(
    "message",
    [
        b"",
        b"\x01",
        b"n,,\x01\x01",
        b"n,,\x01host=x\x01\x01",
        b"n,,\x01auth=Bearer good\x01",
        b"n,,auth=Bearer good\x01\x01",
        b"y,,\x01auth=Bearer good\x01\x01",
        b"n,,\x01auth=Basic good\x01\x01",
        b"n,,\x01auth=Bearergood\x01\x01",
        b"n,,\x01auth=Bearer go+od\x01\x01",
        b"n,,\x01auth=Bearer good\x01a1=x\x01\x01",
        b"n,,\x01auth=Bearer good\x01a=\xff\x01\x01",
        b"n,,\x01" + b"a=b\x01" * 100_000,
        b"n,,\x01auth=Bearer good\x01" + b"a=b\x01" * 30_000 + b"\x01",
    ],
)
def test_a_first_message_that_is_none_fails_without_a_reason(message: bytes) -> None:
    with pytest.raises(LoginError) as failed:
        first(message)
    assert failed.value.answer is None


def test_nobody_asks_for_the_rights_of_another() -> None:
    with pytest.raises(LoginError, match=r"authorization id \(bob\) that is different") as failed:
        first(b"n,a=bob,\x01auth=Bearer good\x01\x01")
    assert failed.value.answer == str(failed.value)


# -- unsigned tokens ----------------------------------------------------------------------------


def token(claims: object, header: object = {"alg": "none"}, signature: str = "") -> str:
    parts = (urlsafe_b64encode(json.dumps(each).encode()).decode() for each in (header, claims))
    return ".".join([*(part.rstrip("=") for part in parts), signature])


GOOD: dict[str, Any] = {"sub": "alice", "exp": 1060, "iat": 1000, "scope": ["a", "b"]}


def test_an_unsigned_token_says_who_it_is_for() -> None:
    check = unsecured_jws.validator({"unsecuredValidatorRequiredScope": "b"})
    assert check(token(GOOD), NOW) == Bearer("alice", 1_060_000)
    assert check(token({**GOOD, "scope": "a b"}), NOW).name == "alice"


def test_options_say_which_claims_count() -> None:
    options = {
        "unsecuredValidatorPrincipalClaimName": "user",
        "unsecuredValidatorScopeClaimName": "s",
        "unsecuredValidatorAllowableClockSkewMs": "5000",
    }
    check = unsecured_jws.validator(options)
    assert check(token({"user": "bob", "exp": 996, "iat": 1004}), NOW).name == "bob"
    with pytest.raises(TokenRefusedError):
        check(token({"user": "bob", "exp": 995}), NOW)
    with pytest.raises(SettingError):
        unsecured_jws.validator({"unsecuredValidatorAllowableClockSkewMs": "x"})


def test_what_clients_of_kafka_make_is_taken() -> None:
    options = {"unsecuredLoginStringClaim_sub": "alice", "unsecuredLoginLifetimeSeconds": "60"}
    assert unsecured_jws.is_allowed(options)
    made = unsigned(options, NOW)
    assert unsecured_jws.validator(options)(made, NOW) == Bearer("alice", 1_060_000)


@pytest.mark.parametrize(
    "bad",
    [
        "",
        "a.b",
        "a.b.c.d",
        "!.!.",
        token(GOOD, {"alg": "HS256"}),
        token(GOOD, {"alg": "None"}),
        token(GOOD, [1]),
        token(GOOD, signature="x"),
        token([GOOD]),
        token({**GOOD, "sub": " "}),
        token({**GOOD, "sub": 5}),
        token({**GOOD, "exp": 1000}),
        token({**GOOD, "exp": None}),
        token({**GOOD, "exp": "soon"}),
        token({**GOOD, "exp": 1e300}),
        token({**GOOD, "exp": True}),
        token({**GOOD, "iat": 1001}),
        token({**GOOD, "scope": 5}),
        token({**GOOD, "scope": {"b": 1}}),
        urlsafe_b64encode(b"[" * 50_000).decode() + ".e30.",
    ],
)
def test_other_tokens_are_refused(bad: str) -> None:
    with pytest.raises(TokenRefusedError):
        unsecured_jws.validator({})(bad, NOW)


@pytest.mark.parametrize("scope", [None, [], "c", ["a"]])
def test_a_token_without_the_scope_is_refused_with_its_name(scope: object) -> None:
    check = unsecured_jws.validator({"unsecuredValidatorRequiredScope": "b"})
    with pytest.raises(TokenRefusedError) as refused:
        check(token({**GOOD, "scope": scope}), NOW)
    assert refused.value.status == "insufficient_scope"
