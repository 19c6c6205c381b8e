"""Commits straight to the log where followers have to have them: waiting, answers and what is left
behind are those of the ordinary code."""

from __future__ import annotations

import asyncio
import random

import pytest

from pykafka_ops.broker.hot.deferred import Deferred
from pykafka_ops.broker.state.configs.topic import TopicConfig
from pykafka_ops.wire.codes import ErrorCode
from tests.support.memory.commit_desk import codes, request
from tests.support.memory.commit_twins import Desk, check_both
from tests.support.memory.handler_site import ME, OTHER
from tests.support.memory.replication import follower_at, lead

SEEDS = 25
SHARED_KINDS = [
    *["time", "follower"] * 6,
    *["shared"] * 3,
    *["alone", "behind", "moved", "join", "epoch"],
]
"""What happens where the partition has a follower: it lags, leaves, and the leader moves."""


@pytest.mark.parametrize("first", range(0, SEEDS, 5))
def test_commits_with_a_follower_end_as_without_the_path(
    loop: asyncio.AbstractEventLoop,
    monkeypatch: pytest.MonkeyPatch,
    replicated: list[object],
    first: int,
) -> None:
    for seed in range(first, first + 5):
        straight = Desk(loop, monkeypatch)
        careful = Desk(loop, monkeypatch, careful=True)
        for broker in (straight, careful):
            shared(broker)
        check_both(random.Random(seed), straight, careful, SHARED_KINDS, 0.4)
    assert len(replicated) > 5


def shared(broker: Desk) -> None:
    """The partition has a follower in sync, which has all of it."""
    lead(broker.partition, (ME, OTHER), (ME, OTHER))
    follower_at(broker.partition, broker.partition.log.log_end_offset)


def replicate(broker: Desk) -> None:
    """The follower has everything now."""
    follower_at(broker.partition, broker.partition.log.log_end_offset)
    broker.site.replicas.wake(broker.partition.key)


@pytest.fixture
def waiting(
    loop: asyncio.AbstractEventLoop, monkeypatch: pytest.MonkeyPatch, replicated: list[object]
) -> tuple[Desk, bytes]:
    """A broker one of whose commits went straight to the log and waits for the follower, and the
    frame of that commit."""
    broker = Desk(loop, monkeypatch)
    id_, generation = broker.member
    more = {"member_id": id_, "generation_id_or_member_epoch": generation}
    broker.ask(request(("t", 0, 5, -1, "x"), **more))
    shared(broker)
    frame = request(("t", 0, 6, -1, "x"), correlation_id=2, **more)
    assert broker.ask(frame) == []
    assert [type(answer) for answer in replicated] == [Deferred]
    return broker, frame


def test_a_commit_counts_and_is_answered_once_the_follower_has_it(
    waiting: tuple[Desk, bytes],
) -> None:
    broker, _ = waiting
    (kept, pending), _ = broker.state
    assert (kept["t", 0].offset, pending) == (5, {("t", 0): 1})
    assert broker.said() == []
    replicate(broker)
    assert codes(broker.said()) == (2, [("t", 0, ErrorCode.NONE)])
    (kept, pending), _ = broker.state
    assert (kept["t", 0].offset, kept["t", 0].position, pending) == (6, 2, {})


def test_a_commit_that_takes_the_follower_too_long_is_refused_and_counts_later(
    waiting: tuple[Desk, bytes],
) -> None:
    broker, _ = waiting
    broker.site.pass_time(11_000)
    assert codes(broker.said()) == (2, [("t", 0, ErrorCode.COORDINATOR_NOT_AVAILABLE)])
    assert broker.state[0][0]["t", 0].offset == 5
    replicate(broker)
    assert len(broker.said()) == 1  # what it has heard already
    assert broker.state[0][0]["t", 0].offset == 6


def test_a_commit_that_waits_when_the_leader_moves_is_refused(
    waiting: tuple[Desk, bytes],
) -> None:
    broker, _ = waiting
    broker.site.coordinators.groups.coordinator.resigned(0)
    assert codes(broker.said()) == (2, [("t", 0, ErrorCode.NOT_COORDINATOR)])


def test_a_commit_counts_even_if_its_client_hangs_up_meanwhile(
    waiting: tuple[Desk, bytes],
) -> None:
    broker, _ = waiting
    broker.hang_up()
    replicate(broker)
    (kept, pending), _ = broker.state
    assert (kept["t", 0].offset, pending) == (6, {})


def test_commits_wait_side_by_side_for_the_follower(waiting: tuple[Desk, bytes]) -> None:
    broker, frame = waiting
    broker.hang_up()
    broker.ask(frame)  # a new connection has yet to learn the shape
    broker.hang_up()
    assert broker.state[0][1] == {("t", 0): 2}
    replicate(broker)
    assert broker.state[0][1] == {}


def test_a_commit_that_names_a_partition_twice_waits_for_both_records(
    waiting: tuple[Desk, bytes],
) -> None:
    broker, _ = waiting
    replicate(broker)
    id_, generation = broker.member
    more = {"member_id": id_, "generation_id_or_member_epoch": generation}
    for _ in range(2):
        broker.ask(request(("t", 0, 7, -1, "x"), ("t", 0, 8, -1, "y"), **more))
        end = broker.partition.log.log_end_offset
        follower_at(broker.partition, end - 1)
        broker.site.replicas.wake(broker.partition.key)
        assert broker.state[0][1] == {("t", 0): 2}
        replicate(broker)
        kept, pending = broker.state[0]
        assert (kept["t", 0][:3], pending) == ((8, -1, "y"), {})


def test_a_commit_with_too_few_replicas_in_sync_is_refused(
    waiting: tuple[Desk, bytes], ordinary: list[object], replicated: list[object]
) -> None:
    broker, frame = waiting
    replicate(broker)
    broker.said()
    before = broker.partition.log.log_end_offset
    broker.partition.log.update_config(TopicConfig.of({"min.insync.replicas": "2"}))
    lead(broker.partition, (ME,), (ME, OTHER))
    assert codes(broker.ask(frame)) == (2, [("t", 0, ErrorCode.COORDINATOR_NOT_AVAILABLE)])
    assert broker.partition.log.log_end_offset == before
    assert (len(ordinary), len(replicated)) == (1, 1)
