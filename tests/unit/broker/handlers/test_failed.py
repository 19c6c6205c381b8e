"""Whole requests that failed: what each API answers, and Kafka's exceptions from the rule."""

from __future__ import annotations

from typing import Any

from pykafka_ops.broker.handlers import ROUTES, failed
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.apis import APIS, ApiKey
from pykafka_ops.wire.codec import decode, encode
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.message import Struct
from pykafka_ops.wire.messages.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnTopic,
)
from pykafka_ops.wire.messages.create_topics import CreatableTopic, CreateTopicsRequest
from pykafka_ops.wire.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from pykafka_ops.wire.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from pykafka_ops.wire.messages.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
)
from pykafka_ops.wire.messages.elect_leaders import ElectLeadersRequest, TopicPartitions
from pykafka_ops.wire.messages.find_coordinator import FindCoordinatorRequest
from pykafka_ops.wire.messages.metadata import MetadataRequest, MetadataRequestTopic
from pykafka_ops.wire.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
)
from tests.support.each import each
from tests.support.wire.values import Maker

CODE = ErrorCode.CLUSTER_AUTHORIZATION_FAILED
ID = bytes(range(16))


def answer(api: ApiKey, request: Any, version: int, message: str = "") -> Any:
    error = KafkaError(CODE, message)
    found = failed.answer_to(api, ROUTES[api].load(), request, version, error)
    if found is None:
        return None
    return decode(APIS[api].response, version, encode(found, version))


def codes(message: Any) -> set[int]:
    """Every error code in a message, of whatever depth."""
    found = set()
    for name in type(message).__slots__:
        value = getattr(message, name)
        if name.endswith("error_code") and name != "topic_config_error_code":
            found.add(value)
        for item in value if isinstance(value, list) else ():
            if isinstance(item, Struct):
                found |= codes(item)
    return found


@each("api", [ApiKey(key) for key in ROUTES])
def test_every_version_of_every_api_can_say_that_it_failed(api: ApiKey) -> None:
    for version in range(ROUTES[api].min_version, ROUTES[api].max_version + 1):
        for seed in range(4):
            request = Maker(version, seed, small=True).make(APIS[api].request)
            found = answer(api, request, version)
            assert found is None or codes(found) <= {CODE, 0}


def test_items_are_named_as_in_the_request_and_have_no_other_values_of_it() -> None:
    topic = CreatableTopic(name="t", num_partitions=7, replication_factor=3)
    (result,) = answer(ApiKey.CREATE_TOPICS, CreateTopicsRequest(topics=[topic]), 7, "no").topics
    assert (result.name, result.error_code, result.error_message) == ("t", CODE, "no")
    assert (result.num_partitions, result.replication_factor, result.configs) == (-1, -1, [])


def test_items_that_are_only_names_or_numbers_are_answered_too() -> None:
    found = answer(ApiKey.DELETE_TOPICS, DeleteTopicsRequest(topic_names=["t"]), 5)
    assert [(r.name, r.error_code) for r in found.responses] == [("t", CODE)]
    by_id = DeleteTopicsRequest(topics=[DeleteTopicState(name=None, topic_id=ID)])
    found = answer(ApiKey.DELETE_TOPICS, by_id, 6)
    assert [(r.name, r.topic_id, r.error_code) for r in found.responses] == [(None, ID, CODE)]


def test_partitions_of_topics_are_answered_one_by_one() -> None:
    asked = DeleteRecordsPartition(partition_index=3, offset=9)
    request = DeleteRecordsRequest(topics=[DeleteRecordsTopic(name="t", partitions=[asked])])
    (topic,) = answer(ApiKey.DELETE_RECORDS, request, 2).topics
    (partition,) = topic.partitions
    assert (topic.name, partition.partition_index) == ("t", 3)
    assert (partition.low_watermark, partition.error_code) == (-1, CODE)


def test_some_apis_always_say_why() -> None:
    resource = DescribeConfigsResource(resource_type=2, resource_name="t")
    request = DescribeConfigsRequest(resources=[resource])
    for message, text in (("why", "why"), ("", CODE.text)):
        (result,) = answer(ApiKey.DESCRIBE_CONFIGS, request, 1, message).results
        assert (result.resource_name, result.error_message) == ("t", text)


def test_no_coordinator_has_no_address() -> None:
    old = answer(ApiKey.FIND_COORDINATOR, FindCoordinatorRequest(key="g"), 3)
    assert (old.error_code, old.error_message, old.node_id, old.port) == (CODE, CODE.text, -1, -1)
    request = FindCoordinatorRequest(coordinator_keys=["a", "b"])
    found = answer(ApiKey.FIND_COORDINATOR, request, 4).coordinators
    assert [(c.key, c.error_code, c.error_message) for c in found] == [
        ("a", CODE, CODE.text),
        ("b", CODE, CODE.text),
    ]
    assert {(c.node_id, c.port) for c in found} == {(-1, -1)}


def test_metadata_names_topics_and_no_brokers() -> None:
    topics = [MetadataRequestTopic(name="t")]
    found = answer(ApiKey.METADATA, MetadataRequest(topics=topics), 9)
    assert (found.brokers, [(t.name, t.error_code) for t in found.topics]) == ([], [("t", CODE)])
    assert answer(ApiKey.METADATA, MetadataRequest(topics=None), 9).topics == []
    unnamed = MetadataRequest(topics=[MetadataRequestTopic(name=None, topic_id=ID)])
    for version, name in ((11, ""), (12, None)):
        (topic,) = answer(ApiKey.METADATA, unnamed, version).topics
        assert (topic.name, topic.topic_id) == (name, ID)


def test_an_election_has_the_error_at_the_top_and_at_partitions() -> None:
    request = ElectLeadersRequest(topic_partitions=[TopicPartitions(topic="t", partitions=[1])])
    for version, top in ((0, 0), (1, CODE)):
        found = answer(ApiKey.ELECT_LEADERS, request, version)
        (topic,) = found.replica_election_results
        assert (found.error_code, topic.topic) == (top, "t")
        assert [(p.partition_id, p.error_code) for p in topic.partition_result] == [(1, CODE)]


def test_offsets_have_the_error_where_their_version_has_a_place_for_it() -> None:
    topic = OffsetFetchRequestTopic(name="t", partition_indexes=[4])
    request = OffsetFetchRequest(group_id="g", topics=[topic])
    (partition,) = answer(ApiKey.OFFSET_FETCH, request, 1).topics[0].partitions
    assert (partition.error_code, partition.committed_offset) == (CODE, -1)
    found = answer(ApiKey.OFFSET_FETCH, request, 2)
    assert (found.error_code, found.topics) == (CODE, [])
    request = OffsetFetchRequest(groups=[OffsetFetchRequestGroup(group_id="g", topics=[topic])])
    (group,) = answer(ApiKey.OFFSET_FETCH, request, 8).groups
    assert (group.group_id, group.error_code, group.topics) == ("g", CODE, [])


def test_partitions_of_a_transaction_have_the_error_before_version_4() -> None:
    topics = [AddPartitionsToTxnTopic(name="t", partitions=[2])]
    request = AddPartitionsToTxnRequest(v3_and_below_topics=topics)
    (topic,) = answer(ApiKey.ADD_PARTITIONS_TO_TXN, request, 3).results_by_topic_v3_and_below
    (result,) = topic.results_by_partition
    assert (topic.name, result.partition_index, result.partition_error_code) == ("t", 2, CODE)
    assert answer(ApiKey.ADD_PARTITIONS_TO_TXN, AddPartitionsToTxnRequest(), 4).error_code == CODE


def test_no_request_was_read_where_its_version_is_unknown() -> None:
    assert answer(ApiKey.API_VERSIONS, None, 0).error_code == CODE
