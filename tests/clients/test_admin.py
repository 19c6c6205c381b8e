"""Admin calls of every client library."""

from __future__ import annotations

from typing import Any

import pytest
from confluent_kafka import KafkaException
from confluent_kafka.admin import (
    AdminClient,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialDeletion,
    UserScramCredentialUpsertion,
)

from tests.support.clients.base import Client, Partition, RefusedError
from tests.support.clients.java import JavaClient
from tests.support.clients.samples import BASE_TIME, messages
from tests.support.waiting import wait_for

OFFSET_OUT_OF_RANGE, UNKNOWN_TOPIC_OR_PARTITION, INVALID_TOPIC = 1, 3, 17
TOPIC_ALREADY_EXISTS, INVALID_PARTITIONS, INVALID_CONFIG = 36, 37, 40
ELECTION_NOT_NEEDED = 84


def test_a_topic_is_created_described_and_listed(client: Client, topic: str) -> None:
    client.create_topic(topic, 3, {"retention.ms": "86400000", "cleanup.policy": "compact"})
    assert client.describe_topic(topic) == [Partition(i, 0, (0,), (0,)) for i in range(3)]
    assert topic in client.list_topics()
    configs = client.topic_configs(topic)
    assert configs["retention.ms"] == "86400000"
    assert configs["cleanup.policy"] == "compact"
    assert configs["segment.bytes"] == "1073741824"


def test_creating_it_twice_is_refused(client: Client, topic: str) -> None:
    client.create_topic(topic)
    with pytest.raises(RefusedError) as refused:
        client.create_topic(topic)
    assert refused.value.code == TOPIC_ALREADY_EXISTS


@pytest.mark.parametrize("name", ["with blank", "..", "ü", "x" * 250])
def test_a_bad_name_is_refused(client: Client, name: str) -> None:
    with pytest.raises(RefusedError) as refused:
        client.create_topic(name)
    assert refused.value.code == INVALID_TOPIC
    assert name not in client.list_topics()


def test_a_bad_setting_is_refused_and_nothing_made(client: Client, topic: str) -> None:
    for configs in ({"retention.ms": "soon"}, {"no.such.setting": "1"}):
        with pytest.raises(RefusedError) as refused:
            client.create_topic(topic, configs=configs)
        assert refused.value.code == INVALID_CONFIG
    assert topic not in client.list_topics()


def test_a_deleted_topic_is_gone_and_can_be_made_anew(client: Client, topic: str) -> None:
    client.create_topic(topic, 2)
    client.produce(topic, messages(10, client=client))
    client.delete_topic(topic)
    wait_for(lambda: topic not in client.list_topics(), what="topic gone")
    wait_for(lambda: _created(client, topic), what="topic made anew")
    wait_for(lambda: len(client.describe_topic(topic)) == 1, what="one partition")
    assert client.produce(topic, messages(3, client=client)) == [0, 1, 2]


def _created(client: Client, topic: str) -> bool:
    try:
        client.create_topic(topic)
    except RefusedError as refused:
        assert refused.code == TOPIC_ALREADY_EXISTS
        return False
    return True


def test_deleting_an_unknown_topic_is_refused(client: Client, topic: str) -> None:
    with pytest.raises(RefusedError) as refused:
        client.delete_topic(topic)
    assert refused.value.code == UNKNOWN_TOPIC_OR_PARTITION


def test_partitions_are_added_and_never_taken_away(client: Client, topic: str) -> None:
    client.create_topic(topic, 2)
    client.create_partitions(topic, 5)
    wait_for(lambda: len(client.describe_topic(topic)) == 5, what="five partitions")
    assert client.produce(topic, messages(4, client=client), partition=4) == [0, 1, 2, 3]
    for total in (3, 5):
        with pytest.raises(RefusedError) as refused:
            client.create_partitions(topic, total)
        assert refused.value.code == INVALID_PARTITIONS


def test_settings_of_a_topic_change_while_it_serves(client: Client, topic: str) -> None:
    client.create_topic(topic)
    client.set_topic_configs(topic, {"max.message.bytes": "2000"})
    wait_for(lambda: client.topic_configs(topic)["max.message.bytes"] == "2000", what="setting")
    with pytest.raises(RefusedError) as refused:
        client.set_topic_configs(topic, {"max.message.bytes": "-7"})
    assert refused.value.code == INVALID_CONFIG
    assert client.topic_configs(topic)["max.message.bytes"] == "2000"


def test_deleted_records_are_out_of_reach(client: Client, topic: str) -> None:
    client.create_topic(topic)
    client.produce(topic, messages(30, client=client))
    assert client.delete_records(topic, 12) == 12
    assert client.offsets(topic) == (12, 30)
    assert [f.offset for f in client.consume(topic, 18, start=12)] == list(range(12, 30))
    with pytest.raises(RefusedError):
        client.consume(topic, 1, start=11)
    assert client.delete_records(topic, -1) == 30  # -1: up to the end
    with pytest.raises(RefusedError) as refused:
        client.delete_records(topic, 31)
    assert refused.value.code == OFFSET_OUT_OF_RANGE


def test_the_cluster_names_its_brokers(client: Client, broker: Any) -> None:
    found = client.cluster()
    assert found.brokers == ((0, "127.0.0.1", broker.port),)
    assert found.controller == 0
    assert len(found.cluster_id) == 22


def test_offsets_by_specification(java: JavaClient, topic: str) -> None:
    java.create_topic(topic)
    sent = messages(50, client=java)
    java.produce(topic, sent, codec="zstd")
    latest = max(range(50), key=lambda i: sent[i].timestamp)
    assert java.list_offsets(topic, "earliest")[0] == 0
    assert java.list_offsets(topic, "latest")[0] == 50
    offset, timestamp, epoch = java.list_offsets(topic, "max-timestamp")
    assert (offset, timestamp, epoch) == (latest, sent[latest].timestamp, 0)
    assert java.list_offsets(topic, str(BASE_TIME + 10**8))[0] == -1


def test_log_directories_hold_the_bytes(java: JavaClient, broker: Any, topic: str) -> None:
    java.create_topic(topic, 2)
    java.produce(topic, messages(100, client=java), partition=1)
    rows = [row for row in java.log_dirs(0) if row[1] == topic]
    by_partition = {row[2]: row for row in rows}
    assert sorted(by_partition) == ["0", "1"]
    assert by_partition["0"][3:] == ["0", "0", "false"]
    assert int(by_partition["1"][3]) == (broker.data_dir / f"{topic}-1/{0:020}.log").stat().st_size


def test_broker_settings_are_described(java: JavaClient, broker: Any) -> None:
    found = java.configs("BROKER", "0")
    assert found["message.max.bytes"][0] == "1048588"
    assert found["log.retention.hours"][0] == "168"
    assert found["broker.id"][2] == "true"  # read-only
    assert found["ssl.keystore.password"][3] == "true"  # sensitive
    assert found["num.io.threads"][1] == "DEFAULT_CONFIG"


def test_a_topic_setting_goes_back_to_its_default(java: JavaClient, topic: str) -> None:
    java.create_topic(topic, configs={"retention.ms": "5000"})
    assert java.configs("TOPIC", topic)["retention.ms"][:2] == ["5000", "DYNAMIC_TOPIC_CONFIG"]
    java.call("alter-configs", type="TOPIC", name=topic, op="DELETE", config=["retention.ms="])
    wait_for(
        lambda: java.configs("TOPIC", topic)["retention.ms"][:2] == ["604800000", "DEFAULT_CONFIG"],
        what="default again",
    )


def test_lists_are_extended_and_cut(java: JavaClient, topic: str) -> None:
    java.create_topic(topic)
    java.call(
        "alter-configs", type="TOPIC", name=topic, op="APPEND", config=["cleanup.policy=compact"]
    )
    wait_for(
        lambda: java.topic_configs(topic)["cleanup.policy"] == "delete,compact", what="appended"
    )
    java.call(
        "alter-configs", type="TOPIC", name=topic, op="SUBTRACT", config=["cleanup.policy=delete"]
    )
    wait_for(lambda: java.topic_configs(topic)["cleanup.policy"] == "compact", what="subtracted")


def test_an_election_that_is_not_needed_says_so(java: JavaClient, topic: str) -> None:
    java.create_topic(topic)
    with pytest.raises(RefusedError) as refused:
        java.call("elect", topic=topic, partition=0)
    assert refused.value.code == ELECTION_NOT_NEEDED


def test_credentials_of_users_are_set_told_and_deleted(broker: Any, topic: str) -> None:
    admin = AdminClient({"bootstrap.servers": broker.bootstrap})
    users = [f"{topic}-a", f"{topic}-b ü"]
    mechanism = ScramMechanism.SCRAM_SHA_512

    def described() -> dict[str, list[tuple[ScramMechanism, int]]]:
        found = admin.describe_user_scram_credentials(None).result(120)
        return {
            name: [(i.mechanism, i.iterations) for i in user.scram_credential_infos]
            for name, user in found.items()
            if name in users
        }

    info = ScramCredentialInfo(mechanism, 8192)
    changes = [UserScramCredentialUpsertion(user, info, b"secret") for user in users]
    for done in admin.alter_user_scram_credentials(changes).values():
        done.result(120)
    assert described() == {user: [(mechanism, 8192)] for user in users}
    (missing,) = admin.describe_user_scram_credentials([f"{topic}-c"]).values()
    with pytest.raises(KafkaException, match="user credential that does not exist"):
        missing.result(120)
    bad = UserScramCredentialUpsertion(users[1], ScramCredentialInfo(mechanism, 16385), b"secret")
    outcome = admin.alter_user_scram_credentials(
        [UserScramCredentialDeletion(users[0], mechanism), bad]
    )
    outcome[users[0]].result(120)
    with pytest.raises(KafkaException, match="Too many iterations"):
        outcome[users[1]].result(120)
    assert described() == {users[1]: [(mechanism, 8192)]}
    gone = admin.alter_user_scram_credentials([UserScramCredentialDeletion(users[1], mechanism)])
    gone[users[1]].result(120)
    assert described() == {}
