"""One client of a broker that asks for a login, frame by frame, and what it hears: as notes that
two brokers can agree on."""

from __future__ import annotations

import socket
import ssl
import struct
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from pykafka_ops.errors import WireError
from pykafka_ops.wire.apis import APIS
from pykafka_ops.wire.frame import decode_response, encode_request
from pykafka_ops.wire.message import table_of
from pykafka_ops.wire.messages.sasl_authenticate import (
    SaslAuthenticateRequest,
    SaslAuthenticateResponse,
)
from tests.support.waiting import PATIENCE

DELAY_MS = 600
"""How long both brokers keep the failure of a login from its client."""
LATE = DELAY_MS * 0.9 / 1000
ENCRYPTED = "SECURE"
"""The listener with TLS."""
LENGTH = struct.Struct(">i")
ROUND_LIFETIMES = (0, 60_000, 1_000)


class Site(NamedTuple):
    """A broker: a port for each listener, and the delegation token that it has given."""

    ports: dict[str, int]
    token_id: str = ""
    token_secret: str = ""


class HungUpError(Exception):
    """The broker has closed the connection."""


class Talk:
    """``headers`` says whether tokens are sent in SaslAuthenticate requests, of the version
    ``tokens_by``."""

    def __init__(self, site: Site, listener: str) -> None:
        self.site = site
        self.notes: list[str] = []
        self.headers = True
        self.tokens_by = 2
        self.nonce = "fyko+d2lbbFgONRv9qkxdawL"
        plain = socket.create_connection(("127.0.0.1", site.ports[listener]), PATIENCE)
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket = _trusting().wrap_socket(plain) if listener == ENCRYPTED else plain
        self._sent_at = time.monotonic()

    def close(self) -> None:
        self._socket.close()

    @staticmethod
    def now() -> float:
        """A clock in s."""
        return time.monotonic()

    def say(self, what: str) -> None:
        """Note something."""
        self.notes.append(what)

    def send(self, data: bytes) -> None:
        """Send bytes as they are; what the broker does not take any more it does not get."""
        self._sent_at = time.monotonic()
        try:
            self._socket.sendall(data)
        except OSError:
            self._hung_up()

    def finish_sending(self) -> None:
        """Nothing more comes from here."""
        self._socket.shutdown(socket.SHUT_WR)

    def read(self) -> bytes:
        """The next frame, without its length. Raises HungUpError."""
        size = LENGTH.unpack(self._exactly(4))[0]
        if self._is_late():
            self.say("late")
        return self._exactly(size)

    def _is_late(self) -> bool:
        return time.monotonic() - self._sent_at >= LATE

    def _exactly(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            try:
                more = self._socket.recv(size - len(data))
            except TimeoutError:
                self.say("nothing comes")
                raise HungUpError from None
            except OSError:
                more = b""
            if not more:
                self._hung_up()
            data += more
        return data

    def _hung_up(self) -> None:
        self.say("hung up, late" if self._is_late() else "hung up")
        raise HungUpError

    def ask(self, request: Any, version: int) -> Any:
        """The answer to a request. Raises HungUpError."""
        self.send(encode_request(request, version, 7, "peer"))
        return self.answer(table_of(type(request)).api, version)

    def answer(self, api: int, version: int) -> Any:
        """What comes, as the answer of an API; None, and a note, if it is none."""
        frame = self.read()
        try:
            number, found = decode_response(APIS[api].response, version, frame)
        except WireError:
            self.say(f"{len(frame)} bytes that are no answer: {frame[:16].hex()}")
            return None
        if number != 7:
            self.say(f"the answer to request {number}")
        return found

    def token(self, data: bytes) -> bytes | None:
        """The answer to a token of the mechanism; None, and a note, if that is an error."""
        if not self.headers:
            self.send(LENGTH.pack(len(data)) + data)
            return self.read()
        found = self.ask(SaslAuthenticateRequest(auth_bytes=data), self.tokens_by)
        return None if found is None else self.accepted(found)

    def accepted(self, found: SaslAuthenticateResponse) -> bytes | None:
        """The token in an answer; None, and a note, if that is an error."""
        if found.error_code:
            self.say(f"error {found.error_code}: {found.error_message}")
            return None
        lifetime = found.session_lifetime_ms
        self.say(f"lifetime {lifetime if lifetime in ROUND_LIFETIMES else 'until the token ends'}")
        if found.error_message is not None:
            self.say(f"message {found.error_message}")
        return bytes(found.auth_bytes)


Step = Callable[[Talk], None]


class Script(NamedTuple):
    """What a client of a listener does."""

    name: str
    steps: tuple[Step, ...]
    listener: str = "LOGIN"


def played(script: Script, site: Site) -> list[str]:
    """What it hears: a note for each step, until the broker hangs up."""
    talk = Talk(site, script.listener)
    try:
        for step in script.steps:
            step(talk)
    except HungUpError:
        pass
    finally:
        talk.close()
    return talk.notes


def _trusting() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context
