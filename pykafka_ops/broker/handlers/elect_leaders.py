"""ElectLeaders (43), v0-2: preferred elections, from v1 also unclean ones (KIP-460)."""

from __future__ import annotations

from collections.abc import Mapping

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.state.controller.election import ElectionType
from pykafka_ops.broker.state.controller.leadership import TopicPartition
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.elect_leaders import (
    ElectLeadersRequest,
    ElectLeadersResponse,
    PartitionResult,
    ReplicaElectionResult,
)


def handle(context: Context, request: ElectLeadersRequest) -> Answer:
    """Elect for the partitions asked for, or for all that brokers know."""
    if not context.services.topics.is_controller:  # as Kafka says it: no error for the whole
        error = KafkaError(ErrorCode.NOT_CONTROLLER)
        keys = _asked(request) or []
        return _response(dict.fromkeys(keys, error))
    try:
        kind = ElectionType(request.election_type)
    except ValueError:
        text = f"Value {request.election_type} must be one of [PREFERRED, UNCLEAN]"
        raise KafkaError(ErrorCode.INVALID_REQUEST, text) from None
    return _elect(context, request, kind)


def _asked(request: ElectLeadersRequest) -> list[TopicPartition] | None:
    if request.topic_partitions is None:
        return None
    return [(each.topic, index) for each in request.topic_partitions for index in each.partitions]


async def _elect(
    context: Context, request: ElectLeadersRequest, kind: ElectionType
) -> ElectLeadersResponse:
    keys = _asked(request)
    everything = keys is None
    if keys is None:
        topics = context.services.image.topics
        keys = [(name, index) for name, topic in topics.items() for index in topic.partitions]
    results = await context.services.topics.elect(keys, kind, request.timeout_ms)
    if everything:  # only those where something was to do
        needless = ErrorCode.ELECTION_NOT_NEEDED
        results = {k: e for k, e in results.items() if e is None or e.code != needless}
    return _response(results)


def _response(results: Mapping[TopicPartition, KafkaError | None]) -> ElectLeadersResponse:
    topics: dict[str, ReplicaElectionResult] = {}
    for (topic, index), error in results.items():
        result = topics.setdefault(topic, ReplicaElectionResult(topic=topic))
        result.partition_result.append(
            PartitionResult(
                partition_id=index,
                error_code=ErrorCode.NONE if error is None else error.code,
                error_message=None if error is None else error.message or None,
            )
        )
    return ElectLeadersResponse(replica_election_results=list(topics.values()))


def failed(
    request: ElectLeadersRequest | None, version: int, error: KafkaError
) -> ElectLeadersResponse:
    """The error, and every partition of the request with the same one."""
    keys = (_asked(request) if request else None) or []
    response = _response(dict.fromkeys(keys, error))
    response.error_code = error.code
    return response
