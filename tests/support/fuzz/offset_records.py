"""What a mirror reads of offsets: its map, and MirrorMaker 2's internal topics. The first byte says
how long the key is."""

from __future__ import annotations

import contextlib

from pykafka_ops.disk.record import Record
from pykafka_ops.errors import CorruptError
from pykafka_ops.mirror.mm2 import formats
from pykafka_ops.mirror.mm2.connect_offsets import positions_of
from pykafka_ops.mirror.offsets.kept import KeptMap
from pykafka_ops.mirror.offsets.records import decode_key, decode_value, map_records


def offset_records(data: bytes) -> None:
    """The same bytes as a record of each topic."""
    size = data[0] if data else 0
    key, value = data[1 : 1 + size], data[1 + size :]
    with contextlib.suppress(CorruptError):
        named = decode_key(key)
        runs = decode_value(named, value)
        assert 0 < len(runs) <= len(value)
        kept = KeptMap(pieces=True)
        kept.learn(named, runs, 0)
        kept.look(named.source)
        kept.gone(named)
        assert kept.pieces == []
    for read in (formats.read_heartbeat, formats.read_checkpoint, formats.read_offset_sync):
        with contextlib.suppress(CorruptError):
            read(key, value)
    positions_of([Record(0, 0, key, value)], "a")


def offset_record_seeds() -> list[bytes]:
    """One of each."""
    _, (mapped,) = map_records(("a.t", 3), [(5, 9, 2), (8, 12, 300), (400, 400, 1)], 0, life=7)
    pairs = (
        (mapped.key or b"", mapped.value or b""),
        formats.heartbeat("a", "b", 1),
        formats.checkpoint(
            formats.CheckpointKey(group="g", topic="a.t", partition=3),
            formats.CheckpointValue(upstream=5, downstream=4, metadata="m"),
        ),
        formats.offset_sync(
            formats.OffsetSyncKey(topic="t", partition=3),
            formats.OffsetSyncValue(upstream=5, downstream=4),
        ),
        (
            b'["MirrorSourceConnector",{"cluster":"a","partition":0,"topic":"t"}]',
            b'{"offset":7}',
        ),
    )
    return [bytes((len(key),)) + key + value for key, value in pairs]
