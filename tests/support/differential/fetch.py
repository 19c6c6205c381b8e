"""Fetch: limits, formats, epochs, isolation, and what is not there."""

from __future__ import annotations

from typing import Any

from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.compression import Codec
from pykafka_ops.disk.record import Record
from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from pykafka_ops.wire.messages.fetch import (
    FetchPartition,
    FetchRequest,
    FetchTopic,
    ReplicaState,
)
from tests.support.differential.core import Cases, Side
from tests.support.differential.produce import TIME, batch, records, request

CASES = Cases()
HUGE = 2**31 - 1
UNKNOWN_ID = bytes(range(16))


def topic_of(side: Side, parts: list[FetchPartition], name: str = "t") -> FetchTopic:
    """A topic by name or id, as the version has it."""
    known = {value: key for key, value in side.ids.items()}
    full = side.topic(name)
    return FetchTopic(topic=full, topic_id=known.get(full, UNKNOWN_ID), partitions=parts)


def part(index: int = 0, offset: int = 0, size: int = 1 << 20, **more: Any) -> FetchPartition:
    return FetchPartition(partition=index, fetch_offset=offset, partition_max_bytes=size, **more)


def fetch(side: Side, note: str, *parts: FetchPartition, name: str = "t", **more: Any) -> Any:
    """Fetch from one topic, without waiting."""
    topics = more.pop("topics", None) or [topic_of(side, list(parts) or [part()], name)]
    fields: dict[str, Any] = {"max_wait_ms": 0, "min_bytes": 1, "max_bytes": HUGE, **more}
    return side.ask(FetchRequest(topics=topics, **fields), note=note)


def fill(side: Side, name: str = "t", count: int = 3, *, index: int = 0, **more: Any) -> None:
    """Append ``count`` batches of three records."""
    for _ in range(count):
        data = batch(3, more.get("codec", Codec.NONE), size=100)
        answer = side.send(request([(side.topic(name), index, data)]), 9)
        assert answer.responses[0].partition_responses[0].error_code == 0, answer


@CASES.add(ApiKey.FETCH, "0-17", masks=("*/crc",))
def offsets(side: Side, version: int) -> None:
    side.create(partitions=2)
    fill(side)
    for offset in (0, 1, 3, 8, 9, 10, 100, -1, -2, 2**63 - 1):
        fetch(side, f"offset {offset}", part(0, offset))
    fetch(side, "empty partition", part(1))
    fetch(side, "both", part(0, 3), part(1))
    fetch(side, "no such partition", part(7))
    fetch(side, "partition -1", part(-1))
    fetch(side, "one of two", part(0), part(7))


@CASES.add(ApiKey.FETCH, "0-17")
def not_there(side: Side, version: int) -> None:
    side.create()
    fill(side, count=1)
    fetch(side, "unknown", name="none")
    odd = [FetchTopic(topic=n, topic_id=UNKNOWN_ID, partitions=[part()]) for n in ("", "a/b")]
    fetch(side, "odd names", topics=odd[:1])
    fetch(side, "bad name", topics=odd[1:])
    fetch(side, "zero id", topics=[FetchTopic(topic=side.topic("none"), partitions=[part()])])
    both = [topic_of(side, [part()]), topic_of(side, [part()], "none")]
    fetch(side, "one of two", topics=both)
    side.ask(FetchRequest(max_wait_ms=0, topics=[]), note="no topics")
    empty = [FetchTopic(topic=side.topic(), topic_id=side.id_of())]
    side.ask(FetchRequest(max_wait_ms=0, topics=empty), note="no partitions")


@CASES.add(ApiKey.FETCH, "0-17", masks=("*/crc",))
def limits(side: Side, version: int) -> None:
    side.create(partitions=3)
    for index in range(3):
        fill(side, index=index)
    one = len(batch(3, size=100))
    for size in (0, 1, one - 1, one, one + 1, 2 * one, HUGE, -1):
        fetch(side, f"partition limit {size}", part(size=size))
    every = [part(index) for index in range(3)]
    for size in (0, 1, one, 3 * one, 3 * one + 1, 4 * one, 7 * one, -1):
        fetch(side, f"limit {size}", *every, max_bytes=size)
    small = [part(0, size=1), part(1, size=1), part(2)]
    fetch(side, "small parts first", *small)
    fetch(side, "first one at its end", part(0, 9), part(1, size=1), part(2, size=1))
    fetch(side, "first one out of range", part(0, 99), part(1, size=1), part(2, size=1))
    fetch(side, "in the middle", part(0, 4, size=one))
    fetch(side, "partition twice", part(0), part(0, 3))
    twice = [topic_of(side, [part(0, 3)]), topic_of(side, [part(1, 6)])]
    fetch(side, "topic twice", topics=twice)


@CASES.add(ApiKey.FETCH, "0-17", masks=("*/crc",))
def waiting(side: Side, version: int) -> None:
    side.create(partitions=2)
    fill(side, count=1)
    fetch(side, "more than there is", max_wait_ms=30, min_bytes=HUGE)
    fetch(side, "nothing to come", part(1), max_wait_ms=30)
    fetch(side, "nothing asked for", part(1), max_wait_ms=30, min_bytes=0)
    fetch(side, "out of range does not wait", part(0, 50), max_wait_ms=9000)
    fetch(side, "unknown partition", part(9), max_wait_ms=9000)
    fetch(side, "unknown topic", name="none", max_wait_ms=9000)
    fetch(side, "min bytes over the limit", min_bytes=HUGE, max_bytes=1, max_wait_ms=9000)
    fetch(side, "min bytes negative", part(1), min_bytes=-1, max_wait_ms=9000)
    fetch(side, "max wait negative", part(1), max_wait_ms=-1)
    fetch(side, "unknown beside an empty one", part(1), part(9), max_wait_ms=30)


@CASES.add(ApiKey.FETCH, "0-17", masks=("*/crc",))
def leader_epochs(side: Side, version: int) -> None:
    side.create(partitions=2)
    fill(side)
    for epoch in (-1, 0, 1, 7, -2):
        fetch(side, f"current epoch {epoch}", part(current_leader_epoch=epoch))
    for epoch, offset in ((-1, 0), (0, 0), (0, 9), (0, 10), (1, 3), (5, 20), (-2, 0)):
        asked = part(0, offset, last_fetched_epoch=epoch, current_leader_epoch=0)
        fetch(side, f"last epoch {epoch} at {offset}", asked)
    fetch(side, "last epoch, empty log", part(1, 0, last_fetched_epoch=0))
    fetch(side, "last epoch 3, empty log", part(1, 0, last_fetched_epoch=3))
    fetch(side, "epoch and unknown", part(8, current_leader_epoch=3))
    fetch(side, "log start offset", part(log_start_offset=5))


@CASES.add(ApiKey.FETCH, "0-17", masks=("*/crc",))
def log_start(side: Side, version: int) -> None:
    side.create()
    fill(side)
    asked = DeleteRecordsPartition(partition_index=0, offset=4)
    topics = [DeleteRecordsTopic(name=side.topic(), partitions=[asked])]
    side.send(DeleteRecordsRequest(topics=topics, timeout_ms=60_000), 1)
    for offset in (0, 3, 4, 5, 9):
        fetch(side, f"offset {offset}", part(0, offset))
    fetch(side, "below the start, last epoch", part(0, 2, last_fetched_epoch=0))


@CASES.add(ApiKey.FETCH, "4-17", masks=("*/crc",))
def isolation(side: Side, version: int) -> None:
    side.create()
    fill(side)
    for level in (0, 1, 2, -1):
        fetch(side, f"isolation {level}", isolation_level=level)
    fetch(side, "committed, at the end", part(0, 9), isolation_level=1)
    fetch(side, "committed, unknown", part(9), isolation_level=1)
    fetch(side, "committed, out of range", part(0, 90), isolation_level=1)


@CASES.add(ApiKey.FETCH, "0-17", masks=("*/crc", "*/payload"))
def formats(side: Side, version: int) -> None:
    codecs = [Codec.NONE, Codec.GZIP, Codec.SNAPPY, Codec.LZ4]
    side.create(partitions=len(codecs))
    for index, codec in enumerate(codecs):
        fill(side, index=index, codec=codec)
    for index, codec in enumerate(codecs):
        fetch(side, f"all of {codec.name}", part(index))
        fetch(side, f"middle of {codec.name}", part(index, 4))
        fetch(side, f"last of {codec.name}", part(index, 8))
        fetch(side, f"little of {codec.name}", part(index, 4, size=150))
        fetch(side, f"a byte of {codec.name}", part(index, size=1))


@CASES.add(ApiKey.FETCH, "0-17", masks=("*/crc", "*/payload"))
def zstd(side: Side, version: int) -> None:
    side.create(partitions=2)
    fill(side, codec=Codec.ZSTD)
    fill(side, index=1)
    fill(side, index=1, codec=Codec.ZSTD)
    fetch(side, "only zstd")
    fetch(side, "zstd behind others", part(1))
    fetch(side, "zstd beyond the limit", part(1, size=500))
    side.create("topic", compression_type="zstd")
    side.create("both", partitions=1)
    fetch(side, "empty zstd topic", name="topic")


@CASES.add(ApiKey.FETCH, "0-3", masks=("*/crc", "*/payload"))
def no_down_conversion(side: Side, version: int) -> None:
    side.create(message_downconversion_enable="false")
    fetch(side, "empty")
    fill(side)
    fetch(side, "asked")


@CASES.add(ApiKey.FETCH, "0-3", masks=("*/crc", "*/payload"))
def down_conversion(side: Side, version: int) -> None:
    side.create(message_timestamp_type="LogAppendTime", partitions=2)
    fill(side)
    fill(side, index=1, codec=Codec.GZIP)
    fetch(side, "append time")
    fetch(side, "append time, gzip", part(1))
    side.create("null", partitions=2)
    odd = [
        Record(0, -1, None, b"no time"),
        Record(1, TIME, b"", None),
        Record(2, TIME, b"k", b"", [("dropped", b"x")]),
    ]
    for index, codec in enumerate((Codec.NONE, Codec.LZ4)):
        data = bytes(build_batch(odd, codec=codec))
        side.send(request([(side.topic("null"), index, data)]), 9)
        fetch(side, f"odd records {codec.name}", part(index), name="null")
    side.create("large")
    data = bytes(build_batch(records(200, size=50)))
    side.send(request([(side.topic("large"), 0, data)]), 9)
    for size in (10, 1000, 5000, len(data)):
        fetch(side, f"large, limit {size}", part(size=size), name="large")
        fetch(side, f"large from 150, limit {size}", part(0, 150, size=size), name="large")


@CASES.add(ApiKey.FETCH, "0-17", masks=("*/crc",))
def replicas(side: Side, version: int) -> None:
    side.create()
    fill(side)
    for number in (-2, 0, 5):
        state = ReplicaState(replica_id=number)
        fetch(side, f"as replica {number}", replica_id=number, replica_state=state)
    fetch(side, "rack", rack_id="r1")
    fetch(side, "cluster id", cluster_id="another")
