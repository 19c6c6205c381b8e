"""Snapshots of the metadata log as a node of KRaft finds them when it begins.

``bootstrap.checkpoint`` holds features and credentials, the snapshot of offset 0 and epoch 0 the
voters. Sources: ``BatchFileWriter``, ``RecordsSnapshotWriter``, ``BootstrapDirectory``.
"""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import NamedTuple

from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.control import ControlType
from pykafka_ops.disk.record import Record
from pykafka_ops.disk.varint import unsigned

BOOTSTRAP = "bootstrap.checkpoint"
FIRST_SNAPSHOT = "00000000000000000000-0000000000.checkpoint"
MAX_BATCH = 8 << 20
"""Bytes of a batch of records (``KafkaRaftClient.MAX_BATCH_SIZE_BYTES``)."""
_KEY, _SHORT, _INT = Struct(">hh"), Struct(">h"), Struct(">i")
_HEADER, _PORT, _RANGE = Struct(">hqB"), Struct(">H"), Struct(">hhB")
_FRAME, _NO_TAGS = 1, b"\0"


class Voter(NamedTuple):
    """A controller that votes: its id, the 16 bytes of its directory's id, where it listens."""

    id: int
    directory: bytes
    host: str
    port: int


class ScramUser(NamedTuple):
    """A user and what is kept of the password; ``mechanism`` is the number in requests."""

    name: str
    mechanism: int
    salt: bytes
    stored_key: bytes
    server_key: bytes
    iterations: int


def _string(text: str) -> bytes:
    data = text.encode()
    return unsigned(len(data) + 1) + data


def _bytes(data: bytes) -> bytes:
    return unsigned(len(data) + 1) + data


def feature_record(name: str, level: int) -> bytes:
    """FeatureLevelRecord, version 0."""
    body = _string(name) + _SHORT.pack(level) + _NO_TAGS
    return unsigned(_FRAME) + unsigned(12) + unsigned(0) + body


def user_record(user: ScramUser) -> bytes:
    """UserScramCredentialRecord, version 0."""
    keys = _bytes(user.salt) + _bytes(user.stored_key) + _bytes(user.server_key)
    body = _string(user.name) + bytes([user.mechanism]) + keys + _INT.pack(user.iterations)
    return unsigned(_FRAME) + unsigned(11) + unsigned(0) + body + _NO_TAGS


def _control(offset: int, kind: ControlType, value: bytes, now: int) -> Record:
    return Record(offset, now, _KEY.pack(0, kind), value)


def _batch(records: Sequence[Record], *, control: bool) -> bytes:
    first = records[0].offset
    return bytes(build_batch(records, base_offset=first, leader_epoch=0, control=control))


def _footer(offset: int, now: int) -> bytes:
    record = _control(offset, ControlType.SNAPSHOT_FOOTER, _SHORT.pack(0) + _NO_TAGS, now)
    return _batch([record], control=True)


def bootstrap_file(values: Sequence[bytes], now: int) -> bytes:
    """``bootstrap.checkpoint`` of records that were encoded; ``now`` in ms."""
    head = _control(0, ControlType.SNAPSHOT_HEADER, _HEADER.pack(0, 0, 0), now)
    parts = [_batch([head], control=True)]
    records: list[Record] = []
    size = 0
    for offset, value in enumerate(values, 1):
        if records and size + len(value) > MAX_BATCH:
            parts.append(_batch(records, control=False))
            records, size = [], 0
        records.append(Record(offset, now, None, value))
        size += len(value) + 32
    if records:
        parts.append(_batch(records, control=False))
    return b"".join([*parts, _footer(len(values) + 1, now)])


def voters_snapshot(voters: Sequence[Voter], listener: str, kraft_version: int, now: int) -> bytes:
    """The first snapshot, which says who votes (KIP-853); ``now`` in ms."""
    nodes = b"".join(_node(voter, listener) for voter in voters)
    said = _SHORT.pack(0) + unsigned(len(voters) + 1) + nodes + _NO_TAGS
    records = [
        _control(0, ControlType.SNAPSHOT_HEADER, _HEADER.pack(0, now, 0), now),
        _control(1, ControlType.KRAFT_VERSION, _KEY.pack(0, kraft_version) + _NO_TAGS, now),
        _control(2, ControlType.KRAFT_VOTERS, said, now),
    ]
    return _batch(records, control=True) + _footer(len(records), now)


def _node(voter: Voter, listener: str) -> bytes:
    where = _string(listener) + _string(voter.host) + _PORT.pack(voter.port) + _NO_TAGS
    versions = _RANGE.pack(0, 1, 0)
    return _INT.pack(voter.id) + voter.directory + unsigned(2) + where + versions + _NO_TAGS
