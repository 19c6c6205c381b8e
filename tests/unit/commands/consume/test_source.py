"""What a source within bounds makes of the messages and ends that come together."""

from __future__ import annotations

from typing import Any

import pytest
from confluent_kafka import KafkaError

from pykafka_ops.commands.consume import consume
from pykafka_ops.commands.consume.source import MessageSource
from tests.support.memory.context import run_of


class Came:
    """A record at an offset, or the end of its partition."""

    def __init__(self, partition: int, offset: int, *, end: bool = False) -> None:
        self.place, self.at, self.end = partition, offset, end

    def topic(self) -> str:
        return "orders"

    def partition(self) -> int:
        return self.place

    def offset(self) -> int:
        return self.at

    def timestamp(self) -> tuple[int, int]:
        return 1, 0

    def error(self) -> KafkaError | None:
        return KafkaError(KafkaError._PARTITION_EOF) if self.end else None


class Answering:
    """A consumer that has one batch to give."""

    def __init__(self, batch: list[Came]) -> None:
        self.batch, self.paused = batch, 0

    def consume(self, wanted: int, seconds: float) -> list[Came]:
        return self.batch

    def pause(self, places: list[Any]) -> None:
        self.paused += len(places)

    def close(self) -> None:
        """Nothing is open."""


@pytest.fixture
def source() -> MessageSource:
    """Partitions 0 and 1 are open up to offset 3."""
    run = run_of(consume, ["orders", "-b", "127.0.0.1:1", "--last", "9"])
    made = MessageSource(run)
    made.consumer.close()
    made.next_look, made.looked = float("inf"), True
    made.open = {("orders", 0): 3, ("orders", 1): 3}
    return made


def test_records_before_the_end_of_their_partition_in_one_batch_are_read(
    source: MessageSource,
) -> None:
    batch = [Came(0, 1), Came(0, 2, end=True), Came(1, 0), Came(1, 1, end=True)]
    source.consumer = Answering(batch)
    assert [(m.partition(), m.offset()) for m in source.poll(9, 1.0)] == [(0, 1), (1, 0)]
    assert source.finished


def test_what_comes_behind_the_end_is_not_read(source: MessageSource) -> None:
    source.consumer = Answering([Came(0, 2), Came(0, 3), Came(1, 7)])
    assert [(m.partition(), m.offset()) for m in source.poll(9, 1.0)] == [(0, 2)]
    assert source.finished
    assert source.consumer.paused == 2
