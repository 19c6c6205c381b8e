"""Whatever comes to a port with TLS: it is closed in time, told in one line, and harms nobody."""

from __future__ import annotations

import contextlib
import random
import socket
import ssl
import struct
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.process import certificates
from tests.support.process.paced import PacedBroker
from tests.support.process.tls_broker import TlsBroker, context
from tests.support.waiting import PATIENCE, wait_for
from tests.support.wire import raw
from tests.support.wire.raw import request

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(certificates.missing()), reason=certificates.missing() or ""),
]
MB = 1 << 20
CROWD = 2_000
HANDSHAKES, ROUNDS, MOST_MS = 500, 3, 20
"""CPU time in ms of one turn of the loop. One good round of some is enough."""
DRIPS = 60
STRANGER = "127.0.0.2"
NOISE = random.Random(7).randbytes(4000)


@pytest.fixture(scope="module")
def victim_broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TlsBroker]:
    broker = TlsBroker(tmp_path_factory.mktemp("tls"), {"listener.name.open.max.connections": 5000})
    broker.authority.issue("alice")
    try:
        yield broker.start()
    finally:
        broker.close()


@pytest.fixture
def tls_victim(victim_broker: TlsBroker) -> Iterator[TlsBroker]:
    """Afterwards it serves, with TLS and without, and has logged no traceback."""
    said = victim_broker.log.stat().st_size
    yield victim_broker
    assert served(victim_broker)
    with raw.Connection(victim_broker.bootstrap) as connection:
        assert connection.ask(request(raw.API_VERSIONS, 0))
    log = victim_broker.log.read_bytes()[said:].decode(errors="replace")
    assert "Traceback" not in log, log


def plain(port: int, source: str = "127.0.0.1") -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), PATIENCE, (source, 0))


def served(broker: TlsBroker, key: Path | None = None) -> bool:
    """Whether a client with TLS gets an answer; where there is no room the broker hangs up."""
    port = broker.closed_port if key else broker.open_port
    try:
        with context(broker.authority, key).wrap_socket(
            plain(port), server_hostname="localhost"
        ) as client:
            client.sendall(request(raw.API_VERSIONS, 0))
            return len(client.recv(4)) > 0
    except ConnectionError:
        return False


def hello(broker: TlsBroker) -> bytes:
    """The first bytes of a client that means it."""
    out = ssl.MemoryBIO()
    client = context(broker.authority).wrap_bio(ssl.MemoryBIO(), out, server_hostname="localhost")
    with contextlib.suppress(ssl.SSLWantReadError):
        client.do_handshake()
    return out.read()


def is_closed(client: socket.socket) -> bool:
    """Whether the broker hangs up before our patience ends; alerts may come before."""
    with contextlib.suppress(ConnectionError):
        while client.recv(4096):
            pass
    return True


def lines(broker: TlsBroker, text: str) -> int:
    return broker.log.read_text(errors="replace").count(text)


GARBAGE = {
    "kafka": (request(raw.API_VERSIONS, 0), "speaks Kafka without TLS"),
    "http": (b"GET / HTTP/1.1\r\n\r\n", "sends neither TLS nor Kafka"),
    "noise": (b"\xfe" + NOISE, "sends neither TLS nor Kafka"),
    "zeros": (bytes(100), "sends neither TLS nor Kafka"),
    "noise in a record": (b"\x16\x03\x01\x0f\xa0" + NOISE, "the TLS handshake failed"),
    "huge record": (b"\x16\x03\x01\xff\xff" + NOISE, "the TLS handshake failed"),
    "another record": (b"\x16\x03\x03\x00\x02\x01\x00" + b"\x17\x03\x03\x00\x05hello", "TLS"),
}


@pytest.mark.parametrize(("data", "line"), GARBAGE.values(), ids=GARBAGE.keys())
def test_what_is_no_handshake_is_closed_and_told(
    tls_victim: TlsBroker, data: bytes, line: str
) -> None:
    with plain(tls_victim.open_port) as client:
        client.sendall(data)
        assert is_closed(client)
    assert lines(tls_victim, line)


def test_a_hello_that_is_cut_anywhere_is_closed_with_its_connection(
    tls_victim: TlsBroker,
) -> None:
    whole = hello(tls_victim)
    for size in range(0, len(whole), 7):
        with plain(tls_victim.open_port) as client:
            client.sendall(whole[:size])
            client.shutdown(socket.SHUT_WR)
            assert is_closed(client)


def test_damaged_bytes_after_the_handshake_close_the_connection(tls_victim: TlsBroker) -> None:
    bare = plain(tls_victim.open_port)
    with context(tls_victim.authority).wrap_socket(bare, server_hostname="localhost") as client:
        client.sendall(request(raw.API_VERSIONS, 0))
        assert client.recv(4096)
        with socket.socket(fileno=client.detach()) as stripped:
            stripped.settimeout(PATIENCE)
            stripped.sendall(b"\x17\x03\x03\x00\x40" + NOISE[:64])
            assert is_closed(stripped)


def test_a_second_handshake_on_a_connection_is_refused(tls_victim: TlsBroker) -> None:
    """Renegotiation, which TLS 1.2 knows, costs a server much and a client little."""
    argv = ["openssl", "s_client", "-connect", tls_victim.open, "-tls1_2"]
    argv += ["-CAfile", str(tls_victim.authority.ca)]
    with subprocess.Popen(
        argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as client:
        assert client.stdin is not None
        assert client.stdout is not None
        begun = next(line for line in client.stdout if b"Extended master secret" in line)
        assert begun
        client.stdin.write(b"R\n")  # said to s_client: begin anew
        client.stdin.flush()
        assert b"no renegotiation" in client.stdout.read()
        assert client.wait(PATIENCE) == 1


def test_a_frame_of_an_absurd_size_closes_a_connection_with_tls(tls_victim: TlsBroker) -> None:
    with context(tls_victim.authority).wrap_socket(
        plain(tls_victim.open_port), server_hostname="localhost"
    ) as client:
        client.sendall(struct.pack(">i", 2**31 - 1) + bytes(100))
        assert client.recv(1) == b""


@pytest.mark.parametrize("says", [b"", b"\x16\x03\x01", "hello"])
def test_thousands_that_stall_leave_room_for_others_and_are_closed(
    tls_victim: TlsBroker, many_files: int, says: bytes | str
) -> None:
    """Half-open connections from one address: silent, with half a hello, or without an answer to
    ours."""
    first = hello(tls_victim) if isinstance(says, str) else says
    before = tls_victim.running.rss()
    crowd = [plain(tls_victim.open_port, STRANGER) for _ in range(min(CROWD, many_files // 2))]
    try:
        for client in crowd:
            client.sendall(first)
        for _ in range(3):
            assert served(tls_victim)
        assert tls_victim.running.rss() - before < 64 * MB
        for client in crowd:
            assert is_closed(client)
    finally:
        for client in crowd:
            client.close()
    assert lines(tls_victim, "in time") < 60


def test_thousands_of_plain_clients_are_one_line(tls_victim: TlsBroker) -> None:
    before = lines(tls_victim, "speaks Kafka without TLS")
    for _ in range(300):
        with plain(tls_victim.open_port) as client:
            client.sendall(request(raw.API_VERSIONS, 0))
            assert is_closed(client)
    assert lines(tls_victim, "speaks Kafka without TLS") - before < 30


def test_a_client_that_takes_nothing_holds_little(
    tls_victim: TlsBroker, topic: str, grown_by: Callable[[], int]
) -> None:
    """It asks for the same answer again and again and reads none."""
    with context(tls_victim.authority).wrap_socket(
        plain(tls_victim.open_port), server_hostname="localhost"
    ) as client:
        client.settimeout(1)
        with contextlib.suppress(TimeoutError, OSError):
            for _ in range(200_000):
                client.sendall(request(raw.API_VERSIONS, 0))
        assert grown_by() < 32 * MB


@pytest.fixture
def grown_by(tls_victim: TlsBroker) -> Callable[[], int]:
    """How many bytes of resident memory the broker gained since the test began."""
    before = tls_victim.running.rss()
    return lambda: tls_victim.running.rss() - before


def test_places_come_back(tls_victim: TlsBroker, many_files: int) -> None:
    """Clients whose handshake failed count no more among the connections of their listener."""
    for _ in range(3):
        crowd = [plain(tls_victim.open_port) for _ in range(min(2_000, many_files // 2))]
        for client in crowd:
            client.close()
    wait_for(lambda: served(tls_victim), what="room on the listener")
    alice = tls_victim.authority.directory / "alice.pem"
    wait_for(lambda: served(tls_victim, alice), what="room on the other listener")


class PacedTlsBroker(PacedBroker, TlsBroker):
    """One that notes how long its loop is at work without a pause."""


@pytest.fixture(scope="module")
def paced_tls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PacedTlsBroker]:
    broker = PacedTlsBroker(tmp_path_factory.mktemp("paced-tls"))
    try:
        yield broker.start()
    finally:
        broker.close()


def test_hundreds_of_handshakes_keep_others_waiting_for_no_long_turn(
    paced_tls: PacedTlsBroker,
) -> None:
    """All at once, while another client asks: in CPU time of the loop, on any machine."""
    first = hello(paced_tls)
    rounds = []
    for _ in range(ROUNDS):
        paced_tls.pauses()
        crowd = [plain(paced_tls.open_port, f"127.0.1.{n % 50}") for n in range(HANDSHAKES)]
        for client in crowd:
            client.sendall(first)
        with raw.Connection(paced_tls.bootstrap) as other:
            for client in crowd:
                other.ask(request(raw.API_VERSIONS, 0))
                assert client.recv(1)  # our answer, which took its time to compute
                client.close()
            other.ask(request(raw.API_VERSIONS, 0))
        rounds.append(max(paced_tls.pauses(), default=0.0))
    assert min(rounds) < MOST_MS, rounds


def test_hellos_that_come_a_byte_at_a_time_keep_others_waiting_for_no_long_turn(
    paced_tls: PacedTlsBroker,
) -> None:
    """Dozens at once: each byte is a step of a handshake. All get their answer in the end."""
    first = hello(paced_tls)
    rounds = []
    for _ in range(ROUNDS):
        paced_tls.pauses()
        crowd = [plain(paced_tls.open_port, f"127.0.1.{n}") for n in range(DRIPS)]
        with raw.Connection(paced_tls.bootstrap) as other:
            for at in range(len(first)):
                for client in crowd:
                    with contextlib.suppress(ConnectionError):  # it took too long
                        client.sendall(first[at : at + 1])
                other.ask(request(raw.API_VERSIONS, 0))
        answered = [is_answered(client) for client in crowd]
        for client in crowd:
            client.close()
        rounds.append((max(paced_tls.pauses(), default=0.0), all(answered)))
        if rounds[-1][0] < MOST_MS and all(answered):
            return
    raise AssertionError(rounds)


def is_answered(client: socket.socket) -> bool:
    """Whether the broker goes on with a handshake, or has given it up."""
    with contextlib.suppress(ConnectionError):
        return client.recv(1) == b"\x16"
    return False
