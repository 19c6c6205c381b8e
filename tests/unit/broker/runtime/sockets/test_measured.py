"""Every request is counted once, however it ends; slow ones are timed, of many fast ones some."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from pykafka_ops.broker.runtime.sockets.exchange import Exchange
from pykafka_ops.broker.runtime.sockets.measured import MeasuredExchange
from pykafka_ops.broker.runtime.sockets.tally import ApiTimes, RequestTally, error_name
from pykafka_ops.wire.apis import APIS, ApiKey
from pykafka_ops.wire.frame import EncodedAnswer
from pykafka_ops.wire.messages.fetch import ReplicaState
from pykafka_ops.wire.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from tests.support.memory.handler_site import ME, OTHER
from tests.support.wire.clocked import RECORDS, Desk, fetch, produce


@pytest.fixture
def desk(loop: asyncio.AbstractEventLoop) -> Desk:
    made = Desk(loop)
    made.server.measure()
    return made


def tally(desk: Desk) -> RequestTally:
    assert desk.server.tally is not None
    return desk.server.tally


def counts(desk: Desk) -> dict[tuple[str, int], int]:
    every = tally(desk)
    return {(each.times.name, each.version): each.requests for each in every if each.requests}


def errors(desk: Desk) -> dict[tuple[str, str], int]:
    found: dict[tuple[str, str], int] = {}
    for each in tally(desk):
        codes = {error_name(code): number for code, number in each.codes.items()}
        codes["NONE"] = codes.get("NONE", 0) + each.sure
        for code, number in codes.items():
            name = APIS[each.key].name, code
            if number:
                found[name] = found.get(name, 0) + number
    return found


def times(desk: Desk, name: str) -> ApiTimes:
    (found,) = [each for each in tally(desk).times if each.name == name]
    return found


def test_nobody_measures_unless_asked(loop: asyncio.AbstractEventLoop) -> None:
    client = Desk(loop).client()
    assert type(client.transport.connection.exchange) is Exchange


def test_requests_are_counted_by_version_known_by_their_bytes_or_not(desk: Desk) -> None:
    client = desk.client()
    assert type(client.transport.connection.exchange) is MeasuredExchange
    for _ in range(5):
        client.ask(produce(), 8)
    for _ in range(3):
        client.ask(produce(), 7)
    client.ask(produce(index=9), 7)
    assert counts(desk) == {("Produce", 8): 5, ("Produce", 7): 4}
    assert errors(desk) == {
        ("Produce", "NONE"): 8,
        ("Produce", "UNKNOWN_TOPIC_OR_PARTITION"): 1,
    }


def test_answers_in_bytes_are_counted_with_their_code(desk: Desk) -> None:
    exchange = desk.client().transport.connection.exchange
    assert isinstance(exchange, MeasuredExchange)
    exchange._api = desk.server.dispatch.apis[ApiKey.HEARTBEAT]
    for code in (0, 27, 27):
        exchange.finish(EncodedAnswer(code.to_bytes(2, "big"), code))
    assert errors(desk) == {
        ("Heartbeat", "NONE"): 1,
        ("Heartbeat", "REBALANCE_IN_PROGRESS"): 2,
    }


def test_what_has_no_answer_has_no_error(desk: Desk) -> None:
    client = desk.client()
    for _ in range(3):
        client.send(produce(acks=0))
    assert counts(desk) == {("Produce", 9): 3}
    assert errors(desk) == {}


@pytest.mark.parametrize("version", [11, 14, 15])
def test_fetches_of_followers_are_told_apart(desk: Desk, version: int) -> None:
    request = fetch()
    if version >= 15:
        request.replica_state = ReplicaState(replica_id=OTHER, replica_epoch=-1)
    else:
        request.replica_id = OTHER
    if version >= 13:
        request.topics = []
    desk.client().ask(request, version)
    desk.client().ask(fetch(), 12)
    assert counts(desk) == {("FetchFollower", version): 1, ("FetchConsumer", 12): 1}


def test_a_request_whose_client_has_gone_is_counted_once_and_without_an_error(desk: Desk) -> None:
    client = desk.client()
    client.send(fetch(max_wait_ms=1000))
    assert counts(desk) == {}
    client.transport.connection.connection_lost(None)
    desk.pass_time(1000)
    assert counts(desk) == {("FetchConsumer", 12): 1}
    assert errors(desk) == {}


def test_garbage_is_no_request(desk: Desk) -> None:
    client = desk.client()
    client.transport.feed(b"\0\0\0\x0a" + b"\xff" * 10)
    assert client.transport.closed
    assert counts(desk) == {}


def test_a_request_of_very_many_items_counts_all_their_errors(
    desk: Desk, loop: asyncio.AbstractEventLoop
) -> None:
    wanted = [ListOffsetsPartition(partition_index=n, timestamp=-1) for n in range(1200)]
    client = desk.client()
    client.send(ListOffsetsRequest(topics=[ListOffsetsTopic(name="t", partitions=wanted)]), 9)

    async def answered() -> None:
        while not client.answers():
            await asyncio.sleep(0)

    loop.run_until_complete(asyncio.wait_for(answered(), 60))
    assert counts(desk) == {("ListOffsets", 9): 1}
    assert errors(desk) == {
        ("ListOffsets", "NONE"): 2,
        ("ListOffsets", "UNKNOWN_TOPIC_OR_PARTITION"): 1198,
    }


def test_a_wait_is_remote_time(desk: Desk) -> None:
    client = desk.client()
    client.send(fetch(max_wait_ms=300))
    desk.pass_time(300)
    client.answers()
    found = times(desk, "FetchConsumer")
    assert (found.timed, found.remote.total, found.local.total) == (1, 300, 0)
    assert found.total.total == 300


def test_of_many_requests_one_is_timed_and_stands_for_those_before(desk: Desk) -> None:
    client = desk.client()
    for _ in range(10):
        client.ask(produce())
    found = times(desk, "Produce")
    assert (found.timed, found.total.number, found.number) == (1, 1, 10)
    desk.pass_time(5)
    while found.timed < 2:
        client.ask(produce())
    assert found.total.number == found.number


def test_with_few_requests_each_is_timed(desk: Desk) -> None:
    client = desk.client()
    for _ in range(10):
        client.ask(produce())
        desk.pass_time(5)
    found = times(desk, "Produce")
    assert (found.timed, found.total.number) == (10, 10)


def test_what_waits_for_long_is_timed_always_and_stands_for_itself(desk: Desk) -> None:
    client = desk.client()
    desk.site.append("t", 0, RECORDS)
    for _ in range(20):
        client.ask(fetch())
    other = desk.client()
    for waited in (400, 500):
        tally(desk).due[1] = 0
        other.send(fetch(offset=1, max_wait_ms=waited))
        desk.pass_time(waited)
        other.answers()
    found = times(desk, "FetchConsumer")
    assert found.remote.total == 900
    assert found.timed == 3
    assert found.total.number == 3


def test_known_requests_that_wait_for_replicas_are_timed(desk: Desk) -> None:
    desk.site.topic("w", isr=(ME, OTHER), replicas=(ME, OTHER))
    client, waiting = desk.client(), produce(acks=-1)
    waiting.topic_data[0].name = "w"
    for _ in range(3):
        client.send(waiting)
        desk.pass_time(1000)
        client.answers()
    found = times(desk, "Produce")
    assert found.remote.total == 3000
    assert counts(desk) == {("Produce", 9): 3}
    assert errors(desk) == {("Produce", "REQUEST_TIMED_OUT"): 3}


def test_a_throttled_client_is_timed_always(desk: Desk) -> None:
    client = desk.client()
    client.ask(produce())
    desk.limit(client_id="c", producer_byte_rate=1)
    answer: Any = client.ask(produce())
    found = times(desk, "Produce")
    assert found.throttle.total == answer.throttle_time_ms > 0
    assert found.timed == 2


def test_a_loop_that_is_late_is_time_in_the_queue(desk: Desk) -> None:
    client = desk.client()
    client.ask(produce())
    desk.pass_time(35)  # the timer was due after 5
    client.ask(produce())
    found = times(desk, "Produce")
    assert found.queue.total == 29  # timers are exact to 1 ms
    assert found.total.total == 29
    desk.pass_time(5)
    desk.pass_time(1000)
    client.ask(produce())
    assert found.queue.total == 29
