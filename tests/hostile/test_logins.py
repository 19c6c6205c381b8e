"""Clients that do not log in, or as badly as they can: nobody else notices."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from pykafka_ops.wire.frame import encode_request
from pykafka_ops.wire.messages.fetch import FetchRequest
from pykafka_ops.wire.messages.sasl_authenticate import SaslAuthenticateRequest
from pykafka_ops.wire.messages.sasl_handshake import SaslHandshakeRequest
from tests.support.clients.base import Message
from tests.support.clients.confluent import ConfluentClient
from tests.support.process.logins import LoginBroker, login_settings
from tests.support.waiting import PATIENCE

FAILURES = 2_000
AT_ONCE = 4


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[LoginBroker]:
    settings = login_settings(connection_failed_authentication_delay_ms="0")
    made = LoginBroker(tmp_path / "data", settings)
    try:
        yield made.start()
    finally:
        made.close()


def handshake(mechanism: str, version: int = 1) -> bytes:
    return encode_request(SaslHandshakeRequest(mechanism=mechanism), version, 1, "c")


def token(data: bytes) -> bytes:
    return encode_request(SaslAuthenticateRequest(auth_bytes=data), 1, 2, "c")


BAD_PLAIN = handshake("PLAIN") + token(b"\0alice\0wrong")
HOSTILE = {
    "garbage": b"\xde\xad\xbe\xef" * 100,
    "HTTP": b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
    "a TLS client": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(500),
    "a frame of 2 GiB": b"\x7f\xff\xff\xff",
    "a frame of 512 KiB and a byte": struct.pack(">i", 524_289) + bytes(1000),
    "a negative frame": b"\x80\0\0\0",
    "an empty frame": bytes(4),
    "a request without a login": encode_request(FetchRequest(), 4, 1, "c"),
    "a token without a handshake": token(b"\0alice\0alice-secret"),
    "an unknown mechanism": handshake("x" * 10_000),
    "a wrong password": BAD_PLAIN,
    "a password of half a megabyte": handshake("PLAIN") + token(b"\0alice\0" + b"x" * 520_000),
    "SCRAM with a name of half a megabyte": (
        handshake("SCRAM-SHA-256") + token(b"n,,n=" + b"a" * 520_000)
    ),
    "SCRAM without a nonce": handshake("SCRAM-SHA-512") + token(b"n,,n=alice,r="),
    "a raw token that is none": handshake("PLAIN", 0) + b"\0\0\0\x01x",
    "a request in the middle": handshake("PLAIN") + encode_request(FetchRequest(), 4, 3, "c"),
}


def attack(port: int, data: bytes) -> None:
    """Send that, and read until the broker hangs up."""
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as client:
        try:
            client.sendall(data)
            while client.recv(65536):
                pass
        except ConnectionError:
            pass


def good(broker: LoginBroker) -> ConfluentClient:
    return ConfluentClient(
        broker.login_bootstrap,
        **{
            "security.protocol": "SASL_PLAINTEXT",
            "sasl.mechanism": "PLAIN",
            "sasl.username": "alice",
            "sasl.password": "alice-secret",
        },
    )


def test_whatever_a_client_sends_its_connection_is_closed_and_the_next_one_logs_in(
    broker: LoginBroker,
) -> None:
    before = broker.log.read_text().count("\n")
    for data in HOSTILE.values():
        attack(broker.login_port, data)
    client = good(broker)
    client.create_topic("t")
    assert client.produce("t", [Message(b"v")]) == [0]
    lines = broker.log.read_text().splitlines()[before:]
    about_logins = [line for line in lines if "Failed authentication" in line]
    assert 0 < len(about_logins) <= len(HOSTILE)
    assert not [line for line in lines if "Traceback" in line or "ERROR" in line]
    assert max(map(len, about_logins)) < 500
    assert "alice-secret" not in "".join(lines)


def test_thousands_of_failed_logins_leave_nothing_behind(broker: LoginBroker) -> None:
    """A connection of somebody who has logged in goes on all the while."""
    client = good(broker)
    client.create_topic("t")
    for _ in range(100):
        attack(broker.login_port, BAD_PLAIN)  # what is loaded at first use is loaded now
    held = rss(broker)
    threads = [
        threading.Thread(
            target=lambda: [
                attack(broker.login_port, BAD_PLAIN) for _ in range(FAILURES // AT_ONCE)
            ]
        )
        for _ in range(AT_ONCE)
    ]
    for thread in threads:
        thread.start()
    sent = 0
    while any(thread.is_alive() for thread in threads):
        assert client.produce("t", [Message(b"v")]) == [sent]
        sent += 1
    for thread in threads:
        thread.join()
    assert sent > 0
    assert rss(broker) - held < 20_000
    said = broker.log.read_text().count("Failed authentication")
    assert said < FAILURES / 10


def rss(broker: LoginBroker) -> int:
    """KiB of memory that the broker holds."""
    status = Path(f"/proc/{broker.running.popen.pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0])
