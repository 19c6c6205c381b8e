"""FindCoordinator (10), v0-6: which broker coordinates a group or a transactional id.

v1 brought the key type and error messages, v3 flexible headers, v4 several keys at once
(KIP-699), v6 share groups, which a broker in ZooKeeper mode never serves. The internal topic is
created when it is first needed; meanwhile clients get an error that they retry.
"""

from __future__ import annotations

import logging
from typing import NamedTuple

from pykafka_ops.analysis.java_hash import partition_for
from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.state.names import GROUP_METADATA_TOPIC, TRANSACTION_STATE_TOPIC
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.find_coordinator import (
    Coordinator,
    FindCoordinatorRequest,
    FindCoordinatorResponse,
)

log = logging.getLogger("kafka.server.KafkaApis")

GROUP = 0
TRANSACTION = 1
SHARE = 2
TOPICS = {GROUP: GROUP_METADATA_TOPIC, TRANSACTION: TRANSACTION_STATE_TOPIC}


class FoundCoordinator(NamedTuple):
    """The coordinator of one key, or why there is none."""

    code: ErrorCode
    node_id: int = -1
    host: str = ""
    port: int = -1


def handle(context: Context, request: FindCoordinatorRequest) -> Answer:
    """The leader of the internal topic's partition that a key belongs to.

    At once where the topic exists. Raises KafkaError INVALID_REQUEST for unknown key types.
    """
    if request.key_type not in TOPICS and not (request.key_type == SHARE and context.version >= 6):
        raise KafkaError(ErrorCode.INVALID_REQUEST)
    topic = TOPICS.get(request.key_type)
    if topic is None or topic in context.services.image.topics:
        return _answer(context, request)
    return _create_first(context, request, topic)


async def _create_first(
    context: Context, request: FindCoordinatorRequest, topic: str
) -> FindCoordinatorResponse:
    code = await context.services.topics.ensure_internal(topic, context.mutations())
    if code not in (ErrorCode.NONE, ErrorCode.LEADER_NOT_AVAILABLE):
        log.warning("cannot create %s yet: %s", topic, code.text)
    return _answer(context, request)


def _answer(context: Context, request: FindCoordinatorRequest) -> FindCoordinatorResponse:
    if context.version >= 4:
        return FindCoordinatorResponse(
            coordinators=[
                _entry(key, _find(context, request.key_type, key))
                for key in request.coordinator_keys
            ]
        )
    return _single(_find(context, request.key_type, request.key))


def _find(context: Context, key_type: int, key: str) -> FoundCoordinator:
    missing = FoundCoordinator(ErrorCode.COORDINATOR_NOT_AVAILABLE)
    image = context.services.image
    topic = image.topics.get(TOPICS.get(key_type, ""))
    if topic is None:
        return missing
    partition = topic.partitions.get(partition_for(key, len(topic.partitions)))
    leader = None if partition is None else image.brokers.get(partition.leader)
    endpoint = None if leader is None else leader.endpoint(context.listener)
    if leader is None or endpoint is None:
        return missing
    return FoundCoordinator(ErrorCode.NONE, leader.id, endpoint.host, endpoint.port)


def _entry(key: str, found: FoundCoordinator) -> Coordinator:
    return Coordinator(
        key=key,
        error_code=found.code,
        node_id=found.node_id,
        host=found.host,
        port=found.port,
    )


def _single(found: FoundCoordinator) -> FindCoordinatorResponse:
    return FindCoordinatorResponse(
        error_code=found.code,
        error_message=found.code.text,
        node_id=found.node_id,
        host=found.host,
        port=found.port,
    )


def failed(
    request: FindCoordinatorRequest | None, version: int, error: KafkaError
) -> FindCoordinatorResponse:
    """Every key with the same error."""
    found = FoundCoordinator(ErrorCode.of(error.code))
    if version < 4:
        return _single(found)
    entries = [_entry(key, found) for key in (request.coordinator_keys if request else ())]
    for entry in entries:
        entry.error_message = found.code.text
    return FindCoordinatorResponse(coordinators=entries)
