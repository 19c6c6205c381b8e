"""A commit known by its shape is answered, and kept, as if it had been read in full."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pykafka_ops.wire.codes import ErrorCode
from tests.support.memory.commit_desk import Broker, codes, request
from tests.support.memory.handler_site import ME, OTHER


@pytest.fixture
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    made = asyncio.new_event_loop()
    yield made
    made.close()


@pytest.fixture
def broker(loop: asyncio.AbstractEventLoop) -> Broker:
    return Broker(loop, repeat=True)


@pytest.mark.parametrize("version", range(2, 10))
def test_only_the_first_commit_is_read_in_full(broker: Broker, version: int) -> None:
    for n in range(4):
        places = [("t", 0, n << 40, n, "note"), ("t", 1, n + 7, -1, None), ("u", 0, 5, 2, "ü")]
        frame = request(*places, version=version, correlation_id=n)
        found = codes(broker.ask(frame), version)
        assert found == (n, [("t", 0, 0), ("t", 1, 0), ("u", 0, 0)])
    assert broker.read == 1
    committed = broker.state[0][0]
    assert committed["t", 0].offset == 3 << 40
    assert committed["t", 0].leader_epoch == (3 if version >= 6 else -1)
    assert committed["u", 0].metadata == "ü"


def test_a_generation_is_held_against_the_group_each_time(broker: Broker) -> None:
    place = ("t", 0, 4, -1, "")
    assert codes(broker.ask(request(place)))[1] == [("t", 0, 0)]
    stale = request(place, generation_id_or_member_epoch=3)
    assert codes(broker.ask(stale))[1] == [("t", 0, ErrorCode.UNKNOWN_MEMBER_ID)]
    assert broker.read == 1


def test_topics_that_are_gone_are_told_so(broker: Broker) -> None:
    frame = request(("t", 1, 4, -1, ""))
    assert codes(broker.ask(frame))[1] == [("t", 1, 0)]
    del broker.site.image.topics["t"]
    unknown = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert codes(broker.ask(frame))[1] == [("t", 1, unknown)]


def test_a_coordinator_that_has_moved_is_told_of(broker: Broker) -> None:
    frame = request(("t", 1, 4, -1, ""))
    assert codes(broker.ask(frame))[1] == [("t", 1, 0)]
    broker.site.coordinators.groups.coordinator.resigned(0)
    assert codes(broker.ask(frame))[1] == [("t", 1, ErrorCode.NOT_COORDINATOR)]


def test_a_commit_waits_for_the_replicas_each_time(loop: asyncio.AbstractEventLoop) -> None:
    broker = Broker(loop, repeat=True, isr=(ME, OTHER), replicas=(ME, OTHER))
    site = broker.site
    for n in range(3):
        assert broker.ask(request(("t", 1, n, -1, ""), correlation_id=n)) == []
        site.pass_time(5000)
        assert broker._transport is not None
        found = codes(broker._transport.frames())
        assert found == (n, [("t", 1, ErrorCode.COORDINATOR_NOT_AVAILABLE)])


def test_old_versions_and_retentions_of_their_own_are_read_in_full(broker: Broker) -> None:
    for frame, version in (
        (request(("t", 0, 4, -1, ""), version=1), 1),
        (request(("t", 0, 4, -1, ""), version=4, retention_time_ms=5000), 4),
        (request(("t", 0, 4, -1, "x" * 5000)), 8),
    ):
        before = broker.read
        for _ in range(2):
            broker.ask(frame)
            assert codes(broker.ask(frame), version)[0] == 1
        assert broker.read == before + 4


PLACES = st.lists(
    st.tuples(
        st.sampled_from(["t", "u", "nowhere"]),
        st.integers(0, 2),
        st.integers(-1, 2**62),
        st.integers(-1, 5),
        st.sampled_from([None, "", "note"]),
    ),
    max_size=4,
)
REQUESTS = st.lists(
    st.builds(
        lambda places, version, generation, member, correlation: request(
            *places,
            version=version,
            generation_id_or_member_epoch=generation,
            member_id=member,
            correlation_id=correlation,
        ),
        PLACES,
        st.sampled_from([2, 5, 6, 8]),
        st.sampled_from([-1, -1, -1, 0, 1]),
        st.sampled_from(["", "", "m"]),
        st.integers(0, 2**31 - 1),
    ),
    min_size=1,
    max_size=6,
)


@settings(max_examples=40, deadline=None)
@given(REQUESTS, st.integers(2, 3))
def test_answers_and_log_are_those_of_requests_read_in_full(
    requests: list[bytes], times: int
) -> None:
    loop = asyncio.new_event_loop()
    try:
        learning, fresh = Broker(loop, repeat=True), Broker(loop, repeat=False)
        for frame in requests * times:
            assert learning.ask(frame) == fresh.ask(frame)
        assert learning.state == fresh.state
    finally:
        loop.close()
