import pytest

from pykafka_ops.security.sasl import AuthenticationError, dialogue

NONCE = "rOprNGfwEbeRWgbNEkqO"
FIRST = b"r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"
FINAL = (
    b"c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,"
    b"p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="
)
SERVER = b"v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="


def test_scram_sha_256_follows_the_example_of_rfc_7677() -> None:
    talk = dialogue("SCRAM-SHA-256", "user", "pencil", NONCE)
    assert next(talk) == b"n,,n=user,r=rOprNGfwEbeRWgbNEkqO"
    assert talk.send(FIRST) == FINAL
    with pytest.raises(StopIteration):
        talk.send(SERVER)


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (b"v=AAAA", "does not know the password"),
        (b"e=invalid-proof", "SCRAM: invalid-proof"),
        (b"", "does not know the password"),
    ],
)
def test_scram_refuses_a_broker_that_cannot_prove_itself(answer: bytes, text: str) -> None:
    talk = dialogue("SCRAM-SHA-256", "user", "pencil", NONCE)
    next(talk)
    talk.send(FIRST)
    with pytest.raises(AuthenticationError, match=text):
        talk.send(answer)


@pytest.mark.parametrize(
    "first",
    [
        b"r=other,s=AA==,i=4096",
        b"r=rOprNGfwEbeRWgbNEkqOx,s=AA==,i=0",
        b"r=rOprNGfwEbeRWgbNEkqOx,s=AA==,i=4095",
        b"r=rOprNGfwEbeRWgbNEkqOx,s=AA==,i=99999999",
        b"r=rOprNGfwEbeRWgbNEkqOx,i=4096",
        b"\xff\xfe",
    ],
)
def test_scram_refuses_a_hostile_first_answer(first: bytes) -> None:
    talk = dialogue("SCRAM-SHA-512", "user", "pencil", NONCE)
    next(talk)
    with pytest.raises(AuthenticationError):
        talk.send(first)


def test_scram_escapes_the_user_name() -> None:
    assert b"n=a=3Db=2Cc," in next(dialogue("SCRAM-SHA-256", "a=b,c", "p", NONCE))


def test_plain_is_one_message() -> None:
    talk = dialogue("PLAIN", "alice", "s3cret", "")
    assert next(talk) == b"\0alice\0s3cret"
    with pytest.raises(StopIteration):
        talk.send(b"")
