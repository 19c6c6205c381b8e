"""OffsetCommit requests that look like one before: same group, member, partitions and notes.

A consumer commits the same partitions every few seconds; only correlation id, generation, offsets
and leader epochs differ. An :class:`OffsetCommitShape` is made of the first such request and knows
the next one by its bytes under a mask. What is decided, and what is written, is the same code as
for any other request; whatever is not as usual is left to it.
"""

from __future__ import annotations

from functools import partial
from operator import xor
from struct import Struct

from pykafka_ops.broker.coordinators.commit_batch import PARTITION_BYTES, batch_of
from pykafka_ops.broker.coordinators.groups import GroupSlot
from pykafka_ops.broker.coordinators.hot.commits import CommitPath
from pykafka_ops.broker.coordinators.hot.raw import answered
from pykafka_ops.broker.handlers.api import SHAPE_BYTES, Context
from pykafka_ops.broker.hot.deferred import Deferred
from pykafka_ops.broker.hot.raw import HEAD_SIZE, length
from pykafka_ops.broker.state.append_errors import commit_code
from pykafka_ops.broker.state.groups.commits import java_length
from pykafka_ops.broker.state.groups.group import Group, GroupState
from pykafka_ops.broker.state.groups.offsets import GroupOffsets
from pykafka_ops.broker.state.groups.records import NEVER, OffsetAndMetadata, OffsetRecord
from pykafka_ops.broker.state.names import GROUP_METADATA_TOPIC
from pykafka_ops.broker.state.outcome import Outcome
from pykafka_ops.disk.compression import Codec
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


class OffsetCommitShape(CommitPath):
    """Serves requests of one shape on one connection; ``context`` is that of the first."""

    __slots__ = ("_asked", "_step", "_unpack")

    def __init__(self, context: Context, request: OffsetCommitRequest) -> None:
        self.context = context
        self._asked = [
            (topic.name, [p.partition_index for p in topic.partitions]) for topic in request.topics
        ]
        places = [(t.name, p.partition_index) for t in request.topics for p in t.partitions]
        notes = [p.committed_metadata or "" for t in request.topics for p in t.partitions]
        self.codes = len(places)
        # Made by our own encoder, so that a request with these bytes can mean nothing else.
        zeros, ones = _encoded(context, request, 0), _encoded(context, request, -1)
        differs = bytes(map(xor, zeros, ones))
        self._step = 2 if context.version >= EPOCHS_FROM else 1
        generation, *offsets = _differing(differs, len(places), self._step)
        self._unpack = _numbers(generation, offsets, self._step).unpack_from
        services = context.services
        environment = services.groups.coordinator.environment
        super().__init__(
            (length(memoryview(zeros), 0), zeros[HEAD_SIZE:generation], b""),
            joined(response_parts(self._response(ErrorCode.NONE), context.version, 0)),
            (request.group_id, request.member_id, request.group_instance_id),
            (services.image.topics, GROUP_METADATA_TOPIC),
            environment.timer,
            GroupState.STABLE,
        )
        same = bytes(byte ^ 0xFF for byte in differs)
        self.prepare(
            places,
            notes,
            (zeros, same, offsets, self._step == 2),
            batch_of(request.group_id, places, notes),
            (environment.clock, environment.replicas, GroupState.EMPTY),
        )
        self.held = SHAPE_BYTES + 7 * len(zeros) + PARTITION_BYTES * self.codes

    def find(self) -> GroupSlot | None:
        coordinator = self.context.services.groups.coordinator
        if coordinator.codec is not Codec.NONE:
            return None
        slot: GroupSlot | None = coordinator.loaded_of(self._group_id)
        return slot

    def ordinary(self, frame: memoryview) -> object:
        groups = self.context.services.groups
        now = groups.now()
        generation, *numbers = self._unpack(frame)
        offsets = numbers[:: self._step]
        epochs = numbers[1::2] if self._step == 2 else [_NO_EPOCH] * len(offsets)
        commits = [
            (place, OffsetAndMetadata(offset, epoch, note, now.time, NEVER))
            for place, offset, epoch, note in zip(
                self._places, offsets, epochs, self._notes, strict=True
            )
        ]
        try:
            ticket = groups.commit(self._group_id, self._who(generation), commits, now)
        except KafkaError:
            return None
        return self._end(ticket, frame)

    def may_commit(self, slot: GroupSlot, group: Group, generation: int) -> bool:
        now = self.context.services.groups.coordinator.environment.timer()
        who = self._who(generation)
        return slot.shard.may_commit(group, who, now, in_transaction=False) is ErrorCode.NONE

    def _who(self, generation: int) -> tuple[str, str | None, int]:
        return self._member_id, self._instance_id, generation

    def failed(self, slot: GroupSlot, position: int, error: OSError) -> object:
        failure = slot.partition.log.take_back(position, error)
        self.context.services.groups.coordinator.append_failed(slot, failure)
        return self._response(commit_code(ErrorCode.of(failure.code)))

    def replicated(
        self,
        slot: GroupSlot,
        kept: GroupOffsets,
        made: list[OffsetAndMetadata],
        frame: memoryview,
    ) -> object:
        ticket, places = Deferred(), self._places
        kept.begin(places)
        outcome = Outcome(
            records=[
                OffsetRecord(self._group_id, *place, value)
                for place, value in zip(places, made, strict=True)
            ],
            then=partial(slot.shard.committed, kept, places, ticket),
        )
        first = made[0].position
        coordinator = self.context.services.groups.coordinator
        coordinator.appended(slot, outcome, first, first + len(places) - 1)
        return self._end(ticket, frame)

    def _end(self, ticket: Deferred, frame: memoryview) -> object:
        if ticket.done and ticket.answer is ErrorCode.NONE:
            return answered(self._reply, frame)
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
                for name, indexes in self._asked
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


def _differing(differs: bytes, count: int, step: int) -> list[int]:
    """Where two frames differ: generation, and offset (before the epoch) of each partition."""
    found, at = [], HEAD_SIZE
    for size in (4, *[12 if step == 2 else 8] * count):
        found.append(differs.index(_ONE, at))
        at = found[-1] + size
    return found


def _numbers(generation: int, offsets: list[int], step: int) -> Struct:
    """What reads generation, and offset (and epoch) of each partition."""
    layout, at = [f">{generation}xi"], generation + 4
    place = (12, "qi") if step == 2 else (8, "q")
    for start in offsets:
        layout.append(f"{start - at}x{place[1]}")
        at = start + place[0]
    return Struct("".join(layout))
