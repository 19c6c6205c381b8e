"""Produce requests that look like one before: same client, topic, ``acks`` and timeout.

A client says the same in every request to one partition of a topic, but for the correlation id,
the partition and the records. The first such request is read field by field; from it a
:class:`ProduceShape` is made, which knows the next one by its bytes and has most of the answer's
bytes ready. The usual batch goes straight through
(:class:`~pykafka_ops.broker.hot.produce.ProducePath`), any other by the same code as that of any
other request (:class:`~pykafka_ops.broker.partitions.append.Appends`).
"""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import SHAPE_BYTES, Context
from pykafka_ops.broker.handlers.produce_answer import begin, conclude
from pykafka_ops.broker.handlers.produce_reply import PackedReply
from pykafka_ops.broker.hot.produce import (
    ProducePath,
    WriteFailedError,
)
from pykafka_ops.broker.hot.raw import HEAD_SIZE, PARTITION_SIZE, pair
from pykafka_ops.broker.partitions.append import Certain, Result, takes_long
from pykafka_ops.broker.partitions.partition import Partition
from pykafka_ops.broker.partitions.records import is_transactional
from pykafka_ops.broker.partitions.refusals import Refused
from pykafka_ops.broker.state.steps import Steps
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.frame import encode_request
from pykafka_ops.wire.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    TopicProduceData,
)

_LENGTH = 4


def shape(context: Context, request: ProduceRequest, frame: memoryview) -> ProduceShape | None:
    """The shape of a request for one partition, None if it has more to it than that.

    ``frame`` is the whole request, without the length in front.
    """
    made = ProduceShape(context, request)
    return made if made.fits(frame) else None


class ProduceShape(ProducePath):
    """Serves requests of one shape on one connection; ``context`` is that of the first."""

    __slots__ = ("_packed", "_request", "_topic", "_usual", "_work")

    def __init__(self, context: Context, first: ProduceRequest) -> None:
        self.context = context
        self.codes = 1
        self._topic = topic = first.topic_data[0].name
        self._work = begin(context, first.acks)
        self._usual = self._work.may_write(topic)
        data = [PartitionProduceData(index=0, records=b"")]
        self._request = same = ProduceRequest(
            transactional_id=first.transactional_id,
            acks=first.acks,
            timeout_ms=first.timeout_ms,
            topic_data=[TopicProduceData(name=topic, partition_data=data)],
        )
        # Made by our own encoder, so that a request with these bytes can mean nothing else.
        frame = encode_request(same, context.version, 0, context.client_id)[_LENGTH:]
        head = frame[HEAD_SIZE:-PARTITION_SIZE]
        self._packed = PackedReply(topic, context.version)
        super().__init__(
            pair(frame)[0],
            head,
            context.version,
            first.acks,
            self._packed,
            first.transactional_id is not None,
            context.services.clock,
            context.services.replicas,
        )
        self.held = SHAPE_BYTES + 4 * len(head)

    def waits(self, index: int, required: int, answer: bytes) -> object:
        replicas, key = self.context.services.replicas, (self._topic, index)
        deadline = replicas.timer() + self._request.timeout_ms
        return replicas.promise(key, required, deadline, answer, self._refusal)

    def _refusal(self, index: int, code: ErrorCode) -> object:
        return self._concluded(index, [Refused(KafkaError(code))])

    def failed(self, index: int, records: memoryview, failure: WriteFailedError) -> object:
        result = self._work.write_failed((self._topic, index, records), failure)
        return self._conclude(index, records, result)

    def declined(self, correlation_id: int, index: int, records: memoryview) -> object:
        if is_transactional(records):
            return self._serve_transactional(index, records)
        work = self._work
        work.now = self.context.services.clock()
        result = work.append(self._topic, index, records)
        if isinstance(result, Refused) or work.pending:
            return self._conclude(index, records, result)
        if not work.acks:
            return b""
        numbers = (result.first_offset, result.log_append_time, result.log_start_offset)
        return self._packed.pack_any(correlation_id, index, numbers)

    def _serve_transactional(self, index: int, records: memoryview) -> object:
        """The answer to what may be the first batch of a transaction; without an id it is refused
        as any other request is."""
        request = self._request
        if request.transactional_id is None:
            return None
        work, batch = begin(self.context, request.acks), (self._topic, index, records)
        try:
            results = work.run([batch], request.transactional_id, request.timeout_ms)
        except KafkaError:
            return None
        return self._concluded(index, results)

    def _conclude(self, index: int, records: memoryview, result: Result) -> object:
        """The answer where it is not the usual one."""
        work, timeout_ms = self._work, self._request.timeout_ms
        self._work = begin(self.context, work.acks)
        results: Certain | Steps[Certain]
        long = takes_long(result)
        if long is None:
            results = work.settled([result], timeout_ms)
        else:
            batch = (self._topic, index, records)
            results = work.in_steps([], [batch], long, timeout_ms)
        return self._concluded(index, results)

    def _concluded(self, index: int, results: Certain | Steps[Certain]) -> object:
        data = [PartitionProduceData(index=index)]
        topics = [TopicProduceData(name=self._topic, partition_data=data)]
        answer = conclude(self.context, self._request.acks, topics, results)
        return b"" if answer is None else answer

    def look_up(self, index: int) -> Partition | None:
        return self.context.services.replicas.find(self._topic, index) if self._usual else None
