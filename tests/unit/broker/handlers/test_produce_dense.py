"""Batches whose checks take long: others are served meanwhile, all else is as with any batch."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import cache
from typing import Any

from pykafka_ops.broker.hot.quick import QUICK_RECORDS
from pykafka_ops.broker.runtime.sockets.connection import Connection
from pykafka_ops.broker.runtime.sockets.server import Server
from pykafka_ops.broker.state.image import PartitionImage
from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.compression import Codec
from pykafka_ops.disk.record import Record
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.frame import decode_response, encode_request
from pykafka_ops.wire.messages.add_partitions_to_txn import (
    AddPartitionsToTxnPartitionResult,
    AddPartitionsToTxnResponse,
    AddPartitionsToTxnResult,
    AddPartitionsToTxnTopicResult,
)
from pykafka_ops.wire.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from tests.support.memory.handler_site import ME, OTHER, Site, batch
from tests.support.memory.replication import lead
from tests.support.wire.server import FakeTransport, run, until

VERSION = 9
MANY = QUICK_RECORDS + 1


@cache
def dense(**producer: Any) -> bytes:
    records = [Record(n, 1_000_000, None, b"") for n in range(MANY)]
    return bytes(build_batch(records, codec=Codec.LZ4, **producer))


def request(*records: bytes, correlation_id: int = 1, acks: int = 1, topic: str = "t") -> bytes:
    """For the first partitions of a topic."""
    data = [PartitionProduceData(index=n, records=each) for n, each in enumerate(records)]
    message = ProduceRequest(
        acks=acks,
        timeout_ms=500,
        topic_data=[TopicProduceData(name=topic, partition_data=data)],
    )
    return encode_request(message, VERSION, correlation_id, "client")


class Desk:
    """Handlers over logs in memory, behind connections."""

    def __init__(self) -> None:
        self.site = Site()
        self.partitions = self.site.topic("t", 3)
        self.server = Server(self.site.services, asyncio.get_running_loop())

    def client(self) -> FakeTransport:
        return FakeTransport(Connection(self.server, "PLAINTEXT"))

    def held(self) -> int:
        return self.site.memory.copies.held


def on_desk(test: Callable[[Desk], Coroutine[Any, Any, None]]) -> Callable[[], None]:
    async def body() -> None:
        await test(Desk())

    def runs() -> None:
        run(body())

    runs.__name__ = test.__name__  # type: ignore[attr-defined]
    return runs


def said(client: FakeTransport) -> list[tuple[int, list[tuple[int, int]]]]:
    """Of every answer its correlation id, and error and offset of its partitions."""
    found = []
    for frame in client.frames():
        number, answer = decode_response(ProduceResponse, VERSION, frame)
        parts = answer.responses[0].partition_responses
        found.append((number, [(part.error_code, part.base_offset) for part in parts]))
    return found


@on_desk
async def test_others_are_served_meanwhile_and_requests_behind_it_afterwards(desk: Desk) -> None:
    client, other = desk.client(), desk.client()
    client.feed(request(dense()) + request(batch(b"behind"), correlation_id=2))
    other.feed(request(batch(b"other"), correlation_id=3))
    assert (said(client), said(other)) == ([], [(3, [(0, 0)])])
    assert desk.held() == len(dense())
    await until(lambda: len(client.frames()) == 2)
    assert said(client) == [(1, [(0, 1)]), (2, [(0, 1 + MANY)])]
    assert desk.held() == 0


@on_desk
async def test_it_is_served_so_by_its_shape_too(desk: Desk) -> None:
    client = desk.client()
    client.feed(request(batch(b"first"), correlation_id=0))
    for number in (1, 2):
        client.feed(request(dense(), correlation_id=number))
        assert len(client.frames()) == number
        await until(lambda number=number: len(client.frames()) == number + 1)
    client.feed(request(batch(b"last"), correlation_id=3))
    offsets = [0, 1, 1 + MANY, 1 + 2 * MANY]
    assert said(client) == [(n, [(0, offset)]) for n, offset in enumerate(offsets)]


@on_desk
async def test_each_partition_of_a_request_has_its_own_answer(desk: Desk) -> None:
    client = desk.client()
    damaged = bytearray(dense())
    damaged[-1] ^= 1
    client.feed(request(batch(b"a"), dense(), bytes(damaged)))
    await until(client.frames)
    assert said(client) == [(1, [(0, 0), (0, 0), (ErrorCode.CORRUPT_MESSAGE, -1)])]


@on_desk
async def test_the_request_may_be_overwritten_by_others_meanwhile(desk: Desk) -> None:
    client, other = desk.client(), desk.client()
    client.feed(request(dense()))
    other.feed(request(batch(b"x" * 100_000), topic="unknown"))
    await until(client.frames)
    assert said(client) == [(1, [(0, 0)])]
    (part,) = desk.partitions[0].log.read(0, 1 << 20, up_to=MANY).parts
    assert bytes(part)[61:] == dense()[61:]


@on_desk
async def test_acknowledgement_by_all_waits_for_the_other_replica(desk: Desk) -> None:
    (partition,) = desk.site.topic("two", isr=(ME, OTHER), replicas=(ME, OTHER))
    client = desk.client()
    client.feed(request(dense(), acks=-1, topic="two"))
    await until(lambda: desk.site.replicas.produces.next_deadline is not None)
    assert (client.frames(), partition.log.log_end_offset) == ([], MANY)
    partition.fetched_by(OTHER, MANY, 0)
    partition.fetched_by(OTHER, MANY, 0)
    desk.site.replicas.wake(partition.key)
    await until(client.frames)
    assert said(client) == [(1, [(0, 0)])]


@on_desk
async def test_without_acknowledgement_it_is_appended_though_the_client_has_gone(
    desk: Desk,
) -> None:
    client = desk.client()
    client.feed(request(dense(), acks=0))
    client.lose()
    await until(lambda: desk.partitions[0].log.log_end_offset == MANY)
    await until(lambda: not desk.held())


@on_desk
async def test_a_partition_that_is_led_elsewhere_by_then_refuses_it(desk: Desk) -> None:
    client = desk.client()
    client.feed(request(dense()))
    lead(desk.partitions[0], (OTHER,), (ME, OTHER), leader=OTHER, epoch=4)
    await until(client.frames)
    assert said(client) == [(1, [(ErrorCode.NOT_LEADER_OR_FOLLOWER, -1)])]
    assert desk.partitions[0].log.log_end_offset == 0


@on_desk
async def test_a_producers_sequence_is_judged_when_it_is_appended(desk: Desk) -> None:
    ids = {"producer_id": 5, "producer_epoch": 0}
    client, other = desk.client(), desk.client()
    other.feed(request(batch(b"first", **ids, base_sequence=0)))
    client.feed(request(dense(**ids, base_sequence=1), correlation_id=2))
    other.feed(request(batch(b"next", **ids, base_sequence=1 + MANY), correlation_id=3))
    await until(client.frames)
    other.feed(request(batch(b"next", **ids, base_sequence=1 + MANY), correlation_id=4))
    client.feed(request(dense(**ids, base_sequence=1), correlation_id=5))
    await until(lambda: len(client.frames()) == 2)
    early = (ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, -1)
    assert said(other) == [(1, [(0, 0)]), (3, [early]), (4, [(0, 1 + MANY)])]
    assert said(client) == [(2, [(0, 1)]), (5, [(0, 1)])], "it was there before"
    assert desk.partitions[0].log.log_end_offset == MANY + 2


async def confirms(broker: int, asked: Any, version: int, answer: type[Any]) -> Any:
    """The coordinator of all transactions."""
    topics = [
        AddPartitionsToTxnTopicResult(
            name=topic.name,
            results_by_partition=[
                AddPartitionsToTxnPartitionResult(partition_index=index)
                for index in topic.partitions
            ],
        )
        for topic in asked.transactions[0].topics
    ]
    result = AddPartitionsToTxnResult(transactional_id="tx", topic_results=topics)
    return AddPartitionsToTxnResponse(results_by_transaction=[result])


def test_in_a_transaction_the_coordinator_is_asked_first() -> None:
    async def body() -> None:
        desk = Desk()
        desk.site = site = Site(ask=confirms)
        site.logs.home.settings.verify_transactions = True
        desk.partitions = site.topic("t")
        state = dict.fromkeys(range(50), PartitionImage(OTHER, 0, (OTHER,), (OTHER,)))
        site.update({"__transaction_state": state})
        desk.server = Server(site.services, asyncio.get_running_loop())
        client = desk.client()
        records = dense(producer_id=5, producer_epoch=0, base_sequence=0, transactional=True)
        data = [PartitionProduceData(index=0, records=records)]
        message = ProduceRequest(
            transactional_id="tx",
            acks=-1,
            timeout_ms=500,
            topic_data=[TopicProduceData(name="t", partition_data=data)],
        )
        client.feed(encode_request(message, VERSION, 1, "client"))
        await asyncio.to_thread(site.coordinators.load)
        await until(client.frames)
        assert said(client) == [(1, [(0, 0)])]
        assert desk.held() == 0

    run(body())


@on_desk
async def test_a_request_of_many_megabytes_lets_others_go_between_its_batches(desk: Desk) -> None:
    wide = desk.site.topic("wide", 12)
    client, other = desk.client(), desk.client()
    megabyte = batch(bytes(1_000_000))
    for n in range(3):  # read in full, then known by its bytes
        client.feed(request(*[megabyte] * len(wide), topic="wide", correlation_id=n))
        appended = sum(partition.log.log_end_offset == n + 1 for partition in wide)
        assert 0 < appended < 7
        other.feed(request(batch(b"other"), correlation_id=n))
        assert (len(said(client)), len(said(other))) == (n, n + 1)
        await until(lambda n=n: len(client.frames()) == n + 1)
    assert said(client) == [(n, [(0, n)] * len(wide)) for n in range(3)]
    assert desk.held() == 0
