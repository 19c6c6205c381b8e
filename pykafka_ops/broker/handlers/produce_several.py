"""Produce requests with batches for several partitions of one topic, as Java's producers send them.

From the first such request a :class:`SeveralShape` is made, which knows the next one by its bytes:
same API, version, client, acks, timeout and topic; which partitions there are, and their records,
may change. What happens to the records is the same code as for any other request
(:class:`~pykafka_ops.broker.partitions.append.Appends`).
"""

from __future__ import annotations

from struct import Struct
from struct import error as struct_error

from pykafka_ops.broker.handlers.api import SHAPE_BYTES, Context
from pykafka_ops.broker.handlers.produce_answer import begin, conclude
from pykafka_ops.broker.handlers.produce_reply import PackedReply
from pykafka_ops.broker.hot.produce import (
    FLEXIBLE,
    TopicPath,
)
from pykafka_ops.broker.hot.raw import HEAD_SIZE, pair
from pykafka_ops.broker.partitions.append import (
    Certain,
)
from pykafka_ops.broker.partitions.partition import Partition
from pykafka_ops.broker.partitions.records import is_transactional
from pykafka_ops.broker.partitions.refusals import Refused
from pykafka_ops.broker.state.steps import FEW, Steps
from pykafka_ops.errors import KafkaError, WireError
from pykafka_ops.wire.frame import encode_request
from pykafka_ops.wire.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    TopicProduceData,
)
from pykafka_ops.wire.varint import read_varint

Place = tuple[int, int, int]
"""Partition, first and last + 1 byte of its records."""

_LENGTH = 4
_COUNT = Struct(">i")
_NO_PARTITIONS = 3
"""Bytes of no partitions, and of no tags of topic and request."""
_NO_TAGS = bytes(2)


def shape(context: Context, request: ProduceRequest, frame: memoryview) -> SeveralShape | None:
    """The shape of a request for one topic; None for any other. ``frame`` is the whole request,
    without the length in front."""
    made = SeveralShape(context, request)
    return made if made.find(frame) is not None else None


class SeveralShape(TopicPath):
    """Serves requests of one shape on one connection; ``context`` is that of the first, ``codes``
    counts the partitions of the last."""

    __slots__ = (
        "_end",
        "_head",
        "_reply",
        "_request",
        "_topic",
        "_usual",
    )

    def __init__(self, context: Context, first: ProduceRequest) -> None:
        has_id = first.transactional_id is not None
        services = context.services
        clock, wake = services.clock, services.replicas
        super().__init__(context.version, first.acks, has_id, clock, wake)
        self.context = context
        self.codes = 0
        self._topic = topic = first.topic_data[0].name
        self._request = same = ProduceRequest(
            transactional_id=first.transactional_id,
            acks=first.acks,
            timeout_ms=first.timeout_ms,
            topic_data=[TopicProduceData(name=topic)],
        )
        # Made by our own encoder, so that a request with these bytes can mean nothing else.
        frame = encode_request(same, context.version, 0, context.client_id)[_LENGTH:]
        flexible = context.version >= FLEXIBLE
        end = len(frame) - (_NO_PARTITIONS if flexible else _COUNT.size)
        self.key = pair(frame)[0]
        self._head = frame[HEAD_SIZE:end]
        self._end = end
        self._reply = PackedReply(topic, context.version)
        self._usual = begin(context, first.acks).may_write(topic)
        self.held = SHAPE_BYTES + 4 * len(frame)

    def find(self, frame: memoryview) -> tuple[int, list[Place]] | None:
        """Correlation id, and partition, first and last + 1 byte of its records for each batch;
        None if the frame has another shape."""
        key, correlation_id = pair(frame)
        at = self._end
        if key != self.key or len(frame) <= at or frame[HEAD_SIZE:at] != self._head:
            return None
        try:
            found = _flexible(frame, at) if self.context.version >= FLEXIBLE else _plain(frame, at)
        except (struct_error, IndexError, WireError):
            return None
        return None if found is None else (correlation_id, found)

    def answer(self, frame: memoryview) -> object:
        """The answer to a request of this shape; None, and nothing is done, if it has another."""
        found = self.find(frame)
        if found is None:
            return None
        correlation_id, places = found
        request = self._request
        batches = [(self._topic, index, frame[start:end]) for index, start, end in places]
        work = begin(self.context, request.acks)
        results: Certain | Steps[Certain]
        if request.transactional_id is None and not any(is_transactional(b[2]) for b in batches):
            results = work.append_all(batches, request.timeout_ms, self)
        else:
            try:
                results = work.run(batches, request.transactional_id, request.timeout_ms)
            except KafkaError:
                return None
        if not isinstance(results, list):
            return self._conclude(places, results)
        done = [
            (place[0], (result[0], result[2], result[3]))
            for place, result in zip(places, results, strict=True)
            if not isinstance(result, Refused)
        ]
        if len(done) < len(results):
            return self._conclude(places, results)
        self.codes = len(done)
        return self._reply.pack_several(correlation_id, done) if request.acks else b""

    def _conclude(self, places: list[Place], results: Certain | Steps[Certain]) -> object:
        """The answer where it is not the usual one."""
        data = [PartitionProduceData(index=index) for index, _, _ in places]
        topics = [TopicProduceData(name=self._topic, partition_data=data)]
        answer = conclude(self.context, self._request.acks, topics, results)
        return b"" if answer is None else answer

    def look_up(self, index: int) -> Partition | None:
        return self.context.services.replicas.find(self._topic, index) if self._usual else None


def _plain(frame: memoryview, at: int) -> list[Place] | None:
    """The batches from the number of partitions at ``at`` to the end of the frame."""
    (count,) = _COUNT.unpack_from(frame, at)
    at += _COUNT.size
    places: list[Place] = []
    if not 0 < count <= FEW:
        return None
    for _ in range(count):
        index, size = pair(frame, at)
        start = at + HEAD_SIZE
        at = start + size
        if size < 0:
            return None
        places.append((index, start, at))
    return places if at == len(frame) else None


def _flexible(frame: memoryview, at: int) -> list[Place] | None:
    """The same where lengths are compact and there are tags, none of which is known."""
    count, at = read_varint(frame, at)
    places: list[Place] = []
    if not 1 < count <= FEW + 1:
        return None
    for _ in range(count - 1):
        (index,) = _COUNT.unpack_from(frame, at)
        size, start = read_varint(frame, at + _COUNT.size)
        at = start + size - 1
        if not size or frame[at]:
            return None
        places.append((index, start, at))
        at += 1
    return places if frame[at:] == _NO_TAGS else None
