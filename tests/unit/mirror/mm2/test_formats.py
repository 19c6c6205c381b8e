"""MirrorMaker 2's records; the bytes are those that Apache Kafka 3.9.1 wrote."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.errors import CorruptError
from pykafka_ops.mirror.mm2 import formats
from pykafka_ops.mirror.mm2.formats import (
    CheckpointKey,
    CheckpointValue,
    HeartbeatKey,
    HeartbeatValue,
    OffsetSyncKey,
    OffsetSyncValue,
)

BEAT = bytes.fromhex("000161000162"), bytes.fromhex("00000000018bcfe5687b")
POINT = (
    bytes.fromhex("000867726f75702dc3bc0008612e6f726465727300000003"),
    bytes.fromhex("000000000002dfdc1c3500000000000181cd00046e6f7465"),
)
SYNC = (
    bytes.fromhex("00066f726465727300000003"),
    bytes.fromhex("000000012a05f2000000000000000007"),
)
POINT_KEY = CheckpointKey(group="group-ü", topic="a.orders", partition=3)
POINT_VALUE = CheckpointValue(upstream=12345678901, downstream=98765, metadata="note")
SYNC_KEY = OffsetSyncKey(topic="orders", partition=3)
SYNC_VALUE = OffsetSyncValue(upstream=5000000000, downstream=7)


def test_writes_what_apache_kafka_writes() -> None:
    assert formats.heartbeat("a", "b", 1700000000123) == BEAT
    assert formats.checkpoint(POINT_KEY, POINT_VALUE) == POINT
    assert formats.offset_sync(SYNC_KEY, SYNC_VALUE) == SYNC


def test_reads_what_apache_kafka_writes() -> None:
    key = HeartbeatKey(source="a", target="b")
    assert formats.read_heartbeat(*BEAT) == (key, HeartbeatValue(timestamp=1700000000123))
    assert formats.read_checkpoint(*POINT) == (POINT_KEY, POINT_VALUE)
    assert formats.read_offset_sync(*SYNC) == (SYNC_KEY, SYNC_VALUE)


def test_names_topics_as_apache_kafka_does() -> None:
    assert formats.checkpoints_topic("a") == "a.checkpoints.internal"
    assert formats.checkpoints_topic("a", "_") == "a_checkpoints_internal"
    assert formats.offset_syncs_topic("b") == "mm2-offset-syncs.b.internal"
    assert formats.connect_offsets_topic("a") == "mm2-offsets.a.internal"


@pytest.mark.parametrize(
    ("read", "key", "value"),
    [
        (formats.read_heartbeat, BEAT[0], b"\0\1" + BEAT[1][2:]),
        (formats.read_checkpoint, POINT[0][:-1], POINT[1]),
        (formats.read_checkpoint, POINT[0], POINT[1] + b"\0"),
        (formats.read_offset_sync, SYNC[0], SYNC[1][:-1]),
        (formats.read_offset_sync, b"\xff\xff" + SYNC[0], SYNC[1]),
    ],
)
def test_refuses_what_is_damaged(read: object, key: bytes, value: bytes) -> None:
    assert callable(read)
    with pytest.raises(CorruptError):
        read(key, value)


@given(st.binary(max_size=40), st.binary(max_size=40))
def test_any_bytes_are_read_or_refused(key: bytes, value: bytes) -> None:
    for read in (formats.read_heartbeat, formats.read_checkpoint, formats.read_offset_sync):
        try:
            found = read(key, value)
        except CorruptError:
            continue
        assert len(found) == 2
