"""FindCoordinator (10), v0-6: which broker coordinates a group or a transactional id.

The internal topic is created when it is first needed; meanwhile clients get an error that they
retry. A broker in ZooKeeper mode never serves share groups (v6).
"""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.state.image import MetadataImage
from pykafka_ops.broker.state.listener_view import coordinator
from pykafka_ops.broker.state.names import GROUP_METADATA_TOPIC, TRANSACTION_STATE_TOPIC
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.find_coordinator import (
    Coordinator,
    FindCoordinatorRequest,
    FindCoordinatorResponse,
)

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
    await context.services.topics.auto.ensure_internal(topic, context.mutations())
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
    found = coordinator(image, listener, topic, key)
    if found is None:
        code = ErrorCode.COORDINATOR_NOT_AVAILABLE
        return Coordinator(key=key, error_code=code, node_id=-1, port=-1)
    return Coordinator(key=key, node_id=found[0], host=found[1].host, port=found[1].port)
