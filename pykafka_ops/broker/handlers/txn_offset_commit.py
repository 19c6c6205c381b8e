"""TxnOffsetCommit (28), v0-4: store the offsets of a group inside a transaction (KIP-98)."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import repeat

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.handlers.shaping import with_codes
from pykafka_ops.broker.state.deferred import shaped
from pykafka_ops.broker.state.groups.commits import Commit
from pykafka_ops.broker.state.groups.records import OffsetAndMetadata
from pykafka_ops.broker.state.transactions.asking import Identity
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitResponse,
)

KNOWS_LOADING_FROM = 2
ABORTABLE_FROM = 4


def handle(context: Context, request: TxnOffsetCommitRequest) -> Answer:
    """Write the offsets; they count when the transaction's marker comes.

    Raises KafkaError INVALID_GROUP_ID, NOT_COORDINATOR, COORDINATOR_LOAD_IN_PROGRESS, and what
    confirming the transaction raises.
    """
    version = context.version
    codes = context.services.offsets.commit_in_transaction(
        request.group_id,
        (request.member_id, request.group_instance_id, request.generation_id),
        _commits(request, context.services.clock()),
        Identity(request.transactional_id, request.producer_id, request.producer_epoch),
        abortable=version >= ABORTABLE_FROM,
    )
    return shaped(codes, lambda codes: _response(request, codes, version))


def _commits(request: TxnOffsetCommitRequest, now: int) -> list[Commit]:
    return [
        (
            (topic.name, asked.partition_index),
            OffsetAndMetadata(
                asked.committed_offset,
                asked.committed_leader_epoch,
                asked.committed_metadata or "",
                now,
            ),
        )
        for topic in request.topics
        for asked in topic.partitions
    ]


def _response(
    request: TxnOffsetCommitRequest, codes: Iterable[int], version: int
) -> TxnOffsetCommitResponse:
    """Old producers could crash on the error of a coordinator that loads (KAFKA-7296)."""
    if version < KNOWS_LOADING_FROM:
        loads, instead = ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, ErrorCode.COORDINATOR_NOT_AVAILABLE
        codes = (instead if code == loads else code for code in codes)
    return TxnOffsetCommitResponse(topics=with_codes(request.topics, iter(codes)))


def failed(
    request: TxnOffsetCommitRequest, version: int, error: KafkaError
) -> TxnOffsetCommitResponse:
    """Every partition with the same error."""
    return _response(request, repeat(error.code), version)
