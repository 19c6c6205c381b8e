"""However a request is answered, it ends in one place: nothing is encoded twice, all is logged."""

from __future__ import annotations

import asyncio
import logging
import re
from collections import Counter
from typing import Any

import pytest

from pykafka_ops.broker.hot.deferred import Deferred
from pykafka_ops.broker.runtime.sockets.ended import Ended
from pykafka_ops.broker.runtime.sockets.request_log import NAME
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.frame import encode_request
from pykafka_ops.wire.messages.api_versions import ApiVersionsRequest
from pykafka_ops.wire.messages.fetch import FetchResponse
from pykafka_ops.wire.messages.list_offsets import ListOffsetsRequest
from tests.support.memory.handler_site import ME, OTHER
from tests.support.wire import clocked
from tests.support.wire.clocked import RECORDS, Desk, got
from tests.support.wire.peer import Peer, fetch, frame, produce, versions


@pytest.fixture
def desk(loop: asyncio.AbstractEventLoop) -> Desk:
    return Desk(loop)


# -- encodings ---------------------------------------------------------------------------------


def test_a_fetch_under_a_quota_is_encoded_once(desk: Desk, encodings: Counter[str]) -> None:
    desk.site.append("t", 0, *[RECORDS] * 4)
    desk.limit(client_id="c", consumer_byte_rate=1_000_000)
    assert got(desk.client().ask(clocked.fetch())) == 4 * len(RECORDS)
    assert encodings == {"FetchResponse": 1}


def test_a_fetch_that_waited_under_a_quota_is_encoded_once(
    desk: Desk, encodings: Counter[str]
) -> None:
    desk.limit(client_id="c", consumer_byte_rate=1_000_000)
    client = desk.client()
    client.send(clocked.fetch(max_wait_ms=1000))
    desk.site.append("t", 0, RECORDS)
    desk.site.run_soon()
    (answer,) = client.answers()
    assert got(answer) == len(RECORDS)
    assert encodings == {"FetchResponse": 1}


def test_a_fetch_that_is_held_back_is_encoded_once_and_so_is_the_empty_one(
    desk: Desk, encodings: Counter[str]
) -> None:
    desk.site.append("t", 0, *[RECORDS] * 20)
    desk.limit(client_id="c", consumer_byte_rate=1000)
    client = desk.client()
    client.ask(clocked.fetch())
    encodings.clear()
    held = client.ask(clocked.fetch(offset=8))
    assert held.throttle_time_ms > 0
    assert encodings == {"FetchResponse": 2}


@pytest.mark.parametrize("version", range(1, 12))
def test_a_produce_known_by_its_shape_is_throttled_in_its_bytes(
    desk: Desk, encodings: Counter[str], version: int
) -> None:
    client = desk.client()
    client.ask(clocked.produce(), version)
    desk.limit(client_id="c", producer_byte_rate=1)
    encodings.clear()
    answer = client.ask(clocked.produce(), version)
    assert answer.throttle_time_ms > 0
    assert answer.responses[0].partition_responses[0].base_offset == 1
    assert encodings == {}


def test_what_a_shape_refuses_or_lets_wait_is_encoded_once(
    desk: Desk, encodings: Counter[str]
) -> None:
    desk.site.topic("w", isr=(ME, OTHER), replicas=(ME, OTHER))
    desk.limit(client_id="c", producer_byte_rate=1)
    client, waiting = desk.client(), clocked.produce(acks=-1)
    waiting.topic_data[0].name = "w"
    for request, ms in ((clocked.produce(index=9), 0), (waiting, 1000)):
        for _ in range(2):  # the first is read in full, and its shape learnt
            encodings.clear()
            client.send(request)
            desk.pass_time(ms)
            (answer,) = client.answers()
            assert answer.responses[0].partition_responses[0].error_code
            assert answer.throttle_time_ms > 0
            desk.pass_time(1e9)
        assert encodings == {"ProduceResponse": 1}


def test_a_throttled_message_is_encoded_once(desk: Desk, encodings: Counter[str]) -> None:
    desk.limit(client_id="c", request_percentage=0)
    desk.server.dispatch.timer = desk.site.services.timer = iter(range(10**6)).__next__
    assert desk.client().ask(ListOffsetsRequest()).throttle_time_ms > 0
    assert encodings == {"ListOffsetsResponse": 1}


# -- the request log ---------------------------------------------------------------------------


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    """What is logged of requests, at a level that shows them."""
    caplog.set_level(logging.DEBUG, NAME)
    return caplog


def logged(lines: pytest.LogCaptureFixture) -> list[str]:
    """The lines of requests so far: times stand as ``T``."""
    texts = [record.getMessage() for record in lines.records if record.name == NAME]
    lines.clear()
    return [re.sub(r"\d+\.\d{3} ms", "T", text) for text in texts]


def line(what: str, how: str, received: int, sent: int, rest: str = "") -> str:
    return (
        f"{what} of client c (User:ANONYMOUS) at 1.2.3.4, connection 1 on PLAINTEXT: {how} in T "
        f"(T of work), {received} bytes received, {sent} sent{rest}"
    )


def test_a_request_is_logged_when_it_has_been_answered(
    lines: pytest.LogCaptureFixture, loop: asyncio.AbstractEventLoop
) -> None:
    peer = Peer(loop)
    peer.transport.feed(versions(1))
    sizes = len(versions(1)) - 4, len(b"".join(peer.transport.written)) - 4
    assert logged(lines) == [line("ApiVersions v0", "answered", *sizes)]


def test_a_request_that_waits_is_logged_when_its_answer_goes_out(
    lines: pytest.LogCaptureFixture, loop: asyncio.AbstractEventLoop
) -> None:
    peer, waiting, gate = Peer(loop), Deferred(), asyncio.Event()

    async def later() -> FetchResponse:
        await gate.wait()
        return FetchResponse()

    answers = iter([waiting, later()])
    peer.fetch = lambda context, request: next(answers)
    peer.transport.feed(fetch(1))
    assert logged(lines) == []
    waiting.resolve(FetchResponse())
    expected = [line("Fetch v4", "answered", len(fetch(1)) - 4, 12)]
    assert logged(lines) == expected
    peer.transport.feed(fetch(2))
    peer.settle()
    assert logged(lines) == []
    gate.set()
    peer.settle()
    assert logged(lines) == expected


def test_a_request_that_fails_is_logged_with_its_error(
    lines: pytest.LogCaptureFixture, loop: asyncio.AbstractEventLoop
) -> None:
    peer = Peer(loop)

    def refuse(context: Any, request: Any) -> FetchResponse:
        raise KafkaError(41)

    peer.fetch = refuse
    request = encode_request(clocked.fetch(), 7, 1, "c")
    peer.transport.feed(request)
    assert logged(lines) == [line("Fetch v7", "failed with NOT_CONTROLLER", len(request) - 4, 18)]


def test_what_is_no_request_is_logged_as_refused(
    lines: pytest.LogCaptureFixture, loop: asyncio.AbstractEventLoop
) -> None:
    peer = Peer(loop)
    peer.transport.feed(frame(b"\x03\xe7" + bytes(8)))
    (text,) = logged(lines)
    assert text.startswith("? of client None (?) at 1.2.3.4, connection 1 on PLAINTEXT: refused")
    peer = Peer(loop)
    peer.transport.feed(frame(fetch(1)[4:-1]))
    assert logged(lines) == [line("Fetch v4", "refused", len(fetch(1)) - 5, 0)]


def test_a_request_that_nobody_waits_for_any_more_is_logged_as_abandoned(
    lines: pytest.LogCaptureFixture, loop: asyncio.AbstractEventLoop
) -> None:
    peer, waiting = Peer(loop), Deferred()
    peer.fetch = lambda context, request: waiting
    peer.transport.feed(fetch(1))
    peer.transport.lose()
    assert logged(lines) == [line("Fetch v4", "abandoned", len(fetch(1)) - 4, 0)]
    assert waiting.done


def test_a_request_that_has_no_answer_is_logged_too(
    lines: pytest.LogCaptureFixture, loop: asyncio.AbstractEventLoop
) -> None:
    peer = Peer(loop)
    peer.produce = lambda context, request: None
    request = produce(1, 10, acks=0)
    peer.transport.feed(request)
    assert logged(lines) == [line("Produce v3", "done without an answer", len(request) - 4, 0)]


def test_what_a_shape_answers_is_logged_with_its_throttle_time(
    lines: pytest.LogCaptureFixture, desk: Desk
) -> None:
    client = desk.client()
    size = client.send(clocked.produce())
    desk.limit(client_id="c", producer_byte_rate=1)
    client.answers()
    logged(lines)
    answer = client.ask(clocked.produce())
    sent = len(client.transport.frames()[-1])
    throttled = f", throttled for {answer.throttle_time_ms} ms"
    assert logged(lines) == [line("Produce v9", "answered", size, sent, throttled)]


def test_times_are_those_of_the_request(
    lines: pytest.LogCaptureFixture, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = desk.client()
    client.send(clocked.fetch(max_wait_ms=500))
    desk.pass_time(500)
    (record,) = [record for record in lines.records if record.name == NAME]
    assert "answered in 500.000 ms (0.000 ms of work)" in record.getMessage()


def test_without_a_log_and_quotas_nobody_looks_at_the_clock(desk: Desk) -> None:
    def look() -> float:
        raise AssertionError("the time was asked for")

    client = desk.client()
    desk.server.dispatch.timer = look
    client.ask(clocked.produce())
    client.ask(clocked.produce())
    client.ask(ApiVersionsRequest(), 0)


def test_the_log_begins_and_ends_with_the_level_of_its_logger(peer: Peer) -> None:
    logger, services = logging.getLogger(NAME), peer.server.dispatch.services
    before = logger.level
    try:
        for level in (logging.DEBUG, logging.WARNING):
            logger.setLevel(level)
            for changed in services.levels_changed:
                changed()
            assert bool(peer.server.dispatch.observers) is (level == logging.DEBUG)
    finally:
        logger.setLevel(before)


def test_whoever_observes_requests_hears_of_every_end(peer: Peer) -> None:
    ends: list[Ended] = []
    peer.server.dispatch.observers.append(ends.append)
    peer.produce = lambda context, request: None
    waiting = Deferred()
    peer.fetch = lambda context, request: waiting
    peer.transport.feed(versions(1) + produce(2, 10, acks=0) + fetch(3))
    peer.transport.lose()
    assert [(end.api, end.version, end.how, end.error) for end in ends] == [
        ("ApiVersions", 0, "answered", ""),
        ("Produce", 3, "done without an answer", ""),
        ("Fetch", 4, "abandoned", ""),
    ]
    assert all(0 <= end.work_ms <= end.total_ms for end in ends)
