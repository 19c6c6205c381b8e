"""TxnOffsetCommit (28), v0-4: store the offsets of a group inside a transaction (KIP-98).

v2 brought leader epochs, v3 member and generation, so that zombies are fenced (KIP-447), v4
TRANSACTION_ABORTABLE.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pykafka_ops.broker.handlers.group_calls import answer_with, java_length
from pykafka_ops.broker.state.deferred import Deferred
from pykafka_ops.broker.state.groups.records import Committed
from pykafka_ops.broker.state.outcome import Producer
from pykafka_ops.broker.state.transactions.shard import Identity
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitResponse,
    TxnOffsetCommitResponsePartition,
    TxnOffsetCommitResponseTopic,
)

if TYPE_CHECKING:
    from pykafka_ops.broker.coordinators.elsewhere import Codes
    from pykafka_ops.broker.coordinators.groups import GroupSlot
    from pykafka_ops.broker.handlers.api import Answer, Context
    from pykafka_ops.broker.state.groups.shard import Commit
    from pykafka_ops.broker.state.transactions.metadata import TopicPartition

NONE = ErrorCode.NONE
KNOWS_LOADING_FROM = 2
ABORTABLE_FROM = 4

Sorted = tuple[list["Commit"], TxnOffsetCommitResponse, list[TxnOffsetCommitResponsePartition]]


def handle(context: Context, request: TxnOffsetCommitRequest) -> Answer:
    """Write the offsets; they count when the transaction's marker comes.

    Raises KafkaError INVALID_GROUP_ID, NOT_COORDINATOR, COORDINATOR_LOAD_IN_PROGRESS, and what
    confirming the transaction raises.
    """
    partition = _unconfirmed(context, request)
    if partition is None:
        return _commit(context, request, None)
    return context.services.verification.after_confirming(
        _who(request),
        [partition],
        lambda codes: _commit(context, request, codes),
        lambda error: failed(request, context.version, error),
    )


def _unconfirmed(context: Context, request: TxnOffsetCommitRequest) -> TopicPartition | None:
    """Where the offsets go, if another broker coordinates the transaction and must be asked."""
    services = context.services
    if not services.transactions.is_elsewhere(request.transactional_id):
        return None
    try:
        partition = services.groups.slot_of(request.group_id).partition
    except KafkaError:
        return None  # said where the offsets are written
    return partition.key if services.verification.unconfirmed(partition, _who(request)) else None


def _who(request: TxnOffsetCommitRequest) -> Identity:
    return Identity(request.transactional_id, request.producer_id, request.producer_epoch)


def _commit(context: Context, request: TxnOffsetCommitRequest, confirmed: Codes | None) -> Answer:
    groups = context.services.groups
    commits, response, accepted = _sort_out(context, request)
    if not accepted and response.topics:
        return response
    slot = groups.slot_of(request.group_id)
    producer = _producer(context, request, slot, confirmed)
    ticket = Deferred()
    who = (request.member_id, request.group_instance_id, request.generation_id)
    now = groups.now()
    groups.run(slot, slot.shard.commit(request.group_id, who, commits, ticket, now, producer))

    def shape(code: ErrorCode) -> TxnOffsetCommitResponse:
        if code is not NONE:
            for partition in accepted:
                partition.error_code = _shown(code, context.version)
        return response

    return answer_with(ticket, shape)


def _producer(
    context: Context,
    request: TxnOffsetCommitRequest,
    slot: GroupSlot,
    confirmed: Codes | None,
) -> Producer:
    """In whose transaction to write; its coordinator has confirmed it."""
    guard = context.services.verification.guard_for(
        slot.partition,
        _who(request),
        abortable=context.version >= ABORTABLE_FROM,
        confirmed=confirmed,
    )
    return Producer(request.producer_id, request.producer_epoch, guard)


def _sort_out(context: Context, request: TxnOffsetCommitRequest) -> Sorted:
    """As in OffsetCommit: what to write, the answer, and whose code the group decides."""
    services = context.services
    longest = services.groups.settings.metadata_max_bytes
    now = services.clock()
    commits: list[Commit] = []
    accepted: list[TxnOffsetCommitResponsePartition] = []
    response = TxnOffsetCommitResponse()
    for topic in request.topics:
        exists = services.image.topics.get(topic.name)
        partitions = []
        for asked in topic.partitions:
            answer = TxnOffsetCommitResponsePartition(partition_index=asked.partition_index)
            partitions.append(answer)
            if exists is None or asked.partition_index not in exists.partitions:
                answer.error_code = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
                continue
            accepted.append(answer)
            metadata = asked.committed_metadata or ""
            if java_length(metadata) > longest:
                answer.error_code = ErrorCode.OFFSET_METADATA_TOO_LARGE
                continue
            epoch = asked.committed_leader_epoch
            value = Committed(asked.committed_offset, epoch, metadata, now)
            commits.append(((topic.name, asked.partition_index), value))
        response.topics.append(TxnOffsetCommitResponseTopic(name=topic.name, partitions=partitions))
    return commits, response, accepted


def _shown(code: int, version: int) -> int:
    """Producers of old could crash on the error of a coordinator that loads (KAFKA-7296)."""
    if version < KNOWS_LOADING_FROM and code == ErrorCode.COORDINATOR_LOAD_IN_PROGRESS:
        return ErrorCode.COORDINATOR_NOT_AVAILABLE
    return code


def failed(
    request: TxnOffsetCommitRequest | None, version: int, error: KafkaError
) -> TxnOffsetCommitResponse:
    """Every partition with the same error."""
    code = _shown(error.code, version)
    return TxnOffsetCommitResponse(
        topics=[
            TxnOffsetCommitResponseTopic(
                name=topic.name,
                partitions=[
                    TxnOffsetCommitResponsePartition(
                        partition_index=asked.partition_index, error_code=code
                    )
                    for asked in topic.partitions
                ],
            )
            for topic in (request.topics if request else ())
        ]
    )
