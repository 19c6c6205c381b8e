"""Produce: compressed batches whose records are not what their header says."""

from __future__ import annotations

import struct
from typing import Any

import cramjam

from pykafka_ops.disk.batch import BatchHeader
from pykafka_ops.disk.build import assemble
from pykafka_ops.disk.compression import Codec, compress
from pykafka_ops.disk.legacy import build_messages, pack_message
from pykafka_ops.disk.record import Record, encode_records
from pykafka_ops.wire.apis import ApiKey
from tests.support.differential.core import Cases, Side
from tests.support.differential.produce import ANY_SIZE, TIME, batch, produce, records

CASES = Cases()
MANY = 120
"""Records enough for every way in which ours looks at them."""


def plain(count: int, *, step: int = 1, **more: Any) -> bytearray:
    """The records section of a batch; offsets ``step`` apart."""
    made = [r._replace(offset=r.offset * step, headers=(), **more) for r in records(count)]
    return encode_records(made, 0, TIME)


def packed(payload: bytes | bytearray, codec: Codec, count: int, **lies: int) -> bytes:
    """A batch of any payload, compressed, under a header that may lie; the CRC is right."""
    fields: dict[str, int] = {
        "last_offset_delta": count - 1,
        "record_count": count,
        "max_timestamp": TIME + (count - 1) * 10,
        **lies,
    }
    header = BatchHeader(0, 0, -1, 2, 0, codec, 0, TIME, 0, -1, -1, -1, 0)._replace(**fields)
    return bytes(assemble(header, compress(codec, bytes(payload))))


def bent(payload: bytearray, what: bytes, by: int) -> bytes:
    """``payload`` with the byte before ``what`` changed: the length of that value."""
    at = payload.index(what) - 1
    changed = bytearray(payload)
    changed[at] += by
    return bytes(changed)


@CASES.add(ApiKey.PRODUCE, "3-11", masks=("stored/*/payload",))
def compressed_lies(side: Side, version: int) -> None:
    sent: dict[str, bytes] = {}
    for codec in (Codec.NONE, Codec.GZIP, Codec.LZ4):
        for count in (3, MANY):
            name = f"{codec.name} {count}: "
            good = plain(count)
            sent[name + "good"] = packed(good, codec, count)
            sent[name + "one less"] = packed(
                good, codec, count, record_count=count - 1, last_offset_delta=count - 2
            )
            sent[name + "one more"] = packed(
                good, codec, count, record_count=count + 1, last_offset_delta=count
            )
            sent[name + "early max"] = packed(good, codec, count, max_timestamp=TIME)
            sent[name + "late max"] = packed(good, codec, count, max_timestamp=TIME + 10**6)
            sent[name + "max -1"] = packed(good, codec, count, max_timestamp=-1)
            sent[name + "nothing"] = packed(b"", codec, count)
            sent[name + "cut"] = packed(good[:-1], codec, count)
            sent[name + "byte behind"] = packed(good + b"\0", codec, count)
    side.create(partitions=len(sent))
    for index, (note, data) in enumerate(sent.items()):
        produce(side, data, note, index=index)
    side.stored(partitions=len(sent))


@CASES.add(ApiKey.PRODUCE, "7-11")
def records_of_wrong_structure(side: Side, version: int) -> None:
    sent: dict[str, bytes] = {}
    for codec in (Codec.NONE, Codec.GZIP):
        for count in (3, MANY):
            name, good = f"{codec.name} {count}: ", plain(count)
            sent[name + "value too long"] = packed(bent(good, b"value 1 ", 2), codec, count)
            sent[name + "value too short"] = packed(bent(good, b"value 1 ", -2), codec, count)
            sent[name + "key too long"] = packed(bent(good, b"key 1", 2), codec, count)
    side.create(partitions=len(sent))
    for index, (note, data) in enumerate(sent.items()):
        produce(side, data, note, index=index)
    side.stored(partitions=len(sent))


@CASES.add(ApiKey.PRODUCE, "7-11", masks=ANY_SIZE)
def offsets_that_skip(side: Side, version: int) -> None:
    side.create(partitions=4)
    for index, (codec, count) in enumerate(
        [(Codec.NONE, 3), (Codec.NONE, MANY), (Codec.LZ4, 3), (Codec.LZ4, MANY)]
    ):
        skipping = packed(bytes(plain(count, step=2)), codec, count)
        produce(side, skipping, f"{codec.name} {count}", index=index)
    side.stored(partitions=4)


@CASES.add(ApiKey.PRODUCE, "3-11")
def broken_compression(side: Side, version: int) -> None:
    sent: dict[str, bytes] = {}
    for codec in (Codec.GZIP, Codec.SNAPPY, Codec.LZ4):
        whole = compress(codec, bytes(plain(3)))
        header = BatchHeader(0, 0, -1, 2, 0, codec, 2, TIME, TIME + 20, -1, -1, -1, 3)
        for note, data in {
            "cut": whole[:-12],
            "no header": whole[8:],
            "empty": b"",
            "noise": b"\xff" * 40,
        }.items():
            sent[f"{codec.name} {note}"] = bytes(assemble(header, data))
    side.create(partitions=len(sent))
    for index, (note, data) in enumerate(sent.items()):
        produce(side, data, note, index=index)
    side.stored(partitions=len(sent))


@CASES.add(ApiKey.PRODUCE, "7-11", masks=("stored/*/payload",))
def frames_of_other_writers(side: Side, version: int) -> None:
    data = bytes(plain(3))
    header = BatchHeader(0, 0, -1, 2, 0, 0, 2, TIME, TIME + 20, -1, -1, -1, 3)
    big = b"".join(b"%d;" % n for n in range(40_000))
    long = encode_records([Record(0, TIME, None, big)], 0, TIME)
    raw_snappy = bytes(cramjam.snappy.compress_raw(data))
    half = len(data) // 2
    sent = {
        "lz4 old header": (Codec.LZ4, compress(Codec.LZ4, data, v0_header=True)),
        "lz4 linked": (Codec.LZ4, lz4_frame(bytes(long), linked=True)),
        "lz4 with content checksum": (Codec.LZ4, lz4_frame(data, checked=True)),
        "lz4 with wrong content checksum": (Codec.LZ4, lz4_frame(data, checked=True)[:-1] + b"x"),
        "lz4 junk behind": (Codec.LZ4, compress(Codec.LZ4, data) + b"junk"),
        "lz4 two frames": (
            Codec.LZ4,
            compress(Codec.LZ4, data[:half]) + compress(Codec.LZ4, data[half:]),
        ),
        "snappy raw": (Codec.SNAPPY, raw_snappy),
        "snappy two streams": (
            Codec.SNAPPY,
            compress(Codec.SNAPPY, data[:half]) + compress(Codec.SNAPPY, data[half:]),
        ),
        "gzip two members": (
            Codec.GZIP,
            compress(Codec.GZIP, data[:half]) + compress(Codec.GZIP, data[half:]),
        ),
        "gzip junk behind": (Codec.GZIP, compress(Codec.GZIP, data) + b"junk"),
        "zstd two frames": (
            Codec.ZSTD,
            compress(Codec.ZSTD, data[:half]) + compress(Codec.ZSTD, data[half:]),
        ),
        "zstd junk behind": (Codec.ZSTD, compress(Codec.ZSTD, data) + b"junkjunkjunk"),
        "zstd skippable behind": (
            Codec.ZSTD,
            compress(Codec.ZSTD, data) + b"\x50\x2a\x4d\x18\x03\0\0\0abc",
        ),
    }
    side.create(partitions=len(sent))
    for index, (note, (codec, payload)) in enumerate(sent.items()):
        fields = header._replace(attributes=codec)
        if "linked" in note:
            fields = fields._replace(record_count=1, last_offset_delta=0, max_timestamp=TIME)
        produce(side, bytes(assemble(fields, payload)), note, index=index)
    side.stored(partitions=len(sent))


def lz4_frame(data: bytes, *, linked: bool = False, checked: bool = False) -> bytes:
    """A frame as no client of Kafka writes it."""
    packer = cramjam.lz4.Compressor(level=1, content_checksum=checked, block_linked=linked)
    packer.compress(data)
    return bytes(packer.finish())


@CASES.add(ApiKey.PRODUCE, "7-11", masks=("stored/*/payload",))
def compressed_to_topics_with_rules(side: Side, version: int) -> None:
    side.create("compacted", partitions=3, cleanup_policy="compact")
    side.create("bounded", partitions=2, message_timestamp_before_max_ms=3_600_000)
    side.create("stamped", message_timestamp_type="LogAppendTime")
    for codec in (Codec.NONE, Codec.GZIP):
        keyless = bytes(plain(MANY, key=None))
        produce(side, packed(keyless, codec, MANY), f"{codec.name} no keys", name="compacted")
        good = packed(bytes(plain(MANY)), codec, MANY)
        produce(side, good, f"{codec.name} keys", name="compacted", index=1)
        produce(side, good, f"{codec.name} old", name="bounded")
        produce(side, good, f"{codec.name} stamped", name="stamped")
        lies = packed(bytes(plain(MANY)), codec, MANY, max_timestamp=4_000_000_000_000)
        produce(side, lies, f"{codec.name} lies stamped", name="stamped")
    side.stored("compacted", 3)
    side.stored("bounded", 2)
    side.stored("stamped")


@CASES.add(ApiKey.PRODUCE, "0-2", masks=ANY_SIZE)
def wrappers(side: Side, version: int) -> None:
    """Offsets inside wrappers as clients of all ages write them."""
    two = records(2)
    sent: dict[str, bytes] = {}
    for codec in (Codec.GZIP, Codec.SNAPPY, Codec.LZ4):
        v1 = build_messages(two, 1, codec=codec)
        sent[f"{codec.name} relative"] = v1
        sent[f"{codec.name} wrapper at 0"] = struct.pack(">q", 0) + v1[8:]
        sent[f"{codec.name} wrapper at 100"] = struct.pack(">q", 100) + v1[8:]
        equal = b"".join(pack_message(r._replace(offset=0), 1) for r in two)
        wrapper = Record(1, TIME, None, compress(codec, equal))
        sent[f"{codec.name} all at 0"] = pack_message(wrapper, 1, codec)
        late = Record(1, 4_000_000_000_000, None, v1[34:])
        sent[f"{codec.name} wrapper time lies"] = pack_message(late, 1, codec)
        keyed = Record(1, TIME, b"key of the wrapper", v1[34:])
        sent[f"{codec.name} wrapper with key"] = pack_message(keyed, 1, codec)
        v0 = build_messages(two, 0, codec=codec)
        sent[f"{codec.name} v0"] = v0
        sent[f"{codec.name} v0 at 7"] = struct.pack(">q", 7) + v0[8:]
    plain_v0 = b"".join(pack_message(r, 0) for r in two)
    right = Record(1, TIME, None, compress(Codec.LZ4, plain_v0))
    sent["LZ4 v0 with a right frame header"] = pack_message(right, 0, Codec.LZ4)
    plain_v1 = b"".join(pack_message(r, 1) for r in two)
    wrong = Record(1, TIME, None, compress(Codec.LZ4, plain_v1, v0_header=True))
    sent["LZ4 v1 with the old frame header"] = pack_message(wrong, 1, Codec.LZ4)
    side.create(partitions=len(sent))
    for index, (note, data) in enumerate(sent.items()):
        produce(side, data, note, index=index)
    side.stored(partitions=len(sent))


@CASES.add(ApiKey.PRODUCE, "7-11")
def recompressed_when_too_small(side: Side, version: int) -> None:
    """The limit holds for what came and for what is stored."""
    side.create("plain", compression_type="uncompressed", max_message_bytes=2000)
    zipped = batch(100, Codec.GZIP, size=100)
    produce(side, zipped, "grows over the limit", name="plain")
    produce(side, batch(5, Codec.GZIP, size=100), "stays below it", name="plain")
    side.stored("plain")
