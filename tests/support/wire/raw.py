"""Requests made byte by byte, to send what no client library would send."""

from __future__ import annotations

import contextlib
import select
import socket
import struct
from collections.abc import Iterable

import google_crc32c

from tests.support.waiting import PATIENCE

PRODUCE, FETCH, LIST_OFFSETS, METADATA, API_VERSIONS, CREATE_TOPICS = 0, 1, 2, 3, 18, 19


def string(text: str | None) -> bytes:
    """A STRING or NULLABLE_STRING of the versions before flexible ones."""
    if text is None:
        return struct.pack(">h", -1)
    data = text.encode()
    return struct.pack(">h", len(data)) + data


def array(items: Iterable[bytes]) -> bytes:
    made = list(items)
    return struct.pack(">i", len(made)) + b"".join(made)


def request(
    key: int, version: int, body: bytes = b"", *, correlation: int = 1, client: str = "raw"
) -> bytes:
    """A frame with its length and a header v1."""
    frame = struct.pack(">hhi", key, version, correlation) + string(client) + body
    return struct.pack(">i", len(frame)) + frame


def varint(value: int) -> bytes:
    """Zigzag, as record fields have it."""
    value = (value << 1) ^ (value >> 63)
    out = bytearray()
    while value & ~0x7F:
        out.append((value & 0x7F) | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def record(
    index: int, value: bytes, *, key: bytes | None = None, timestamp_delta: int = 0
) -> bytes:
    body = b"\0" + varint(timestamp_delta) + varint(index)
    body += varint(-1) if key is None else varint(len(key)) + key
    body += varint(len(value)) + value + varint(0)
    return varint(len(body)) + body


def batch(
    values: Iterable[bytes] = (b"v",),
    *,
    base_offset: int = 0,
    magic: int = 2,
    attributes: int = 0,
    timestamp: int = 1_700_000_000_000,
    producer: tuple[int, int, int] = (-1, -1, -1),
    count: int | None = None,
    last_delta: int | None = None,
    payload: bytes | None = None,
) -> bytes:
    """A record batch v2 with a right CRC; ``payload`` stands for the records as they are."""
    made = list(values)
    records = b"".join(record(i, v) for i, v in enumerate(made)) if payload is None else payload
    count = len(made) if count is None else count
    last_delta = count - 1 if last_delta is None else last_delta
    checked = struct.pack(">hiqq", attributes, last_delta, timestamp, timestamp)
    checked += struct.pack(">qhii", *producer, count) + records
    crc = google_crc32c.value(checked)
    head = struct.pack(">qiibI", base_offset, 9 + len(checked), -1, magic, crc)
    return head + checked


def produce(
    topic: str, records: bytes | None, *, acks: int = 1, partition: int = 0, correlation: int = 1
) -> bytes:
    """A Produce v7 request."""
    data = struct.pack(">i", -1) if records is None else struct.pack(">i", len(records)) + records
    parts = array([string(topic) + array([struct.pack(">i", partition) + data])])
    body = string(None) + struct.pack(">hi", acks, 10_000) + parts
    return request(PRODUCE, 7, body, correlation=correlation)


def produced(body: bytes) -> tuple[int, int]:
    """Error code and base offset of the one partition in a Produce v7 response body."""
    (length,) = struct.unpack_from(">h", body, 4)
    at = 4 + 2 + length + 4 + 4
    code, base = struct.unpack_from(">hq", body, at)
    return code, base


def produced_at(topic: str) -> int:
    """Where a Produce v7 response for one partition, its length in front, has the error code."""
    return 4 + 4 + 4 + len(string(topic)) + 4 + 4


def fetch(
    topic: str,
    offset: int,
    *,
    max_bytes: int = 1 << 20,
    max_wait: int = 100,
    min_bytes: int = 1,
    partition: int = 0,
    correlation: int = 1,
) -> bytes:
    """A Fetch v4 request."""
    part = struct.pack(">iqi", partition, offset, max_bytes)
    body = struct.pack(">iiiib", -1, max_wait, min_bytes, max_bytes, 0)
    return request(FETCH, 4, body + array([string(topic) + array([part])]), correlation=correlation)


def fetched(body: bytes) -> tuple[int, int, bytes]:
    """Error code, high watermark and records of the one partition in a Fetch v4 response body."""
    (length,) = struct.unpack_from(">h", body, 8)
    at = 8 + 2 + length + 4 + 4
    code, high, _, aborted = struct.unpack_from(">hqqi", body, at)
    at += 22 + max(aborted, 0) * 16
    (size,) = struct.unpack_from(">i", body, at)
    return code, high, body[at + 4 : at + 4 + max(size, 0)]


class Connection:
    """One TCP connection that sends bytes as told and reads frames."""

    def __init__(self, bootstrap: str, *, seconds: float = PATIENCE, source: str = "") -> None:
        """``source`` is the local address, if it matters."""
        host, _, port = bootstrap.rpartition(":")
        address = (source, 0) if source else None
        self.socket = socket.create_connection((host, int(port)), seconds, address)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.socket.close()

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def read_some(self, size: int) -> bytes:
        """Only the first bytes of the next response, its length among them."""
        return self._exactly(size)

    def _exactly(self, size: int) -> bytes:
        data = bytearray()
        while len(data) < size:
            chunk = self.socket.recv(min(size - len(data), 1 << 20))
            if not chunk:
                raise ConnectionResetError("closed by the broker")
            data += chunk
        return bytes(data)

    def read(self) -> tuple[int, bytes]:
        """Correlation id and body (after the header v0) of the next response."""
        (size,) = struct.unpack(">i", self._exactly(4))
        frame = self._exactly(size)
        return struct.unpack_from(">i", frame)[0], frame[4:]

    def ask(self, frame: bytes) -> bytes:
        """Send one request and read its answer."""
        self.send(frame)
        return self.read()[1]

    def readable(self) -> bool:
        """Whether something has arrived that nobody has read yet."""
        return bool(select.select([self.socket], [], [], 0)[0])

    def closed_by_broker(self) -> bool:
        """True once the broker has closed it without an answer; AssertionError on an answer."""
        try:
            data = self.socket.recv(1)
        except ConnectionResetError:
            return True
        except TimeoutError:
            return False
        assert not data, "the broker answered"
        return True


def send_quietly(connection: Connection, data: bytes) -> None:
    """Send where the broker may close in the middle."""
    with contextlib.suppress(ConnectionError):
        connection.send(data)
