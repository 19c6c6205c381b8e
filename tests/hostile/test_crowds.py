"""Too many connections, readers that do not read: others are served, memory stays bounded."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.clients.base import Message
from tests.support.clients.confluent import ConfluentClient
from tests.support.waiting import wait_for
from tests.support.wire import raw
from tests.support.wire.raw import Connection, request

MB = 1 << 20
IDLE = 3000
ROUNDS = 5
"""One that is good is enough: a test that stands still sees nothing of who is served first."""


def test_thousands_of_idle_connections_cost_little(
    victim: Any, grown: Callable[[], int], keeps_pace: Callable[[], None], many_files: int
) -> None:
    count = min(IDLE, many_files // 3)
    crowd = [Connection(victim.bootstrap) for _ in range(count)]
    for connection in crowd:
        connection.send(request(raw.API_VERSIONS, 0))
    for connection in crowd:
        connection.read()
    keeps_pace()
    assert grown() < count * 16_384
    for connection in crowd:
        connection.close()
    if victim.kind == "pko":
        wait_for(lambda: victim.running.open_files() < 200, what="descriptors given back")


def test_connections_that_come_and_go_leak_nothing(
    victim: Any, topic: str, grown: Callable[[], int]
) -> None:
    if victim.kind == "pko":
        before = victim.running.open_files()
    for _ in range(2000):
        with Connection(victim.bootstrap) as connection:
            connection.send(struct.pack(">i", 500) + b"half")
    if victim.kind == "pko":
        wait_for(lambda: victim.running.open_files() < before + 100, what="descriptors given back")
    assert grown() < 30 * MB


@pytest.fixture
def full_topic(victim: Any, topic: str) -> str:
    """A topic with 20 MB in it."""
    client = ConfluentClient(victim.bootstrap)
    client.create_topic(topic)
    client.produce(topic, [Message(b"%06d" % i + bytes(10_000)) for i in range(2000)])
    return topic


def test_a_reader_that_does_not_read_holds_nobody_up(
    victim: Any, full_topic: str, grown: Callable[[], int], keeps_pace: Callable[[], None]
) -> None:
    asked = 300
    slow = [Connection(victim.bootstrap) for _ in range(5)]
    for connection in slow:
        for i in range(asked):
            connection.send(raw.fetch(full_topic, 0, max_bytes=MB, correlation=i))
    keeps_pace()
    assert grown() < 120 * MB
    for connection in slow[1:]:
        connection.close()
    for i in range(asked):
        correlation, body = slow[0].read()
        code, _, records = raw.fetched(body)
        assert (correlation, code) == (i, 0)
        assert len(records) > MB // 2
    slow[0].close()


def test_a_crowd_that_does_not_read_large_answers_costs_little_and_leaves_nothing(
    victim: Any,
    full_topic: str,
    grown: Callable[[], int],
    keeps_pace: Callable[[], None],
    many_files: int,
) -> None:
    def asking() -> list[Connection]:
        made = [Connection(victim.bootstrap) for _ in range(min(500, many_files // 3))]
        for connection in made:
            for i in range(3):
                connection.send(raw.fetch(full_topic, 0, max_bytes=16 * MB, correlation=i))
        return made

    for _ in range(ROUNDS):
        crowd = asking()
        with Connection(victim.bootstrap) as other:
            other.ask(request(raw.API_VERSIONS, 0))
            if not all(connection.readable() for connection in crowd):
                break
        for connection in crowd:
            connection.close()
    else:
        pytest.fail("it was to be served before them")
    wait_for(lambda: all(connection.readable() for connection in crowd), what="first bytes")
    assert grown() < 120 * MB
    correlation, body = crowd[-1].read()
    assert (correlation, raw.fetched(body)[0]) == (0, 0)
    assert len(raw.fetched(body)[2]) > 15 * MB
    for connection in crowd:
        connection.close()
    if victim.kind == "pko":
        wait_for(lambda: victim.running.open_files() < 200, what="descriptors given back")


def test_waiting_fetches_of_gone_clients_are_forgotten(
    victim: Any, topic: str, grown: Callable[[], int]
) -> None:
    client = ConfluentClient(victim.bootstrap)
    client.create_topic(topic)
    for _ in range(500):
        with Connection(victim.bootstrap) as connection:
            connection.send(raw.fetch(topic, 0, max_wait=60_000))
    assert client.produce(topic, [Message(b"late")]) == [0]
    assert grown() < 30 * MB


def test_a_waiting_fetch_does_not_hold_up_others(victim: Any, topic: str) -> None:
    client = ConfluentClient(victim.bootstrap)
    client.create_topic(topic)
    with Connection(victim.bootstrap) as waiting, Connection(victim.bootstrap) as other:
        waiting.send(raw.fetch(topic, 0, max_wait=60_000))
        other.ask(request(raw.API_VERSIONS, 0))
        assert not waiting.readable(), "it was to wait longer"
        client.produce(topic, [Message(b"now")])
        code, high, records = raw.fetched(waiting.read()[1])
        assert (code, high) == (0, 1)
        assert b"now" in records


JOIN_GROUP, FIND_COORDINATOR = 11, 10
GROUP_MAX_SIZE_REACHED = 81
NOT_READY = {14, 15, 16}
"""Codes of a coordinator that is still being made."""


def join(group: str, metadata: bytes) -> bytes:
    """A JoinGroup v2 of a new member, whose session is short."""
    body = raw.string(group) + struct.pack(">ii", 6000, 6000) + raw.string("")
    body += raw.string("consumer") + struct.pack(">i", 1) + raw.string("range")
    return request(JOIN_GROUP, 2, body + struct.pack(">i", len(metadata)) + metadata)


def joined(connection: Connection) -> int:
    """The code of its answer; -1 if it was cut off: its answer, too, was too much."""
    try:
        head = connection.read_some(14)
    except ConnectionError:
        return -1
    return int(struct.unpack_from(">h", head, 12)[0])


def test_members_with_much_metadata_are_refused_when_memory_is_short_and_leave_none(
    victim: Any, topic: str, grown: Callable[[], int]
) -> None:
    def small_one_joins() -> bool:
        with Connection(victim.bootstrap) as connection:
            connection.ask(request(FIND_COORDINATOR, 0, raw.string(topic)))
            connection.send(join(topic, b""))
            code = joined(connection)
        assert code == 0 or code in NOT_READY
        return code == 0

    wait_for(small_one_joins, what="groups are served")
    crowd = [Connection(victim.bootstrap) for _ in range(450)]
    for n, connection in enumerate(crowd):
        connection.send(join(f"{topic}-{n % 20}", bytes(MB)))
    assert small_one_joins()
    codes = {joined(connection) for connection in crowd}
    if victim.kind == "pko":
        assert codes - {-1} == {0, GROUP_MAX_SIZE_REACHED}
        assert grown() < 600 * MB
    for connection in crowd:
        connection.close()
    wait_for(lambda: grown() < 60 * MB, what="memory given back")
