"""Three brokers of ours are one cluster, whichever of them is asked."""

from __future__ import annotations

import confluent_kafka as ck
import pytest

from pykafka_ops.testing import KafkaCluster
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.alter_client_quotas import (
    AlterClientQuotasRequest,
    AlterClientQuotasRequestEntryData,
    OpData,
)
from pykafka_ops.wire.messages.alter_user_scram_credentials import (
    AlterUserScramCredentialsRequest,
    ScramCredentialUpsertion,
)
from pykafka_ops.wire.messages.create_topics import CreatableTopic, CreateTopicsRequest
from pykafka_ops.wire.messages.describe_client_quotas import EntityData
from pykafka_ops.wire.messages.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
)
from pykafka_ops.wire.messages.describe_user_scram_credentials import (
    DescribeUserScramCredentialsRequest,
)
from pykafka_ops.wire.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from pykafka_ops.wire.messages.metadata import MetadataRequest, MetadataRequestTopic
from tests.support.differential.two_brokers import CLOSED, Link
from tests.support.waiting import wait_for

pytestmark = [pytest.mark.java]

TOPIC = 2


def addresses(cluster: KafkaCluster) -> list[str]:
    return cluster.bootstrap_servers.split(",")


def ask(address: str, request: object, version: int) -> object:
    link = Link(address)
    try:
        answer = link.ask(request, version)
    finally:
        link.close()
    assert answer != CLOSED
    return answer


def metadata(address: str, *topics: str, create: bool = False) -> object:
    asked = [MetadataRequestTopic(name=name) for name in topics]
    return ask(address, MetadataRequest(topics=asked, allow_auto_topic_creation=create), 9)


def by_role(cluster: KafkaCluster) -> tuple[str, list[str]]:
    """The address of the controller, and those of the others."""
    found = metadata(addresses(cluster)[0])
    where = {broker.node_id: f"{broker.host}:{broker.port}" for broker in found.brokers}
    controller = where.pop(found.controller_id)
    return controller, sorted(where.values())


def produce(cluster: KafkaCluster, topic: str, count: int, **config: object) -> None:
    producer = ck.Producer(
        {"bootstrap.servers": cluster.bootstrap_servers, "acks": "all", "log_level": 0, **config}
    )
    errors: list[object] = []
    for number in range(count):
        producer.produce(
            topic,
            b"%d" % number,
            partition=number % 3,
            on_delivery=lambda error, _: errors.append(error),
        )
    assert producer.flush(120) == 0
    assert errors == [None] * count


def read(cluster: KafkaCluster, topic: str, group: str, count: int) -> set[bytes | None]:
    consumer = ck.Consumer(
        {
            "bootstrap.servers": cluster.bootstrap_servers,
            "group.id": group,
            "auto.offset.reset": "earliest",
            "log_level": 0,
        }
    )
    consumer.subscribe([topic])
    found: list[bytes | None] = []

    def enough() -> bool:
        found.extend(m.value() for m in consumer.consume(1000, 0.2) if m.error() is None)
        return len(found) >= count

    try:
        wait_for(enough, what=f"{count} records", about=found)
    finally:
        consumer.close()
    assert len(found) == count
    return set(found)


def test_every_broker_tells_the_same(cluster: KafkaCluster) -> None:
    cluster.create_topic("said", 3, 3)
    answers = [metadata(address, "said") for address in addresses(cluster)]
    assert {len(answer.brokers) for answer in answers} == {3}
    assert len({answer.cluster_id for answer in answers}) == 1
    assert len({answer.controller_id for answer in answers}) == 1
    leaders = [{p.partition_index: p.leader_id for p in a.topics[0].partitions} for a in answers]
    assert leaders[0] == leaders[1] == leaders[2]
    assert sorted(leaders[0].values()) == [0, 1, 2]


def test_a_topic_that_is_only_asked_for_is_created_whoever_is_asked(cluster: KafkaCluster) -> None:
    controller, others = by_role(cluster)
    for number, address in enumerate([controller, *others]):
        name = f"asked-{number}"

        def there(name: str = name, address: str = address) -> bool:
            (topic,) = metadata(address, name, create=True).topics
            passing = (ErrorCode.LEADER_NOT_AVAILABLE, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
            assert topic.error_code in (ErrorCode.NONE, *passing)
            return topic.error_code == ErrorCode.NONE

        wait_for(there, what=f"topic {name}")


def test_who_is_not_controller_creates_nothing_on_request(cluster: KafkaCluster) -> None:
    _, others = by_role(cluster)
    wanted = CreatableTopic(name="refused", num_partitions=1, replication_factor=1)
    for address in others:
        answer = ask(address, CreateTopicsRequest(topics=[wanted]), 5)
        assert [topic.error_code for topic in answer.topics] == [ErrorCode.NOT_CONTROLLER]
        (topic,) = metadata(address, "refused").topics
        assert topic.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def test_settings_changed_at_one_broker_hold_at_all(cluster: KafkaCluster) -> None:
    cluster.create_topic("set", 1, 3)
    change = AlterConfigsResource(
        resource_type=TOPIC,
        resource_name="set",
        configs=[AlterableConfig(name="retention.ms", config_operation=0, value="12345")],
    )
    _, others = by_role(cluster)
    answer = ask(others[0], IncrementalAlterConfigsRequest(resources=[change]), 1)
    assert [response.error_code for response in answer.responses] == [0]
    asked = DescribeConfigsResource(
        resource_type=TOPIC, resource_name="set", configuration_keys=["retention.ms"]
    )
    for address in addresses(cluster):
        answer = ask(address, DescribeConfigsRequest(resources=[asked]), 1)
        assert [c.value for r in answer.results for c in r.configs] == ["12345"]


def set_quota(address: str, remove: bool) -> None:
    """Let the clients of :func:`ask` use next to nothing of a thread, or as much as they like."""
    entry = AlterClientQuotasRequestEntryData(
        entity=[EntityData(entity_type="client-id", entity_name="peer")],
        ops=[OpData(key="request_percentage", value=1e-6, remove=remove)],
    )
    answer = ask(address, AlterClientQuotasRequest(entries=[entry]), 1)
    assert [each.error_code for each in answer.entries] == [0]


def test_a_quota_set_at_one_broker_holds_at_all_until_it_is_removed(cluster: KafkaCluster) -> None:
    _, others = by_role(cluster)
    set_quota(others[0], remove=False)
    try:
        for address in addresses(cluster):
            wait_for(
                lambda at=address: metadata(at).throttle_time_ms > 0, what="throttled", poll=0.05
            )
    finally:
        set_quota(others[0], remove=True)
    for address in addresses(cluster):
        wait_for(lambda at=address: metadata(at).throttle_time_ms == 0, what="free", poll=0.05)


def test_only_the_controller_changes_credentials(cluster: KafkaCluster) -> None:
    controller, others = by_role(cluster)
    new = ScramCredentialUpsertion(
        name="carol", mechanism=1, iterations=4096, salt=b"s", salted_password=b"p"
    )
    change = AlterUserScramCredentialsRequest(upsertions=[new])
    for address in (*others, controller):
        (result,) = ask(address, change, 0).results
        expected = ErrorCode.NONE if address == controller else ErrorCode.NOT_CONTROLLER
        assert (result.user, result.error_code) == ("carol", expected)
    for address in addresses(cluster):
        (found,) = ask(address, DescribeUserScramCredentialsRequest(users=None), 0).results
        assert [(i.mechanism, i.iterations) for i in found.credential_infos] == [(1, 4096)]


def test_groups_work_wherever_their_coordinator_is(cluster: KafkaCluster) -> None:
    topic = cluster.create_topic("grouped", 3, 3, {"min.insync.replicas": 2})
    produce(cluster, topic, 300)
    wanted = {b"%d" % number for number in range(300)}
    for group in ("g0", "g1", "g2", "g3"):
        assert read(cluster, topic, group, 300) == wanted
    (offsets,) = metadata(addresses(cluster)[0], "__consumer_offsets").topics
    assert {len(partition.replica_nodes) for partition in offsets.partitions} == {3}


def test_commits_of_the_same_partitions_again_and_again_are_kept(cluster: KafkaCluster) -> None:
    topic = cluster.create_topic("committed", 3, 3, {"min.insync.replicas": 2})
    for group in ("c0", "c1", "c2"):
        config = {"bootstrap.servers": cluster.bootstrap_servers, "group.id": group, "log_level": 0}
        consumer, other = ck.Consumer(config), ck.Consumer(config)
        try:
            for offset in range(50):
                wanted = [ck.TopicPartition(topic, index, offset + index) for index in range(3)]
                assert all(p.error is None for p in consumer.commit(None, wanted, False))
            assert [p.offset for p in other.committed(wanted, 60)] == [49, 50, 51]
        finally:
            consumer.close()
            other.close()


def test_a_transaction_spans_brokers(cluster: KafkaCluster) -> None:
    topic = cluster.create_topic("spanned", 3, 3, {"min.insync.replicas": 2})
    producer = ck.Producer(
        {
            "bootstrap.servers": cluster.bootstrap_servers,
            "transactional.id": "spanning",
            "log_level": 0,
        }
    )
    producer.init_transactions(120)
    for commit in (True, False, True):
        producer.begin_transaction()
        for number in range(30):
            producer.produce(topic, b"%d %d" % (commit, number), partition=number % 3)
        assert producer.flush(120) == 0
        if commit:
            producer.commit_transaction(120)
        else:
            producer.abort_transaction(120)
    found = read(cluster, topic, "of-transactions", 60)
    assert found == {b"1 %d" % number for number in range(30)}
