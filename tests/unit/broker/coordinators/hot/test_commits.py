"""Commits straight to the log: answers, and all that is left behind, are those of the ordinary
code."""

from __future__ import annotations

import asyncio
import random

import pytest

from pykafka_ops.broker.state.configs.topic import TopicConfig
from pykafka_ops.wire.codes import ErrorCode
from tests.support.memory.commit_desk import codes, request
from tests.support.memory.commit_twins import KINDS, Desk, check_both

SEEDS = 25


@pytest.mark.parametrize("seed", range(SEEDS))
def test_commits_end_as_without_the_path(
    loop: asyncio.AbstractEventLoop,
    monkeypatch: pytest.MonkeyPatch,
    seed: int,
) -> None:
    dice = random.Random(seed)
    straight = Desk(loop, monkeypatch)
    careful = Desk(loop, monkeypatch, careful=True)
    check_both(dice, straight, careful, KINDS, 0.15)


@pytest.mark.parametrize("version", range(2, 10))
def test_the_usual_commit_goes_straight_through(
    loop: asyncio.AbstractEventLoop,
    monkeypatch: pytest.MonkeyPatch,
    ordinary: list[object],
    version: int,
) -> None:
    broker = Desk(loop, monkeypatch)
    id_, generation = broker.member
    for n in range(5):
        places = [("t", 0, n << 40, n, "note"), ("t", 1, n + 7, -1, None), ("u", 0, 5, 2, "ü")]
        frame = request(
            *places,
            version=version,
            correlation_id=n,
            member_id=id_,
            generation_id_or_member_epoch=generation,
        )
        assert codes(broker.ask(frame), version) == (n, [("t", 0, 0), ("t", 1, 0), ("u", 0, 0)])
    assert (ordinary, broker.read) == ([], 1)
    committed = broker.state[0][0]
    assert committed["t", 0].offset == 4 << 40
    assert committed["u", 0].metadata == "ü"


def test_a_batch_that_is_too_large_is_refused(
    loop: asyncio.AbstractEventLoop, monkeypatch: pytest.MonkeyPatch, ordinary: list[object]
) -> None:
    broker = Desk(loop, monkeypatch)
    id_, generation = broker.member
    frame = request(("t", 0, 5, -1, "x"), member_id=id_, generation_id_or_member_epoch=generation)
    assert [codes(broker.ask(frame))[1] for _ in range(3)] == [[("t", 0, 0)]] * 3
    broker.partition.log.update_config(TopicConfig.of({"max.message.bytes": "100"}))
    assert codes(broker.ask(frame))[1] == [("t", 0, ErrorCode.INVALID_COMMIT_OFFSET_SIZE)]
    assert (len(ordinary), broker.read) == (1, 1)


def test_what_was_written_is_read_back(
    loop: asyncio.AbstractEventLoop, monkeypatch: pytest.MonkeyPatch, ordinary: list[object]
) -> None:
    broker = Desk(loop, monkeypatch)
    id_, generation = broker.member
    more = {"member_id": id_, "generation_id_or_member_epoch": generation}
    for n in range(4):
        broker.ask(request(("t", 0, n, 1, "x"), ("t", 1, n * 2, -1, ""), **more))
    before = dict(broker.state[0][0])
    groups = broker.site.coordinators.groups
    groups.coordinator.resigned(0)
    broker.site.coordinators.led(broker.partition)
    assert not ordinary
    kept = groups.slot_of("g").shard.offsets["g"].committed
    assert {place: value[:5] for place, value in kept.items()} == {
        place: value[:5] for place, value in before.items()
    }
