"""Produce: what both brokers store, and what they refuse."""

from __future__ import annotations

import struct
import time
from collections.abc import Iterable
from typing import Any

from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.compression import Codec
from pykafka_ops.disk.legacy import build_messages
from pykafka_ops.disk.record import Record
from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from pykafka_ops.wire.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    TopicProduceData,
)
from tests.support.differential.core import CLIENT, SECONDS, Cases, Side
from tests.support.wire import raw

CASES = Cases()
TIME = 1_700_000_000_000
CONTROL, TRANSACTIONAL, LOG_APPEND = 0x20, 0x10, 0x08
ANY_SIZE = ("stored/*/payload", "stored/*/batch_length", "stored/*/crc")
"""Where the broker compresses: compressors differ, records must not."""


def records(count: int = 3, *, size: int = 20, key: bool = True, start: int = 0) -> list[Record]:
    """Plain records with keys and a header."""
    return [
        Record(
            n,
            TIME + n * 10,
            f"key {n}".encode() if key else None,
            (f"value {n} " * size)[:size].encode(),
            [("h", b"x"), ("empty", None)],
        )
        for n in range(start, start + count)
    ]


def batch(count: int = 3, codec: Codec = Codec.NONE, *, size: int = 20, **more: Any) -> bytes:
    """A usual batch v2."""
    return bytes(build_batch(records(count, size=size), codec=codec, **more))


def patched(data: bytes, at: int, new: bytes) -> bytes:
    """``data`` with ``new`` at ``at``; the CRC stays what it was."""
    return data[:at] + new + data[at + len(new) :]


def request(parts: Iterable[tuple[str, int, Any]], *, acks: int = -1, **more: Any) -> Any:
    """A Produce request of (topic, partition, records)."""
    topics: list[TopicProduceData] = []
    for name, index, data in parts:
        if not topics or topics[-1].name != name:
            topics.append(TopicProduceData(name=name))
        topics[-1].partition_data.append(PartitionProduceData(index=index, records=data))
    return ProduceRequest(**{"acks": acks, "timeout_ms": 5000, "topic_data": topics, **more})


def produce(side: Side, data: Any, note: str, *, name: str = "t", **more: Any) -> Any:
    """Produce to a partition (``index``) of a topic of this case."""
    client = more.pop("client_id", CLIENT)
    version, seconds = more.pop("version", None), more.pop("seconds", SECONDS)
    asked = request([(side.topic(name), more.pop("index", 0), data)], **more)
    return side.ask(asked, version, note, client_id=client, seconds=seconds)


def ends(side: Side, name: str = "t", note: str = "end offset") -> None:
    """Note where the log ends."""
    asked = ListOffsetsPartition(partition_index=0, timestamp=-1)
    topics = [ListOffsetsTopic(name=side.topic(name), partitions=[asked])]
    side.ask(ListOffsetsRequest(replica_id=-1, topics=topics), 7, note)


# -- what is stored ------------------------------------------------------------------------------


@CASES.add(ApiKey.PRODUCE, "0-11")
def stored_as_sent(side: Side, version: int) -> None:
    side.create()
    for acks in (1, -1):
        produce(side, batch(), f"acks {acks}", acks=acks)
    many = [Record(n, TIME - n, None, b"" if n % 2 else None) for n in range(500)]
    produce(side, bytes(build_batch(many)), "five hundred")
    produce(side, batch(leader_epoch=77), "with a leader epoch")
    side.stored()


@CASES.add(ApiKey.PRODUCE, "0-11")
def codecs(side: Side, version: int) -> None:
    side.create()
    for codec in Codec:
        produce(side, batch(20, codec, size=200), f"codec {codec.name}")
    produce(side, patched_attributes(5), "codec 5")
    produce(side, patched_attributes(7), "codec 7")
    produce(side, patched_attributes(0x40), "delete horizon flag")
    produce(side, patched_attributes(0x80), "unused flag")
    side.stored()


def patched_attributes(attributes: int, **more: Any) -> bytes:
    """A batch with a right CRC over any attributes."""
    return raw.batch([b"one", b"two"], attributes=attributes, **more)


@CASES.add(ApiKey.PRODUCE, "0-2", masks=ANY_SIZE)
def message_sets(side: Side, version: int) -> None:
    side.create()
    for magic in (0, 1):
        for codec in (Codec.NONE, Codec.GZIP, Codec.SNAPPY, Codec.LZ4):
            for count in (1, 4):
                data = build_messages(records(count), magic, codec=codec)
                produce(side, data, f"magic {magic} {codec.name} {count}")
    produce(side, build_messages(records(1), 1, codec=Codec.ZSTD), "zstd in magic 1")
    mixed = build_messages(records(1), 0) + build_messages(records(1), 1)
    produce(side, mixed, "mixed magics")
    two = build_messages(records(2), 1, codec=Codec.GZIP)
    produce(side, two + two, "two wrappers")
    plain = build_messages(records(2), 1)
    produce(side, plain + two, "plain, then wrapper")
    produce(side, plain + batch(), "magic 1, then batch v2")
    produce(side, batch() + plain, "batch v2, then magic 1")
    side.stored()


@CASES.add(ApiKey.PRODUCE, "0-2")
def damaged_message_sets(side: Side, version: int) -> None:
    side.create()
    for magic in (0, 1):
        good = build_messages(records(2), magic)
        zipped = build_messages(records(2), magic, codec=Codec.GZIP)
        produce(side, patched(good, 30, b"\xff"), f"magic {magic}: wrong crc")
        produce(side, patched(zipped, 60, b"\xff\xff"), f"magic {magic}: wrong crc of wrapper")
        produce(side, good[:-3], f"magic {magic}: cut")
        produce(side, good[:20], f"magic {magic}: cut in the first")
        produce(side, good + b"junk", f"magic {magic}: junk behind")
        bare = Record(0, TIME, None, None)
        produce(side, build_messages([bare], magic), f"magic {magic}: nothing in it")
        late = [Record(0, TIME, b"a", b"b"), Record(1, -1, b"a", b"b")]
        produce(side, build_messages(late, magic), f"magic {magic}: no timestamp")
    side.stored()


@CASES.add(ApiKey.PRODUCE, "0-2")
def message_sets_appended_with_time(side: Side, version: int) -> None:
    side.create(message_timestamp_type="LogAppendTime")
    for magic in (0, 1):
        produce(side, build_messages(records(2), magic), f"magic {magic}")
    side.stored()


@CASES.add(ApiKey.PRODUCE, "3-11")
def old_formats(side: Side, version: int) -> None:
    side.create()
    for magic in (0, 1):
        produce(side, build_messages(records(2), magic), f"magic {magic}")
        zipped = build_messages(records(2), magic, codec=Codec.GZIP)
        produce(side, zipped, f"magic {magic} gzip")
    produce(side, batch() + build_messages(records(2), 1), "batch v2, then magic 1")
    ends(side)


# -- what is not whole -----------------------------------------------------------------------------


@CASES.add(ApiKey.PRODUCE, "0-11")
def damaged(side: Side, version: int) -> None:
    side.create()
    good = batch()
    bad = {
        "wrong crc": patched(good, 70, b"\xff"),
        "wrong crc field": patched(good, 17, b"\0\0\0\0"),
        "magic 3": patched(good, 16, b"\x03"),
        "magic -1": patched(good, 16, b"\xff"),
        "cut by one": good[:-1],
        "cut in the header": good[:50],
        "cut behind the length": good[:12],
        "cut before the magic": good[:16],
        "length too small": patched(good, 8, struct.pack(">i", 13)),
        "length below a header": patched(good, 8, struct.pack(">i", 40)),
        "length negative": patched(good, 8, struct.pack(">i", -5)),
        "length short by one": patched(good, 8, struct.pack(">i", len(good) - 13)),
        "length too large": patched(good, 8, struct.pack(">i", len(good))),
        "base offset 5": patched(good, 0, struct.pack(">q", 5)),
        "base offset -1": patched(good, 0, struct.pack(">q", -1)),
        "one byte": b"\0",
        "zeroes": bytes(100),
    }
    for note, data in bad.items():
        produce(side, data, note)
    ends(side)


@CASES.add(ApiKey.PRODUCE, "0-11")
def lying_counts(side: Side, version: int) -> None:
    two = [b"one", b"two"]
    bad = {
        "count 0": raw.batch([]),
        "count 1 of 2": raw.batch(two, count=1, last_delta=1),
        "count 1, delta 0 of 2": raw.batch(two, count=1, last_delta=0),
        "count 3 of 2": raw.batch(two, count=3, last_delta=2),
        "count 3, delta 1 of 2": raw.batch(two, count=3, last_delta=1),
        "count negative": raw.batch(two, count=-1, last_delta=1),
        "delta negative": raw.batch(two, count=2, last_delta=-1),
        "delta 5": raw.batch(two, last_delta=5),
        "no payload": raw.batch(two, count=2, payload=b""),
        "junk payload": raw.batch(two, count=2, payload=b"\xff" * 30),
        "producer without sequence": raw.batch(two, producer=(5, 0, -1)),
        "sequence without producer": raw.batch(two, producer=(-1, 0, 5)),
        "producer without epoch": raw.batch(two, producer=(5, -1, 0)),
        "producer -2": raw.batch(two, producer=(-2, -1, -1)),
    }
    side.create(partitions=len(bad))
    for index, (note, data) in enumerate(bad.items()):
        produce(side, data, note, index=index)
    side.stored(partitions=len(bad))


@CASES.add(ApiKey.PRODUCE, "0-11")
def more_than_one_batch(side: Side, version: int) -> None:
    side.create()
    good = batch()
    behind = {
        "two batches": good + good,
        "a cut batch": good + good[:-5],
        "a cut header": good + good[:30],
        "junk of 4 bytes": good + b"junk",
        "junk of 30 bytes": good + b"\xff" * 30,
        "junk of 100 zeroes": good + bytes(100),
        "junk of a high magic": good + patched(good, 16, b"\x09"),
        "a gzip batch": good + batch(2, Codec.GZIP),
        "two gzip batches": batch(2, Codec.GZIP) * 2,
    }
    for note, data in behind.items():
        produce(side, data, note)
    side.stored()


@CASES.add(ApiKey.PRODUCE, "0-11")
def too_large(side: Side, version: int) -> None:
    side.create("small", max_message_bytes=300)
    exact = batch(1, size=300)
    side.create("exact", max_message_bytes=len(exact))
    side.create("less", max_message_bytes=len(exact) - 1)
    side.create("segments", segment_bytes=400, max_message_bytes=2000)
    produce(side, batch(1, size=1000), "over the limit", name="small")
    produce(side, batch(1, Codec.GZIP, size=1000), "compressed below it", name="small")
    produce(side, exact, "exact", name="exact")
    produce(side, exact, "one over", name="less")
    produce(side, batch(1, size=600), "over the segment size", name="segments")
    if version < 3:
        old = build_messages(records(3, size=150), 1)
        produce(side, old, "a set of small messages", name="small")
    for name in ("small", "exact", "segments"):
        side.stored(name)


# -- times, keys, compression of the topic ---------------------------------------------------------


@CASES.add(ApiKey.PRODUCE, "0-11")
def times_out_of_bounds(side: Side, version: int) -> None:
    hour = 3_600_000
    now = int(time.time() * 1000)
    mixed = raw.record(0, b"a") + raw.record(1, b"b", timestamp_delta=-2 * hour)
    sent = {
        "now": raw.batch([b"a"], timestamp=now),
        "too early": raw.batch([b"a", b"b"], timestamp=TIME),
        "too late": raw.batch([b"a"], timestamp=4_000_000_000_000),
        "none": raw.batch([b"a"], timestamp=-1),
        "negative": raw.batch([b"a"], timestamp=-5),
        "zero": raw.batch([b"a"], timestamp=0),
        "one of two too early": raw.batch(timestamp=now, count=2, payload=mixed),
        "compressed, too early": batch(3, Codec.GZIP),
    }
    bounds = {"message_timestamp_before_max_ms": hour, "message_timestamp_after_max_ms": hour}
    side.create(partitions=len(sent), **bounds)
    for index, (note, data) in enumerate(sent.items()):
        produce(side, data, note, index=index)
    side.stored(partitions=len(sent))


@CASES.add(ApiKey.PRODUCE, "0-11")
def times_without_bounds(side: Side, version: int) -> None:
    lying = raw.record(0, b"a") + raw.record(1, b"b", timestamp_delta=500)
    sent = {
        "far ahead": raw.batch([b"a"], timestamp=4_000_000_000_000),
        "zero": raw.batch([b"a"], timestamp=0),
        "none": raw.batch([b"a"], timestamp=-1),
        "negative": raw.batch([b"a"], timestamp=-7),
        "max timestamp lies": raw.batch(timestamp=TIME, count=2, payload=lying),
        "says LogAppendTime": patched_attributes(LOG_APPEND),
        "says LogAppendTime -1": patched_attributes(LOG_APPEND, timestamp=-1),
    }
    side.create(partitions=len(sent))
    for index, (note, data) in enumerate(sent.items()):
        produce(side, data, note, index=index)
    side.stored(partitions=len(sent))


@CASES.add(ApiKey.PRODUCE, "0-11", masks=("stored append time/*/payload",))
def log_append_time(side: Side, version: int) -> None:
    side.create(message_timestamp_type="LogAppendTime")
    for codec in (Codec.NONE, Codec.GZIP, Codec.LZ4):
        produce(side, batch(3, codec), f"codec {codec.name}")
    produce(side, batch(), "acks 1", acks=1)
    produce(side, patched_attributes(LOG_APPEND), "says so itself")
    produce(side, raw.batch([b"a"], timestamp=-1), "no time")
    side.stored(note="stored append time")


@CASES.add(ApiKey.PRODUCE, "0-11")
def compacted(side: Side, version: int) -> None:
    side.create(cleanup_policy="compact")
    side.create("both", cleanup_policy="compact,delete")
    produce(side, batch(), "keys")
    for codec in (Codec.NONE, Codec.GZIP):
        without = bytes(build_batch(records(2, key=False), codec=codec))
        produce(side, without, f"no keys {codec.name}")
        produce(side, without, f"no keys {codec.name} both", name="both")
    some = [*records(1), *records(1, key=False, start=1), *records(2, key=False, start=2)]
    produce(side, bytes(build_batch(some)), "some keys")
    many = bytes(build_batch(records(5, key=False)))
    produce(side, many, "five without keys", acks=1)
    empty = [Record(0, TIME, b"", None)]
    produce(side, bytes(build_batch(empty)), "empty key, null value")
    produce(side, raw.batch([b"a"], count=2, payload=b"\xff" * 30), "junk payload")
    gaps = raw.batch(count=3, payload=raw.record(0, b"a", key=b"k") + raw.record(2, b"b", key=b"k"))
    produce(side, gaps, "a record is missing")
    if version < 3:
        for magic in (0, 1):
            old = build_messages(records(2, key=False), magic)
            produce(side, old, f"magic {magic} without keys")
    side.stored()


@CASES.add(ApiKey.PRODUCE, "0-11", masks=ANY_SIZE)
def compression_of_the_topic(side: Side, version: int) -> None:
    for codec in ("uncompressed", "gzip", "snappy", "lz4", "zstd"):
        side.create(codec, compression_type=codec)
        for sent in (Codec.NONE, Codec.GZIP, Codec.ZSTD):
            produce(side, batch(30, sent, size=100), f"{sent.name} to {codec}", name=codec)
        if version < 3:
            produce(side, build_messages(records(2), 1), f"magic 1 to {codec}", name=codec)
        side.stored(codec)
