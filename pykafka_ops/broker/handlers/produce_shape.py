"""Produce requests that look like one before: same client, topic, ``acks`` and timeout.

A client says the same in every request to one partition of a topic, but for the correlation id,
the partition and the records. The first such request is read field by field; from it a
:class:`ProduceShape` is made, which knows the next one by its bytes and has most of the answer's
bytes ready. What happens to the records is the same code as for any other request
(:class:`~pykafka_ops.broker.partitions.append.Appends`).
"""

from __future__ import annotations

from struct import Struct

from pykafka_ops.broker.handlers.api import SHAPE_BYTES, Context
from pykafka_ops.broker.handlers.produce_answer import begin, conclude
from pykafka_ops.broker.partitions.append import Certain, Refused, Result, takes_long
from pykafka_ops.broker.partitions.records import is_transactional
from pykafka_ops.broker.state.steps import Steps
from pykafka_ops.broker.storage.log.appender import AppendInfo
from pykafka_ops.errors import WireError
from pykafka_ops.wire.frame import encode_request, response_parts
from pykafka_ops.wire.messages.produce import (
    PartitionProduceData,
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
    TopicProduceResponse,
)
from pykafka_ops.wire.types import joined
from pykafka_ops.wire.varint import read_varint

FLEXIBLE = 9
"""First version with compact lengths and tagged fields."""

_HEAD = Struct(">ii")
"""API key and version as one number, correlation id."""
_PARTITION = Struct(">ii")
"""Partition and size of its records, before they were compact."""
_INDEX = Struct(">i")
_LENGTH = 4
_NO_ERROR = 0
_HEAD_SIZE = 8
_PARTITION_SIZE = 8
"""Bytes of the partition without records: its number and what says that there are none."""
_NO_TAGS = bytes(3)
"""Ends partition, topic and request where they are flexible."""


def shape(context: Context, request: ProduceRequest, frame: memoryview) -> ProduceShape | None:
    """The shape of a request for one partition, None if it has more to it than that.

    ``frame`` is the whole request, without the length in front.
    """
    topics = request.topic_data
    if request.transactional_id is not None or request.acks not in (-1, 0, 1) or len(topics) != 1:
        return None
    if len(topics[0].partition_data) != 1:
        return None
    made = ProduceShape(context, request.acks, request.timeout_ms, topics[0].name)
    return made if made.find(frame) is not None else None


class ProduceShape:
    """Serves requests of one shape on one connection; ``context`` is that of the first."""

    __slots__ = (
        "_end",
        "_head",
        "_key",
        "_reply",
        "_timeout_ms",
        "_topic",
        "_work",
        "context",
        "held",
    )

    codes = 1

    def __init__(self, context: Context, acks: int, timeout_ms: int, topic: str) -> None:
        self.context = context
        self._timeout_ms = timeout_ms
        self._topic = topic
        self._work = begin(context, acks)
        data = [PartitionProduceData(index=0, records=b"")]
        same = ProduceRequest(
            acks=acks,
            timeout_ms=timeout_ms,
            topic_data=[TopicProduceData(name=topic, partition_data=data)],
        )
        # Made by our own encoder, so that a request with these bytes can mean nothing else.
        frame = encode_request(same, context.version, 0, context.client_id)[_LENGTH:]
        self._key = _HEAD.unpack_from(frame)[0]
        self._head = frame[_HEAD_SIZE:-_PARTITION_SIZE]
        self._end = _HEAD_SIZE + len(self._head)
        self._reply = _Reply(topic, context.version)
        self.held = SHAPE_BYTES + 4 * len(self._head)

    def find(self, frame: memoryview) -> tuple[int, int, int, int] | None:
        """Correlation id, partition, first and last + 1 byte of the records; None if the frame
        has another shape."""
        key, correlation_id = _HEAD.unpack_from(frame)
        at, size = self._end, len(frame)
        if key != self._key or size < at + _PARTITION_SIZE or frame[_HEAD_SIZE:at] != self._head:
            return None
        index, length = _PARTITION.unpack_from(frame, at)
        start = at + _PARTITION_SIZE
        if self.context.version >= FLEXIBLE:
            try:
                length, start = read_varint(frame, at + 4)
            except (IndexError, WireError):
                return None
            length -= 1
            size -= len(_NO_TAGS)
            if frame[size:] != _NO_TAGS:
                return None
        if length < 0 or start + length != size:
            return None
        return correlation_id, index, start, size

    def answer(self, frame: memoryview) -> object:
        """The answer to a request of this shape; None, and nothing is done, if it has another."""
        found = self.find(frame)
        if found is None:
            return None
        correlation_id, index, start, end = found
        records = frame[start:end]
        if is_transactional(records):
            return None
        context = self.context
        work = self._work
        work.now = context.services.clock()
        result = work.append(self._topic, index, records)
        if isinstance(result, Refused) or work.pending:
            return self._conclude(index, records, result)
        return self._reply.pack(correlation_id, index, result) if work.acks else b""

    def _conclude(self, index: int, records: memoryview, result: Result) -> object:
        """The answer where it is not the usual one."""
        work, context = self._work, self.context
        self._work = begin(context, work.acks)
        topic = TopicProduceData(
            name=self._topic, partition_data=[PartitionProduceData(index=index)]
        )
        results: Certain | Steps[Certain]
        long = takes_long(result)
        if long is None:
            results = work.settled([result], self._timeout_ms)
        else:
            batch = (self._topic, index, records)
            results = work.in_steps([], [batch], long, self._timeout_ms)
        answer = conclude(context, work.acks, [topic], results)
        return b"" if answer is None else answer


class _Reply:
    """The response that tells where the records of one partition of ``topic`` went."""

    __slots__ = ("_after", "_before", "_length", "_numbers", "_pack")

    def __init__(self, topic: str, version: int) -> None:
        zeros, ones = _encoded(topic, version, 0), _encoded(topic, version, -1)
        first = next(n for n, (a, b) in enumerate(zip(zeros, ones, strict=True)) if a != b)
        last = next(n for n in range(len(zeros) - 1, 0, -1) if zeros[n] != ones[n])
        self._length = zeros[:_LENGTH]
        self._before = zeros[_LENGTH + 4 : first]
        self._after = zeros[last + 1 :]
        self._numbers = (last + 1 - first - 6) // 8
        """How many of base offset, append time and log start offset the version has."""
        layout = f">4si{len(self._before)}sih{'q' * self._numbers}{len(self._after)}s"
        self._pack = Struct(layout).pack

    def pack(self, correlation_id: int, index: int, done: AppendInfo) -> bytes:
        """The frame for an append that went well."""
        numbers = (done.first_offset, done.log_append_time, done.log_start_offset)
        return self._pack(
            self._length,
            correlation_id,
            self._before,
            index,
            _NO_ERROR,
            *numbers[: self._numbers],
            self._after,
        )


def _encoded(topic: str, version: int, number: int) -> bytes:
    """The frame of an answer that has ``number`` wherever answers differ."""
    answer = PartitionProduceResponse(
        index=number,
        base_offset=number,
        log_append_time_ms=number,
        log_start_offset=number,
    )
    topics = [TopicProduceResponse(name=topic, partition_responses=[answer])]
    return joined(response_parts(ProduceResponse(responses=topics), version, 0))
