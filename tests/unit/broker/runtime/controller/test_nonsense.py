"""Znodes that make no sense are told of, and the controller goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from pykafka_ops.broker.metadata.znodes.admin import PreferredElection, Reassignments
from tests.support.memory.controller_world import new_topic
from tests.support.memory.replica_double import Nodes, eventually


def cluster(tmp_path: Path, body: Callable[[Nodes], Coroutine[Any, Any, None]]) -> None:
    async def main() -> None:
        async with Nodes(tmp_path, 1) as nodes:
            await body(nodes)

    asyncio.run(main())


def test_a_znode_written_by_hand_is_reported_not_fatal(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def body(nodes: Nodes) -> None:
        await nodes.first.create("/brokers/topics/bad", b"{")
        await nodes.first.create("/brokers/ids/8", b"junk", ephemeral=True)
        await nodes[0].loop.perform(lambda c: c.topics.create([new_topic("good", [0])]))
        await eventually(lambda: nodes[0].image.has_leaders("good", [0]))
        state = "/brokers/topics/good/partitions/0/state"
        await nodes.first.set(state, b"[]")
        assert nodes[0].loop.is_active

    cluster(tmp_path, body)
    cluster(tmp_path, lambda nodes: eventually(lambda: nodes[0].loop.is_active))
    assert "/brokers/topics/bad: not JSON" in caplog.text
    assert "/brokers/ids/8: not JSON" in caplog.text
    assert "good/partitions/0/state: not a JSON object" in caplog.text


@pytest.mark.parametrize("path", [Reassignments.path, PreferredElection.path])
def test_what_makes_no_sense_is_told_although_nothing_follows_from_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, path: str
) -> None:
    async def body(nodes: Nodes) -> None:
        await nodes.first.create(path, b"[")
        await eventually(lambda: f"{path}: not JSON" in caplog.text)
        assert nodes[0].loop.epoch == 1

    cluster(tmp_path, body)
