"""Clients that go, do not read, idle, or want much memory cost little and stop nobody."""

from __future__ import annotations

import asyncio
import struct
from typing import Any

import pytest

from pykafka_ops.broker.hot.deferred import Deferred
from pykafka_ops.broker.runtime.sockets import turns
from pykafka_ops.broker.runtime.sockets.buffers import FIRST_GROWTH, LITTLE
from pykafka_ops.broker.runtime.sockets.connection import LEAST_PROGRESS
from pykafka_ops.broker.runtime.sockets.turns import BURST, LOOK
from pykafka_ops.broker.state.memory import DEFAULT_LIMIT
from pykafka_ops.wire.messages.fetch import FetchResponse
from pykafka_ops.wire.messages.produce import ProduceResponse
from tests.support.wire import clocked
from tests.support.wire.peer import Peer, fetch, produce, versions

MIB = 1024 * 1024


# -- clients that go, or do not read -----------------------------------------------------------


def test_a_client_that_goes_while_it_waits_is_forgotten(peer: Peer) -> None:
    waiting, abandoned = Deferred(), []
    waiting.on_abandon = lambda: abandoned.append(True)
    peer.fetch = lambda context, request: waiting
    peer.transport.feed(fetch(1))
    peer.transport.lose()
    assert abandoned == [True]
    assert len(peer.server._connections) == 0
    assert not waiting.resolve(FetchResponse())
    assert peer.transport.frames() == []


def test_the_answer_of_a_coroutine_for_a_client_that_has_gone_is_dropped(peer: Peer) -> None:
    gate = asyncio.Event()

    async def later() -> FetchResponse:
        await gate.wait()
        return FetchResponse()

    peer.fetch = lambda context, request: later()
    peer.transport.feed(fetch(1))
    peer.settle()
    peer.transport.lose()
    gate.set()
    peer.settle()
    assert peer.transport.frames() == []


def test_an_answer_for_a_transport_that_is_closing_is_dropped(peer: Peer) -> None:
    waiting = Deferred()
    peer.fetch = lambda context, request: waiting
    peer.transport.feed(fetch(1))
    peer.transport.closed = True  # reset by the client; connection_lost is still to come
    waiting.resolve(FetchResponse())
    assert peer.transport.frames() == []


def test_a_client_that_does_not_read_is_not_served(peer: Peer) -> None:
    peer.transport.feed(versions(1))
    peer.connection.pause_writing()
    peer.transport.feed(versions(2) + fetch(3))
    assert peer.transport.correlation_ids() == [1]
    assert not peer.transport.reading
    peer.connection.resume_writing()
    assert peer.transport.correlation_ids() == [1, 2, 3]
    assert peer.transport.reading


def test_serving_stops_in_the_middle_of_what_arrived(peer: Peer) -> None:
    def handler(context: Any, request: Any) -> FetchResponse:
        peer.connection.pause_writing()
        return FetchResponse()

    peer.fetch = handler
    peer.transport.feed(fetch(1) + fetch(2) + produce(3, 100_000))
    assert len(peer.seen) == 1
    peer.connection.resume_writing()
    assert len(peer.seen) == 2
    peer.connection.resume_writing()
    peer.settle()
    assert peer.transport.correlation_ids() == [1, 2, 3]


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """No request takes any time."""
    monkeypatch.setattr(turns, "BURST_S", 3600)


@pytest.mark.usefixtures("quick")
def test_a_client_that_sends_very_many_requests_lets_others_have_their_turn(peer: Peer) -> None:
    other = peer.another()
    peer.transport.feed(b"".join(versions(n) for n in range(3 * BURST)))
    assert peer.transport.correlation_ids() == list(range(BURST))
    assert not peer.transport.reading
    other.feed(versions(7))
    assert other.correlation_ids() == [7]
    while len(peer.transport.frames()) < 3 * BURST:
        peer.settle()
    assert peer.transport.correlation_ids() == list(range(3 * BURST))
    assert peer.transport.reading


def test_a_client_whose_requests_take_long_lets_others_have_their_turn_earlier(
    peer: Peer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turns, "BURST_S", -1)
    peer.transport.feed(b"".join(versions(n) for n in range(2 * LOOK)))
    assert peer.transport.correlation_ids() == list(range(LOOK))
    peer.settle()
    assert peer.transport.correlation_ids() == list(range(2 * LOOK))


@pytest.mark.usefixtures("quick")
def test_a_client_that_goes_between_two_bursts_is_forgotten(peer: Peer) -> None:
    peer.transport.feed(b"".join(versions(n) for n in range(2 * BURST)))
    peer.transport.lose()
    peer.settle()
    assert len(peer.transport.frames()) == BURST


def test_a_large_frame_that_ends_while_the_client_does_not_read_waits(peer: Peer) -> None:
    data = produce(1, 200_000)
    peer.transport.feed(data[:100_000])
    peer.connection.pause_writing()
    peer.transport.feed(data[100_000:])
    assert peer.seen == []
    peer.connection.resume_writing()
    assert len(peer.seen[0].topic_data[0].partition_data[0].records) == 200_000
    assert peer.server.pool.held == 0


def test_requests_behind_answers_that_nobody_takes_count_and_are_dropped_where_there_is_no_memory(
    peer: Peer,
) -> None:
    memory = peer.server.memory
    memory.set_limit(4 * MIB)
    crowd = [peer.another(f"10.0.0.{i}") for i in range(5)]
    for each in crowd:
        each.connection.pause_writing()
        each.feed(produce(1, 400_000))
    assert [each.aborted for each in crowd].count(True) == 3
    assert 800_000 < memory.answers.held <= MIB
    for each in crowd:
        if not each.aborted:
            each.connection.resume_writing()
            assert each.correlation_ids() == [1]
    assert memory.answers.held == 0


# -- memory ------------------------------------------------------------------------------------


def test_requests_behind_a_waiting_one_count_until_they_are_served(peer: Peer) -> None:
    waiting = Deferred()
    peer.fetch = lambda context, request: waiting
    behind = produce(2, 200_000) + produce(3, 10_000)
    peer.transport.feed(fetch(1) + behind)
    assert peer.server.pool.held == len(behind)
    waiting.resolve(FetchResponse())
    assert peer.transport.correlation_ids() == [1, 2, 3]
    assert peer.server.pool.held == 0


def test_what_is_held_for_a_client_is_given_back_when_it_goes(peer: Peer) -> None:
    peer.fetch = lambda context, request: Deferred()
    peer.transport.feed(fetch(1) + produce(2, 200_000))
    begun = peer.another()
    begun.feed(produce(3, 20_000)[:-1])
    assert peer.server.pool.held > 220_000
    peer.transport.lose()
    begun.lose()
    assert peer.server.pool.held == 0


def test_a_crowd_with_requests_behind_waiting_ones_holds_no_more_than_the_limit(peer: Peer) -> None:
    peer.server.memory.set_limit(4 * MIB)
    peer.fetch = lambda context, request: Deferred()
    crowd = [peer.another(f"10.0.0.{i}") for i in range(50)]
    for each in crowd:
        each.feed(fetch(1) + produce(2, 400_000))
    assert 3 * MIB < peer.server.pool.held <= 4 * MIB + len(crowd) * LITTLE
    other = peer.another("10.0.1.1")
    other.feed(b"".join(produce(n, 20_000) for n in range(20)))
    assert other.correlation_ids() == list(range(20))
    for each in crowd:
        each.lose()
    assert peer.server.pool.held == 0
    assert len(other.connection.get_buffer(-1)) > LITTLE


def test_what_is_known_of_a_clients_requests_counts_until_it_goes(
    loop: asyncio.AbstractEventLoop,
) -> None:
    desk = clocked.Desk(loop)
    clients = [desk.client() for _ in range(2)]
    for client in clients:
        client.send(clocked.produce())
    pool = desk.server.pool
    assert pool.held > 0
    for client in clients:
        client.transport.lose()
    assert pool.held == 0


def test_claims_alone_cost_next_to_nothing(peer: Peer) -> None:
    peers = [peer.another(f"10.0.{i // 250}.{i % 250}") for i in range(1000)]
    for each in peers:
        each.feed(struct.pack(">i", 100 * MIB) + b"x" * 100)
    assert peer.server.pool.held <= 1000 * FIRST_GROWTH
    for each in peers:
        each.lose()
    assert peer.server.pool.held == 0


def test_large_frames_share_a_limit_and_all_of_them_are_served_in_the_end(
    loop: asyncio.AbstractEventLoop,
) -> None:
    peer = Peer(loop)
    peer.server.memory.set_limit(20 * MIB)
    peers = [peer.another() for _ in range(10)]
    highest = 0
    data = produce(1, 8 * MIB)
    for start in range(0, len(data), MIB):
        for each in peers:
            each.feed(data[start : start + MIB], 65536)
            highest = max(highest, peer.server.pool.held)
    assert highest <= 20 * MIB + 8 * MIB
    assert any(not each.reading for each in peers) or len(peer.seen) == 10
    for _ in range(50):
        peer.settle()
    assert all(each.correlation_ids() == [1] for each in peers)
    assert (peer.server.pool.held, peer.server.pool.waiting) == (0, 0)


def test_the_limit_for_memory_is_the_setting(loop: asyncio.AbstractEventLoop) -> None:
    assert Peer(loop).server.memory.limit == DEFAULT_LIMIT
    assert Peer(loop, queued_max_request_bytes=200 * MIB).server.memory.limit == 200 * MIB


def test_who_waits_for_memory_goes_on_when_another_client_goes(
    loop: asyncio.AbstractEventLoop,
) -> None:
    peer = Peer(loop)
    peer.server.memory.set_limit(2 * MIB)
    hog, other, gone = peer.another(), peer.another(), peer.another()
    data = produce(1, 6 * MIB)
    hog.feed(data[: 3 * MIB], 65536)
    other.feed(data, 65536)
    gone.feed(data, 65536)
    assert not other.reading
    assert peer.server.pool.waiting == 2
    gone.lose()
    hog.lose()
    peer.settle()
    assert other.correlation_ids() == [1]
    assert (peer.server.pool.held, peer.server.pool.waiting) == (0, 0)


def test_a_frame_that_stalls_while_others_wait_for_memory_is_closed(
    loop: asyncio.AbstractEventLoop,
) -> None:
    peer = Peer(loop)
    peer.server.memory.set_limit(2 * MIB)
    hog, other = peer.another(), peer.another()
    data = produce(1, 6 * MIB)
    hog.feed(data[: 3 * MIB], 65536)
    other.feed(data, 65536)
    hog.connection.sweep_stalled()
    other.connection.sweep_stalled()
    assert not hog.closed
    hog.feed(data[3 * MIB : 3 * MIB + 100])
    hog.connection.sweep_stalled()
    other.connection.sweep_stalled()
    peer.settle()
    assert hog.closed
    assert other.correlation_ids() == [1]


def test_large_garbage_gives_its_memory_back(peer: Peer) -> None:
    for _ in range(30):
        each = peer.another()
        each.feed(struct.pack(">i", 4_000_000) + b"\xff" * 4_000_000, 1 << 17)
        assert each.closed
    assert peer.server.pool.held == 0
    assert peer.server.pool._eager == 0


def test_records_are_views_that_end_with_the_request(peer: Peer) -> None:
    kinds = []

    def handler(context: Any, request: Any) -> ProduceResponse:
        kinds.append(type(request.topic_data[0].partition_data[0].records))
        return ProduceResponse()

    peer.produce = handler
    peer.transport.feed(produce(1, 100) + produce(2, 100_000), 50_000)
    assert kinds == [memoryview, memoryview]


# -- idling -------------------------------------------------------------------------------------


def test_an_idle_connection_is_closed_at_the_second_sweep(peer: Peer) -> None:
    peer.connection.sweep()
    peer.transport.feed(versions(1))
    peer.connection.sweep()
    assert not peer.transport.closed
    peer.connection.sweep()
    assert peer.transport.closed


def test_a_connection_whose_request_waits_is_not_idle(peer: Peer) -> None:
    peer.fetch = lambda context, request: Deferred()
    peer.transport.feed(fetch(1))
    for _ in range(4):
        peer.connection.sweep()
    assert not peer.transport.closed


def test_a_trickle_is_no_activity_but_a_slow_upload_is(peer: Peer) -> None:
    slow = peer.another()
    for each in (peer.transport, slow):
        each.feed(produce(1, MIB)[:1000])
        each.connection.sweep()
    peer.transport.feed(b"x")
    slow.feed(b"x" * LEAST_PROGRESS)
    for each in (peer.transport, slow):
        each.connection.sweep()
    assert (peer.transport.closed, slow.closed) == (True, False)
    assert peer.server.pool.held == len(slow.connection.large.data)


def test_a_closed_connection_whose_client_takes_nothing_is_cut_off(peer: Peer) -> None:
    peer.transport.feed(struct.pack(">i", -1))
    assert peer.transport.closed
    assert not peer.transport.aborted
    peer.connection.sweep()
    assert peer.transport.aborted


def test_nothing_is_served_after_the_connection_is_closed(peer: Peer) -> None:
    peer.connection.close()
    peer.connection.buffer_updated(0)
    peer.connection.resume_writing()
    assert peer.transport.frames() == []
    assert peer.connection.eof_received() is False
