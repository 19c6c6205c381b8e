"""FindCoordinator (10), v0-6: which broker coordinates a group or a transactional id.

The internal topic is created when it is first needed; meanwhile clients get an error that they
retry. A broker in ZooKeeper mode never serves share groups (v6).
"""

from __future__ import annotations

import logging

from pykafka_ops.analysis.java_hash import partition_for
from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.state.image import MetadataImage
from pykafka_ops.broker.state.names import GROUP_METADATA_TOPIC, TRANSACTION_STATE_TOPIC
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.find_coordinator import (
    Coordinator,
    FindCoordinatorRequest,
    FindCoordinatorResponse,
)

log = logging.getLogger("kafka.server.KafkaApis")

SHARE = 2
TOPICS = {0: GROUP_METADATA_TOPIC, 1: TRANSACTION_STATE_TOPIC}


def handle(context: Context, request: FindCoordinatorRequest) -> Answer:
    """The leader of the internal topic's partition that a key belongs to.

    At once where the topic exists. Raises KafkaError INVALID_REQUEST for unknown key types.
    """
    topic = TOPICS.get(request.key_type)
    if topic is None and not (request.key_type == SHARE and context.version >= 6):
        raise KafkaError(ErrorCode.INVALID_REQUEST)
    if topic is None or topic in context.services.image.topics:
        return _answer(context, request, topic)
    return _create_first(context, request, topic)


async def _create_first(
    context: Context, request: FindCoordinatorRequest, topic: str
) -> FindCoordinatorResponse:
    code = await context.services.topics.ensure_internal(topic, context.mutations())
    if code not in (ErrorCode.NONE, ErrorCode.LEADER_NOT_AVAILABLE):
        log.warning("cannot create %s yet: %s", topic, code.text)
    return _answer(context, request, topic)


def _answer(
    context: Context, request: FindCoordinatorRequest, topic: str | None
) -> FindCoordinatorResponse:
    image, listener = context.services.image, context.listener
    if context.version >= 4:
        keys = request.coordinator_keys
        return FindCoordinatorResponse(
            coordinators=[_find(image, listener, topic, key) for key in keys]
        )
    found = _find(image, listener, topic, request.key)
    return FindCoordinatorResponse(
        error_code=found.error_code,
        error_message=ErrorCode(found.error_code).text,
        node_id=found.node_id,
        host=found.host,
        port=found.port,
    )


def _find(image: MetadataImage, listener: str, topic: str | None, key: str) -> Coordinator:
    known = None if topic is None else image.topics.get(topic)
    partition = known and known.partitions.get(partition_for(key, len(known.partitions)))
    leader = partition and image.brokers.get(partition.leader)
    endpoint = leader and leader.endpoint(listener)
    if not leader or not endpoint:
        code = ErrorCode.COORDINATOR_NOT_AVAILABLE
        return Coordinator(key=key, error_code=code, node_id=-1, port=-1)
    return Coordinator(key=key, node_id=leader.id, host=endpoint.host, port=endpoint.port)
