"""Ten thousand failed logins: none of them holds the loop. In CPU time of its turns."""

from __future__ import annotations

import contextlib
import hashlib
import socket
from collections.abc import Callable, Iterator

import pytest

from pykafka_ops.settings.scram import MECHANISMS
from pykafka_ops.wire.frame import encode_request
from pykafka_ops.wire.messages.alter_user_scram_credentials import (
    AlterUserScramCredentialsRequest,
    ScramCredentialUpsertion,
)
from pykafka_ops.wire.messages.sasl_authenticate import SaslAuthenticateRequest
from pykafka_ops.wire.messages.sasl_handshake import SaslHandshakeRequest
from tests.support.differential.two_brokers import Link
from tests.support.process.logins import LoginBroker, login_settings
from tests.support.process.paced import PacedBroker
from tests.support.waiting import PATIENCE, wait_for
from tests.support.wire import raw
from tests.support.wire.raw import Connection, request

pytestmark = pytest.mark.slow
CROWD, ROUNDS, MOST_MS = 500, 3, 20
"""Of each kind so many at once, one round after the other; CPU time in ms of one turn. One good
round of some is enough."""
LARGE, FEW = 500_000, 50
"""Bytes of large tokens, and how many of those come at once."""
NONCE = b"r=abc"


class PacedLoginBroker(PacedBroker, LoginBroker):
    """One that notes how long its loop is at work without a pause."""


@pytest.fixture(scope="module")
def paced_logins(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PacedLoginBroker]:
    settings = login_settings(connection_failed_authentication_delay_ms="0", max_connections="5000")
    broker = PacedLoginBroker(tmp_path_factory.mktemp("paced-logins") / "data", settings)
    try:
        broker.start()
        _add_user(broker.bootstrap)
        yield broker
    finally:
        broker.close()


def _add_user(bootstrap: str) -> None:
    """Alice, by SCRAM with as many iterations as there may be."""
    salted = hashlib.pbkdf2_hmac("sha256", b"alice-secret", b"salt", 16_384)
    number = MECHANISMS["SCRAM-SHA-256"].number
    made = ScramCredentialUpsertion(
        name="alice", mechanism=number, iterations=16_384, salt=b"salt", salted_password=salted
    )
    link = Link(bootstrap)
    answer = link.ask(AlterUserScramCredentialsRequest(upsertions=[made]), 0)
    link.close()
    assert not answer.results[0].error_code


def handshake(mechanism: str) -> bytes:
    return encode_request(SaslHandshakeRequest(mechanism=mechanism), 1, 1, "c")


def token(data: bytes) -> bytes:
    return encode_request(SaslAuthenticateRequest(auth_bytes=data), 1, 2, "c")


def proof_to(challenge: bytes) -> bytes:
    """A wrong one, for the nonce of that challenge."""
    nonce = challenge[challenge.index(NONCE) :].partition(b",")[0]
    return token(b"c=biws," + nonce + b",p=" + b"A" * 43 + b"=")


PLAIN, SCRAM = handshake("PLAIN"), handshake("SCRAM-SHA-256")
GARBAGE = {
    "wrong passwords": PLAIN + token(b"\0alice\0wrong"),
    "unknown users": PLAIN + token(b"\0nobody\0wrong"),
    "garbage": b"\xde\xad\xbe\xef" * 100,
    "unknown mechanisms": handshake("x" * 1_000),
    "requests": request(raw.METADATA, 1, raw.array([])),
}
LARGE_TOKENS = {
    "large passwords": PLAIN + token(b"\0alice\0" + b"x" * LARGE),
    "NULs": PLAIN + token(bytes(LARGE)),
    "large names": SCRAM + token(b"n,,n=" + b"a" * LARGE),
    "quoted commas": SCRAM + token(b"n,,n=" + b"=2C" * (LARGE // 3) + b",r=abc"),
    "extensions": SCRAM + token(b"n,,n=alice,r=abc" + b",a=b" * (LARGE // 4)),
    "one extension and no end": SCRAM + token(b"n,,n=alice,r=abc,a=" + b"b" * LARGE + b"\xff"),
}


def longest_turn(broker: PacedLoginBroker, crowd: Callable[[Connection], None]) -> float:
    """The least of the longest turns of several rounds, while another client asks."""
    found = []
    with Connection(broker.bootstrap) as other:
        for _ in range(ROUNDS):
            other.ask(request(raw.API_VERSIONS, 0))
            broker.pauses()
            crowd(other)
            other.ask(request(raw.API_VERSIONS, 0))
            found.append(max(broker.pauses(), default=0.0))
    return min(found)


def connected(broker: PacedLoginBroker) -> socket.socket:
    return socket.create_connection(("127.0.0.1", broker.login_port), PATIENCE)


def is_hung_up(client: socket.socket) -> bool:
    """Whether the broker has closed the connection; what it said before is read."""
    with client, contextlib.suppress(ConnectionError):
        while client.recv(65_536):
            pass
    return True


def send_quietly(client: socket.socket, data: bytes) -> None:
    """Send, as far as the broker takes it."""
    with contextlib.suppress(ConnectionError):
        client.sendall(data)


def failures(broker: PacedLoginBroker, data: bytes, count: int) -> Callable[[Connection], None]:
    """So many clients at once that send that."""

    def crowd(other: Connection) -> None:
        clients = [connected(broker) for _ in range(count)]
        for client in clients:
            send_quietly(client, data)
            other.ask(request(raw.API_VERSIONS, 0))
        assert all(is_hung_up(client) for client in clients)

    return crowd


@pytest.mark.parametrize("kind", GARBAGE)
def test_thousands_of_failed_logins_make_no_long_turn(
    paced_logins: PacedLoginBroker, kind: str
) -> None:
    assert longest_turn(paced_logins, failures(paced_logins, GARBAGE[kind], CROWD)) < MOST_MS


@pytest.mark.parametrize("kind", LARGE_TOKENS)
def test_large_tokens_make_no_long_turn(paced_logins: PacedLoginBroker, kind: str) -> None:
    assert longest_turn(paced_logins, failures(paced_logins, LARGE_TOKENS[kind], FEW)) < MOST_MS


@pytest.mark.measured  # in ms of CPU, which a slow machine exceeds
@pytest.mark.parametrize("name", ["alice", "nobody"])
def test_thousands_of_wrong_proofs_make_no_long_turn(
    paced_logins: PacedLoginBroker, name: str
) -> None:
    """However many iterations a password has: those are the client's to do."""

    def crowd(other: Connection) -> None:
        clients = [connected(paced_logins) for _ in range(CROWD)]
        for client in clients:
            client.sendall(SCRAM + token(b"n,,n=" + name.encode() + b"," + NONCE))
        for client in clients:
            said = b""
            while NONCE not in said or b",i=" not in said:
                more = client.recv(65_536)
                assert more
                said += more
            client.sendall(proof_to(said))
            other.ask(request(raw.API_VERSIONS, 0))
        assert all(is_hung_up(client) for client in clients)

    assert longest_turn(paced_logins, crowd) < MOST_MS


def test_ten_thousand_failed_logins_were_a_few_lines(paced_logins: PacedLoginBroker) -> None:
    """After all the others here."""
    with connected(paced_logins) as client:
        client.sendall(GARBAGE["garbage"])
        assert is_hung_up(client)
    wait_for(lambda: "logins failed on" in paced_logins.log.read_text(), what="the summary")
    lines = paced_logins.log.read_text().splitlines()
    assert len(lines) < 200
    assert not [line for line in lines if "Traceback" in line]
