"""Clients over a quota are answered at once, told to wait, and not read meanwhile (KIP-219)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from pykafka_ops.broker.state.quotas.entities import DEFAULT
from pykafka_ops.wire.apis import APIS
from pykafka_ops.wire.codec import decode, encode
from pykafka_ops.wire.message import table_of
from pykafka_ops.wire.messages.api_versions import ApiVersionsRequest
from pykafka_ops.wire.messages.heartbeat import HeartbeatRequest
from pykafka_ops.wire.messages.list_offsets import ListOffsetsRequest
from pykafka_ops.wire.messages.update_metadata import UpdateMetadataRequest
from tests.support.each import each
from tests.support.memory.handler_site import ME, OTHER
from tests.support.wire.clocked import RECORDS, Desk, fetch, got, produce

MOST = 10 * 1000 - 1000
"""Bytes of records in one answer for a quota of 1,000 per second."""


@pytest.fixture
def desk(loop: asyncio.AbstractEventLoop) -> Desk:
    return Desk(loop)


# -- produce -----------------------------------------------------------------------------------


def test_a_producer_over_its_rate_is_answered_and_then_left_alone(desk: Desk) -> None:
    client, other = desk.client(), desk.client("other")
    size = client.send(produce())
    client.answers()
    desk.limit(client_id="c", producer_byte_rate=size)  # ten of these at once are free
    for _ in range(10):
        assert client.ask(produce()).throttle_time_ms == 0
    # Eleven in ten seconds: 10 % too much, so 10 % of ten seconds.
    assert client.ask(produce()).throttle_time_ms == 1000
    client.send(produce())
    assert (client.answers(), client.transport.reading) == ([], False)
    for _ in range(20):
        assert other.ask(produce()).throttle_time_ms == 0
    desk.pass_time(999)
    assert client.answers() == []
    desk.pass_time(1)
    (answer,) = client.answers()
    assert answer.throttle_time_ms == 2000  # twelve in ten seconds: all but one window count whole
    assert answer.responses[0].partition_responses[0].base_offset == 12 + 20


def test_a_producer_without_answers_is_left_alone_too(desk: Desk) -> None:
    desk.limit(user=DEFAULT, producer_byte_rate=100, request_percentage=0.000001)
    client = desk.client()
    client.send(produce(acks=0))
    size = client.send(produce(acks=0))
    assert client.muted
    assert desk.site.replicas.find("t", 0).log.log_end_offset == 1  # type: ignore[union-attr]
    (due, _), *more = desk.timers
    assert more == []
    assert due == pytest.approx((size / 10 - 100) / 100 * 10_000, abs=1)


def test_what_waits_for_replicas_counts_when_it_is_answered(desk: Desk) -> None:
    desk.site.topic("w", isr=(ME, OTHER), replicas=(ME, OTHER))
    desk.limit(client_id=DEFAULT, producer_byte_rate=1)
    client, request = desk.client(), produce(acks=-1)
    request.topic_data[0].name = "w"
    client.send(request)
    assert (client.answers(), client.muted) == ([], False)
    desk.pass_time(1000)
    (answer,) = client.answers()
    assert answer.throttle_time_ms > 0
    assert client.muted


def test_a_client_that_goes_while_it_is_left_alone_is_forgotten(desk: Desk) -> None:
    desk.limit(client_id=DEFAULT, producer_byte_rate=1)
    client = desk.client()
    assert client.ask(produce()).throttle_time_ms > 0
    client.transport.lose()
    assert len(desk.server._connections) == 0
    desk.pass_time(1e9)


# -- fetch -------------------------------------------------------------------------------------


def test_a_consumer_gets_at_once_no_more_than_its_rate_allows_in_ten_seconds(desk: Desk) -> None:
    desk.site.append("t", 0, *[RECORDS] * 400)
    desk.limit(client_id="c", consumer_byte_rate=1000)
    client = desk.client()
    first = client.ask(fetch())
    assert (first.throttle_time_ms, got(first)) == (0, MOST)
    held = client.ask(fetch(offset=8))
    assert held.responses == []
    assert held.throttle_time_ms == pytest.approx(8100, rel=0.01)
    assert client.muted
    assert got(desk.client("other").ask(fetch())) == 400 * len(RECORDS)


@pytest.mark.parametrize(("max_bytes", "least"), [(2200, 0.9), (1 << 20, 0.5)])
def test_a_consumer_gets_its_rate_in_the_long_run(desk: Desk, max_bytes: int, least: float) -> None:
    """By Kafka's rule that is ten seconds' worth in eleven for who takes it at once, and less for
    answers as large as that, which have to wait until all before is forgotten."""
    desk.site.append("t", 0, *[RECORDS] * 800)
    desk.limit(client_id="c", consumer_byte_rate=10_000)
    client, offset, sent = desk.client(), 0, 0
    while desk.site.time < 60_000:
        answer = client.ask(fetch(offset=offset, max_bytes=max_bytes))
        sent += got(answer)
        offset += got(answer) // len(RECORDS)
        desk.pass_time(answer.throttle_time_ms or 1)
    allowed = 10 * (desk.site.time + 10_000)  # the first ten seconds' worth is free
    assert least * allowed < sent < allowed + 2200


def test_an_answer_that_was_held_back_is_as_if_never_asked_for(desk: Desk) -> None:
    desk.site.append("t", 0, *[RECORDS] * 20)
    desk.limit(client_id="c", consumer_byte_rate=1000)
    client = desk.client()
    first = client.ask(fetch(session=(0, 0)))
    session = first.session_id
    assert session
    held = client.ask(fetch(offset=8, session=(session, 1)))
    assert (held.session_id, held.responses) == (session, [])
    desk.pass_time(60_000)
    again = client.ask(fetch(offset=-1, session=(session, 2)))
    assert got(again) == MOST
    assert again.responses[0].partitions[0].high_watermark == 20
    # A session that would begin with an answer held back does not begin.
    held = client.ask(fetch(session=(session, 0)))
    assert (held.session_id, held.throttle_time_ms > 0) == (0, True)
    assert len(desk.site.services.fetches.sessions) == 0


def test_followers_have_no_quota(desk: Desk) -> None:
    desk.site.append("t", 0, *[RECORDS] * 20)
    desk.limit(user=DEFAULT, consumer_byte_rate=1, request_percentage=0.0001)
    client = desk.client("broker-1-fetcher-0")
    for _ in range(3):
        answer = client.ask(fetch(replica_id=OTHER))
        assert (answer.throttle_time_ms, got(answer)) == (0, 20 * len(RECORDS))
    assert not client.muted


# -- time of the thread ------------------------------------------------------------------------


def test_requests_that_take_more_time_than_allowed_earn_a_break_of_a_second(desk: Desk) -> None:
    desk.limit(client_id="c", request_percentage=1)
    handler = desk.server.dispatch.apis[2]
    desk.server.dispatch.preload(2)
    fast = handler.handle
    assert fast is not None

    def slow(context: Any, request: Any) -> Any:
        desk.site.time += 110  # 1.1 % of ten seconds
        return fast(context, request)

    handler.handle = slow
    client = desk.client()
    assert client.ask(ListOffsetsRequest()).throttle_time_ms == 1000
    assert desk.client("other").ask(ListOffsetsRequest()).throttle_time_ms == 0
    desk.pass_time(1000)
    assert client.ask(ApiVersionsRequest(), 0).error_code == 0  # told by no field, left alone
    assert client.muted


def test_waiting_is_not_work(desk: Desk) -> None:
    desk.limit(client_id="c", request_percentage=1)
    client = desk.client()
    client.send(fetch(max_wait_ms=60_000))
    desk.pass_time(60_000)
    (answer,) = client.answers()
    assert answer.throttle_time_ms == 0


def test_a_failed_request_counts_and_what_brokers_say_does_not(desk: Desk) -> None:
    desk.limit(user="ANONYMOUS", request_percentage=0)
    desk.server.dispatch.timer = desk.site.services.timer = iter(range(10**6)).__next__
    assert desk.client().ask(HeartbeatRequest(group_id="", member_id="m")).throttle_time_ms > 0
    broker = desk.client("broker")
    desk.server.dispatch.apis[6].handle = lambda context, request: APIS[6].response()
    desk.server.dispatch.apis[6].request_class = APIS[6].request
    broker.ask(UpdateMetadataRequest())
    assert not broker.muted


@each("key", sorted(APIS))
def test_every_answer_has_room_for_the_break_or_leaves_it_out(key: int) -> None:
    response: Any = APIS[key].response()
    if hasattr(response, "throttle_time_ms"):
        response.throttle_time_ms = 7
        first, last = table_of(APIS[key].request).versions
        for version in range(first, last + 1):
            answer = decode(type(response), version, encode(response, version))
            assert answer.throttle_time_ms in (0, 7)
