"""What admin clients ask about transactions, and the markers they may write."""

from __future__ import annotations

from typing import Any

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.messages.describe_producers import DescribeProducersRequest, TopicRequest
from pykafka_ops.wire.messages.describe_transactions import DescribeTransactionsRequest
from pykafka_ops.wire.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from pykafka_ops.wire.messages.list_transactions import ListTransactionsRequest
from pykafka_ops.wire.messages.write_txn_markers import (
    WritableTxnMarker,
    WritableTxnMarkerTopic,
    WriteTxnMarkersRequest,
)
from tests.support.differential.core import Cases, Side
from tests.support.differential.transactions import IDS, add, begin, described, end, init, write

CASES = Cases()


@CASES.add(ApiKey.WRITE_TXN_MARKERS, "0-1", masks=IDS)
def markers(side: Side, version: int) -> None:
    side.create()
    begin(side)
    producer = init(side, "tx", "init again", version=4)
    tid, (pid, epoch) = side.topic("tx"), producer

    def mark(note: str, commit: bool, offset: int, coordinator: int, *partitions: int) -> None:
        topics = [WritableTxnMarkerTopic(name=side.topic(), partition_indexes=list(partitions))]
        marker = WritableTxnMarker(
            producer_id=pid,
            producer_epoch=epoch + offset,
            transaction_result=commit,
            topics=topics,
            coordinator_epoch=coordinator,
        )
        side.ask(WriteTxnMarkersRequest(markers=[marker]), note=note)

    mark("nothing open", True, 0, 50, 0)
    add(side, tid, producer, "add", 0, version=3)
    write(side, tid, producer, 0, "write")
    mark("an older coordinator", False, 0, 49, 0)
    mark("an older epoch", False, -1, 50, 0)
    mark("a negative epoch", False, -epoch - 1, 50, 0)
    mark("unknown partition", False, 0, 50, 7)
    mark("abort", False, 0, 50, 0)
    mark("a later epoch", True, 1, 51, 0)
    write(side, tid, producer, 1, "fenced")
    side.ask(WriteTxnMarkersRequest(), note="nothing")
    wanted = [ListOffsetsPartition(partition_index=0, timestamp=-1)]
    topics = [ListOffsetsTopic(name=side.topic(), partitions=wanted)]
    side.ask(ListOffsetsRequest(replica_id=-1, isolation_level=1, topics=topics), 7, "stable")


@CASES.add(
    ApiKey.DESCRIBE_PRODUCERS, "0", masks=(*IDS, "*/coordinator_epoch", "*ended*/last_timestamp")
)
def producers_of_partitions(side: Side, version: int) -> None:
    side.create(partitions=2)
    producer = begin(side)
    tid = side.topic("tx")
    add(side, tid, producer, "add", 0, version=3)
    write(side, tid, producer, 0, "write")

    def look(note: str, topic: str, *partitions: int) -> None:
        asked = TopicRequest(name=topic, partition_indexes=list(partitions))
        side.ask(DescribeProducersRequest(topics=[asked]), note=note)

    look("open", side.topic(), 0, 1)
    look("unknown partition", side.topic(), 5)
    look("unknown topic", side.topic("none"), 0)
    look("odd topic", "a b", 0)
    look("no partitions", side.topic())
    end(side, tid, producer, "end", commit=True, version=3)
    described(side, tid, "CompleteCommit")
    look("ended", side.topic(), 0)


STARTED = ("*/transaction_start_time_ms",)


@CASES.add(ApiKey.DESCRIBE_TRANSACTIONS, "0", masks=(*IDS, *STARTED))
def described_ids(side: Side, version: int) -> None:
    side.create(partitions=2)
    producer = begin(side)
    tid = side.topic("tx")

    def look(note: str, *ids: str) -> None:
        side.ask(DescribeTransactionsRequest(transactional_ids=list(ids)), note=note)

    look("none")
    look("unknown", side.topic("ty"))
    look("empty", "")
    look("twice", tid, tid)
    add(side, tid, producer, "add", 1, version=3)
    look("open", tid)
    for commit in (True, False):
        add(side, tid, producer, f"add {commit}", 0, version=3)
        end(side, tid, producer, f"end {commit}", commit=commit, version=3)
        described(side, tid, "CompleteCommit" if commit else "CompleteAbort")
        look(f"ended {commit}", tid)


@CASES.add(ApiKey.LIST_TRANSACTIONS, "0-1", masks=IDS)
def listed_ids(side: Side, version: int) -> None:
    side.create()
    one, two = begin(side, "one"), init(side, "two", "init two", version=4)
    add(side, side.topic("one"), one, "add", 0, version=3)

    def look(note: str, **filters: Any) -> None:
        filters.setdefault("producer_id_filters", [one[0]])
        side.ask(ListTransactionsRequest(**filters), note=note)

    look("one")
    look("two", producer_id_filters=[two[0]])
    look("nobody", producer_id_filters=[2**60])
    look("in a state", state_filters=["Ongoing", "Empty"])
    look("in another", state_filters=["PrepareCommit", "Dead"])
    look("in no state", state_filters=["ongoing", "", "Odd"])
    if version >= 1:
        look("any time", duration_filter=0)
        look("for long", duration_filter=10_000_000)
        look("never", duration_filter=-7)
        look("empty for long", duration_filter=10_000_000, producer_id_filters=[two[0]])
