"""Produce: acks, sequences of producers, odd requests and topics that are not there."""

from __future__ import annotations

from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.compression import Codec, compress
from pykafka_ops.disk.legacy import build_messages, pack_message
from pykafka_ops.disk.record import Record
from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    TopicProduceData,
)
from tests.support.differential.core import Cases, Side
from tests.support.differential.produce import (
    CONTROL,
    TIME,
    TRANSACTIONAL,
    batch,
    ends,
    patched,
    produce,
    records,
    request,
)
from tests.support.wire import raw

CASES = Cases()
LAST = 2**31 - 1
WRAPPER = 1


@CASES.add(ApiKey.PRODUCE, "0-11")
def acks(side: Side, version: int) -> None:
    side.create()
    for number in (1, -1, 2, -2, 100):
        produce(side, batch(), f"acks {number}", acks=number)
    produce(side, batch(), "no acks", acks=0)
    side.still_there("after no acks")
    produce(side, patched(batch(), 70, b"\xff"), "no acks, wrong crc", acks=0)
    side.still_there("after no acks, wrong crc")
    side.close()
    produce(side, batch(), "no acks, unknown topic", acks=0, name="none")
    side.still_there("after no acks, unknown topic")
    side.close()
    produce(side, batch(), "timeout 0", timeout_ms=0)
    produce(side, batch(), "timeout negative", timeout_ms=-1)
    side.stored()


@CASES.add(ApiKey.PRODUCE, "0-11")
def not_there(side: Side, version: int) -> None:
    side.create(partitions=2)
    asked = [
        (side.topic(), 5, batch()),
        (side.topic(), -1, batch()),
        (side.topic(), 1, batch()),
        (side.topic("none"), 0, batch()),
        ("", 0, batch()),
        ("bad/name", 0, batch()),
        (".", 0, batch()),
        ("x" * 250, 0, batch()),
        ("__cluster_metadata", 0, batch()),
    ]
    side.ask(request(asked), note="some not there")
    for topic, index, data in asked:
        side.ask(request([(topic, index, data)]), note=f"{topic[-9:]} {index}")
    bad = patched(batch(), 70, b"\xff")
    side.ask(request([(side.topic("none"), 0, bad)]), note="unknown and wrong crc")
    side.ask(request([(side.topic("none"), 0, b"")]), note="unknown and empty")
    side.ask(request([(side.topic(), 9, bad), (side.topic(), 0, bad)]), note="two wrong")


@CASES.add(ApiKey.PRODUCE, "0-11")
def nothing_to_append(side: Side, version: int) -> None:
    side.create(partitions=2)
    side.ask(ProduceRequest(acks=-1, timeout_ms=1000), note="no topics")
    produce(side, b"", "empty records")
    produce(side, b"", "empty records, acks 1", acks=1)
    produce(side, b"", "empty records, no acks", acks=0)
    side.still_there("after empty records, no acks")
    side.close()
    ends(side)


@CASES.add(ApiKey.PRODUCE, "0-11")
def null_records(side: Side, version: int) -> None:
    side.create()
    produce(side, None, "asked", seconds=1.5)
    ends(side)


@CASES.add(ApiKey.PRODUCE, "0-11")
def no_partitions(side: Side, version: int) -> None:
    side.create()
    empty = TopicProduceData(name=side.topic())
    side.ask(ProduceRequest(acks=-1, timeout_ms=1000, topic_data=[empty]), note="asked")


@CASES.add(ApiKey.PRODUCE, "0-11")
def topic_twice(side: Side, version: int) -> None:
    side.create(partitions=3)
    name = side.topic()
    topics = [
        TopicProduceData(
            name=name, partition_data=[PartitionProduceData(index=index, records=batch(index))]
        )
        for index in (1, 2)
    ]
    side.ask(ProduceRequest(acks=-1, timeout_ms=1000, topic_data=topics), note="asked")
    side.stored(partitions=3)


@CASES.add(ApiKey.PRODUCE, "0-11")
def partition_twice(side: Side, version: int) -> None:
    side.create()
    parts = [PartitionProduceData(index=0, records=batch(n)) for n in (1, 2)]
    topics = [TopicProduceData(name=side.topic(), partition_data=parts)]
    side.ask(ProduceRequest(acks=-1, timeout_ms=1000, topic_data=topics), note="asked")
    side.stored()


@CASES.add(ApiKey.PRODUCE, "0-11")
def too_few_replicas(side: Side, version: int) -> None:
    side.create(min_insync_replicas=2)
    for number in (-1, 1):
        produce(side, batch(), f"acks {number}", acks=number)
    side.stored()


@CASES.add(ApiKey.PRODUCE, "3-11")
def control_and_transactions(side: Side, version: int) -> None:
    side.create(partitions=2)
    for codec in (Codec.NONE, Codec.GZIP):
        marker = bytes(build_batch(records(1), codec=codec, control=True))
        produce(side, marker, f"control {codec.name}")
    body = raw.record(0, b"\0\0\0\0\0\0", key=b"\0\0\0\1")
    marked = raw.batch(
        attributes=CONTROL | TRANSACTIONAL, producer=(7, 0, -1), count=1, payload=body
    )
    produce(side, marked, "an abort marker")
    in_txn = raw.batch(attributes=TRANSACTIONAL, producer=(7, 0, 0))
    produce(side, in_txn, "transactional without id")
    plain = [(side.topic(), 1, batch()), (side.topic(), 0, in_txn)]
    side.ask(request(plain), note="one of two transactional without id")
    produce(side, batch(), "plain with id", transactional_id="me")
    produce(side, batch(), "plain with empty id", transactional_id="")
    without = raw.batch(attributes=TRANSACTIONAL)
    produce(side, without, "transactional without producer")
    side.stored()


@CASES.add(ApiKey.PRODUCE, "3-11")
def transaction_with_id(side: Side, version: int) -> None:
    side.create()
    in_txn = raw.batch(attributes=TRANSACTIONAL, producer=(7, 0, 0))
    produce(side, in_txn, "transactional with id", transactional_id=side.topic("me"))
    side.stored()


@CASES.add(ApiKey.PRODUCE, "0-11")
def sequences(side: Side, version: int) -> None:
    side.create(partitions=3)

    def send(note: str, producer: int, epoch: int, sequence: int, count: int = 2) -> None:
        values = [b"v%d" % i for i in range(count)]
        data = raw.batch(values, producer=(producer, epoch, sequence))
        produce(side, data, f"{note} p{producer} e{epoch} s{sequence}")

    send("first", 10, 0, 0)
    send("next", 10, 0, 2)
    send("duplicate", 10, 0, 2)
    send("older duplicate", 10, 0, 0)
    send("overlap", 10, 0, 3)
    send("gap", 10, 0, 9)
    send("longer duplicate", 10, 0, 2, 3)
    for sequence in range(4, 16, 2):
        send("more", 10, 0, sequence)
    send("still known", 10, 0, 6)
    send("too old to know", 10, 0, 0)
    send("new epoch not at 0", 10, 1, 16)
    send("new epoch", 10, 1, 0)
    send("old epoch", 10, 0, 16)
    send("old duplicate in new epoch", 10, 0, 14)
    send("epoch jump", 10, 5, 0)
    send("begins in the middle", 11, 3, 40)
    send("goes on", 11, 3, 42)
    send("goes back", 11, 3, 0)
    send("lower epoch", 11, 2, 44)
    send("negative epoch", 12, -1, 0)
    send("largest epoch", 12, 32767, 0)
    produce(side, raw.batch([b"x"], producer=(10, 5, 2)), "other partition", index=1)
    side.stored(partitions=3)


@CASES.add(ApiKey.PRODUCE, "3-11")
def sequences_wrap(side: Side, version: int) -> None:
    side.create(partitions=2)

    def send(note: str, sequence: int, count: int, index: int = 0) -> None:
        values = [b"v%d" % i for i in range(count)]
        produce(side, raw.batch(values, producer=(20, 0, sequence)), note, index=index)

    send("to the end", LAST - 1, 2)
    send("from 0", 0, 2)
    send("duplicate before the wrap", LAST - 1, 2)
    send("after", 2, 1)
    send("over the end", LAST - 1, 4, 1)
    send("over the end again", LAST - 1, 4, 1)
    send("not 0 after the wrap", 0, 1, 1)
    send("behind the wrap", 2, 1, 1)
    side.stored(partitions=2)


@CASES.add(ApiKey.PRODUCE, "3-11")
def sequences_with_rewrites(side: Side, version: int) -> None:
    side.create("gzip", compression_type="gzip")
    side.create("time", message_timestamp_type="LogAppendTime")
    for name in ("gzip", "time"):
        for sequence in (0, 3, 3, 9):
            data = batch(3, producer_id=30, producer_epoch=0, base_sequence=sequence)
            produce(side, data, f"{name} {sequence}", name=name)
        ends(side, name)


@CASES.add(
    ApiKey.PRODUCE,
    "0-2",
    masks=("stored anew/*/payload", "stored anew/*/crc", "stored anew/*/batch_length"),
)
def broken_wrappers(side: Side, version: int) -> None:
    side.create(partitions=2)
    for magic in (0, 1):
        good = build_messages(records(2), magic)
        zipped = build_messages(records(2), magic, codec=Codec.GZIP)
        wrong_inside = patched(good, 30, b"\xff")
        values = {
            "null value": None,
            "empty value": b"",
            "no gzip": b"nothing of that kind",
            "empty set": _gzip(b""),
            "cut set": _gzip(good[:-4]),
            "wrong crc inside": _gzip(wrong_inside),
            "wrapper inside": _gzip(zipped),
            "other magic inside": _gzip(build_messages(records(2), 1 - magic)),
            "batch v2 inside": _gzip(batch()),
        }
        for note, value in values.items():
            wrapper = Record(1, TIME, None, value)
            data = raw_message(wrapper, magic)
            produce(side, data, f"magic {magic} {note}", index=magic)
        keyed = Record(1, TIME, b"key", _gzip(good))
        produce(side, raw_message(keyed, magic), f"magic {magic} wrapper with key", index=magic)
        low = Record(0, TIME, None, _gzip(good))
        produce(side, raw_message(low, magic), f"magic {magic} wrapper offset 0", index=magic)
        high = Record(77, TIME, None, _gzip(good))
        produce(side, raw_message(high, magic), f"magic {magic} wrapper offset 77", index=magic)
        produce(side, raw_message(Record(0, TIME, b"k", b"v"), magic, 5), f"magic {magic} codec 5")
    side.stored(partitions=2, note="stored anew")


def _gzip(data: bytes) -> bytes:
    return bytes(compress(Codec.GZIP, data))


def raw_message(record: Record, magic: int, codec: int = WRAPPER) -> bytes:
    """One message whose attributes say that its value is compressed."""
    return pack_message(record, magic, codec)
