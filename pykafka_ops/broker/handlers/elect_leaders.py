"""ElectLeaders (43), v0-2: preferred elections, from v1 also unclean ones (KIP-460)."""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Context
from pykafka_ops.broker.handlers.shaping import by_topic, code_and_text
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.messages.elect_leaders import (
    ElectLeadersRequest,
    ElectLeadersResponse,
    PartitionResult,
    ReplicaElectionResult,
)


async def handle(context: Context, request: ElectLeadersRequest) -> ElectLeadersResponse:
    """Elect for the partitions asked for, or for all that brokers know."""
    asked = None
    if request.topic_partitions is not None:
        asked = [(each.topic, i) for each in request.topic_partitions for i in each.partitions]
    results = await context.services.topics.elect(asked, request.election_type, request.timeout_ms)
    return ElectLeadersResponse(
        replica_election_results=[
            ReplicaElectionResult(topic=topic, partition_result=[_result(*e) for e in found])
            for topic, found in by_topic(results).items()
        ]
    )


def _result(index: int, error: KafkaError | None) -> PartitionResult:
    code, text = code_and_text(error)
    return PartitionResult(partition_id=index, error_code=code, error_message=text)
