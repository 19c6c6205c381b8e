"""What readers of bytes usually read: beginnings for ``targets``."""

from __future__ import annotations

import contextlib
import json
import struct
from functools import cache

from pykafka_ops.disk.batch import next_batch_size, read_header, scan
from pykafka_ops.disk.record import iter_records, payload
from pykafka_ops.errors import CorruptError
from pykafka_ops.security.certificates import from_pem
from tests.support.golden.certificates import GOLDEN as CERTIFICATES
from tests.support.golden.segments import GOLDEN, all_files

LIMIT = 8 << 20
"""Bytes that anything may take decompressed here."""


@cache
def golden(suffix: str) -> list[bytes]:
    """The contents of all golden files of that kind."""
    return [path.read_bytes() for path in all_files(suffix)]


@cache
def golden_batches() -> list[bytes]:
    """Single batches and messages of golden logs, of every format and codec."""
    found: dict[tuple[int, ...], bytes] = {}
    for data in golden(".log"):
        at = 0
        with contextlib.suppress(CorruptError):
            while (size := next_batch_size(data[at:])) is not None:
                one = data[at : at + size]
                place = 21 if one[16] == 2 else 17
                found.setdefault((one[16], one[place], one[place + 1], size // 400), one)
                at += size
    return list(found.values())


@cache
def golden_frames(part: str) -> list[bytes]:
    """Requests or responses of golden transcripts; a response behind its key and version."""
    found = []
    for path in sorted((GOLDEN / "wire").glob("*.jsonl")):
        for line in path.read_text().splitlines():
            frame = json.loads(line)
            head = b"" if part == "request" else bytes([frame["api_key"], frame["api_version"]])
            if frame.get(part):
                found.append(head + bytes.fromhex(frame[part]))
    return found


def golden_records() -> list[bytes]:
    """Keys and values of internal topics, each behind the length of the key."""
    found = []
    for path in all_files(".log"):
        if "internal" not in path.parent.name:
            continue
        data = path.read_bytes()
        with contextlib.suppress(CorruptError):
            for at, header in scan(data):
                for record in iter_records(data, at, header, LIMIT):
                    key = record.key or b""
                    found.append(struct.pack(">B", len(key) & 255) + key + (record.value or b""))
    return found[:200]


def plain_payloads() -> list[bytes]:
    """Records sections of batches v2 behind two bytes of a count."""
    found = []
    for one in golden_batches():
        if one[16] == 2:
            with contextlib.suppress(CorruptError):
                header = read_header(one)
                count = struct.pack(">H", header.record_count & 0xFFFF)
                found.append(count + payload(one, 0, header, LIMIT))
    return found


def small_seeds() -> list[bytes]:
    """Snapshots, checkpoints and properties of golden directories."""
    kinds = ("leader-epoch-checkpoint", "partition.metadata", ".snapshot")
    found = [data for kind in kinds for data in golden(kind)[:8]]
    return [*found, b"0\n1\nt 0 5\n", b"version=0\nbroker.id=1\ncluster.id=abc\n"]


def key_store_seeds() -> list[bytes]:
    entry = (
        struct.pack(">I", 2) + b"\0\1a" + bytes(8) + b"\0\5X.509" + struct.pack(">I", 3) + b"der"
    )
    made = [b"\xfe\xed\xfe\xed" + struct.pack(">II", 2, 1) + entry + bytes(20)]
    return [*made, (CERTIFICATES / "key.jks").read_bytes()]


def certificate_seeds() -> list[bytes]:
    """A certificate with names of many kinds, and one that signs."""
    return [from_pem((CERTIFICATES / n).read_text())[0] for n in ("broker.pem", "ca.pem")]


def reassignment_seeds() -> list[bytes]:
    """Reassignment files with all that they may hold."""
    topics = b'{"version": 1, "topics": [{"topic": "orders"}, {"topic": "pay\\u00e9"}]}'
    move = b'{"topic": "orders", "partition": 0, "replicas": [1, 2], "log_dirs": ["any", "/b"]}'
    return [topics, b'{"version": 1, "partitions": [' + move + b"]}", b'{"partitions": []}']


def znode_seeds() -> list[bytes]:
    """A znode of each form that Apache Kafka wrote: its path, a line's end, its data."""
    found: dict[tuple[str, ...], bytes] = {}
    for moment in sorted((GOLDEN / "zk").glob("[0-9]*.json")):
        for path, znode in json.loads(moment.read_text()).items():
            if znode["data"]:
                form = (*path.split("/")[:3], str(path.count("/")))
                found[form] = f"{path}\n{znode['data']}".encode()
    return list(found.values())
