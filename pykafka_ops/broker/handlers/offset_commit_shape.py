"""OffsetCommit requests that look like one before: same group, member, partitions and notes.

A consumer commits the same partitions every few seconds; only correlation id, generation, offsets
and leader epochs differ. An :class:`OffsetCommitShape` is made of the first such request and knows
the next one by its bytes under a mask. What is decided, and what is written, is the same code as
for any other request; whatever is not as usual is left to it.
"""

from __future__ import annotations

from struct import Struct

from pykafka_ops.broker.coordinators.commit_path import PARTITION_BYTES, CommitPath, Numbers
from pykafka_ops.broker.handlers.api import SHAPE_BYTES, Context
from pykafka_ops.broker.hot.raw import length
from pykafka_ops.broker.hot.serving import Shape
from pykafka_ops.broker.state.deferred import Deferred
from pykafka_ops.broker.state.groups.commits import java_length
from pykafka_ops.broker.state.groups.records import NEVER, OffsetAndMetadata
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.frame import encode_request, response_parts
from pykafka_ops.wire.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
)
from pykafka_ops.wire.shared import PartitionCode, TopicCodes
from pykafka_ops.wire.types import joined

FIRST_VERSION = 2
"""Before it, commits have times of their own or go elsewhere."""
EPOCHS_FROM = 6
MEMBER_EPOCHS_FROM = 9
MOST_PARTITIONS = 256
_NO_EPOCH = -1
_LENGTH = 4
_CORRELATION = Struct(">i")
_ONE = b"\xff"


def shape(
    context: Context, request: OffsetCommitRequest, frame: memoryview
) -> OffsetCommitShape | None:
    """The shape of a request whose offsets are to be kept as long as the broker's settings say;
    None for any other. ``frame`` is the whole request, without the length in front."""
    if context.version < FIRST_VERSION or request.retention_time_ms != -1:
        return None
    if context.version < MEMBER_EPOCHS_FROM and context.services.groups.protocols is not None:
        return None  # members of the consumer protocol hear that they may not
    partitions = [p for topic in request.topics for p in topic.partitions]
    longest = context.services.groups.settings.metadata_max_bytes
    if not 0 < len(partitions) <= MOST_PARTITIONS:
        return None
    if any(java_length(p.committed_metadata or "") > longest for p in partitions):
        return None
    made = OffsetCommitShape(context, request)
    return made if made.fits(frame) else None


class OffsetCommitShape(Shape):
    """Serves requests of one shape on one connection; ``context`` is that of the first."""

    __slots__ = (
        "_expected",
        "_group",
        "_mask",
        "_member",
        "_notes",
        "_path",
        "_places",
        "_rest",
        "_size",
        "_start",
        "_step",
        "_topics",
        "_unpack",
    )

    def __init__(self, context: Context, request: OffsetCommitRequest) -> None:
        self.context = context
        self._group = request.group_id
        self._member = (request.member_id, request.group_instance_id)
        self._topics = [
            (topic.name, [p.partition_index for p in topic.partitions]) for topic in request.topics
        ]
        self._places = [(t.name, p.partition_index) for t in request.topics for p in t.partitions]
        self.codes = len(self._places)
        self._notes = [p.committed_metadata or "" for t in request.topics for p in t.partitions]
        # Made by our own encoder, so that a request with these bytes can mean nothing else.
        zeros, ones = _encoded(context, request, 0), _encoded(context, request, -1)
        self._size, self.key = len(zeros), length(memoryview(zeros), 0)
        self._expected = int.from_bytes(zeros, "big")
        differs = self._expected ^ int.from_bytes(ones, "big")
        self._mask = (1 << 8 * self._size) - 1 ^ differs
        self._step = 2 if context.version >= EPOCHS_FROM else 1
        self._unpack = _numbers(
            differs.to_bytes(self._size, "big"), len(self._places), self._step
        ).unpack_from
        reply = joined(response_parts(self._response(ErrorCode.NONE), context.version, 0))
        self._start, self._rest = reply[:_LENGTH], reply[_LENGTH + 4 :]
        self._path = CommitPath(
            context.services.groups, self._group, self._member, self._places, self._notes
        )
        self.held = SHAPE_BYTES + 7 * self._size + PARTITION_BYTES * self.codes

    def fits(self, frame: memoryview) -> bool:
        """Whether the frame has this shape."""
        return (
            len(frame) == self._size and int.from_bytes(frame, "big") & self._mask == self._expected
        )

    def answer(self, frame: memoryview) -> object:
        """The answer to a request of this shape; None, and nothing is done, if it has another, or
        if topics or the coordinator are not what they were."""
        if not self.fits(frame):
            return None
        services = self.context.services
        known = services.image.topics
        for name, indexes in self._topics:
            topic = known.get(name)
            if topic is None or not all(map(topic.partitions.__contains__, indexes)):
                return None
        correlation_id, generation, *numbers = self._unpack(frame)
        offsets = numbers[:: self._step]
        epochs = numbers[1::2] if self._step == 2 else [_NO_EPOCH] * len(offsets)
        code = self._path.commit(generation, offsets, epochs)
        if code is None:
            return self._commit_carefully(correlation_id, generation, offsets, epochs)
        if isinstance(code, Deferred):
            return self._answered(code, correlation_id)
        if code:
            return self._response(code)
        return self._start + _CORRELATION.pack(correlation_id) + self._rest

    def _commit_carefully(
        self, correlation_id: int, generation: int, offsets: Numbers, epochs: Numbers
    ) -> object:
        groups = self.context.services.groups
        now = groups.now()
        commits = [
            (place, OffsetAndMetadata(offset, epoch, note, now.time, NEVER))
            for place, offset, epoch, note in zip(
                self._places, offsets, epochs, self._notes, strict=True
            )
        ]
        try:
            ticket = groups.commit(self._group, (*self._member, generation), commits, now)
        except KafkaError:
            return None
        return self._answered(ticket, correlation_id)

    def _answered(self, ticket: Deferred, correlation_id: int) -> object:
        if ticket.done and ticket.answer is ErrorCode.NONE:
            return self._start + _CORRELATION.pack(correlation_id) + self._rest
        return ticket.shaped(self._response)

    def _response(self, code: ErrorCode) -> OffsetCommitResponse:
        return OffsetCommitResponse(
            topics=[
                TopicCodes(
                    name=name,
                    partitions=[
                        PartitionCode(partition_index=index, error_code=code) for index in indexes
                    ],
                )
                for name, indexes in self._topics
            ]
        )


def _encoded(context: Context, request: OffsetCommitRequest, number: int) -> bytes:
    """The frame of the request with ``number`` wherever requests of its shape differ."""
    same = OffsetCommitRequest(
        group_id=request.group_id,
        generation_id_or_member_epoch=number,
        member_id=request.member_id,
        group_instance_id=request.group_instance_id,
        topics=[
            OffsetCommitRequestTopic(
                name=topic.name,
                partitions=[
                    OffsetCommitRequestPartition(
                        partition_index=p.partition_index,
                        committed_offset=number,
                        committed_leader_epoch=number,
                        committed_metadata=p.committed_metadata,
                    )
                    for p in topic.partitions
                ],
            )
            for topic in request.topics
        ],
    )
    return encode_request(same, context.version, number, context.client_id)[_LENGTH:]


def _numbers(differs: bytes, count: int, step: int) -> Struct:
    """What reads correlation id, generation, and offset (and epoch) of each partition, which are
    where two frames differ."""
    layout, at = [">"], 0
    place = (12, "qi") if step == 2 else (8, "q")
    for size, code in ((4, "i"), (4, "i"), *[place] * count):
        start = differs.index(_ONE, at)
        layout.append(f"{start - at}x{code}")
        at = start + size
    return Struct("".join(layout))
