import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.security.digest_md5 import Dialogue, DigestError, dialogue
from tests.support.raising import raises_only

CHALLENGE = (
    b'realm="elwood.innosoft.com",nonce="OA6MG9tEQGm2hh",qop="auth",'
    b"algorithm=md5-sess,charset=utf-8"
)


def answering() -> Dialogue:
    said = dialogue("chris", "secret", "OA6MHXh6VqTrRk", "imap", "elwood.innosoft.com")
    assert next(said) == b""
    return said


def test_the_example_of_the_rfc() -> None:
    """RFC 2831, section 4."""
    said = answering()
    assert b"response=d388dad90d4bbd760a152321f2143af7," in said.send(CHALLENGE)
    with pytest.raises(StopIteration):
        said.send(b"rspauth=ea40f60335c427b5527b84dbabcdfffd")


def test_a_server_that_does_not_know_the_password_is_refused() -> None:
    said = answering()
    said.send(CHALLENGE)
    with pytest.raises(DigestError, match="does not know the password"):
        said.send(b"rspauth=ea40f60335c427b5527b84dbabcdfffe")


def test_names_are_quoted_and_sent_as_unicode() -> None:
    said = dialogue('a"b\\c€', "p", "n", "zookeeper", "zk-sasl-md5")
    next(said)
    assert 'username="a\\"b\\\\c€"'.encode() in said.send(CHALLENGE)


@pytest.mark.parametrize(
    ("challenge", "text"),
    [
        (b"", "no nonce and no algorithm"),
        (b'nonce="x",algorithm=md5-sess,qop="auth-conf"', "wants md5-sess with auth-conf"),
        (b'nonce="x",algorithm=md5', "wants md5"),
        (b'nonce="x', "malformed"),
        (b"\xff\xff", "malformed"),
        (b'nonce="\xff",algorithm=md5-sess', "no text"),
    ],
)
def test_a_challenge_that_cannot_be_answered_is_refused(challenge: bytes, text: str) -> None:
    said = dialogue("u", "p", "n", "zookeeper", "zk-sasl-md5")
    next(said)
    with pytest.raises(DigestError, match=text):
        said.send(challenge)


@given(st.binary(max_size=60))
def test_no_challenge_is_a_crash(challenge: bytes) -> None:
    said = answering()
    with raises_only(DigestError):
        said.send(challenge)


@given(st.lists(st.sampled_from(['nonce="', "algorithm=md5-sess", ",", '"', "\\", "qop=auth"])))
def test_no_broken_challenge_is_a_crash(parts: list[str]) -> None:
    said = answering()
    with raises_only(DigestError):
        said.send("".join(parts).encode())
