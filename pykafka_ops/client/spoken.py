"""Finds out, on a new connection, which protocol a port speaks that closed the first one.

A broker hangs up without a word on who speaks TLS to it, or plain text, or asks before the login.
Kafka's clients then try again until time is up.
"""

from __future__ import annotations

import contextlib
import socket
import time

from pykafka_ops.client.config import Address
from pykafka_ops.client.connection import BrokerConnection, DisconnectedError, WrongProtocolError
from pykafka_ops.client.poller import READ, Steps
from pykafka_ops.errors import PkoError, TlsError, TlsHungUpError
from pykafka_ops.wire import frame
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.api_versions import ApiVersionsRequest
from pykafka_ops.wire.messages.sasl_handshake import SaslHandshakeRequest, SaslHandshakeResponse

LOOK_SECONDS = 1.0
HANDSHAKE, ALERT = b"\x16\x03", b"\x15\x03"
"""How records of TLS begin (RFC 8446, 5.1)."""


def explained(connection: BrokerConnection, error: DisconnectedError | TlsError) -> Steps[PkoError]:
    """Why the broker closed ``connection`` with ``error``: a WrongProtocolError that says what to
    set, or ``error`` where the port gives no hint."""
    address, config = connection.address, connection.config
    found = ""
    if isinstance(error, TlsHungUpError):
        if (yield from _speaks_plainly(address)):
            found = (
                "this port speaks PLAINTEXT: set security.protocol=PLAINTEXT (or SASL_PLAINTEXT)"
            )
    elif connection.asked == 1 and not config.tls:
        if (yield from _speaks_tls(address)):
            found = "this port speaks TLS: set security.protocol=SSL (or SASL_SSL)"
    elif connection.asked == 2 and not config.sasl:
        mechanisms = yield from _mechanisms(connection)
        if mechanisms is not None:
            protocol = "SASL_SSL" if config.tls else "SASL_PLAINTEXT"
            found = (
                f"this port wants a login: set security.protocol={protocol}, sasl.jaas.config and "
                f"sasl.mechanism ({', '.join(mechanisms) or 'it names none'})"
            )
    return WrongProtocolError(f"{address}: {found}") if found else error


def _speaks_tls(address: Address) -> Steps[bool]:
    """Whether TLS is answered there."""
    import ssl

    hello = ssl.MemoryBIO()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with contextlib.suppress(ssl.SSLWantReadError):
        context.wrap_bio(ssl.MemoryBIO(), hello).do_handshake()
    answer = yield from _first_bytes(address, hello.read(), 2)
    return answer in (HANDSHAKE, ALERT)


def _speaks_plainly(address: Address) -> Steps[bool]:
    """Whether Kafka is answered there without TLS."""
    answer = yield from _first_bytes(
        address, frame.encode_request(ApiVersionsRequest(), 0, 1, None), 8
    )
    return answer[4:] == (1).to_bytes(4, "big")


def _first_bytes(address: Address, sent: bytes, wanted: int) -> Steps[bytes]:
    """How the answer begins, b"" where there is none soon."""
    until = time.monotonic() + LOOK_SECONDS
    got = b""
    with (
        contextlib.suppress(OSError),  # a time-out is one, too
        socket.create_connection(address, LOOK_SECONDS) as sock,
    ):
        sock.sendall(sent)
        while len(got) < wanted:
            yield sock.fileno(), READ, until
            more = sock.recv(wanted - len(got))
            if not more:
                break
            got += more
    return got


def _mechanisms(connection: BrokerConnection) -> Steps[list[str] | None]:
    """The mechanisms of SASL that the broker takes; None where it wants no login."""
    other = BrokerConnection(connection.address, connection.config, connection.trace)
    try:
        yield from other.open(time.monotonic() + LOOK_SECONDS)
        answer = yield from other.ask(SaslHandshakeRequest(mechanism="?"), SaslHandshakeResponse)
    except PkoError:
        return None
    finally:
        other.close()
    if answer.error_code not in (ErrorCode.NONE, ErrorCode.UNSUPPORTED_SASL_MECHANISM):
        return None
    return list(answer.mechanisms)
