"""ListOffsets, OffsetForLeaderEpoch and DeleteRecords."""

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
from pykafka_ops.wire.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from pykafka_ops.wire.messages.offset_for_leader_epoch import (
    OffsetForLeaderEpochRequest,
    OffsetForLeaderPartition,
    OffsetForLeaderTopic,
)
from tests.support.differential.core import Cases, Side
from tests.support.differential.fetch import fill
from tests.support.differential.produce import TIME, request
from tests.support.wire import raw

CASES = Cases()
SPECIAL = (-1, -2, -3, -4, -5, -6, -100)
FAR = 2**62


def look_up(
    side: Side,
    note: str,
    timestamp: int,
    *,
    name: str = "t",
    index: int = 0,
    replica: int = -1,
    isolation: int = 0,
    **more: Any,
) -> Any:
    """Look one timestamp up in one partition."""
    asked = ListOffsetsPartition(
        partition_index=index, timestamp=timestamp, **{"max_num_offsets": 10, **more}
    )
    topics = [ListOffsetsTopic(name=side.topic(name), partitions=[asked])]
    return side.ask(
        ListOffsetsRequest(replica_id=replica, isolation_level=isolation, topics=topics), note=note
    )


def timed(side: Side, name: str, times: list[int], index: int = 0, **more: Any) -> None:
    """Append one batch with these timestamps."""
    made = [Record(n, t, b"k", b"v") for n, t in enumerate(times)]
    sent = request([(side.topic(name), index, bytes(build_batch(made, **more)))])
    assert side.send(sent, 9).responses[0].partition_responses[0].error_code == 0


def delete(side: Side, offset: int, *, name: str = "t", index: int = 0) -> None:
    """Move the start of a log, without noting it."""
    asked = DeleteRecordsPartition(partition_index=index, offset=offset)
    topics = [DeleteRecordsTopic(name=side.topic(name), partitions=[asked])]
    side.send(DeleteRecordsRequest(topics=topics, timeout_ms=60_000), 1)


@CASES.add(ApiKey.LIST_OFFSETS, "0-9")
def special_times(side: Side, version: int) -> None:
    side.create(partitions=3)
    timed(side, "t", [TIME, TIME + 50, TIME + 20])
    timed(side, "t", [TIME + 10, TIME + 50])
    timed(side, "t", [TIME, TIME + 90, TIME + 30], 2)
    delete(side, 2, index=2)
    for timestamp in SPECIAL:
        for index in range(3):
            look_up(side, f"time {timestamp} partition {index}", timestamp, index=index)


@CASES.add(ApiKey.LIST_OFFSETS, "0-9")
def times(side: Side, version: int) -> None:
    side.create(partitions=3)
    timed(side, "t", [TIME, TIME + 50, TIME + 20])
    timed(side, "t", [TIME + 10, TIME + 60], codec=Codec.GZIP)
    timed(side, "t", [TIME + 5])
    timed(side, "t", [TIME, TIME + 90, TIME + 30], 2)
    delete(side, 2, index=2)
    wanted = (0, 1, TIME - 1, TIME, TIME + 1, TIME + 20, TIME + 50, TIME + 51, TIME + 60)
    for timestamp in (*wanted, TIME + 61, TIME + 90, FAR, 2**63 - 1, -(2**63)):
        for index in range(3):
            far = timestamp > TIME + 100
            at = "far" if far and timestamp != FAR else f"{timestamp}"
            look_up(side, f"time {at} partition {index}", timestamp, index=index)


@CASES.add(ApiKey.LIST_OFFSETS, "0-9")
def times_without_a_timestamp(side: Side, version: int) -> None:
    side.create(partitions=2)
    none = raw.batch([b"a", b"b"], timestamp=-1)
    side.send(request([(side.topic(), 0, none)]), 9)
    side.create("appended", message_timestamp_type="LogAppendTime")
    # one batch: whether a second one falls into the same millisecond is chance
    one = raw.batch([b"a", b"b", b"c"], timestamp=TIME)
    side.send(request([(side.topic("appended"), 0, one)]), 9)
    for timestamp in (*SPECIAL, 0, TIME):
        look_up(side, f"none, time {timestamp}", timestamp)
        look_up(side, f"appended, time {timestamp}", timestamp, name="appended")


@CASES.add(ApiKey.LIST_OFFSETS, "0-9")
def offsets_not_there(side: Side, version: int) -> None:
    side.create(partitions=2)
    fill(side)
    for timestamp in (-1, -2, 0):
        look_up(side, f"unknown topic, time {timestamp}", timestamp, name="none")
        look_up(side, f"unknown partition, time {timestamp}", timestamp, index=7)
    look_up(side, "partition -1", -1, index=-1)
    side.ask(ListOffsetsRequest(replica_id=-1, topics=[]), note="no topics")
    empty = [ListOffsetsTopic(name=side.topic())]
    side.ask(ListOffsetsRequest(replica_id=-1, topics=empty), note="no partitions")
    for name in ("", "a/b"):
        asked = [ListOffsetsPartition(partition_index=0, timestamp=-1)]
        topics = [ListOffsetsTopic(name=name, partitions=asked)]
        side.ask(ListOffsetsRequest(replica_id=-1, topics=topics), note=f"name {name!r}")


@CASES.add(ApiKey.LIST_OFFSETS, "0-9")
def partition_twice(side: Side, version: int) -> None:
    side.create(partitions=2)
    fill(side)
    parts = [ListOffsetsPartition(partition_index=i, timestamp=t) for i, t in ((0, -1), (0, -2))]
    parts.append(ListOffsetsPartition(partition_index=1, timestamp=-1))
    topics = [ListOffsetsTopic(name=side.topic(), partitions=parts)]
    side.ask(ListOffsetsRequest(replica_id=-1, topics=topics), note="in one topic")
    topics = [ListOffsetsTopic(name=side.topic(), partitions=[part]) for part in parts[:2]]
    side.ask(ListOffsetsRequest(replica_id=-1, topics=topics), note="in two")


@CASES.add(ApiKey.LIST_OFFSETS, "0-9")
def epochs_and_readers(side: Side, version: int) -> None:
    side.create()
    fill(side)
    for epoch in (-1, 0, 1, -2):
        for timestamp in (-1, -2, TIME):
            note = f"epoch {epoch}, time {timestamp}"
            look_up(side, note, timestamp, current_leader_epoch=epoch)
    for replica in (-1, -2, 0, 5):
        for timestamp in (-1, -2, -3, TIME):
            look_up(side, f"replica {replica}, time {timestamp}", timestamp, replica=replica)
    for isolation in (0, 1):
        for timestamp in (-1, -2, TIME):
            note = f"isolation {isolation}, time {timestamp}"
            look_up(side, note, timestamp, isolation=isolation)


@CASES.add(ApiKey.LIST_OFFSETS, "0-9")
def segments(side: Side, version: int) -> None:
    side.create(segment_bytes=500)
    fill(side, count=5)
    delete(side, 4)
    for timestamp in (-1, -2, -3, -4, TIME, FAR):
        look_up(side, f"time {timestamp}", timestamp)
    for count in (0, 1, 2, 3):
        look_up(side, f"{count} offsets", -1, max_num_offsets=count)
    look_up(side, "offsets, -1 of them", -2, max_num_offsets=2)


@CASES.add(ApiKey.OFFSET_FOR_LEADER_EPOCH, "0-4")
def ends_of_epochs(side: Side, version: int) -> None:
    side.create(partitions=2)
    fill(side)

    def ask(note: str, *parts: tuple[int, int, int], name: str = "t", replica: int = -1) -> None:
        asked = [
            OffsetForLeaderPartition(partition=i, current_leader_epoch=c, leader_epoch=e)
            for i, c, e in parts
        ]
        topics = [OffsetForLeaderTopic(topic=side.topic(name), partitions=asked)]
        side.ask(OffsetForLeaderEpochRequest(replica_id=replica, topics=topics), note=note)

    for epoch in (-1, -2, 0, 1, 9, 2**31 - 1):
        ask(f"epoch {epoch}", (0, -1, epoch))
        ask(f"epoch {epoch}, empty", (1, -1, epoch))
    for current in (0, 1, 9, -2):
        ask(f"current {current}", (0, current, 0))
    ask("unknown partition", (7, -1, 0))
    ask("unknown topic", (0, -1, 0), name="none")
    ask("unknown topic, wrong epoch", (0, 5, 0), name="none")
    ask("partition twice", (0, -1, 0), (0, -1, 1))
    for replica in (-2, 0, 5):
        ask(f"replica {replica}", (0, -1, 0), replica=replica)
    delete(side, 4)
    ask("after deletion", (0, -1, 0))
    delete(side, 9)
    ask("after deletion of all", (0, -1, 0))
    side.ask(OffsetForLeaderEpochRequest(topics=[]), note="no topics")
    empty = [OffsetForLeaderTopic(topic=side.topic())]
    side.ask(OffsetForLeaderEpochRequest(topics=empty), note="no partitions")


@CASES.add(ApiKey.DELETE_RECORDS, "0-2")
def deletions(side: Side, version: int) -> None:
    side.create(partitions=3)
    side.create("compact", cleanup_policy="compact")
    side.create("both", cleanup_policy="compact,delete")
    for name, index in (("t", 0), ("t", 1), ("compact", 0), ("both", 0)):
        fill(side, name, index=index)

    def ask(note: str, *parts: tuple[int, int], name: str = "t", timeout_ms: int = 60_000) -> None:
        asked = [DeleteRecordsPartition(partition_index=i, offset=o) for i, o in parts]
        topics = [DeleteRecordsTopic(name=name, partitions=asked)]
        side.ask(DeleteRecordsRequest(topics=topics, timeout_ms=timeout_ms), note=note)

    topic = side.topic()
    for offset in (0, 4, 2, 4, -2, 10, 100, 2**63 - 1, 9, -1):
        ask(f"offset {offset}", (0, offset), name=topic)
    ask("empty partition", (2, 0), name=topic)
    ask("empty partition, all", (2, -1), name=topic)
    ask("empty partition, too far", (2, 1), name=topic)
    ask("unknown partition", (9, 0), name=topic)
    ask("unknown topic", (0, 0), name=side.topic("none"))
    ask("two", (1, 1), (9, 1), name=topic)
    ask("partition twice", (1, 2), (1, 3), name=topic)
    ask("no time", (1, 5), name=topic, timeout_ms=0)
    ask("compacted", (0, 1), name=side.topic("compact"))
    ask("compacted and deleted", (0, 1), name=side.topic("both"))
    ask("no partitions", name=topic)
    ask("bad name", (0, 1), name="a/b")
    ask("empty name", (0, 1), name="")
    side.ask(DeleteRecordsRequest(topics=[], timeout_ms=100), note="no topics")
    side.stored(partitions=3)


@CASES.add(ApiKey.DELETE_RECORDS, "0-2")
def deletions_in_a_topic_named_twice(side: Side, version: int) -> None:
    side.create(partitions=3)
    for index in range(3):
        fill(side, index=index)
    topics = [
        DeleteRecordsTopic(
            name=side.topic(),
            partitions=[DeleteRecordsPartition(partition_index=i, offset=3)],
        )
        for i in (0, 2)
    ]
    side.ask(DeleteRecordsRequest(topics=topics, timeout_ms=60_000), note="asked")
