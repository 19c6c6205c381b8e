"""Answers to Produce requests that went well, packed from what is the same in all of them."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct

from pykafka_ops.broker.hot.produce import FLEXIBLE
from pykafka_ops.broker.hot.reply import ProduceReply
from pykafka_ops.wire.frame import response_parts
from pykafka_ops.wire.messages.produce import (
    PartitionProduceResponse,
    ProduceResponse,
    TopicProduceResponse,
)
from pykafka_ops.wire.types import joined
from pykafka_ops.wire.varint import varint

_LENGTH = 4
_NO_ERROR = 0
_COUNT = Struct(">i")
_HEAD = Struct(">ii")
"""Length of the frame, correlation id."""

Numbers = tuple[int, int, int]
"""Base offset, append time and log start offset."""


class PackedReply(ProduceReply):
    """The response that says where the records of partitions of ``topic`` went."""

    __slots__ = ("_after", "_before", "_flexible", "_pack_one", "_rest", "_wanted")

    def __init__(self, topic: str, version: int) -> None:
        zeros, ones = _encoded(topic, version, 0), _encoded(topic, version, -1)
        first = next(n for n, (a, b) in enumerate(zip(zeros, ones, strict=True)) if a != b)
        last = next(n for n in range(len(zeros) - 1, 0, -1) if zeros[n] != ones[n])
        self._flexible = version >= FLEXIBLE
        self._before = zeros[_LENGTH + 4 : first]
        self._after = zeros[last + 1 :]
        self._wanted = (last + 1 - first - 6) // 8
        """How many of the numbers the version has."""
        super().__init__(zeros, first, self._wanted)
        numbers_end = 6 + 8 * self._wanted
        self._rest = len(_encoded(topic, version, 0, 0)) - len(zeros) - numbers_end
        self._pack_one = Struct(f">ih{'q' * self._wanted}{self._rest}s").pack

    def pack_several(self, correlation_id: int, done: Sequence[tuple[int, Numbers]]) -> bytes:
        """The frame for appends to these partitions."""
        before = self._before[: -1 if self._flexible else -_COUNT.size]
        count = varint(len(done) + 1) if self._flexible else _COUNT.pack(len(done))
        rest, pack, wanted = self._after[: self._rest], self._pack_one, self._wanted
        partitions = [pack(index, _NO_ERROR, *numbers[:wanted], rest) for index, numbers in done]
        body = b"".join((before, count, *partitions, self._after[self._rest :]))
        return _HEAD.pack(len(body) + 4, correlation_id) + body


def _encoded(topic: str, version: int, *numbers: int) -> bytes:
    """The frame of an answer with a partition for each number, which stands wherever answers
    differ."""
    answers = [
        PartitionProduceResponse(
            index=number,
            base_offset=number,
            log_append_time_ms=number,
            log_start_offset=number,
        )
        for number in numbers
    ]
    topics = [TopicProduceResponse(name=topic, partition_responses=answers)]
    return joined(response_parts(ProduceResponse(responses=topics), version, 0))
