"""Transactions: producers' requests, markers, what admin clients look at, committed readers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.messages.add_offsets_to_txn import AddOffsetsToTxnRequest
from pykafka_ops.wire.messages.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnTopic,
    AddPartitionsToTxnTransaction,
)
from pykafka_ops.wire.messages.describe_transactions import DescribeTransactionsRequest
from pykafka_ops.wire.messages.end_txn import EndTxnRequest
from pykafka_ops.wire.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from pykafka_ops.wire.messages.init_producer_id import InitProducerIdRequest
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
from tests.support.differential.broker import internal_topics
from tests.support.differential.core import Cases, Side
from tests.support.memory.handler_site import batch
from tests.support.waiting import wait_for

CASES = Cases()
TIME = 1_700_000_000_000
AGAIN = {14, 15, 16, 51}
IDS = ("*/producer_id",)
Producer = tuple[int, int]


def settled(side: Side, message: Any, note: str, code: Callable[[Any], int], **more: Any) -> Any:
    """Ask until the answer is none that clients ask again after; only the last is noted."""
    answers: list[Any] = []

    def asked() -> bool:
        answers.append(side.ask(message, note=note, **more))
        again = code(answers[-1]) in AGAIN
        if again:
            side.steps.pop()
        return not again

    wait_for(asked, what=f"an answer to {note}")
    return answers[-1]


def top(answer: Any) -> int:
    return int(answer.error_code)


def init(side: Side, name: str, note: str, producer: Producer = (-1, -1), **more: Any) -> Producer:
    request = InitProducerIdRequest(
        transactional_id=side.topic(name),
        transaction_timeout_ms=60_000,
        producer_id=producer[0],
        producer_epoch=producer[1],
    )
    answer = settled(side, request, note, top, **more)
    return answer.producer_id, answer.producer_epoch


def begin(side: Side, name: str = "tx") -> Producer:
    """A new producer."""
    internal_topics(side)
    return init(side, name, "init", version=4)


def first_code(answer: Any) -> int:
    results = answer.results_by_topic_v3_and_below
    found = results[0].results_by_partition if results else ()
    return int(found[0].partition_error_code) if found else 0


def add(
    side: Side,
    tid: str,
    producer: Producer,
    note: str,
    *partitions: int,
    topic: str = "",
    **more: Any,
) -> None:
    topics = [AddPartitionsToTxnTopic(name=topic or side.topic(), partitions=list(partitions))]
    request = AddPartitionsToTxnRequest(
        v3_and_below_transactional_id=tid,
        v3_and_below_producer_id=producer[0],
        v3_and_below_producer_epoch=producer[1],
        v3_and_below_topics=topics,
    )
    settled(side, request, note, first_code, **more)


def end(side: Side, tid: str, producer: Producer, note: str, *, commit: bool, **more: Any) -> None:
    request = EndTxnRequest(
        transactional_id=tid,
        producer_id=producer[0],
        producer_epoch=producer[1],
        committed=commit,
    )
    settled(side, request, note, top, **more)


def write(
    side: Side,
    tid: str | None,
    producer: Producer,
    sequence: int,
    note: str,
    *,
    index: int = 0,
    version: int = 11,
) -> None:
    records = batch(
        b"v",
        timestamp=TIME,
        producer_id=producer[0],
        producer_epoch=producer[1],
        base_sequence=sequence,
        transactional=True,
    )
    data = [PartitionProduceData(index=index, records=records)]
    topics = [TopicProduceData(name=side.topic(), partition_data=data)]
    request = ProduceRequest(transactional_id=tid, acks=-1, timeout_ms=60_000, topic_data=topics)
    side.ask(request, version, note)


# -- producers -------------------------------------------------------------------------------------


@CASES.add(ApiKey.INIT_PRODUCER_ID, "0-5", masks=IDS)
def producers_of_one_id(side: Side, version: int) -> None:
    internal_topics(side)
    first = init(side, "tx", "new")
    second = init(side, "tx", "again")
    side.note("the same id", first[0] == second[0])
    if version < 3:
        return
    third = init(side, "tx", "the present one", second)
    init(side, "tx", "asked again", second)
    init(side, "tx", "an old one", first)
    init(side, "tx", "a later one", (third[0], third[1] + 5))
    init(side, "tx", "of another id", (third[0] + 5000, third[1]))
    init(side, "new", "known to nobody", (third[0], 3))


@CASES.add(ApiKey.ADD_PARTITIONS_TO_TXN, "0-3", masks=IDS)
def partitions_join(side: Side, version: int) -> None:
    side.create(partitions=2)
    producer = begin(side)
    tid, (pid, epoch) = side.topic("tx"), producer
    add(side, tid, producer, "unknown partition", 0, 7)
    add(side, tid, producer, "unknown topic", 0, topic=side.topic("none"))
    add(side, tid, producer, "internal topic", 0, topic="__consumer_offsets")
    add(side, tid, (pid + 5000, epoch), "another producer", 0)
    add(side, tid, (pid, epoch + 1), "a later epoch", 0)
    add(side, side.topic("ty"), producer, "another id", 0)
    add(side, "", producer, "no id", 0)
    add(side, tid, producer, "nothing")
    add(side, tid, producer, "one", 1)
    add(side, tid, producer, "both", 0, 1)
    newer = init(side, "tx", "init again", producer, version=4)
    add(side, tid, producer, "fenced", 0)
    add(side, tid, newer, "not fenced", 0)


@CASES.add(ApiKey.ADD_PARTITIONS_TO_TXN, "4-5", masks=IDS)
def brokers_verify(side: Side, version: int) -> None:
    side.create(partitions=2)
    producer = begin(side)
    tid = side.topic("tx")
    add(side, tid, producer, "one", 0, version=3)

    def transaction(name: str, offset: int, verify: bool, *partitions: int) -> Any:
        topics = [AddPartitionsToTxnTopic(name=side.topic(), partitions=list(partitions))]
        return AddPartitionsToTxnTransaction(
            transactional_id=name,
            producer_id=producer[0],
            producer_epoch=producer[1] + offset,
            verify_only=verify,
            topics=topics,
        )

    for note, asked in (
        ("verified", transaction(tid, 0, True, 0)),
        ("one of two", transaction(tid, 0, True, 0, 1)),
        ("another epoch", transaction(tid, 1, True, 0)),
        ("another id", transaction(side.topic("ty"), 0, True, 0)),
        ("unknown partition", transaction(tid, 0, True, 9)),
        ("no id", transaction("", 0, True, 0)),
        ("added", transaction(tid, 0, False, 1)),
        ("verified then", transaction(tid, 0, True, 1)),
    ):
        side.ask(AddPartitionsToTxnRequest(transactions=[asked]), note=note)
    side.ask(AddPartitionsToTxnRequest(), note="nothing", seconds=1.5)


@CASES.add(ApiKey.ADD_OFFSETS_TO_TXN, "0-4", masks=IDS)
def offsets_join(side: Side, version: int) -> None:
    producer = begin(side)
    tid = side.topic("tx")
    for note, name, offset, group in (
        ("a later epoch", tid, 1, "g"),
        ("another id", side.topic("ty"), 0, "g"),
        ("no id", "", 0, "g"),
        ("no group", tid, 0, ""),
        ("a group", tid, 0, "g"),
        ("again", tid, 0, "g"),
    ):
        request = AddOffsetsToTxnRequest(
            transactional_id=name,
            producer_id=producer[0],
            producer_epoch=producer[1] + offset,
            group_id=group,
        )
        settled(side, request, note, top)
    end(side, tid, producer, "end", commit=True, version=3)


@CASES.add(ApiKey.END_TXN, "0-4", masks=IDS)
def ends(side: Side, version: int) -> None:
    side.create(partitions=2)
    producer = begin(side)
    tid, (pid, epoch) = side.topic("tx"), producer
    end(side, tid, producer, "nothing begun", commit=True)
    end(side, side.topic("ty"), producer, "another id", commit=True)
    end(side, "", producer, "no id", commit=True)
    for commit in (True, False):
        add(side, tid, producer, f"add {commit}", 0, 1, version=3)
        end(side, tid, (pid, epoch + 1), f"a later epoch {commit}", commit=commit)
        end(side, tid, (pid + 5000, epoch), f"another producer {commit}", commit=commit)
        end(side, tid, producer, f"end {commit}", commit=commit)
        end(side, tid, producer, f"again {commit}", commit=commit)
        end(side, tid, producer, f"the other way {commit}", commit=not commit)
    add(side, tid, producer, "add", 0, version=3)
    init(side, "tx", "a rival", version=4)
    end(side, tid, producer, "fenced", commit=True)


# -- records ---------------------------------------------------------------------------------------


# Alone: Kafka verifies what waits together in one request, and answers all in the version of one.
@CASES.add(ApiKey.PRODUCE, "3-11", masks=IDS, alone=True)
def verified_writes(side: Side, version: int) -> None:
    side.create(partitions=2)
    producer = begin(side)
    tid, (pid, epoch) = side.topic("tx"), producer
    write(side, tid, producer, 0, "before it began", version=version)
    add(side, tid, producer, "add", 0, version=3)
    write(side, tid, producer, 0, "another partition", index=1, version=version)
    write(side, side.topic("ty"), producer, 0, "another id", version=version)
    write(side, None, producer, 0, "no id", version=version)
    write(side, tid, (pid, epoch + 1), 0, "a later epoch", version=version)
    write(side, tid, (pid + 5000, epoch), 0, "another producer", version=version)
    write(side, tid, producer, 0, "first", version=version)
    write(side, tid, producer, 0, "twice", version=version)
    write(side, tid, producer, 5, "a gap", version=version)
    write(side, tid, producer, 1, "second", version=version)
    end(side, tid, producer, "end", commit=True, version=3)
    described(side, tid, "CompleteCommit")
    write(side, tid, producer, 2, "after it ended", version=version)


def described(side: Side, tid: str, state: str) -> None:
    """Wait until the transaction is in that state."""
    request = DescribeTransactionsRequest(transactional_ids=[tid])
    wait_for(
        lambda: side.send(request, 0).transaction_states[0].transaction_state == state,
        what=state,
    )


def fetch(side: Side, note: str, isolation: int) -> None:
    wanted = FetchPartition(partition=0, fetch_offset=0, partition_max_bytes=1 << 20)
    topic = FetchTopic(topic=side.topic(), partitions=[wanted])
    if side.case.version >= 13:
        topic = FetchTopic(topic_id=side.id_of(), partitions=[wanted])
    request = FetchRequest(
        isolation_level=isolation, max_wait_ms=0, max_bytes=1 << 20, topics=[topic]
    )
    answer = side.send(request, side.case.version)
    data = answer.responses[0].partitions[0] if answer.responses else None
    if data is None:
        side.note(note, "nothing")
        return
    aborted = data.aborted_transactions
    side.note(
        note,
        {
            "error": data.error_code,
            "high watermark": data.high_watermark,
            "stable": data.last_stable_offset,
            "aborted": None if aborted is None else [a.first_offset for a in aborted],
            "bytes": len(bytes(data.records or b"")),
        },
    )


@CASES.add(ApiKey.FETCH, "4-17", masks=IDS)
def committed_readers(side: Side, version: int) -> None:
    side.create()
    one, two = begin(side, "one"), init(side, "two", "init two", version=4)
    for turn, (commit_one, commit_two) in enumerate(((True, False), (False, False), (True, True))):
        for name, producer in (("one", one), ("two", two)):
            add(side, side.topic(name), producer, f"add {name} {turn}", 0, version=3)
            write(side, side.topic(name), producer, turn, f"write {name} {turn}")
        fetch(side, f"both open {turn}", 1)
        end(side, side.topic("two"), two, f"end two {turn}", commit=commit_two, version=3)
        described(side, side.topic("two"), "CompleteCommit" if commit_two else "CompleteAbort")
        fetch(side, f"one open {turn}", 1)
        end(side, side.topic("one"), one, f"end one {turn}", commit=commit_one, version=3)
        described(side, side.topic("one"), "CompleteCommit" if commit_one else "CompleteAbort")
        fetch(side, f"none open {turn}", 1)
        fetch(side, f"all records {turn}", 0)


@CASES.add(ApiKey.LIST_OFFSETS, "2-9", masks=IDS)
def committed_ends(side: Side, version: int) -> None:
    side.create()
    producer = begin(side)
    tid = side.topic("tx")
    add(side, tid, producer, "add", 0, version=3)
    write(side, tid, producer, 0, "write")

    def look(note: str) -> None:
        for isolation in (0, 1):
            for timestamp in (-1, TIME):
                wanted = [ListOffsetsPartition(partition_index=0, timestamp=timestamp)]
                topics = [ListOffsetsTopic(name=side.topic(), partitions=wanted)]
                request = ListOffsetsRequest(
                    replica_id=-1, isolation_level=isolation, topics=topics
                )
                side.ask(request, note=f"{note} {isolation} {timestamp}")

    look("open")
    end(side, tid, producer, "end", commit=True, version=3)
    described(side, tid, "CompleteCommit")
    look("committed")
