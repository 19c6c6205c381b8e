"""Three brokers of ours answer as three of Apache Kafka's do: leaders, followers, controllers.

What depends on who is asked: each request goes to every broker, or to the controller and to one
that is not. Ports, ids of clusters and topics, and who is controller are told apart by names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.record import Record
from pykafka_ops.wire.messages import (
    delete_records,
    describe_log_dirs,
    fetch,
    list_offsets,
    offset_for_leader_epoch,
    produce,
)
from pykafka_ops.wire.messages import list_partition_reassignments as reassign
from pykafka_ops.wire.messages.allocate_producer_ids import AllocateProducerIdsRequest
from pykafka_ops.wire.messages.alter_partition import AlterPartitionRequest
from pykafka_ops.wire.messages.controlled_shutdown import ControlledShutdownRequest
from pykafka_ops.wire.messages.create_topics import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreateTopicsRequest,
)
from pykafka_ops.wire.messages.delete_topics import DeleteTopicsRequest
from pykafka_ops.wire.messages.describe_cluster import DescribeClusterRequest
from pykafka_ops.wire.messages.describe_producers import DescribeProducersRequest, TopicRequest
from pykafka_ops.wire.messages.elect_leaders import ElectLeadersRequest, TopicPartitions
from pykafka_ops.wire.messages.metadata import MetadataRequest, MetadataRequestTopic
from tests.support.cluster.apache_cluster import Brokers, OurBrokers
from tests.support.differential.plain import Plain, differences
from tests.support.differential.two_brokers import Link
from tests.support.process.apache import ZooKeeper
from tests.support.waiting import wait_for

pytestmark = [pytest.mark.live, pytest.mark.java]

TOPIC = "answers"
ASSIGNMENT = ([0, 1], [1, 2], [2, 0])
EACH = range(len(ASSIGNMENT))
SIMPLE_CONSUMER = -1


class Side:
    """One cluster, asked over plain sockets."""

    def __init__(self, brokers: Brokers) -> None:
        self.links = [Link(broker.bootstrap) for broker in brokers.all]
        self.ports = {int(b.bootstrap.rpartition(":")[2]): i for i, b in enumerate(brokers.all)}
        self.controller = self.links[0].ask(DescribeClusterRequest(), 0).controller_id
        self.plain = Named(self)
        self.topic_id = b""

    @property
    def other(self) -> int:
        """A broker that is not controller."""
        return next(i for i in range(3) if i != self.controller)

    def create(self) -> None:
        """The topic, led as it was assigned, with a record in each partition on every replica."""
        asked = [
            CreatableReplicaAssignment(partition_index=index, broker_ids=brokers)
            for index, brokers in enumerate(ASSIGNMENT)
        ]
        topic = CreatableTopic(
            name=TOPIC, num_partitions=-1, replication_factor=-1, assignments=asked
        )
        request = CreateTopicsRequest(topics=[topic], timeout_ms=60_000)
        answer = self.links[self.controller].ask(request, 7)
        assert answer.topics[0].error_code == 0, answer
        self.topic_id = bytes(answer.topics[0].topic_id)
        self.plain.ids[self.topic_id] = TOPIC
        for index, brokers in enumerate(ASSIGNMENT):
            wait_for(partial(self._produced, index, brokers[0]), what="a record")
        wait_for(self._copied, what="the record on every replica")

    def _produced(self, index: int, broker: int) -> bool:
        answer = self.links[broker].ask(produce_to(index), 9)
        return not answer.responses[0].partition_responses[0].error_code

    def _copied(self) -> bool:
        """Whether followers know that the record is committed."""
        for index, brokers in enumerate(ASSIGNMENT):
            for broker in brokers:
                answer = self.links[broker].ask(read(index, 11), 11)
                if answer.responses[0].partitions[0].high_watermark != 1:
                    return False
        return True

    def close(self) -> None:
        for link in self.links:
            link.close()


class Named(Plain):
    """Ports by the broker's id; the controller by that."""

    def __init__(self, side: Side) -> None:
        self.ids: dict[bytes, str] = {}
        super().__init__(self.ids, 0, lambda text: text)
        self._side = side

    def _number(self, name: str, value: int) -> Any:
        if name == "port":
            return f"port of {self._side.ports.get(value, value)}"
        if name == "controller_id" and value == self._side.controller:
            return "CONTROLLER"
        return super()._number(name, value)


def produce_to(index: int) -> produce.ProduceRequest:
    records = bytes(build_batch([Record(0, 1000, None, b"x", [])]))
    data = [produce.PartitionProduceData(index=index, records=records)]
    return produce.ProduceRequest(
        acks=-1,
        timeout_ms=30_000,
        topic_data=[produce.TopicProduceData(name=TOPIC, partition_data=data)],
    )


def read(index: int, version: int, topic_id: bytes = b"", epoch: int = -1) -> fetch.FetchRequest:
    data = fetch.FetchPartition(partition=index, partition_max_bytes=1000)
    if version >= 9:
        data.current_leader_epoch = epoch
    topic = fetch.FetchTopic(partitions=[data])
    if version >= 13:
        topic.topic_id = topic_id
    else:
        topic.topic = TOPIC
    request = fetch.FetchRequest(max_wait_ms=0, min_bytes=0, topics=[topic])
    if version < 15:
        request.replica_id = SIMPLE_CONSUMER
    return request


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Side]:
    directory = tmp_path_factory.mktemp("answers")
    brokers = OurBrokers(directory, ZooKeeper(directory).start())
    try:
        brokers.start()
        side = Side(brokers)
        side.create()
        yield side
        side.close()
    finally:
        brokers.close()


@pytest.fixture(scope="module")
def theirs(apache_cluster_session: Brokers) -> Iterator[Side]:
    side = Side(apache_cluster_session)
    side.create()
    yield side
    gone = DeleteTopicsRequest(topic_names=[TOPIC], timeout_ms=60_000)
    side.links[side.controller].ask(gone, 4)
    side.close()


Make = Callable[[Side, int, int], Any]
"""The request for a side, a version, and a partition (or nothing of that)."""


def metadata(side: Side, version: int, index: int) -> MetadataRequest:
    names = [TOPIC] if version < 4 else [TOPIC, "unknown"]  # which older versions would create
    request = MetadataRequest(topics=[MetadataRequestTopic(name=name) for name in names])
    if version >= 4:
        request.allow_auto_topic_creation = False
    return request


def offsets(side: Side, version: int, index: int) -> list_offsets.ListOffsetsRequest:
    data = list_offsets.ListOffsetsPartition(partition_index=index, timestamp=-1)
    if version == 0:
        data.max_num_offsets = 1
    topic = list_offsets.ListOffsetsTopic(name=TOPIC, partitions=[data])
    return list_offsets.ListOffsetsRequest(replica_id=SIMPLE_CONSUMER, topics=[topic])


def epochs(side: Side, version: int, index: int) -> Any:
    data = offset_for_leader_epoch.OffsetForLeaderPartition(partition=index, leader_epoch=0)
    topic = offset_for_leader_epoch.OffsetForLeaderTopic(topic=TOPIC, partitions=[data])
    return offset_for_leader_epoch.OffsetForLeaderEpochRequest(topics=[topic])


def deletion(side: Side, version: int, index: int) -> Any:
    data = delete_records.DeleteRecordsPartition(partition_index=index, offset=0)
    topic = delete_records.DeleteRecordsTopic(name=TOPIC, partitions=[data])
    return delete_records.DeleteRecordsRequest(topics=[topic], timeout_ms=30_000)


def elections(side: Side, version: int, index: int) -> ElectLeadersRequest:
    asked = [TopicPartitions(topic=TOPIC, partitions=[0, 2, 9])]
    return ElectLeadersRequest(topic_partitions=asked, timeout_ms=30_000)


def moves(side: Side, version: int, index: int) -> Any:
    topics = [reassign.ListPartitionReassignmentsTopics(name=TOPIC, partition_indexes=[0, 9])]
    return reassign.ListPartitionReassignmentsRequest(topics=topics, timeout_ms=30_000)


def directories(side: Side, version: int, index: int) -> Any:
    topics = [describe_log_dirs.DescribableLogDirTopic(topic=TOPIC, partitions=[3])]
    return describe_log_dirs.DescribeLogDirsRequest(topics=topics)


def producers(side: Side, version: int, index: int) -> DescribeProducersRequest:
    return DescribeProducersRequest(topics=[TopicRequest(name=TOPIC, partition_indexes=[index])])


ANYBODY: dict[str, tuple[Make, tuple[int, ...], bool]] = {
    "Metadata": (metadata, (0, 1, 4, 7, 9, 12), False),
    "DescribeCluster": (lambda *_: DescribeClusterRequest(), (0, 1), False),
    "Fetch": (lambda side, v, index: read(index, v, side.topic_id), (4, 10, 11, 12, 17), True),
    "Fetch in an old epoch": (
        lambda side, v, index: read(index, v, side.topic_id, 9),
        (11, 17),
        True,
    ),
    "ListOffsets": (offsets, (0, 1, 4, 9), True),
    "OffsetForLeaderEpoch": (epochs, (0, 4), True),
    "DeleteRecords": (deletion, (0, 2), True),
    "DescribeProducers": (producers, (0,), True),
    "Produce": (lambda side, version, index: produce_to(index), (7, 9, 10), True),
}
"""What each broker is asked, in which versions, for each partition or once.

Produce is the last: followers hear a little later what is committed.
"""

CONTROLLERS: dict[str, tuple[Make, tuple[int, ...]]] = {
    "ElectLeaders": (elections, (0, 2)),
    "ListPartitionReassignments": (moves, (0,)),
    "ControlledShutdown": (lambda *_: ControlledShutdownRequest(broker_id=77), (1, 3)),
    "AlterPartition": (lambda *_: AlterPartitionRequest(broker_id=77), (0, 3)),
    "AllocateProducerIds": (lambda *_: AllocateProducerIdsRequest(broker_id=77), (0,)),
}
"""What the controller is asked, and a broker that is not."""


def compare(ours: Side, theirs: Side, asked: Callable[[Side], Iterator[tuple[str, Any]]]) -> None:
    left, right = dict(asked(ours)), dict(asked(theirs))
    assert left.keys() == right.keys()
    found = [d for note in left for d in differences(note, left[note], right[note])]
    assert not found, "\n".join(map(str, found))


@pytest.mark.parametrize("name", ANYBODY)
def test_every_broker_answers_as_apaches_does(ours: Side, theirs: Side, name: str) -> None:
    make, versions, by_partition = ANYBODY[name]

    def asked(side: Side) -> Iterator[tuple[str, Any]]:
        for version in versions:
            for broker, link in enumerate(side.links):
                for index in EACH if by_partition else (0,):
                    answer = link.ask(make(side, version, index), version)
                    yield f"v{version} of {broker} for {index}", side.plain.message(answer)

    compare(ours, theirs, asked)


@pytest.mark.parametrize("name", CONTROLLERS)
def test_controllers_and_others_answer_as_apaches_do(ours: Side, theirs: Side, name: str) -> None:
    make, versions = CONTROLLERS[name]

    def asked(side: Side) -> Iterator[tuple[str, Any]]:
        for version in versions:
            for role, broker in (("controller", side.controller), ("other", side.other)):
                answer = side.links[broker].ask(make(side, version, 0), version)
                yield f"v{version} of the {role}", side.plain.message(answer)

    compare(ours, theirs, asked)
