"""TLS between a socket and a connection, with a client in memory."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import ssl
from collections.abc import Callable
from typing import Any, cast

import pytest

from pykafka_ops.broker.runtime.security.tls_layer import TlsLayer
from pykafka_ops.broker.state.hello import Hello
from pykafka_ops.security.tls import client_context, server_context
from tests.support.golden.certificates import GOLDEN, KEY_PASSWORD, PASSWORD

SETTINGS = {
    "ssl.keystore.location": str(GOLDEN / "key.jks"),
    "ssl.keystore.password": PASSWORD,
    "ssl.key.password": KEY_PASSWORD,
    "ssl.truststore.location": str(GOLDEN / "ca.pem"),
    "ssl.client.auth": "required",
}


class App(asyncio.BufferedProtocol):
    """Takes what comes, in rooms of ``room`` bytes; none while ``parked``."""

    def __init__(self, room: int = 1 << 20) -> None:
        self.room = room
        self.parked = False
        self.got = b""
        self.transport: Any = None
        self.lost = 0
        self._view = memoryview(bytearray(room))

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport

    def get_buffer(self, sizehint: int) -> memoryview:
        return self._view[: 0 if self.parked else self.room]

    def buffer_updated(self, nbytes: int) -> None:
        self.got += self._view[:nbytes]

    def connection_lost(self, exc: Exception | None) -> None:
        self.lost += 1


class Site:
    """A listener, its handshakes, and the socket's transport: all that the layer knows."""

    def __init__(self, app: App, user: Callable[[bytes | None], str]) -> None:
        self.app, self.user = app, user
        self.principals: list[str] = []
        self.refusals: list[Exception | Hello] = []
        self.failures: list[Exception | Hello] = []
        self.ended = self.left = self.heard_of = 0
        self.before_end: Callable[[], None] = lambda: None
        """What happens while a step of the handshake is with a thread."""
        self.sent = b""
        self.reading, self.closed = True, ""

    def context(self) -> ssl.SSLContext:
        return server_context(SETTINGS.get)

    def serve(self, principal: str, address: str) -> asyncio.BufferedProtocol:
        self.principals.append(f"{principal} at {address}")
        return self.app

    def refused(self, layer: TlsLayer, error: Exception | Hello) -> None:
        self.refusals.append(error)

    def failed(self, layer: TlsLayer, error: Exception | Hello) -> None:
        self.failures.append(error)

    def expired(self, layer: TlsLayer) -> None:
        layer.abort()

    def gone(self, layer: TlsLayer) -> None:
        self.left += 1

    def run(self, step: Callable[[], bool], then: Callable[[Any], None]) -> None:
        future: concurrent.futures.Future[bool] = concurrent.futures.Future()
        try:
            future.set_result(step())
        except Exception as error:
            future.set_exception(error)
        self.before_end()
        then(future)

    def heard(self, layer: TlsLayer) -> None:
        self.heard_of += 1

    def over(self, layer: TlsLayer) -> None:
        self.ended += 1

    # the socket's transport

    def write(self, data: bytes) -> None:
        self.sent += data

    def pause_reading(self) -> None:
        self.reading = False

    def resume_reading(self) -> None:
        self.reading = True

    def is_closing(self) -> bool:
        return bool(self.closed)

    def close(self) -> None:
        self.closed = self.closed or "closed"

    def abort(self) -> None:
        self.closed = "aborted"

    def get_write_buffer_size(self) -> int:
        return 0

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return {"peername": ("1.2.3.4", 5)}.get(name, default)


class Client:
    """A client and the layer that it talks to; ``piece``: bytes that arrive at a time."""

    def __init__(
        self,
        app: App | None = None,
        user: Callable[[bytes | None], str] = lambda certificate: "User:x",
        piece: int = 1 << 16,
    ) -> None:
        self.app = app or App()
        self.site = Site(self.app, user)
        self.piece = piece
        self.layer = TlsLayer(self.site, self.site, "1.2.3.4")
        self.layer.connection_made(cast(asyncio.BaseTransport, self.site))
        self._in, self._out = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = client_context(SETTINGS.get).wrap_bio(
            self._in, self._out, server_hostname="localhost"
        )

    def feed(self, data: bytes) -> None:
        """Bytes arrive from the network."""
        for at in range(0, len(data), self.piece):
            part = data[at : at + self.piece]
            self.layer.get_buffer(-1)[: len(part)] = part
            self.layer.buffer_updated(len(part))

    def exchange(self) -> None:
        """Carry what both sides have said."""
        self.feed(self._out.read())
        said, self.site.sent = self.site.sent, b""
        self._in.write(said)

    def shake_hands(self) -> Client:
        for _ in range(4):
            with contextlib.suppress(ssl.SSLWantReadError):
                self.tls.do_handshake()
            self.exchange()
        return self

    def send(self, data: bytes) -> None:
        self.tls.write(data)
        self.exchange()

    def read(self) -> bytes:
        found = b""
        self.exchange()
        with contextlib.suppress(ssl.SSLWantReadError):
            while part := self.tls.read(1 << 16):
                found += part
        return found


DATA = bytes(range(256)) * 1000


@pytest.mark.parametrize("piece", [1, 7, 1000, 1 << 16])
def test_a_client_is_served_however_its_bytes_arrive(piece: int) -> None:
    client = Client(piece=piece).shake_hands()
    assert client.site.principals == ["User:x at 1.2.3.4"]
    assert client.site.ended == 1
    client.send(DATA[:5000])
    assert client.app.got == DATA[:5000]
    client.app.transport.write(DATA)
    assert client.read() == DATA


@pytest.mark.parametrize("room", [1, 100, 16 * 1024, 1 << 20])
def test_records_fit_into_rooms_of_any_size(room: int) -> None:
    size = 40_000 if room > 1 else 2_000
    client = Client(App(room)).shake_hands()
    client.send(DATA[:size])
    assert client.app.got == DATA[:size]


def test_what_comes_with_the_end_of_the_handshake_is_not_left_lying() -> None:
    client = Client()
    with pytest.raises(ssl.SSLWantReadError):
        client.tls.do_handshake()
    client.exchange()
    client.tls.do_handshake()
    client.send(b"at once")
    assert client.app.got == b"at once"


def test_who_is_asked_gets_the_certificate_of_the_client() -> None:
    shown: list[bytes | None] = []
    Client(user=lambda certificate: str(shown.append(certificate))).shake_hands()
    assert shown == [ssl.PEM_cert_to_DER_cert((GOLDEN / "broker.pem").read_text().strip())]


def test_a_client_that_nobody_knows_is_refused() -> None:
    def user(certificate: bytes | None) -> str:
        raise ValueError("who is that?")

    client = Client(user=user).shake_hands()
    assert [str(error) for error in client.site.refusals] == ["who is that?"]
    assert not client.site.principals
    assert not client.site.reading


@pytest.mark.parametrize(
    ("data", "hello"), [(b"GET / HTTP", Hello.ELSE), (b"\0\0\0\x0a\0\x12\0\0", Hello.KAFKA)]
)
def test_what_is_no_tls_is_refused_by_its_first_bytes(data: bytes, hello: Hello) -> None:
    client = Client(piece=1)
    client.feed(data[:6])
    assert client.site.refusals == [hello]


def test_a_client_that_goes_early_is_gone_once() -> None:
    client = Client()
    client.layer.connection_lost(None)
    assert (client.site.left, client.site.ended, client.app.lost) == (1, 1, 0)
    later = Client().shake_hands()
    later.layer.connection_lost(None)
    assert (later.site.left, later.app.lost) == (0, 1)


def test_why_a_handshake_failed_is_said_though_the_client_has_hung_up() -> None:
    client = Client()
    with contextlib.suppress(ssl.SSLWantReadError):
        client.tls.do_handshake()
    client.exchange()
    client.site.before_end = lambda: client.layer.connection_lost(None)
    alert = b"\x15\x03\x03\0\x02\x02\x30"  # fatal: the authority is not known
    client.feed(alert)
    (error,) = client.site.failures
    assert "UNKNOWN_CA" in str(error) or "alert" in str(error).lower(), error
    assert (client.site.refusals, client.site.left) == ([], 1)


def test_who_hangs_up_in_the_middle_of_a_handshake_is_no_failure() -> None:
    client = Client()
    client.site.before_end = lambda: client.layer.connection_lost(None)
    with contextlib.suppress(ssl.SSLWantReadError):
        client.tls.do_handshake()
    client.exchange()
    assert (client.site.failures, client.site.refusals, client.site.left) == ([], [], 1)


def test_both_sides_say_that_they_end() -> None:
    client = Client().shake_hands()
    client.app.transport.write(b"last")
    client.app.transport.close()
    client.exchange()
    assert client.tls.read(100) == b"last"
    assert client.tls.read(100) == b""
    other = Client().shake_hands()
    with contextlib.suppress(ssl.SSLWantReadError):
        other.tls.unwrap()
    other.exchange()
    assert other.site.closed == "closed"


def test_damaged_bytes_cut_a_connection_off() -> None:
    client = Client().shake_hands()
    client.feed(b"\x17\x03\x03\x00\x40" + bytes(64))
    assert client.site.closed == "aborted"


def test_a_connection_without_room_gets_the_rest_when_it_reads_again() -> None:
    async def work() -> None:
        client = Client(App(1000)).shake_hands()
        client.app.parked = True
        client.send(DATA[:20_000])
        assert client.app.got == b""
        client.app.parked = False
        client.app.transport.resume_reading()
        await asyncio.sleep(0)
        assert client.app.got == DATA[:20_000]

    asyncio.run(work())


def test_the_connection_knows_the_socket_behind_tls() -> None:
    transport = Client().shake_hands().app.transport
    assert transport.get_extra_info("peername") == ("1.2.3.4", 5)
    assert transport.get_extra_info("ssl_object").version() == "TLSv1.3"
    assert transport.get_extra_info("no such", 7) == 7
