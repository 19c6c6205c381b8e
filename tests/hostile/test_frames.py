"""Bytes that are no requests: that connection is closed or answered as Kafka does, no other."""

from __future__ import annotations

import contextlib
import json
import random
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.wire import raw
from tests.support.wire.raw import Connection, array, request, string

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "wire"
MB = 1 << 20
ORDERS = (4, 5, 6, 7, 33, 44, 56)  # a controller's, and settings of brokers: may do what they say
GARBAGE = {
    "http": b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
    "tls": bytes.fromhex("16030100c8010000c40303") + bytes(200),
    "ssh": b"SSH-2.0-OpenSSH_9.6\r\n",
    "ones": b"\xff" * 64,
    "zeros": bytes(64),
    "empty frame": struct.pack(">i", 0),
    "short header": struct.pack(">i", 5) + bytes(5),
    "noise in a frame": struct.pack(">i", 200) + random.Random(5).randbytes(200),
}


@pytest.mark.parametrize("data", GARBAGE.values(), ids=GARBAGE.keys())
def test_garbage_closes_the_connection(victim: Any, topic: str, data: bytes) -> None:
    with Connection(victim.bootstrap) as connection:
        raw.send_quietly(connection, data)
        assert connection.closed_by_broker()


@pytest.mark.parametrize("size", [-1, -(2**31), 2**31 - 1, 100 * MB + 1])
def test_an_absurd_size_closes_the_connection_at_once(
    victim: Any, topic: str, grown: Callable[[], int], size: int
) -> None:
    with Connection(victim.bootstrap) as connection:
        raw.send_quietly(connection, struct.pack(">i", size) + bytes(100))
        assert connection.closed_by_broker()
    assert grown() < 20 * MB


def test_a_large_size_allocates_nothing_before_the_bytes_come(
    victim: Any, topic: str, grown: Callable[[], int]
) -> None:
    if victim.kind == "apache":
        pytest.skip("Kafka allocates the size it is told")
    crowd = [Connection(victim.bootstrap) for _ in range(60)]
    for connection in crowd:
        connection.send(struct.pack(">i", 99 * MB) + bytes(1000))
    with Connection(victim.bootstrap) as other:
        assert other.ask(request(raw.API_VERSIONS, 0))
    assert grown() < 60 * MB
    for connection in crowd:
        connection.close()


@pytest.mark.parametrize("key", [-1, 27_000, 999, 62, 76])
def test_an_unknown_request_closes_the_connection(victim: Any, topic: str, key: int) -> None:
    with Connection(victim.bootstrap) as connection:
        connection.send(request(key, 0, bytes(20)))
        assert connection.closed_by_broker()


@pytest.mark.parametrize(
    ("key", "version"), [(raw.METADATA, 99), (raw.METADATA, -1), (raw.PRODUCE, 12), (raw.FETCH, 18)]
)
def test_an_unknown_version_closes_the_connection(
    victim: Any, topic: str, key: int, version: int
) -> None:
    with Connection(victim.bootstrap) as connection:
        connection.send(request(key, version, bytes(20)))
        assert connection.closed_by_broker()


def test_api_versions_of_an_unknown_version_is_told_the_known_ones(victim: Any, topic: str) -> None:
    with Connection(victim.bootstrap) as connection:
        body = connection.ask(request(raw.API_VERSIONS, 77, b"\0\1\1\0"))
        code, count = struct.unpack_from(">hi", body)
        assert code == 35  # UNSUPPORTED_VERSION
        assert count == 1
        assert struct.unpack_from(">hhh", body, 6) == (raw.API_VERSIONS, 0, 4)
        assert struct.unpack_from(">h", connection.ask(request(raw.API_VERSIONS, 0)))[0] == 0


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(struct.pack(">i", 2**31 - 1), id="two billion topics"),
        pytest.param(struct.pack(">i", 1_000_000) + string("t"), id="a million, one there"),
        pytest.param(struct.pack(">i", -5), id="negative count"),
        pytest.param(array([struct.pack(">h", 32767)]), id="string longer than the frame"),
        pytest.param(array([struct.pack(">h", -9)]), id="negative string"),
        pytest.param(array([b"\0\2\xff\xfe"]), id="not UTF-8"),
    ],
)
def test_a_body_that_lies_does_not_cost_memory(
    victim: Any, topic: str, grown: Callable[[], int], body: bytes
) -> None:
    with Connection(victim.bootstrap) as connection:
        connection.send(request(raw.METADATA, 1, body))
        with contextlib.suppress(ConnectionError):
            connection.read()  # Kafka decodes bad UTF-8 with replacement and answers
    assert grown() < 20 * MB


def test_tagged_fields_without_end_do_not_cost_memory(
    victim: Any, topic: str, grown: Callable[[], int]
) -> None:
    header = struct.pack(">hhi", raw.METADATA, 12, 1) + string("raw") + b"\xff\xff\xff\xff\x07"
    with Connection(victim.bootstrap) as connection:
        connection.send(struct.pack(">i", len(header)) + header)
        assert connection.closed_by_broker()
    assert grown() < 20 * MB


def test_requests_cut_off_anywhere_leave_no_trace(victim: Any, topic: str) -> None:
    whole = raw.produce(topic, raw.batch([b"a", b"b"]))
    for end in range(0, len(whole), 3):
        with Connection(victim.bootstrap) as connection:
            connection.send(whole[:end])
    with Connection(victim.bootstrap) as connection:
        connection.send(raw.request(raw.METADATA, 1, array([])))
        _, body = connection.read()
        assert topic.encode() not in body


def test_a_request_that_comes_byte_by_byte_is_served(victim: Any, topic: str) -> None:
    with Connection(victim.bootstrap) as connection:
        for byte in request(raw.API_VERSIONS, 0, correlation=77):
            connection.send(bytes([byte]))
        assert connection.read()[0] == 77


def test_many_requests_in_one_write_are_answered_in_order(victim: Any, topic: str) -> None:
    frames = [request(raw.API_VERSIONS, 0, correlation=i) for i in range(1000)]
    with Connection(victim.bootstrap) as connection:
        connection.send(b"".join(frames))
        assert [connection.read()[0] for _ in frames] == list(range(1000))


def _golden_requests() -> list[bytes]:
    found = []
    for path in sorted(GOLDEN.glob("*.jsonl")):
        for line in path.read_text().splitlines():
            frame = bytes.fromhex(json.loads(line)["request"])
            (key,) = struct.unpack_from(">h", frame)
            if len(frame) < 5000 and key not in ORDERS:
                found.append(frame)
    return found


def _mutated(rng: random.Random, frame: bytes) -> bytes:
    data = bytearray(frame)
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(4, len(data)) if len(data) > 4 else 0
        match rng.randrange(4):
            case 0:
                data[at] = rng.randrange(256)
            case 1:
                data[at : at + 4] = rng.choice([b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", bytes(4)])
            case 2:
                del data[at : at + rng.randrange(1, 8)]
            case _:
                data[at:at] = rng.randbytes(rng.randrange(1, 8))
    return struct.pack(">i", len(data)) + bytes(data)


@pytest.mark.parametrize("seed", range(4))
def test_mutated_requests_of_real_clients_do_no_harm(
    victim: Any, topic: str, grown: Callable[[], int], seed: int
) -> None:
    rng = random.Random(seed)
    frames = _golden_requests()
    for _ in range(300):
        with Connection(victim.bootstrap, seconds=0.02) as connection:
            raw.send_quietly(connection, _mutated(rng, rng.choice(frames)))
            with contextlib.suppress(ConnectionError, TimeoutError):
                connection.read()
    assert grown() < 100 * MB
