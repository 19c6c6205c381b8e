"""Three brokers of ours live through what the golden cluster did: ZooKeeper's tree is the same."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import confluent_kafka as ck
import pytest
from kazoo.client import KazooClient

from tests.support.cluster.apache_cluster import Brokers, OurBrokers
from tests.support.golden.transcripts import run_patiently as run
from tests.support.golden.tree import common, differences, moment, tree_of
from tests.support.process.apache import ZooKeeper
from tests.support.waiting import wait_for

pytestmark = [pytest.mark.java]

SETTINGS = {
    "offsets.topic.replication.factor": 3,
    "transaction.state.log.replication.factor": 3,
    "zookeeper.session.timeout.ms": 10_000,
    "group.initial.rebalance.delay.ms": 0,
}
NOT_THERE = (
    "/kafka-acl",
    "/kafka-acl-changes",
    "/kafka-acl-extended",
    "/kafka-acl-extended-changes",
)
"""Made by Kafka's authorizer; brokers of ours have none yet."""
STOPPED = "09-controller-stopped"
TOPICS = {
    "quotes": ("0:1,1:2,2:0",),
    "invoices": (
        "0:1:2",
        "min.insync.replicas=2",
        "cleanup.policy=compact",
        "segment.bytes=4000",
        "min.cleanable.dirty.ratio=0.01",
    ),
    "shipments": ("0:1", "retention.ms=3600000"),
    "claims": ("1:2,2:1",),
}
CONFIGS = (
    ("--topic quotes", "retention.bytes=1000000,compression.type=lz4"),
    ("--broker 0", "log.cleaner.threads=2"),
    ("--broker-defaults", "log.retention.ms=86400000"),
    ("--user carol", "producer_byte_rate=1048576,request_percentage=12.5"),
    ("--user carol --client orders-client", "consumer_byte_rate=2048"),
    ("--client orders-client", "producer_byte_rate=4096"),
    ("--user-defaults", "producer_byte_rate=10"),
    ("--client-defaults", "producer_byte_rate=20"),
    ("--user-defaults --client-defaults", "producer_byte_rate=30"),
    ("--user o'neil&co", "producer_byte_rate=7"),
    ("--ip 127.0.0.9", "connection_creation_rate=100"),
    ("--ip-defaults", "connection_creation_rate=200"),
    (
        "--user judy",
        "SCRAM-SHA-256=[iterations=8192,password=secret],SCRAM-SHA-512=[password=secret]",
    ),
)
MOVES = {
    "version": 1,
    "partitions": [
        {"topic": "shipments", "partition": 0, "replicas": [2, 1]},
        {"topic": "claims", "partition": 0, "replicas": [0, 1]},
    ],
}


class Site:
    """The brokers, an operator with Kafka's commands, and a look into ZooKeeper."""

    def __init__(self, brokers: Brokers, client: KazooClient) -> None:
        self.brokers = brokers
        self._client = client

    def do(self, command: str, *words: str) -> None:
        said = run(command, "--bootstrap-server", self.brokers.all[2].bootstrap, *words)
        assert said.code == 0, (words, said)

    def wait_like(self, name: str) -> None:
        """Until the tree is that of the golden cluster at this moment."""
        epochs = name < STOPPED
        wanted = common(moment(name), NOT_THERE, epochs=epochs)

        def differ() -> list[str]:
            found = common(tree_of(self._client), NOT_THERE, epochs=epochs)
            return differences(found, wanted)

        try:
            wait_for(lambda: not differ(), what=name, poll=0.1)
        except AssertionError:
            pytest.fail("\n".join([name, *differ()]), pytrace=False)


@pytest.fixture
def site(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Site]:
    """Three fresh brokers of ours, with ``--target apache`` Apache Kafka's."""
    made = OurBrokers if request.config.getoption("--target") == "pko" else Brokers
    zookeeper = ZooKeeper(tmp_path).start()
    brokers = made(tmp_path, zookeeper, SETTINGS)
    client = KazooClient(zookeeper.connect)
    try:
        brokers.start()
        client.start(60)
        yield Site(brokers, client)
    finally:
        client.stop()
        client.close()
        brokers.close()


def make_entities(site: Site) -> None:
    for topic, (replicas, *configs) in TOPICS.items():
        words = [word for config in configs for word in ("--config", config)]
        site.do("topics", "--create", "--topic", topic, "--replica-assignment", replicas, *words)
    where = {"bootstrap.servers": site.brokers.bootstrap, "log_level": 2}
    consumer = ck.Consumer({**where, "group.id": "seats-svc"})
    consumer.commit(offsets=[ck.TopicPartition("quotes", 0, 0)], asynchronous=False)
    consumer.close()
    producer = ck.Producer({**where, "transactional.id": "tx-1"})
    producer.init_transactions(120)
    producer.begin_transaction()
    for _ in range(300):  # more than a throttled move copies during this test
        producer.produce("shipments", b"z" * 20_000, partition=0)
    producer.commit_transaction(120)
    for whose, settings in CONFIGS:  # quotas of a few bytes a second, so they come last
        site.do("configs", "--alter", *whose.split(), "--add-config", settings)
    site.do("configs", "--alter", "--topic", "quotes", "--delete-config", "compression.type")


def test_the_tree_is_kafkas_at_the_same_moments(site: Site, tmp_path: Path) -> None:
    brokers = site.brokers
    moves = tmp_path / "moves.json"
    moves.write_text(json.dumps(MOVES))
    reassign = ("reassign-partitions", "--reassignment-json-file", str(moves))
    grown = ("--partitions", "5", "--replica-assignment", "0:1,1:2,2:0,1:2,2:0")
    history: tuple[tuple[str, Callable[[], object]], ...] = (
        ("01-three-brokers", lambda: None),
        ("02-entities", lambda: make_entities(site)),
        ("03-reassignment", lambda: site.do(*reassign, "--execute", "--throttle", "1000")),
        ("04-reassignment-cancelled", lambda: site.do(*reassign, "--cancel")),
        ("05-broker-killed", lambda: brokers.all[1].kill()),
        ("06-topic-deletion", lambda: site.do("topics", "--delete", "--topic", "claims")),
        ("07-broker-back", lambda: brokers.all[1].start()),
        (
            "08-preferred-election",
            lambda: site.do(
                "leader-election", "--election-type", "preferred", "--all-topic-partitions"
            ),
        ),
        (STOPPED, lambda: brokers.stop(0)),
        (
            "10-partitions-added",
            lambda: (
                brokers.all[0].start(),
                site.do("topics", "--alter", "--topic", "quotes", *grown),
            ),
        ),
        (
            "11-topics-deleted",
            lambda: site.do("topics", "--delete", "--topic", "quotes|invoices|shipments"),
        ),
    )
    for name, happen in history:
        happen()
        site.wait_like(name)
