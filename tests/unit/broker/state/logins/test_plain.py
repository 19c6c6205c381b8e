"""SASL PLAIN, with the texts of Apache Kafka's ``PlainSaslServer``."""

from __future__ import annotations

import pytest

from pykafka_ops.broker.state.logins.dialogue import Accepted, Heard, begun
from pykafka_ops.broker.state.logins.plain import checker, new_login, users_of
from pykafka_ops.errors import LoginError

USERS = users_of({"username": "admin", "user_alice": "s3cret", "user_": "odd", "user_é": "ü"})


def login(token: bytes) -> Accepted:
    talk = begun(new_login(checker(USERS)))
    with pytest.raises(StopIteration) as done:
        talk.send(Heard(token, 0))
    found = done.value.value
    assert isinstance(found, Accepted)
    return found


@pytest.mark.parametrize("token", [b"\0alice\0s3cret", b"alice\0alice\0s3cret"])
def test_the_right_password_lets_in(token: bytes) -> None:
    assert login(token) == Accepted("alice")


def test_names_and_passwords_are_utf8() -> None:
    assert login("\0é\0ü".encode()) == Accepted("é")


@pytest.mark.parametrize(
    ("token", "text"),
    [
        (b"", "Invalid SASL/PLAIN response: expected 3 tokens, got 1"),
        (b"alice\0s3cret", "Invalid SASL/PLAIN response: expected 3 tokens, got 2"),
        (b"\0alice\0s3cret\0", "Invalid SASL/PLAIN response: expected 3 tokens, got 4"),
        (b"\0" * 1000, "Invalid SASL/PLAIN response: expected 3 tokens, got 4"),
        (b"\0\0s3cret", "Authentication failed: username not specified"),
        (b"\0alice\0", "Authentication failed: password not specified"),
        (b"\0alice\0wrong", "Authentication failed: Invalid username or password"),
        (b"\0bob\0bob", "Authentication failed: Invalid username or password"),
        (b"\0alice\0\xff\xfe", "Authentication failed: Invalid username or password"),
        (
            b"bob\0alice\0s3cret",
            "Authentication failed: Client requested an authorization id that is different from "
            "username",
        ),
    ],
)
def test_every_failure_is_told_in_kafkas_words(token: bytes, text: str) -> None:
    with pytest.raises(LoginError) as failed:
        begun(new_login(checker(USERS))).send(Heard(token, 0))
    assert (str(failed.value), failed.value.answer) == (text, text)
