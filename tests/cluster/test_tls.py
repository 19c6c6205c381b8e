"""Brokers that speak TLS with each other and show certificates: three of ours, and ours with one of
Apache Kafka's."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import confluent_kafka as ck
import pytest
from confluent_kafka import admin
from kazoo.client import KazooClient

from tests.support.clients.base import Fetched, Message
from tests.support.clients.load import IDEMPOTENT, Load, check_ledger
from tests.support.cluster.faulty_cluster import read_all
from tests.support.process import certificates
from tests.support.process.apache import ApacheBroker, ZooKeeper
from tests.support.process.broker import BrokerProcess
from tests.support.process.certificates import PASSWORD, Authority
from tests.support.waiting import free_port, wait_for

pytestmark = [
    pytest.mark.java,
    pytest.mark.slow,
    pytest.mark.skipif(bool(certificates.missing()), reason=certificates.missing() or ""),
]
PARTITIONS, EVERYONE = 3, (0, 1, 2)
SETTINGS = {
    "zookeeper.session.timeout.ms": 8000,
    "offsets.topic.num.partitions": 3,
    "offsets.topic.replication.factor": 3,
    "transaction.state.log.num.partitions": 3,
    "transaction.state.log.replication.factor": 3,
    "transaction.state.log.min.isr": 2,
    "min.insync.replicas": 2,
    "controlled.shutdown.retry.backoff.ms": 500,
    "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,INSIDE:SSL",
    "inter.broker.listener.name": "INSIDE",
    "listener.name.inside.ssl.client.auth": "required",
}


class TlsCluster:
    """Clients come without TLS; brokers connect by listener INSIDE, which needs a certificate."""

    def __init__(self, directory: Path, kinds: tuple[str, ...]) -> None:
        self.directory = directory
        self.authority = Authority(directory)
        self.zookeeper = ZooKeeper(directory / "zookeeper")
        self.brokers = [self.made(number, kind) for number, kind in enumerate(kinds)]

    def made(self, number: int, kind: str) -> ApacheBroker | BrokerProcess:
        key = self.authority.issue(f"broker-{number}")
        inside = f"INSIDE://127.0.0.1:{free_port()}"
        settings = {
            **SETTINGS,
            "broker.id": number,
            "zookeeper.connect": self.zookeeper.connect,
            "ssl.truststore.location": self.authority.ca,
            "ssl.truststore.type": "PEM",
            "ssl.keystore.location": self.authority.pkcs12(key),
            "ssl.keystore.type": "PKCS12",
            "ssl.keystore.password": PASSWORD,
            "ssl.key.password": PASSWORD,
        }
        where = self.directory / f"broker-{number}"
        if kind == "apache":
            theirs = ApacheBroker(where, self.zookeeper, settings, broker_id=number, heap="256M")
            theirs.overrides["listeners"] = f"PLAINTEXT://{theirs.bootstrap},{inside}"
            return theirs
        ours = BrokerProcess(where, settings)
        ours.port, ours.also = free_port(), [inside]
        return ours

    def start(self) -> TlsCluster:
        self.zookeeper.start()
        for broker in self.brokers:
            broker.start()
        self.admin = admin.AdminClient({"bootstrap.servers": self.bootstrap, "log_level": 0})
        self.wait_live(*EVERYONE)
        return self

    def close(self) -> None:
        for each in (*self.brokers, self.zookeeper):
            each.close()

    @property
    def bootstrap(self) -> str:
        return ",".join(broker.bootstrap for broker in self.brokers)

    def wait_live(self, *ids: int) -> None:
        wait_for(
            lambda: tuple(sorted(self.admin.list_topics(timeout=120).brokers)) == ids,
            what=f"brokers {ids}",
            poll=0.1,
        )

    def create(self, topic: str) -> None:
        wanted = admin.NewTopic(topic, PARTITIONS, 3)
        (made,) = self.admin.create_topics([wanted], operation_timeout=60).values()
        made.result(120)

    def wait_in_sync(self, topic: str) -> None:
        def in_sync() -> bool:
            found = self.admin.list_topics(topic, 60).topics[topic].partitions.values()
            return {tuple(sorted(p.isrs)) for p in found} == {EVERYONE}

        wait_for(in_sync, what=f"all replicas of {topic} in sync", poll=0.1)

    def read(self, path: str) -> dict[str, object]:
        client = KazooClient(self.zookeeper.connect)
        client.start()
        try:
            found: dict[str, object] = json.loads(client.get(path)[0])
            return found
        finally:
            client.stop()
            client.close()


@pytest.fixture(
    scope="module", params=[("pko", "pko", "pko"), ("apache", "pko", "pko")], ids="-".join
)
def tls_cluster(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[TlsCluster]:
    found = TlsCluster(tmp_path_factory.mktemp("tls"), request.param)
    try:
        yield found.start()
    finally:
        found.close()


def test_nothing_is_lost_when_each_broker_stops_and_comes_back(tls_cluster: TlsCluster) -> None:
    tls_cluster.create("rolled")
    tls_cluster.wait_in_sync("rolled")
    settings = {**IDEMPOTENT, "message.timeout.ms": 300_000}
    loads = [
        Load(tls_cluster.bootstrap, "rolled", n, settings, rest=0.02) for n in range(PARTITIONS)
    ]
    for load in loads:
        load.start()
    try:
        for broker in tls_cluster.brokers:
            for load in loads:
                load.wait_acked(100, 120)
            broker.stop(120)
            for load in loads:
                load.wait_acked(100, 120)
            broker.start(120)
            tls_cluster.wait_in_sync("rolled")
        for load in loads:
            load.finish(120)
    finally:
        for load in loads:
            load.abandon()
    ends = {load.partition: load.sent for load in loads}
    found = read_all(tls_cluster.bootstrap, "rolled", ends)
    for load in loads:
        fetched = [Fetched(n, Message(v), 0) for n, v in enumerate(found[load.partition])]
        check_ledger(load, fetched, exactly=True)


def test_markers_of_transactions_go_by_tls(tls_cluster: TlsCluster) -> None:
    tls_cluster.create("spanned")
    producer = ck.Producer(
        {"bootstrap.servers": tls_cluster.bootstrap, "transactional.id": "x", "log_level": 0}
    )
    producer.init_transactions(120)
    for _ in range(2):
        producer.begin_transaction()
        for number in range(PARTITIONS):
            producer.produce("spanned", b"x", partition=number)
        producer.commit_transaction(120)
    consumer = ck.Consumer({"bootstrap.servers": tls_cluster.bootstrap, "group.id": "x"})
    consumer.assign([ck.TopicPartition("spanned", number, 0) for number in range(PARTITIONS)])
    seen = 0

    def read() -> bool:
        nonlocal seen
        seen += sum(message.error() is None for message in consumer.consume(100, 0.2))
        return seen >= 2 * PARTITIONS

    wait_for(read, what="all committed records")
    consumer.close()
    assert seen == 2 * PARTITIONS


def test_a_broker_registers_as_apaches_do(tls_cluster: TlsCluster) -> None:
    for number in EVERYONE:
        found = tls_cluster.read(f"/brokers/ids/{number}")
        assert found["listener_security_protocol_map"] == {
            "PLAINTEXT": "PLAINTEXT",
            "INSIDE": "SSL",
        }
        endpoints = found["endpoints"]
        assert isinstance(endpoints, list)
        assert [each.partition(":")[0] for each in endpoints] == ["PLAINTEXT", "INSIDE"]
