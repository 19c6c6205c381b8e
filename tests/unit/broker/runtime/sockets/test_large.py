"""A request of many items: answered as if it were short, and others are served meanwhile."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from pykafka_ops.broker.hot.deferred import Deferred
from pykafka_ops.broker.runtime.sockets.buffers import BufferPool
from pykafka_ops.broker.runtime.sockets.connection import Connection
from pykafka_ops.broker.runtime.sockets.large import MOST, MOST_WHOLE
from pykafka_ops.broker.runtime.sockets.long_work import FEW
from pykafka_ops.broker.runtime.sockets.memory import DecodedMemory
from pykafka_ops.broker.runtime.sockets.server import Server
from pykafka_ops.broker.state.memory import Memory
from pykafka_ops.broker.state.steps import begun
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.apis import APIS, ApiKey
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.frame import decode_response, encode_request
from pykafka_ops.wire.messages.api_versions import ApiVersionsRequest
from pykafka_ops.wire.messages.describe_groups import (
    DescribedGroup,
    DescribeGroupsRequest,
    DescribeGroupsResponse,
)
from pykafka_ops.wire.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from pykafka_ops.wire.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsPartitionResponse,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopic,
    ListOffsetsTopicResponse,
)
from pykafka_ops.wire.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    TopicProduceData,
)
from tests.support.wire.server import FakeTransport, Served, make_server, run, until

MANY = 20 * FEW


class Desk:
    """A server whose handlers note what they get; the test decides how they answer."""

    def __init__(self) -> None:
        self.parts: list[Any] = []
        self.answer: Callable[[Any], Any] = described
        served = {
            key: Served(self._handle)
            for key in (
                ApiKey.DESCRIBE_GROUPS, ApiKey.LIST_OFFSETS, ApiKey.JOIN_GROUP, ApiKey.PRODUCE
            )
        }  # fmt: skip
        self.server: Server = make_server(asyncio.get_running_loop(), served)

    def _handle(self, context: Any, request: Any) -> Any:
        self.parts.append(request)
        return self.answer(request)

    def client(self) -> FakeTransport:
        return FakeTransport(Connection(self.server, "PLAINTEXT"))

    async def ask(self, request: Any, version: int) -> Any:
        client = self.client()
        client.feed(encode_request(request, version, 3, "c"))
        await until(client.frames)
        (frame,) = client.frames()
        found, answer = decode_response(response_of(request), version, frame)
        assert found == 3
        return answer


def response_of(request: Any) -> Any:
    return APIS[request.__wire__.api].response


def described(request: DescribeGroupsRequest) -> DescribeGroupsResponse:
    return DescribeGroupsResponse(groups=[DescribedGroup(group_id=name) for name in request.groups])


def found(request: ListOffsetsRequest) -> ListOffsetsResponse:
    return ListOffsetsResponse(
        topics=[
            ListOffsetsTopicResponse(
                name=topic.name,
                partitions=[
                    ListOffsetsPartitionResponse(partition_index=p.partition_index)
                    for p in topic.partitions
                ],
            )
            for topic in request.topics
        ]
    )


def groups(count: int = MANY) -> DescribeGroupsRequest:
    return DescribeGroupsRequest(groups=[f"g{n}" for n in range(count)])


def offsets(*indexes: int) -> ListOffsetsRequest:
    partitions = [ListOffsetsPartition(partition_index=i) for i in indexes]
    return ListOffsetsRequest(topics=[ListOffsetsTopic(name="t", partitions=partitions)])


def on_desk(test: Callable[[Desk], Coroutine[Any, Any, None]]) -> Callable[[], None]:
    async def body() -> None:
        await test(Desk())

    def runs() -> None:
        run(body())

    runs.__name__ = test.__name__  # type: ignore[attr-defined]
    return runs


@on_desk
async def test_few_items_are_served_at_once(desk: Desk) -> None:
    client = desk.client()
    client.feed(encode_request(groups(FEW), 5, 1, "c"))
    assert client.correlation_ids() == [1]
    assert len(desk.parts) == 1


@on_desk
async def test_many_items_are_served_in_parts_and_answered_as_one(desk: Desk) -> None:
    answer = await desk.ask(groups(), 5)
    assert [group.group_id for group in answer.groups] == groups().groups
    assert max(len(part.groups) for part in desk.parts) < MANY / 2


@on_desk
async def test_the_partitions_of_one_topic_are_divided_and_answered_as_one(desk: Desk) -> None:
    desk.answer = found
    answer = await desk.ask(offsets(*range(MANY)), 9)
    (topic,) = answer.topics
    assert [p.partition_index for p in topic.partitions] == list(range(MANY))
    assert len(desk.parts) > 2


@on_desk
async def test_others_are_answered_meanwhile_and_requests_behind_it_afterwards(desk: Desk) -> None:
    client, other = desk.client(), desk.client()
    behind = encode_request(ApiVersionsRequest(), 0, 2, "c")
    client.feed(encode_request(groups(), 5, 1, "c") + behind)
    other.feed(encode_request(ApiVersionsRequest(), 0, 7, "c"))
    assert other.correlation_ids() == [7]
    assert client.frames() == []
    await until(lambda: len(client.frames()) == 2)
    assert client.correlation_ids() == [1, 2]


@on_desk
async def test_a_client_that_goes_ends_the_work_on_its_request(desk: Desk) -> None:
    client = desk.client()
    client.feed(encode_request(groups(), 5, 1, "c"))
    await until(lambda: desk.parts)
    client.lose()
    await until(lambda: not desk.server._tasks)
    assert sum(len(part.groups) for part in desk.parts) < MANY
    assert desk.server.pool.held == 0


@on_desk
async def test_a_promise_that_nobody_waits_for_any_more_is_dropped(desk: Desk) -> None:
    promise = Deferred()
    desk.answer = lambda request: promise
    client = desk.client()
    client.feed(encode_request(groups(), 5, 1, "c"))
    await until(lambda: desk.parts)
    client.lose()
    await until(lambda: not desk.server._tasks)
    assert promise.done


@on_desk
async def test_promises_and_coroutines_are_waited_for_in_turn(desk: Desk) -> None:
    async def later(request: Any) -> Any:
        await asyncio.sleep(0)
        return described(request)

    def promised(request: Any) -> Any:
        promise = Deferred()
        asyncio.get_running_loop().call_soon(promise.resolve, described(request))
        return promise

    for desk.answer in (later, promised):
        answer = await desk.ask(groups(), 5)
        assert [group.group_id for group in answer.groups] == groups().groups


@on_desk
async def test_what_fails_as_a_whole_is_tried_once_and_told_of_every_item(desk: Desk) -> None:
    def refuse(request: Any) -> Any:
        raise KafkaError(ErrorCode.NOT_COORDINATOR)

    desk.answer = refuse
    answer = await desk.ask(groups(), 5)
    assert {group.error_code for group in answer.groups} == {ErrorCode.NOT_COORDINATOR}
    assert len(answer.groups) == MANY
    assert len(desk.parts) == 1


@on_desk
async def test_a_thing_that_is_named_twice_among_many_refuses_them_all(desk: Desk) -> None:
    desk.answer = found
    answer = await desk.ask(offsets(*range(MANY), 5), 1)
    codes = {p.error_code for topic in answer.topics for p in topic.partitions}
    assert (codes, desk.parts) == ({ErrorCode.INVALID_REQUEST}, [])


@on_desk
async def test_appends_without_an_answer_have_none(desk: Desk) -> None:
    desk.answer = lambda request: None
    data = [PartitionProduceData(index=n, records=b"r") for n in range(MANY)]
    request = ProduceRequest(acks=0, topic_data=[TopicProduceData(name="t", partition_data=data)])
    client = desk.client()
    behind = encode_request(ApiVersionsRequest(), 0, 2, "c")
    client.feed(encode_request(request, 7, 1, "c") + behind)
    await until(client.frames)
    assert client.correlation_ids() == [2]
    records = [bytes(d.records) for r in desk.parts for t in r.topic_data for d in t.partition_data]
    assert records == [b"r"] * MANY


# -- few items that take long ------------------------------------------------------------------


def working(seen: list[str]) -> Callable[[Any], Any]:
    """A handler whose work takes long, and has a part for a thread."""

    def steps(request: Any) -> Any:
        try:
            yield None
            assert threading.current_thread() is threading.main_thread()
            assert (yield threading.current_thread) is not threading.main_thread()
            seen.append("thread")
            for _ in range(50):
                yield None
            return described(request)
        finally:
            seen.append("over")

    return lambda request: begun(steps(request))


@on_desk
async def test_long_work_is_answered_when_it_is_done(desk: Desk) -> None:
    seen: list[str] = []
    desk.answer = working(seen)
    answer = await desk.ask(groups(1), 5)
    assert [group.group_id for group in answer.groups] == ["g0"]
    assert seen == ["thread", "over"]
    assert desk.server.pool.held == 0


@on_desk
async def test_long_work_among_many_items_is_done_in_its_turn(desk: Desk) -> None:
    desk.answer = working([])
    answer = await desk.ask(groups(), 5)
    assert [group.group_id for group in answer.groups] == groups().groups


@on_desk
async def test_long_work_ends_when_its_client_goes(desk: Desk) -> None:
    seen: list[str] = []
    desk.answer = working(seen)
    client = desk.client()
    client.feed(encode_request(groups(1), 5, 1, "c"))
    assert seen == []
    client.lose()
    assert seen == ["over"]
    await until(lambda: not desk.server._tasks)
    assert (client.frames(), desk.server.pool.held) == ([], 0)


@on_desk
async def test_a_long_answer_to_a_short_request_is_sent_in_its_turn(desk: Desk) -> None:
    def many(request: Any) -> DescribeGroupsResponse:
        return described(groups())

    async def later(request: Any) -> DescribeGroupsResponse:
        return many(request)

    def steps(request: Any) -> Any:
        yield None
        return many(request)

    for make in (later, lambda request: begun(steps(request))):
        desk.answer = make
        answer = await desk.ask(groups(1), 5)
        assert [group.group_id for group in answer.groups] == groups().groups


@on_desk
async def test_what_a_thread_raises_is_raised_in_the_work(desk: Desk) -> None:
    def steps(request: Any) -> Any:
        yield None
        yield lambda: 1 // 0

    desk.answer = steps
    answer = await desk.ask(groups(1), 5)
    assert [group.error_code for group in answer.groups] == [ErrorCode.UNKNOWN_SERVER_ERROR]


@pytest.mark.parametrize(
    ("request_", "version"),
    [
        pytest.param(groups(MOST + 1), 5, id="of many requests in one"),
        pytest.param(
            JoinGroupRequest(protocols=[JoinGroupRequestProtocol()] * (MOST_WHOLE + 1)),
            5,
            id="of one that cannot be divided",
        ),
    ],
)
def test_more_items_than_any_client_sends_close_the_connection(request_: Any, version: int) -> None:
    async def body() -> None:
        desk = Desk()
        client = desk.client()
        client.feed(encode_request(request_, version, 1, "c"))
        await until(client.is_closing)
        assert (desk.parts, client.frames(), desk.server.pool.held) == ([], [], 0)

    run(body())


def test_memory_is_given_in_turn_and_one_has_it_in_any_case() -> None:
    async def body() -> None:
        pool = BufferPool(Memory(limit=100))
        memory = DecodedMemory(pool)
        await memory.take(500)
        taken: list[int] = []

        async def take(size: int) -> None:
            await memory.take(size)
            taken.append(size)

        tasks = [asyncio.ensure_future(take(size)) for size in (60, 30, 20)]
        await asyncio.sleep(0)
        tasks[1].cancel()
        assert (taken, pool.held) == ([], 500)
        memory.give_back(500)
        await until(lambda: len(taken) == 2)
        assert (taken, pool.held) == ([60, 20], 80)

    run(body())
