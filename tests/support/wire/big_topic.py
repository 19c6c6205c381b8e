"""What clients ask of a topic of as many partitions as may be, in one request each."""

from __future__ import annotations

from collections.abc import Iterator

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.frame import encode_request
from pykafka_ops.wire.message import table_of
from pykafka_ops.wire.messages.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from pykafka_ops.wire.messages.create_partitions import (
    CreatePartitionsRequest,
    CreatePartitionsTopic,
)
from pykafka_ops.wire.messages.create_topics import CreatableTopic, CreateTopicsRequest
from pykafka_ops.wire.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from pykafka_ops.wire.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from pykafka_ops.wire.messages.elect_leaders import ElectLeadersRequest
from pykafka_ops.wire.messages.list_partition_reassignments import (
    ListPartitionReassignmentsRequest,
)
from pykafka_ops.wire.messages.metadata import MetadataRequest, MetadataRequestTopic

PATIENCE_MS = 100_000


def steps(topic: str, count: int) -> Iterator[tuple[str, bytes]]:
    """A name and the frame of each request, in the order in which they make sense: a topic of half
    of the partitions is created, grows, is used and is deleted."""
    for name, message in _messages(topic, count):
        newest = ApiKey(table_of(type(message)).api).served[-1]
        yield name, encode_request(message, newest, 1, "big")


def _messages(topic: str, count: int) -> Iterator[tuple[str, object]]:
    every = range(count)
    made = CreatableTopic(name=topic, num_partitions=count // 2, replication_factor=1)
    yield "create", CreateTopicsRequest(topics=[made], timeout_ms=PATIENCE_MS)
    grown = CreatePartitionsTopic(name=topic, count=count, assignments=None)
    yield "enlarge", CreatePartitionsRequest(topics=[grown], timeout_ms=PATIENCE_MS)
    fields = {field.name: field.kind for field in table_of(ElectLeadersRequest).fields}
    led = fields["topic_partitions"](topic=topic, partitions=list(every))  # type: ignore[operator]
    yield "elect", ElectLeadersRequest(topic_partitions=[led], timeout_ms=PATIENCE_MS)
    yield "elect all", ElectLeadersRequest(topic_partitions=None, timeout_ms=PATIENCE_MS)
    moves = [ReassignablePartition(partition_index=n, replicas=[0]) for n in every]
    moved = ReassignableTopic(name=topic, partitions=moves)
    yield (
        "reassign",
        AlterPartitionReassignmentsRequest(topics=[moved], timeout_ms=PATIENCE_MS),
    )
    yield "list moves", ListPartitionReassignmentsRequest(topics=None)
    starts = [DeleteRecordsPartition(partition_index=n, offset=-1) for n in every]
    cut = DeleteRecordsTopic(name=topic, partitions=starts)
    yield "delete records", DeleteRecordsRequest(topics=[cut], timeout_ms=PATIENCE_MS)
    yield (
        "describe",
        MetadataRequest(topics=[MetadataRequestTopic(name=topic)], allow_auto_topic_creation=False),
    )
    gone = DeleteTopicState(name=topic)
    yield "delete", DeleteTopicsRequest(topics=[gone], timeout_ms=PATIENCE_MS)
