from typing import Any

import pytest

from pykafka_ops.wire.messages.describe_configs import (
    DescribeConfigsResourceResult,
    DescribeConfigsResponse,
    DescribeConfigsResult,
)
from pykafka_ops.wire.messages.list_partition_reassignments import (
    ListPartitionReassignmentsResponse,
    OngoingPartitionReassignment,
    OngoingTopicReassignment,
)
from pykafka_ops.wire.messages.metadata import MetadataResponse
from tests.support.memory.fake_broker import FakeBroker

Fakes = tuple[FakeBroker, FakeBroker]


def settings(request: Any) -> DescribeConfigsResponse:
    """min.insync.replicas 2 by default, retention.ms set by the topic."""
    entries = [
        DescribeConfigsResourceResult(name="retention.ms", value="9", config_source=1),
        DescribeConfigsResourceResult(name="min.insync.replicas", value="2", config_source=5),
    ]
    return DescribeConfigsResponse(
        results=[
            DescribeConfigsResult(
                resource_type=r.resource_type, resource_name=r.resource_name, configs=entries
            )
            for r in request.resources
        ]
    )


def moving(request: Any) -> ListPartitionReassignmentsResponse:
    """orders-1 moves from broker 0 to broker 1."""
    move = OngoingPartitionReassignment(
        partition_index=1, replicas=[0, 1], adding_replicas=[1], removing_replicas=[0]
    )
    topic = OngoingTopicReassignment(name="orders", partitions=[move])
    return ListPartitionReassignmentsResponse(topics=[topic])


@pytest.fixture
def cluster(fakes: Fakes) -> FakeBroker:
    """orders: partition 0 whole, 1 moving, 2 without leader, one in sync; the controller is 1."""
    for fake in fakes:
        fake.topics = {"orders": [0, 1, -1], "__consumer_offsets": [0]}
        fake.on("DescribeConfigs", settings).on("ListPartitionReassignments", moving)
        whole = fake.metadata

        def answer(request: Any, whole: Any = whole) -> MetadataResponse:
            response: MetadataResponse = whole(request)
            for topic in response.topics:
                if topic.name == "orders":
                    topic.partitions[2].isr_nodes = [0]
            return response

        fake.on("Metadata", answer)
    return fakes[1]
