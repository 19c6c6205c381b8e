"""A request known by its shape is answered, and changes the log, as if it had been read in full."""

from __future__ import annotations

import asyncio
import errno
import struct
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pykafka_ops.broker.handlers.produce_shape import ProduceShape
from pykafka_ops.broker.runtime.sockets.exchange import MOST_SHAPES
from pykafka_ops.disk.legacy import build_messages
from pykafka_ops.disk.record import Record
from pykafka_ops.wire.frame import decode_response
from pykafka_ops.wire.messages.produce import PartitionProduceData, ProduceResponse
from tests.support.memory.handler_site import ME, OTHER, Site, batch
from tests.support.memory.produce_desk import Broker, answer_of, request
from tests.support.memory.replication import follower_at, lead


@pytest.fixture
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    made = asyncio.new_event_loop()
    yield made
    made.close()


@pytest.fixture
def broker(loop: asyncio.AbstractEventLoop) -> Broker:
    return Broker(loop, repeat=True)


# -- what is quick -----------------------------------------------------------------------------


@pytest.mark.parametrize("version", range(12))
@pytest.mark.parametrize("acks", [1, -1])
def test_only_the_first_request_is_read_in_full(broker: Broker, version: int, acks: int) -> None:
    for n, index in enumerate([0, 0, 1, 0, 1]):
        frame = request(
            batch(b"x" * 50 * n), version=version, acks=acks, index=index, correlation_id=n
        )
        correlation_id, answer = answer_of(broker.ask(frame)[0], version)
        assert (correlation_id, answer.index, answer.error_code) == (n, index, 0)
    assert broker.read == 1
    assert [broker.site.logs.logs["t", index].log_end_offset for index in (0, 1)] == [3, 2]


def test_without_acknowledgement_nothing_is_written(broker: Broker) -> None:
    for _ in range(3):
        assert broker.ask(request(batch(b"x"), acks=0)) == ([], False)
    assert broker.read == 1
    assert broker.site.logs.logs["t", 0].log_end_offset == 3


def test_without_acknowledgement_a_failure_closes_the_connection(broker: Broker) -> None:
    broker.ask(request(batch(b"x"), acks=0))
    assert broker.ask(request(batch(b"x"), acks=0, index=9)) == ([], True)
    assert broker.read == 1


def test_acknowledgement_by_all_waits_for_the_other_replica(broker: Broker) -> None:
    broker.ask(request(batch(b"x"), acks=-1))
    partition = broker.site.replicas.find("t", 0)
    assert partition is not None
    lead(partition, (ME, OTHER))
    _, answer = answer_of(broker.ask(request(batch(b"y"), acks=-1))[0], 7)
    assert answer.error_code == 7  # REQUEST_TIMED_OUT
    lead(partition, (ME,))
    _, answer = answer_of(broker.ask(request(batch(b"z"), acks=-1))[0], 7)
    assert (answer.error_code, answer.base_offset) == (0, 2)
    assert broker.waited == 1


class Waiting:
    """A request whose records another replica has yet to copy, known by its shape."""

    def __init__(self, broker: Broker, **how: Any) -> None:
        self.replicas, more = broker.site.replicas, how.pop("more", ())
        broker.ask(request(batch(b"x"), acks=-1, **how, more=more))
        self.partitions = [self.replicas.host("t", n, b"") for n in range(1 + len(more))]
        for partition in self.partitions:
            lead(partition, (ME, OTHER))
            follower_at(partition, 1)
        assert broker._transport is not None
        self.transport = broker._transport
        self.transport.written = []
        self.transport.feed(request(batch(b"y"), acks=-1, correlation_id=5, **how, more=more))
        assert self.transport.frames() == []
        assert len(self.replicas.produces) == 1

    def copied(self) -> None:
        """The other replica has all."""
        for partition in self.partitions:
            follower_at(partition, 2)
            self.replicas.wake(partition.key)


@pytest.mark.parametrize("version", range(3, 12))
def test_what_the_other_replica_has_is_acknowledged(
    broker: Broker, monkeypatch: pytest.MonkeyPatch, version: int
) -> None:
    declined: list[object] = []
    broker.ask(request(batch(b"x"), acks=1, version=version))
    monkeypatch.setattr(ProduceShape, "declined", lambda *what: declined.append(what))
    waiting = Waiting(broker, version=version)
    waiting.partitions[0].advance_high_watermark()
    waiting.replicas.wake(waiting.partitions[0].key)
    assert waiting.transport.frames() == []
    follower_at(waiting.partitions[0], 3)
    waiting.replicas.wake(waiting.partitions[0].key)
    correlation_id, answer = answer_of(waiting.transport.frames(), version)
    assert (correlation_id, answer.index, answer.error_code, answer.base_offset) == (5, 0, 0, 2)
    assert (declined, len(waiting.replicas.produces)) == ([], 0)


def test_what_several_partitions_have_is_acknowledged_together(broker: Broker) -> None:
    more = (PartitionProduceData(index=1, records=batch(b"more")),)
    waiting = Waiting(broker, version=9, more=more)
    follower_at(waiting.partitions[0], 2)
    waiting.replicas.wake(("t", 0))
    assert waiting.transport.frames() == []
    waiting.copied()
    (frame,) = waiting.transport.frames()
    _, response = decode_response(ProduceResponse, 9, frame)
    found = response.responses[0].partition_responses
    assert [(one.index, one.error_code, one.base_offset) for one in found] == [(0, 0, 1), (1, 0, 1)]


def test_who_leads_no_longer_acknowledges_nothing(broker: Broker) -> None:
    waiting = Waiting(broker)
    lead(waiting.partitions[0], (ME, OTHER), leader=OTHER)
    waiting.replicas.wake(("t", 0))
    correlation_id, answer = answer_of(waiting.transport.frames(), 7)
    assert (correlation_id, answer.error_code, answer.base_offset) == (5, 6, -1)


def test_a_client_that_goes_while_it_waits_leaves_nothing(broker: Broker) -> None:
    waiting = Waiting(broker)
    waiting.transport.lose()
    assert len(waiting.replicas.produces) == 0
    waiting.copied()
    assert waiting.transport.frames() == []


def test_leadership_is_looked_at_every_time(broker: Broker) -> None:
    broker.ask(request(batch(b"x")))
    partition = broker.site.replicas.find("t", 0)
    assert partition is not None
    partition.leader = OTHER
    assert answer_of(broker.ask(request(batch(b"x")))[0], 7)[1].error_code == 6
    broker.site.replicas.drop("t", 0)
    assert answer_of(broker.ask(request(batch(b"x")))[0], 7)[1].error_code == 6
    assert broker.read == 1


def test_a_connection_remembers_a_few_shapes(broker: Broker) -> None:
    names = [f"made{n}" for n in range(MOST_SHAPES + 2)]
    for name in names:
        broker.site.topic(name)
    for _ in range(3):
        for name in names:
            _, answer = answer_of(broker.ask(request(batch(b"x"), topic=name))[0], 7)
            assert answer.error_code == 0
    assert broker.read == len(names) + 2 * 2


@pytest.mark.parametrize(
    "tags", [b"\0\0\1\x50\0", b"\1\x50\0\0\0", b"\0\0\1", b"\0\0\0\0", b"\0\0"]
)
def test_other_bytes_behind_the_records_are_read(
    loop: asyncio.AbstractEventLoop, tags: bytes
) -> None:
    usual = request(batch(b"x"), version=9)
    other = _framed(usual[4:-3] + tags)
    quick, full = Broker(loop, repeat=True), Broker(loop, repeat=False)
    assert quick.ask(usual) == full.ask(usual)
    assert quick.ask(other) == full.ask(other)
    assert (quick.read, quick.state) == (2, full.state)


# -- the same as reading in full ---------------------------------------------------------------


def old_messages() -> bytes:
    return bytes(build_messages([Record(0, 1000, None, b"old", [])], 1))


def damaged(data: bytes) -> bytes:
    return data[:-1] + bytes([data[-1] ^ 1])


RECORDS: dict[str, Callable[[int], bytes | None]] = {
    "usual": lambda n: batch(b"v%d" % n),
    "long": lambda n: batch(b"v" * (100 * n)),
    "in sequence": lambda n: batch(b"v", producer_id=5, producer_epoch=0, base_sequence=n),
    "transactional": lambda n: batch(
        b"v", producer_id=6, producer_epoch=0, base_sequence=n, transactional=True
    ),
    "null": lambda n: None,
    "none": lambda n: b"",
    "damaged": lambda n: damaged(batch(b"v")),
    "cut": lambda n: batch(b"v")[:-3],
    "two": lambda n: batch(b"v") + batch(b"w"),
    "old": lambda n: old_messages(),
    "garbage": lambda n: bytes(range(n, n + 30)),
}


def changed_from(usual: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Mostly what is usual, so that many requests have one shape."""
    others = {
        "version": st.sampled_from([0, 2, 3, 7, 8, 9, 10, 11]),
        "topic": st.sampled_from(["t", "topic", "elsewhere", "missing", "__consumer_offsets"]),
        "acks": st.sampled_from([1, 0, -1, 2]),
        "client_id": st.sampled_from([None, "", "__admin_client"]),
        "transactional_id": st.just("id"),
        "more": st.just((PartitionProduceData(index=1, records=batch(b"more")),)),
    }
    one = st.sampled_from(sorted(others)).flatmap(
        lambda name: others[name].map(lambda value: {**usual, name: value})
    )
    return st.one_of(st.just(usual), st.just(usual), one)


@st.composite
def frames(draw: st.DrawFn, usual: dict[str, Any]) -> bytes:
    kind = draw(st.just("usual") | st.sampled_from(sorted(RECORDS)))
    fields = draw(changed_from(usual))
    if fields["version"] < 3:
        fields = {**fields, "transactional_id": None}
    made = request(
        RECORDS[kind](draw(st.integers(0, 200))),
        index=draw(st.sampled_from([0, 0, 1, 2, -1])),
        correlation_id=draw(st.integers(-(2**31), 2**31 - 1)),
        **fields,
    )
    change = draw(st.integers(0, 9))
    if change == 0:
        made = _framed(made[4:] + draw(st.binary(min_size=1, max_size=4)))
    elif change == 1:
        bad = bytearray(made[4:])
        bad[draw(st.integers(0, len(bad) - 1))] = draw(st.integers(0, 255))
        made = _framed(bytes(bad))
    elif change == 2:
        made = _framed(made[4 : draw(st.integers(12, len(made)))])
    return made


def _framed(body: bytes) -> bytes:
    return struct.pack(">i", len(body)) + body


def _lead(site: Site, leader: int, isr: tuple[int, ...]) -> None:
    partition = site.replicas.find("t", 0)
    assert partition is not None
    lead(partition, isr, leader=leader)


CHANGES: dict[str, Callable[[Site], None]] = {
    "led elsewhere": lambda site: _lead(site, OTHER, (ME, OTHER)),
    "led here": lambda site: _lead(site, ME, (ME,)),
    "two in sync": lambda site: _lead(site, ME, (ME, OTHER)),
    "time": lambda site: setattr(site, "now", site.now + 1000),
}


@st.composite
def runs(draw: st.DrawFn) -> list[Any]:
    """Frames, each maybe more than once, and names of what happens between them."""
    usual = {
        "version": draw(st.sampled_from([1, 3, 5, 7, 8, 9, 11])),
        "acks": draw(st.sampled_from([1, 0, -1])),
        "topic": draw(st.sampled_from(["t", "topic"])),
        "client_id": "client",
        "transactional_id": None,
    }
    distinct = draw(st.lists(frames(usual), min_size=1, max_size=5))
    steps = draw(st.lists(st.integers(0, 4) | st.sampled_from(sorted(CHANGES)), max_size=12))
    again = [s if isinstance(s, str) else distinct[s % len(distinct)] for s in steps]
    return [*distinct, *again]


@settings(max_examples=80, deadline=None)
@given(run=runs())
def test_any_run_of_requests_ends_the_same(run: list[Any]) -> None:
    loop = asyncio.new_event_loop()
    quick, full = Broker(loop, repeat=True), Broker(loop, repeat=False)
    try:
        for step in run:
            if isinstance(step, str):
                for broker in (quick, full):
                    CHANGES[step](broker.site)
            else:
                assert quick.ask(step) == full.ask(step)
                assert quick.state == full.state
        assert quick.read <= full.read
    finally:
        loop.close()


def test_a_full_disk_is_told_and_the_next_request_goes_on(loop: asyncio.AbstractEventLoop) -> None:
    quick, full = Broker(loop, repeat=True), Broker(loop, repeat=False)
    for n in range(4):
        for broker in (quick, full):
            if n == 2:
                broker.site.logs.files.fail_next_write(errno.ENOSPC)
        frame = request(batch(b"%d" % n), version=11, correlation_id=n)
        said = quick.ask(frame)
        assert said == full.ask(frame)
        code = answer_of(said[0], 11)[1].error_code
        assert code == (56 if n == 2 else 0)  # KAFKA_STORAGE_ERROR
        assert quick.state == full.state
    assert quick.read == 1
