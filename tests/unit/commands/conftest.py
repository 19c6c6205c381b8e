"""A fake cluster of two brokers for whole commands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pykafka_ops.wire.messages.list_offsets import (
    ListOffsetsPartitionResponse,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
)
from tests.support.golden.transcripts import Said, run
from tests.support.memory.client_clock import client_clock
from tests.support.memory.fake_broker import FakeBroker, two_brokers


@pytest.fixture
def fakes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[tuple[FakeBroker, ...]]:
    """Two brokers; PKO_BOOTSTRAP_SERVER names the first."""
    brokers = two_brokers()
    monkeypatch.setenv("PKO_BOOTSTRAP_SERVER", brokers[0].bootstrap)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    with client_clock():
        yield brokers
    for broker in brokers:
        broker.close()


@pytest.fixture
def pko() -> Callable[..., Said]:
    """Run pko: ``pko("topics list")``. Its client has a clock of its own: who may still answer is
    waited for, who is told to be silent is not."""

    def call(line: str, *more: str) -> Said:
        with client_clock():
            return run(*line.split(), *more)

    return call


@pytest.fixture
def filled(fakes: tuple[FakeBroker, ...]) -> tuple[FakeBroker, ...]:
    """orders has two partitions, __consumer_offsets one; each log begins at 10 and ends at 100, at
    50 are the first records since any other time."""

    def offsets(request: Any) -> ListOffsetsResponse:
        known = {-1: 100, -2: 10}
        topics = [
            ListOffsetsTopicResponse(
                name=topic.name,
                partitions=[
                    ListOffsetsPartitionResponse(
                        partition_index=p.partition_index, offset=known.get(p.timestamp, 50)
                    )
                    for p in topic.partitions
                ],
            )
            for topic in request.topics
        ]
        return ListOffsetsResponse(topics=topics)

    for fake in fakes:
        fake.topics = {"orders": [0, 1], "__consumer_offsets": [0]}
        fake.on("ListOffsets", offsets)
    return fakes
