"""The broker's side of SCRAM against the client's, and against clients that do not follow it."""

from __future__ import annotations

import hashlib
from base64 import b64encode

import pytest

from pykafka_ops.broker.state.logins.dialogue import Accepted, Dialogue, Heard, begun
from pykafka_ops.broker.state.logins.scram import ScramLogin, ScramSide
from pykafka_ops.errors import LoginError
from pykafka_ops.security import sasl
from pykafka_ops.settings.scram import MECHANISMS, Credential, Mechanism

SALT = b"salt of alice"


def credential(mechanism: Mechanism, password: str, iterations: int = 4096) -> Credential:
    salted = hashlib.pbkdf2_hmac(mechanism.digest, password.encode(), SALT, iterations)
    return Credential.of(mechanism, salted, SALT, iterations)


def side(name: str = "SCRAM-SHA-256", iterations: int = 4096) -> ScramSide:
    mechanism = MECHANISMS[name]
    known = {
        ("alice", False): ScramLogin(credential(mechanism, "pencil", iterations), "alice"),
        ("a=b,c", False): ScramLogin(credential(mechanism, "pencil"), "a=b,c"),
        ("id", True): ScramLogin(credential(mechanism, "pencil"), "owner", 77),
    }
    return ScramSide(mechanism, lambda n, t, _: known.get((n, t)), lambda: "ours", b"secret")


def said(talk: Dialogue, token: bytes) -> bytes:
    return talk.send(Heard(token, 0))


def login(made: ScramSide, client: sasl.Dialogue) -> Accepted:
    talk = begun(made.new_login())
    last = client.send(said(talk, next(client)))
    with pytest.raises(StopIteration) as done:
        said(talk, last)
    accepted = done.value.value
    assert isinstance(accepted, Accepted)
    with pytest.raises(StopIteration):  # it believes us, too
        client.send(accepted.answer)
    return accepted


@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize("user", ["alice", "a=b,c"])
def test_the_right_password_lets_in(name: str, user: str) -> None:
    accepted = login(side(name), sasl.dialogue(name, user, "pencil", "theirs"))
    assert (accepted.name, accepted.expires_at, accepted.by_token) == (user, None, False)


def test_a_delegation_token_lets_its_owner_in_until_it_expires() -> None:
    client = sasl.dialogue("SCRAM-SHA-256", "id", "pencil", "theirs", by_token=True)
    accepted = login(side(), client)
    assert (accepted.name, accepted.expires_at, accepted.by_token) == ("owner", 77, True)


def test_the_id_of_a_token_is_no_user() -> None:
    with pytest.raises(LoginError):
        login(side(), sasl.dialogue("SCRAM-SHA-256", "id", "pencil", "theirs"))


@pytest.mark.parametrize("user", ["alice", "nobody"])
def test_a_wrong_password_and_an_unknown_user_fail_alike(user: str) -> None:
    with pytest.raises(LoginError) as failed:
        login(side(), sasl.dialogue("SCRAM-SHA-256", user, "wrong", "theirs"))
    expected = "Authentication failed: Invalid user credentials"
    assert (str(failed.value), failed.value.answer) == (expected, None)


def test_an_unknown_user_always_gets_the_same_salt() -> None:
    first = b"n,,n=nobody,r=x"
    answers = {said(begun(side().new_login()), first) for _ in range(3)}
    other = said(begun(side().new_login()), b"n,,n=somebody,r=x")
    assert len(answers) == 1
    assert other not in answers
    assert answers.pop().endswith(b",i=4096")


@pytest.mark.parametrize("iterations", [1, 4095])
def test_a_stored_credential_with_few_iterations_lets_nobody_in(iterations: int) -> None:
    made = side(iterations=iterations)
    with pytest.raises(LoginError, match="Invalid user credentials"):
        login(made, sasl.dialogue("SCRAM-SHA-256", "alice", "pencil", "theirs"))


def test_stored_iterations_beyond_all_measure_cost_the_broker_nothing() -> None:
    made = side()
    huge = ScramLogin(credential(made.mechanism, "pencil")._replace(iterations=2**31), "alice")
    made = ScramSide(made.mechanism, lambda *_: huge, lambda: "ours", b"secret")
    assert said(begun(made.new_login()), b"n,,n=alice,r=x").endswith(b",i=2147483648")


@pytest.mark.parametrize(
    "first",
    [
        b"",
        b"n",
        b"\xff\xfe",
        b"y,,n=alice,r=x",
        b"p=tls-unique,,n=alice,r=x",
        b"n,,n=,r=x",
        b"n,,n=alice,r=",
        b"n,,n=alice",
        b"n,,n=al=ice,r=x",
        b"n,,n=alice,r=" + b"x" * 20_000,
        b"n,,r=x,n=alice",
        b"n,,n=alice,r=x,",
        b"n,,n=alice,r=x,=true",
        b"n,,n=alice,r=x\0",
        b"n,,n=\xc3\xa9,r=x",
        b"n,," * 100_000,
    ],
)
def test_a_first_message_that_is_none_fails(first: bytes) -> None:
    with pytest.raises(LoginError) as failed:
        said(begun(side().new_login()), first)
    assert not failed.value.answer


def test_nobody_logs_in_for_somebody_else() -> None:
    with pytest.raises(LoginError, match="authorization id") as failed:
        said(begun(side().new_login()), b"n,a=bob,n=alice,r=x")
    assert failed.value.answer


@pytest.mark.parametrize(
    "final",
    [
        b"",
        b"c=biws,r=xours",
        b"c=biws,r=xours,p=",
        b"c=biws,r=xours,p=AAAA",
        b"c=biws,r=xours,p=!",
        b"c=biws,r=other,p=" + b64encode(bytes(32)),
        b"c=biws,r=yxours,p=" + b64encode(bytes(32)),
        b"c=eSws,r=xours,p=" + b64encode(bytes(32)),
        b"c=biws,r=xours,p=" + b64encode(bytes(32)),
        b"c=biws,r=xours,p=" + b64encode(bytes(30_000)),
    ],
)
def test_a_last_message_that_proves_nothing_fails(final: bytes) -> None:
    talk = begun(side().new_login())
    said(talk, b"n,,n=alice,r=x")
    with pytest.raises(LoginError):
        said(talk, final)


def test_a_proof_serves_once() -> None:
    made, client = side(), sasl.dialogue("SCRAM-SHA-256", "alice", "pencil", "theirs")
    first = next(client)
    last = client.send(said(begun(made.new_login()), first))
    other = ScramSide(made.mechanism, made._find, lambda: "another", b"secret")
    talk = begun(other.new_login())
    said(talk, first)
    with pytest.raises(LoginError):
        said(talk, last)
