"""What clients show in logins that fail stays out of the broker's log, at DEBUG too."""

from __future__ import annotations

import base64
import json
import socket
from pathlib import Path

import pytest

from pykafka_ops.wire.frame import encode_request
from pykafka_ops.wire.messages.sasl_authenticate import SaslAuthenticateRequest
from pykafka_ops.wire.messages.sasl_handshake import SaslHandshakeRequest
from tests.support.process.logins import LoginBroker, jaas_setting, login_settings, module
from tests.support.waiting import PATIENCE

pytestmark = pytest.mark.slow
OURS, SHOWN = "alice-secret", "Shown0Secret"
"""The right password, and what clients show."""
TOLD_AT_ONCE = 9
"""Failures that a broker logs one by one; of more it only says how many."""
SHORT = SHOWN.encode()


def request(mechanism: str, version: int = 1) -> bytes:
    return encode_request(SaslHandshakeRequest(mechanism=mechanism), version, 1, "c")


def token(data: bytes) -> bytes:
    return encode_request(SaslAuthenticateRequest(auth_bytes=data), 1, 2, "c")


def raw(data: bytes) -> bytes:
    """A token without a header."""
    return len(data).to_bytes(4, "big") + data


def bearer(token_text: bytes, header: bytes = b"n,,") -> bytes:
    return header + b"\x01auth=Bearer " + token_text + b"\x01\x01"


def part(value: object) -> bytes:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=")


UNSIGNED = part({"alg": "none"}) + b"." + part({"sub": "alice", "exp": 1}) + b"."
SIGNED = part({"alg": "HS256"}) + b"." + part({"sub": "alice"}) + b"." + SHORT
TOKENS = {
    "PLAIN": [
        b"\0alice\0" + SHORT,
        b"\0nobody\0" + SHORT,
        b"bob\0alice\0" + OURS.encode(),
        b"\0alice\0" + SHORT + b"\0more",
        b"\0alice\0\xff" + SHORT,
        SHORT,
        b"\0\0" + SHORT,
    ],
    "SCRAM-SHA-256": [
        b"n,,n=alice,r=abc,x" + SHORT,
        b"\0alice\0" + SHORT,
        b"n,,n=alice," + SHORT,
        b"n,a=bob,n=alice,r=" + SHORT,
    ],
    "OAUTHBEARER": [
        bearer(SHORT),
        bearer(SIGNED),
        bearer(UNSIGNED),
        bearer(b"a b " + SHORT),
        bearer(UNSIGNED + SHORT),
        b"n,,\x01auth=Basic " + SHORT + b"\x01\x01",
        SHORT,
    ],
}
PROOF = b"c=biws,r=abc,p=" + base64.b64encode(SHORT)


def attempts() -> list[bytes]:
    """All that one client sends, for each."""
    found = []
    for mechanism, tokens in TOKENS.items():
        for data in tokens:
            found.append(request(mechanism) + token(data) + token(b"\x01"))
            found.append(request(mechanism, 0) + raw(data) + raw(b"\x01"))
    found.append(request("SCRAM-SHA-256") + token(b"n,,n=alice,r=abc") + token(PROOF))
    found.append(token(b"\0alice\0" + SHORT))
    found.append(raw(SHORT))
    return found


def attack(port: int, data: bytes) -> bytes:
    """Send that and hang up; what the broker says."""
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as client:
        said = b""
        try:
            client.sendall(data)
            client.shutdown(socket.SHUT_WR)
            while more := client.recv(65_536):
                said += more
        except ConnectionError:
            pass
        return said


def test_no_secret_of_a_failed_login_is_logged_or_told(tmp_path: Path) -> None:
    settings = login_settings(
        connection_failed_authentication_delay_ms="0",
        sasl_enabled_mechanisms="PLAIN,SCRAM-SHA-256,OAUTHBEARER",
    )
    settings[jaas_setting("OAUTHBEARER")] = module(
        "OAUTHBEARER", unsecuredLoginStringClaim_sub="broker"
    )
    made, told, logs = attempts(), b"", ""
    for begin in range(0, len(made), TOLD_AT_ONCE):
        broker = LoginBroker(tmp_path / str(begin) / "data", settings)
        broker.arguments = ["--log-level", "DEBUG"]
        try:
            broker.start()
            for data in made[begin : begin + TOLD_AT_ONCE]:
                told += attack(broker.login_port, data)
        finally:
            broker.close()
        logs += broker.log.read_text(errors="replace")
    assert logs.count("Failed authentication") == len(made)
    hidden = (SHOWN, OURS, UNSIGNED.decode(), SIGNED.decode(), base64.b64encode(SHORT).decode())
    assert not [secret for secret in hidden if secret in logs]
    assert OURS.encode() not in told
