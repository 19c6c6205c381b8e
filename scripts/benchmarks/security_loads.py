"""Load generators of TLS and logins; each runs as a process of its own and prints one JSON object.

python -m scripts.benchmarks.security_loads NAME BOOTSTRAP TOPIC key=value ...
"""

from __future__ import annotations

import json
import socket
import ssl
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from pykafka_ops.wire.frame import encode_request
from pykafka_ops.wire.messages.sasl_authenticate import SaslAuthenticateRequest
from pykafka_ops.wire.messages.sasl_handshake import SaslHandshakeRequest
from scripts.benchmarks.loads import OneRecord

API_VERSIONS = struct.pack(">ihhih", 10, 18, 0, 1, -1)
"""A request, so that the connection is known to be served."""
LEAST_SAMPLES = 200
AT_ONCE = 50
"""Logins under way that will fail."""


def _context() -> ssl.SSLContext:
    """Checks nothing: the client's part shall be small. No session is resumed."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def _connect(context: ssl.SSLContext, address: tuple[str, int]) -> None:
    with (
        socket.create_connection(address) as plain,
        context.wrap_socket(plain, server_hostname=address[0]) as made,
    ):
        made.sendall(API_VERSIONS)
        assert made.recv(4096)


def _address(bootstrap: str) -> tuple[str, int]:
    host, _, port = bootstrap.rpartition(":")
    return host, int(port)


def connections(bootstrap: str, topic: str, *, seconds: int, clients: int) -> dict[str, float]:
    """Connections made one after the other by ``clients`` threads, each with one request."""
    context, address = _context(), _address(bootstrap)
    counts = [0] * clients
    begin = time.monotonic()

    def run(number: int) -> None:
        while time.monotonic() - begin < seconds:
            _connect(context, address)
            counts[number] += 1

    with _threads(run, clients):
        pass
    return {"seconds": time.monotonic() - begin, "count": sum(counts)}


@contextmanager
def _threads(run: Any, count: int) -> Iterator[list[threading.Thread]]:
    threads = [threading.Thread(target=run, args=(n,)) for n in range(count)]
    for thread in threads:
        thread.start()
    yield threads
    for thread in threads:
        thread.join()


def beside(bootstrap: str, topic: str, *, plain: int, handshakes: int) -> dict[str, float]:
    """One client without TLS that writes one record at a time, from when ``handshakes`` clients
    send their first bytes until the last of them is in; at least ``LEAST_SAMPLES`` records."""
    address = _address(bootstrap)
    sides = [_Side(address) for _ in range(handshakes)]
    done = threading.Event()
    writer = _Writer((address[0], plain), topic)
    thread = threading.Thread(target=writer.write, args=(done.is_set,))
    for side in sides:
        side.hello()
    thread.start()
    for side in sides:
        side.finish()
    done.set()
    thread.join()
    return writer.figures()


def beside_failures(bootstrap: str, topic: str, *, plain: int, failures: int) -> dict[str, float]:
    """The same until so many logins with a wrong password have failed; another process does
    those."""
    address = _address(bootstrap)
    argv = [sys.executable, "-m", __spec__.name, "fail", bootstrap, topic, f"failures={failures}"]
    writer = _Writer((address[0], plain), topic)
    with subprocess.Popen(argv, stdout=subprocess.DEVNULL) as other:
        writer.write(lambda: other.poll() is not None)
    assert other.returncode == 0
    return writer.figures()


def fail(bootstrap: str, topic: str, *, failures: int) -> dict[str, float]:
    """So many logins by PLAIN with a wrong password, ``AT_ONCE`` at a time."""
    handshake = encode_request(SaslHandshakeRequest(mechanism="PLAIN"), 1, 1, "bench")
    token = SaslAuthenticateRequest(auth_bytes=b"\0alice\0wrong")
    frames = handshake + encode_request(token, 1, 2, "bench")
    address = _address(bootstrap)
    for _ in range(0, failures, AT_ONCE):
        clients = [socket.create_connection(address) for _ in range(AT_ONCE)]
        for client in clients:
            client.sendall(frames)
        for client in clients:
            with client, suppress(ConnectionError):
                while client.recv(4096):
                    pass
    return {"count": failures}


class _Writer:
    """One record at a time; how long each takes is noted."""

    def __init__(self, address: tuple[str, int], topic: str) -> None:
        self._socket = socket.create_connection(address)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._frame = bytes(OneRecord(topic, 0, 100, 1, -1).frame)
        self._times: list[float] = []

    def write(self, is_over: Callable[[], bool]) -> None:
        times = self._times
        while not is_over() or len(times) < LEAST_SAMPLES:
            begin = time.monotonic()
            self._socket.sendall(self._frame)
            assert self._socket.recv(4096)
            times.append(time.monotonic() - begin)

    def figures(self) -> dict[str, float]:
        times = sorted(self._times)
        return {"count": len(times), "p99": times[len(times) * 99 // 100] * 1000}


class _Side:
    """A client whose handshake is taken step by step."""

    def __init__(self, address: tuple[str, int]) -> None:
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = _context().wrap_bio(self._incoming, self._outgoing, server_hostname="localhost")
        self._socket = socket.create_connection(address)

    def hello(self) -> None:
        """The first bytes; the answer stays where it is."""
        self._step()

    def finish(self) -> None:
        """Until the broker has let it in."""
        while not self._step():
            data = self._socket.recv(16384)
            assert data, "the broker closed the connection"
            self._incoming.write(data)
        self._socket.close()

    def _step(self) -> bool:
        done = True
        try:
            self._tls.do_handshake()
        except ssl.SSLWantReadError:
            done = False
        self._socket.sendall(self._outgoing.read())
        return done


def main(argv: list[str]) -> None:
    name, bootstrap, topic, *rest = argv
    options: dict[str, Any] = {k: int(v) for k, v in (word.split("=") for word in rest)}
    print(json.dumps(globals()[name](bootstrap, topic, **options)))


if __name__ == "__main__":
    main(sys.argv[1:])
