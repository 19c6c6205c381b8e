"""Hundreds of handshakes, and how long one who speaks without TLS waits for answers meanwhile."""

from __future__ import annotations

import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from tests.support.process import certificates
from tests.support.process.tls_broker import TlsBroker, context
from tests.support.waiting import PATIENCE
from tests.support.wire import raw
from tests.support.wire.raw import request

pytestmark = [
    pytest.mark.slow,
    pytest.mark.measured,
    pytest.mark.skipif(bool(certificates.missing()), reason=certificates.missing() or ""),
]
HANDSHAKES, AT_ONCE, ROUNDS = 500, 8, 5
MORE_MS = 20.0
"""How much longer all but one answer of a hundred may take than beside the same handshakes with
another process: those take as much of the machine, but nothing of the broker."""


@pytest.fixture
def tls_broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TlsBroker]:
    broker = TlsBroker(tmp_path_factory.mktemp("tls"))
    try:
        yield broker.start()
    finally:
        broker.close()


def p99_ms(broker: TlsBroker, meanwhile: Callable[[], None]) -> float:
    """What a client waits that asks again and again while ``meanwhile`` runs."""
    waits: list[float] = []
    work = threading.Thread(target=meanwhile)
    with raw.Connection(broker.bootstrap) as client:
        work.start()
        while work.is_alive():
            began = time.perf_counter()
            client.ask(request(raw.API_VERSIONS, 0))
            waits.append((time.perf_counter() - began) * 1000)
        work.join()
    waits.sort()
    return waits[int(len(waits) * 0.99)]


def shake_hands(made: ssl.SSLContext, port: int) -> None:
    """So many clients, some at a time."""
    left = iter(range(HANDSHAKES))
    lock = threading.Lock()

    def some() -> None:
        while True:
            with lock:
                if next(left, None) is None:
                    return
            plain = socket.create_connection(("127.0.0.1", port), PATIENCE)
            with made.wrap_socket(plain, server_hostname="localhost"):
                pass

    threads = [threading.Thread(target=some) for _ in range(AT_ONCE)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_handshakes_do_not_slow_down_those_who_are_in(
    tls_broker: TlsBroker, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = TlsBroker(tmp_path_factory.mktemp("other"), authority=tls_broker.authority).start()
    made = context(tls_broker.authority)
    rounds = []
    try:
        for _ in range(ROUNDS):
            beside = p99_ms(tls_broker, lambda: shake_hands(made, other.open_port))
            under = p99_ms(tls_broker, lambda: shake_hands(made, tls_broker.open_port))
            rounds.append((beside, under))
    finally:
        other.close()
    assert min(under - beside for beside, under in rounds) < MORE_MS, rounds
