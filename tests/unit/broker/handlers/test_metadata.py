"""Metadata and DescribeCluster: what clients learn, listener by listener, version by version."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from pykafka_ops.broker.state.image import BrokerEndpoint, BrokerInfo
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.create_topics import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreateTopicsRequest,
)
from pykafka_ops.wire.messages.describe_cluster import DescribeClusterRequest
from pykafka_ops.wire.messages.metadata import MetadataRequest, MetadataRequestTopic
from pykafka_ops.wire.types import ZERO_UUID
from tests.support.memory.replica_double import eventually
from tests.support.memory.topic_desk import CLUSTER_ID, TopicDesk, at_desk

NOT_ASKED = -2147483648
VERSIONS = range(13)


async def create(desk: TopicDesk, name: str, *replicas: list[int]) -> None:
    assignments = [
        CreatableReplicaAssignment(partition_index=i, broker_ids=r) for i, r in enumerate(replicas)
    ]
    topic = CreatableTopic(
        name=name, num_partitions=-1, replication_factor=-1, assignments=assignments
    )
    await desk.ask(CreateTopicsRequest(topics=[topic], timeout_ms=60_000), 7)


async def metadata(
    desk: TopicDesk, *names: str, version: int = 12, everything: bool = False, **rest: Any
) -> Any:
    listener = rest.pop("listener", "PLAINTEXT")
    if version >= 4:
        rest.setdefault("allow_auto_topic_creation", False)
    topics: list[MetadataRequestTopic] | None = [MetadataRequestTopic(name=n) for n in names]
    if everything:
        topics = None if version > 0 else []
    request = MetadataRequest(topics=topics, **rest)
    return await desk.ask(request, version, listener=listener)


NO_CREATION = {"auto.create.topics.enable": "false"}


@pytest.mark.parametrize("version", VERSIONS)
def test_brokers_topics_and_leaders_in_every_version(tmp_path: Path, version: int) -> None:
    async def body(desk: TopicDesk) -> None:
        await create(desk, "t", [1, 0], [0, 1])
        answer = await metadata(desk, everything=True, version=version)
        assert [(b.node_id, b.host, b.port) for b in answer.brokers] == [
            (0, "h", 9000),
            (1, "h", 9001),
        ]
        if version >= 1:
            assert answer.controller_id == 0
        if version >= 2:
            assert answer.cluster_id == CLUSTER_ID
        (topic,) = answer.topics
        assert (topic.error_code, topic.name, topic.is_internal) == (0, "t", False)
        assert topic.topic_id == (desk.image().topics["t"].topic_id if version >= 10 else ZERO_UUID)
        assert [(p.partition_index, p.leader_id, p.replica_nodes) for p in topic.partitions] == [
            (0, 1, [1, 0]),
            (1, 0, [0, 1]),
        ]
        assert topic.partitions[0].leader_epoch == (0 if version >= 7 else -1)

    at_desk(tmp_path, body, brokers=2, settings=NO_CREATION)


@pytest.mark.parametrize("version", VERSIONS)
def test_an_empty_list_means_no_topics_except_in_version_0(tmp_path: Path, version: int) -> None:
    async def body(desk: TopicDesk) -> None:
        await create(desk, "t", [0])
        answer = await metadata(desk, version=version)
        assert [topic.name for topic in answer.topics] == (["t"] if version == 0 else [])

    at_desk(tmp_path, body)


def test_unknown_and_impossible_names(tmp_path: Path) -> None:
    async def body(desk: TopicDesk) -> None:
        await create(desk, "t", [0])
        answer = await metadata(desk, "nope", "bad name", "t", "t", "__consumer_offsets")
        assert [(t.name, t.error_code, t.is_internal) for t in answer.topics] == [
            ("nope", ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, False),
            ("bad name", ErrorCode.INVALID_TOPIC_EXCEPTION, False),
            ("t", ErrorCode.NONE, False),
            ("__consumer_offsets", ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, True),
        ]

    at_desk(tmp_path, body)


def test_topics_can_be_asked_for_by_id(tmp_path: Path) -> None:
    async def body(desk: TopicDesk) -> None:
        await create(desk, "t", [0])
        id_ = desk.image().topics["t"].topic_id
        topics = [MetadataRequestTopic(topic_id=i, name=None) for i in (b"x" * 16, id_, id_)]
        answer = await desk.ask(MetadataRequest(topics=topics), 12)
        assert [(t.name, t.topic_id, t.error_code) for t in answer.topics] == [
            (None, b"x" * 16, ErrorCode.UNKNOWN_TOPIC_ID),
            ("t", id_, ErrorCode.NONE),
        ]

    at_desk(tmp_path, body)


@pytest.mark.parametrize("version", [10, 11])
def test_ids_and_null_names_are_refused_before_version_12(tmp_path: Path, version: int) -> None:
    async def body(desk: TopicDesk) -> None:
        for topic in (
            MetadataRequestTopic(topic_id=b"x" * 16, name="t"),
            MetadataRequestTopic(name=None),
        ):
            answer = await desk.ask(MetadataRequest(topics=[topic]), version)
            assert answer.topics[0].error_code == ErrorCode.INVALID_REQUEST
            assert answer.brokers == []

    at_desk(tmp_path, body)


@pytest.mark.parametrize("version", [1, 4, 12])
def test_a_topic_asked_for_is_created_and_in_the_answer(tmp_path: Path, version: int) -> None:
    async def body(desk: TopicDesk) -> None:
        rest = {"allow_auto_topic_creation": True} if version >= 4 else {}
        answer = await metadata(desk, "new", "bad!", version=version, **rest)
        assert [(t.name, t.error_code, len(t.partitions)) for t in answer.topics] == [
            ("new", ErrorCode.NONE, 3),
            ("bad!", ErrorCode.INVALID_TOPIC_EXCEPTION, 0),
        ]
        assert desk.image().has_leaders("new", range(3))

    at_desk(tmp_path, body, settings={"num.partitions": "3"})


def test_nothing_is_created_if_client_or_broker_forbid_it(tmp_path: Path) -> None:
    async def forbidden_by_client(desk: TopicDesk) -> None:
        (topic,) = (await metadata(desk, "new")).topics
        assert topic.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION

    async def forbidden_by_broker(desk: TopicDesk) -> None:
        (topic,) = (await metadata(desk, "new", allow_auto_topic_creation=True)).topics
        assert topic.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        assert desk.image().topics == {}

    at_desk(tmp_path, forbidden_by_client)
    at_desk(tmp_path, forbidden_by_broker, settings=NO_CREATION)


def test_many_clients_asking_for_one_topic_create_it_once(tmp_path: Path) -> None:
    async def body(desk: TopicDesk) -> None:
        asked = (metadata(desk, "new", allow_auto_topic_creation=True) for _ in range(10))
        codes = {answer.topics[0].error_code for answer in await asyncio.gather(*asked)}
        assert codes <= {ErrorCode.NONE, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION}
        assert len(desk.image().topics["new"].partitions) == 1

    at_desk(tmp_path, body)


def test_a_topic_that_takes_long_to_create_is_on_its_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pykafka_ops.broker.services.auto_topics.AUTO_CREATE_WAIT_MS", 1)

    async def body(desk: TopicDesk) -> None:
        desk.nodes[0].replicas.gate.clear()
        (topic,) = (await metadata(desk, "new", allow_auto_topic_creation=True)).topics
        assert topic.error_code == ErrorCode.LEADER_NOT_AVAILABLE
        desk.nodes[0].replicas.gate.set()
        await eventually(lambda: desk.image().has_leaders("new", [0]))

    at_desk(tmp_path, body)


def test_a_topic_that_cannot_be_created_says_why(tmp_path: Path) -> None:
    async def body(desk: TopicDesk) -> None:
        (topic,) = (await metadata(desk, "new", allow_auto_topic_creation=True)).topics
        assert topic.error_code == ErrorCode.INVALID_REPLICATION_FACTOR

    at_desk(tmp_path, body, settings={"default.replication.factor": "3"})


def test_internal_topics_have_their_own_settings(tmp_path: Path) -> None:
    async def body(desk: TopicDesk) -> None:
        topics = desk.services(0).topics
        assert await topics.auto.ensure_internal("__consumer_offsets") == ErrorCode.NONE
        assert await topics.auto.ensure_internal("__consumer_offsets") == ErrorCode.NONE
        assert await topics.auto.ensure_internal("__transaction_state") == ErrorCode.NONE
        offsets = await desk.nodes[0].store.get("/config/topics/__consumer_offsets")
        transactions = await desk.nodes[0].store.get("/config/topics/__transaction_state")
        assert offsets is not None
        assert transactions is not None
        # The same bytes as in golden/zk/02-entities.json.
        assert offsets.data == (
            b'{"version":1,"config":{"compression.type":"producer","cleanup.policy":"compact",'
            b'"segment.bytes":"104857600"}}'
        )
        assert transactions.data == (
            b'{"version":1,"config":{"compression.type":"uncompressed","cleanup.policy":"compact",'
            b'"min.insync.replicas":"2","segment.bytes":"104857600",'
            b'"unclean.leader.election.enable":"false"}}'
        )
        answer = await metadata(desk, everything=True)
        assert {(t.name, t.is_internal, len(t.partitions)) for t in answer.topics} == {
            ("__consumer_offsets", True, 5),
            ("__transaction_state", True, 50),
        }

    settings = {
        "offsets.topic.num.partitions": "5",
        "offsets.topic.replication.factor": "1",
        "transaction.state.log.replication.factor": "1",
    }
    at_desk(tmp_path, body, settings=settings)


def test_internal_topics_need_as_many_brokers_as_their_settings_say(tmp_path: Path) -> None:
    async def body(desk: TopicDesk) -> None:
        topics = desk.services(0).topics
        code = await topics.auto.ensure_internal("__consumer_offsets")
        assert code == ErrorCode.INVALID_REPLICATION_FACTOR

    at_desk(tmp_path, body)


def test_a_partition_without_leader(tmp_path: Path) -> None:
    async def body(desk: TopicDesk) -> None:
        await create(desk, "t", [1, 0])
        await create(desk, "u", [1])
        await desk.nodes[1].die()
        del desk.nodes.nodes[1]
        await desk.settle()
        await eventually(lambda: desk.image().topics["u"].partitions[0].leader == -1)
        first, second = [t.partitions[0] for t in (await metadata(desk, "t", "u")).topics]
        assert (first.error_code, first.leader_id, first.offline_replicas) == (0, 0, [1])
        assert (second.error_code, second.leader_id) == (ErrorCode.LEADER_NOT_AVAILABLE, -1)
        assert (second.replica_nodes, second.isr_nodes) == ([1], [1])
        (topic,) = (await metadata(desk, "t", version=0)).topics
        assert topic.partitions[0].error_code == ErrorCode.REPLICA_NOT_AVAILABLE
        assert topic.partitions[0].replica_nodes == [0]

    at_desk(tmp_path, body, brokers=2, settings=NO_CREATION)


@pytest.mark.parametrize(
    ("version", "code"),
    [(5, ErrorCode.LEADER_NOT_AVAILABLE), (6, ErrorCode.LISTENER_NOT_FOUND)],
)
def test_brokers_are_named_at_the_listener_that_was_asked(
    tmp_path: Path, version: int, code: ErrorCode
) -> None:
    async def body(desk: TopicDesk) -> None:
        await create(desk, "t", [0], [1])
        two = (
            BrokerEndpoint("in", 1, "PLAINTEXT", "PLAINTEXT"),
            BrokerEndpoint("out", 2, "EXT", "SSL"),
        )
        one = desk.image().brokers[1]
        desk.image().brokers = {0: BrokerInfo(id=0, endpoints=two, rack="r"), 1: one}
        answer = await metadata(desk, "t", version=version, listener="EXT")
        assert [(b.node_id, b.host, b.port, b.rack) for b in answer.brokers] == [(0, "out", 2, "r")]
        first, second = answer.topics[0].partitions
        assert (first.error_code, first.leader_id) == (0, 0)
        assert (second.error_code, second.leader_id) == (code, -1)

    at_desk(tmp_path, body, brokers=2)


def test_what_a_client_may_do_is_told_if_asked(tmp_path: Path) -> None:
    async def body(desk: TopicDesk) -> None:
        await create(desk, "t", [0])
        answer = await metadata(desk, "t", version=8)
        assert answer.cluster_authorized_operations == NOT_ASKED
        assert answer.topics[0].topic_authorized_operations == NOT_ASKED
        answer = await metadata(
            desk,
            "t",
            version=8,
            include_cluster_authorized_operations=True,
            include_topic_authorized_operations=True,
        )
        assert answer.cluster_authorized_operations == 8096
        assert answer.topics[0].topic_authorized_operations == 3576

    at_desk(tmp_path, body)


@pytest.mark.parametrize("version", [0, 1])
def test_the_cluster_is_described(tmp_path: Path, version: int) -> None:
    async def body(desk: TopicDesk) -> None:
        answer = await desk.ask(DescribeClusterRequest(), version)
        assert (answer.error_code, answer.error_message) == (0, None)
        assert (answer.cluster_id, answer.controller_id) == (CLUSTER_ID, 0)
        assert [(b.broker_id, b.host, b.port) for b in answer.brokers] == [
            (0, "h", 9000),
            (1, "h", 9001),
        ]
        assert answer.cluster_authorized_operations == NOT_ASKED
        asked = DescribeClusterRequest(include_cluster_authorized_operations=True)
        assert (await desk.ask(asked, version)).cluster_authorized_operations == 8096
        answer = await desk.ask(DescribeClusterRequest(), version, listener="NONE")
        assert (answer.brokers, answer.controller_id) == ([], -1)

    at_desk(tmp_path, body, brokers=2)


def test_controllers_cannot_be_asked_for(tmp_path: Path) -> None:
    async def body(desk: TopicDesk) -> None:
        answer = await desk.ask(DescribeClusterRequest(endpoint_type=2), 1)
        assert answer.error_code == ErrorCode.MISMATCHED_ENDPOINT_TYPE
        assert answer.error_message == (
            "The request was sent to an endpoint of type BROKER, but we wanted an endpoint of type"
            " CONTROLLER"
        )
        answer = await desk.ask(DescribeClusterRequest(endpoint_type=9), 1)
        assert answer.error_code == ErrorCode.UNSUPPORTED_ENDPOINT_TYPE

    at_desk(tmp_path, body)
