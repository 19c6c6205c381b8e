"""A connection cuts frames, serves them in turn, and survives whatever a client sends."""

from __future__ import annotations

import asyncio
import struct
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pykafka_ops.broker.hot.deferred import Deferred
from pykafka_ops.errors import KafkaError, WireError
from pykafka_ops.wire.frame import decode_response, encode_request
from pykafka_ops.wire.messages.api_versions import ApiVersionsResponse
from pykafka_ops.wire.messages.fetch import FetchRequest, FetchResponse
from pykafka_ops.wire.messages.list_offsets import ListOffsetsRequest
from pykafka_ops.wire.messages.produce import ProduceResponse
from tests.support.wire.peer import Peer, fetch, frame, produce, versions

MIB = 1024 * 1024


# -- frames ------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(
    sizes=st.lists(st.integers(0, 100_000), min_size=1, max_size=5),
    piece=st.sampled_from([1000, 4096, 33_000, 70_000, 1 << 30]),
)
def test_frames_are_served_in_order_however_they_arrive(sizes: list[int], piece: int) -> None:
    loop = asyncio.new_event_loop()
    peer = Peer(loop)
    got: list[int] = []

    def handler(context: Any, request: Any) -> ProduceResponse:
        got.append(len(request.topic_data[0].partition_data[0].records))
        return ProduceResponse()

    peer.produce = handler
    peer.transport.feed(b"".join(produce(i, size) for i, size in enumerate(sizes)), piece)
    loop.close()
    assert got == sizes
    assert peer.transport.correlation_ids() == list(range(len(sizes)))
    assert peer.server.pool.held == 0


def test_a_frame_may_arrive_byte_by_byte(peer: Peer) -> None:
    peer.transport.feed(versions(7) + fetch(8), 1)
    assert peer.transport.correlation_ids() == [7, 8]


@pytest.mark.parametrize("size", [-1, -(2**31), 0, 7, 2**31 - 1, 101 * MIB, 100 * MIB + 1])
def test_a_frame_of_an_impossible_size_closes_at_once(peer: Peer, size: int) -> None:
    peer.transport.feed(versions(1) + struct.pack(">i", size) + bytes(50))
    assert peer.transport.closed
    assert peer.transport.correlation_ids() == [1]
    assert peer.server.pool.held == 0


def test_the_largest_frame_allowed_is_the_setting(loop: asyncio.AbstractEventLoop) -> None:
    peer = Peer(loop, socket_request_max_bytes=1024)
    peer.transport.feed(struct.pack(">i", 1024))
    assert not peer.transport.closed
    other = peer.another()
    other.feed(struct.pack(">i", 1025))
    assert other.closed


@pytest.mark.parametrize(
    ("what", "body"),
    [
        ("key nobody knows", struct.pack(">hhih", 999, 0, 1, -1)),
        ("negative key", struct.pack(">hhih", -1, 0, 1, -1)),
        ("key that is not served", struct.pack(">hhih", 11, 0, 1, -1)),
        ("version too new", struct.pack(">hhih", 0, 9, 1, -1) + bytes(20)),
        ("negative version", struct.pack(">hhih", 1, -1, 1, -1) + bytes(20)),
        ("header cut short", struct.pack(">hhi", 1, 4, 1)),
        ("client id beyond the frame", struct.pack(">hhih", 1, 4, 1, 500) + b"abc"),
        ("client id of size -2", struct.pack(">hhih", 1, 4, 1, -2) + bytes(30)),
        ("client id that is no UTF-8", struct.pack(">hhih", 18, 0, 1, 2) + b"\xff\xfe"),
        ("body cut short", fetch(1)[4:-1]),
        ("array of 2**31-1 topics", struct.pack(">hhihhiibi", 1, 4, 1, -1, -1, 0, 0, 0, 2**31 - 1)),
        ("header with 2**28 tags", struct.pack(">hhih", 18, 3, 1, -1) + b"\xff\xff\xff\x7f"),
    ],
)
def test_what_is_no_request_closes_the_connection(peer: Peer, what: str, body: bytes) -> None:
    peer.transport.feed(versions(5) + frame(body) + versions(6))
    assert peer.transport.closed, what
    assert peer.transport.correlation_ids() == [5]
    assert peer.seen == []


def test_bytes_behind_a_request_are_ignored(peer: Peer) -> None:
    """librdkafka asks for all topics with three bytes too many; Apache Kafka does not mind."""
    peer.transport.feed(frame(fetch(1)[4:] + b"\x01\x00\x00") + versions(2))
    assert peer.transport.correlation_ids() == [1, 2]


@settings(max_examples=100, deadline=None)
@given(data=st.binary(max_size=200), piece=st.integers(1, 200))
def test_garbage_raises_nothing_and_keeps_nothing(data: bytes, piece: int) -> None:
    loop = asyncio.new_event_loop()
    peer = Peer(loop)
    peer.transport.feed(data, piece)
    peer.transport.feed(frame(data), piece)
    peer.transport.lose()
    assert len(peer.server._connections) == 0
    assert peer.server.pool.held == 0
    loop.close()


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_a_damaged_request_is_answered_or_closes(data: st.DataObject) -> None:
    loop = asyncio.new_event_loop()
    peer = Peer(loop)
    good = data.draw(st.sampled_from([versions(1), fetch(1), produce(1, 40)]))
    bad = bytearray(good)
    for _ in range(data.draw(st.integers(1, 4))):
        bad[data.draw(st.integers(4, len(bad) - 1))] = data.draw(st.integers(0, 255))
    peer.transport.feed(bytes(bad))
    assert peer.transport.closed or len(peer.transport.frames()) == 1
    loop.close()


# -- versions ----------------------------------------------------------------------------------


@pytest.mark.parametrize("version", [5, 99, 32767, -1])
def test_an_unknown_version_of_api_versions_is_answered_in_version_0(
    peer: Peer, version: int
) -> None:
    header = struct.pack(">hhih", 18, version, 3, 1) + b"c" + (b"\0" if version > 2 else b"")
    peer.transport.feed(frame(header + b"whatever a later version says") + versions(4))
    first, second = peer.transport.frames()
    identity, answer = decode_response(ApiVersionsResponse, 0, first)
    assert (identity, answer.error_code) == (3, 35)
    ranges = [(a.api_key, a.min_version, a.max_version) for a in answer.api_keys]
    assert ranges == [(18, 0, 4)]
    assert decode_response(ApiVersionsResponse, 0, second)[1].error_code == 0
    assert not peer.transport.closed


# -- answers that come later -------------------------------------------------------------------


def test_requests_behind_a_waiting_one_are_answered_after_it(peer: Peer) -> None:
    waiting = Deferred()
    peer.fetch = lambda context, request: waiting
    peer.transport.feed(versions(1) + fetch(2) + versions(3) + versions(4))
    assert peer.transport.correlation_ids() == [1]
    assert not peer.transport.reading
    waiting.resolve(FetchResponse())
    assert peer.transport.correlation_ids() == [1, 2, 3, 4]
    assert peer.transport.reading


def test_what_arrives_while_a_request_waits_is_held_back(peer: Peer) -> None:
    waiting = [Deferred(), Deferred()]
    peer.fetch = lambda context, request: waiting[len(peer.seen) - 1]
    peer.transport.feed(fetch(1))
    assert peer.transport.reading
    peer.transport.feed(fetch(2) + produce(3, 300_000))
    assert not peer.transport.reading
    waiting[0].resolve(FetchResponse())
    peer.settle()
    assert peer.transport.correlation_ids() == [1]
    waiting[1].resolve(FetchResponse())
    peer.settle()
    assert peer.transport.correlation_ids() == [1, 2, 3]
    assert peer.server.pool.held == 0


def test_an_answer_that_is_there_already_does_not_wait(peer: Peer) -> None:
    done = Deferred()
    done.resolve(FetchResponse())
    peer.fetch = lambda context, request: done
    peer.transport.feed(fetch(1) + versions(2))
    assert peer.transport.correlation_ids() == [1, 2]


def test_a_coroutine_is_awaited_before_the_next_request(peer: Peer) -> None:
    gate = asyncio.Event()

    async def later() -> FetchResponse:
        await gate.wait()
        return FetchResponse()

    peer.fetch = lambda context, request: later()
    peer.transport.feed(fetch(1) + versions(2))
    peer.settle()
    assert peer.transport.correlation_ids() == []
    gate.set()
    peer.settle()
    assert peer.transport.correlation_ids() == [1, 2]


def test_a_coroutine_that_raises_is_answered_with_its_error(peer: Peer) -> None:
    async def later() -> FetchResponse:
        raise KafkaError(41)

    peer.fetch = lambda context, request: later()
    peer.transport.feed(encode_request(FetchRequest(), 7, 1, "c") + versions(2))
    peer.settle()
    answer = decode_response(FetchResponse, 7, peer.transport.frames()[0])[1]
    assert answer.error_code == 41
    assert peer.transport.correlation_ids() == [1, 2]


def test_a_bug_in_a_handler_costs_that_answer_only(peer: Peer) -> None:
    peer.transport.feed(encode_request(ListOffsetsRequest(), 1, 1, "c") + versions(2))
    assert peer.transport.correlation_ids() == [1, 2]


def test_a_request_that_cannot_be_answered_costs_that_connection_only(peer: Peer) -> None:
    def refuse(context: object, request: object) -> object:
        raise WireError("not what it should be")

    other = peer.another()
    peer.fetch = refuse
    peer.transport.feed(fetch(1))
    assert peer.transport.closed
    other.feed(versions(1))
    assert other.correlation_ids() == [1]


def test_an_answer_that_cannot_be_encoded_harms_nobody_else(peer: Peer) -> None:
    waiting = Deferred()
    peer.fetch = lambda context, request: waiting
    peer.transport.feed(fetch(1) + versions(2))
    waiting.resolve(FetchResponse(throttle_time_ms="soon"))  # type: ignore[arg-type]
    assert peer.transport.closed
    assert peer.transport.frames() == []


def test_a_request_without_an_answer_is_followed_by_the_next(peer: Peer) -> None:
    peer.produce = lambda context, request: None
    peer.transport.feed(produce(1, 10, acks=0) + versions(2))
    assert peer.transport.correlation_ids() == [2]


def test_a_handler_can_ask_for_the_connection_to_be_closed(peer: Peer) -> None:
    def handler(context: Any, request: Any) -> None:
        context.close_connection = True

    peer.produce = handler
    peer.transport.feed(produce(1, 10, acks=0) + versions(2))
    assert peer.transport.closed
    assert peer.transport.frames() == []
