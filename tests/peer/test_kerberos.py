"""Kerberos with Apache Kafka: our commands and its tools, our broker and its broker, in one cluster
whose brokers log in to each other by it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.config import ClientConfig
from tests.support.java import java_kit
from tests.support.process.apache import ZooKeeper
from tests.support.process.commands import KafkaTools, Said, pko
from tests.support.process.kdc import Kdc, cached, jaas, module
from tests.support.process.logins import PROTOCOLS, ApacheLoginBroker, LoginBroker
from tests.support.waiting import wait_for

pytestmark = [pytest.mark.java, pytest.mark.kerberos, pytest.mark.slow]


class Site:
    """Broker 0 is ours, broker 1 Apache Kafka's."""

    def __init__(self, directory: Path, kdc: Kdc) -> None:
        self.directory, self.kdc = directory, kdc
        self.keys = kdc.keytab("alice")
        self.zookeeper = ZooKeeper(directory / "zk").start()
        brokers = {
            "listener.security.protocol.map": PROTOCOLS,
            "inter.broker.listener.name": "LOGIN",
            "sasl.enabled.mechanisms": "GSSAPI",
            "sasl.mechanism.inter.broker.protocol": "GSSAPI",
            "sasl.kerberos.service.name": "kafka",
            "listener.name.login.gssapi.sasl.jaas.config": jaas(
                "kafka/localhost", kdc.keytab("kafka/localhost")
            ),
            "offsets.topic.replication.factor": "1",
        }
        jvm = (*java_kit.BRIEF_JVM, f"-Djava.security.krb5.conf={kdc.conf}")
        self.apache = ApacheLoginBroker(directory / "apache", self.zookeeper, brokers, broker_id=1)
        self.apache.jvm = jvm
        more = {"broker.id": "0", "zookeeper.connect": self.zookeeper.connect}
        self.ours = LoginBroker(directory / "ours", {**brokers, **more})
        self.apache.start()
        self.ours.start()
        self.tools = KafkaTools()

    @property
    def both(self) -> tuple[str, str]:
        return f"localhost:{self.ours.login_port}", f"localhost:{self.apache.login_port}"

    def settings(self, name: str, line: str, service: str = "kafka") -> Path:
        path = self.directory / f"{name}.properties"
        path.write_text(
            "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=GSSAPI\n"
            f"sasl.kerberos.service.name={service}\nsasl.jaas.config={line}\n"
            "default.api.timeout.ms=20000\nrequest.timeout.ms=15000\n"
        )
        return path

    def ask(self, kind: str, where: str, settings: Path) -> Said:
        words = ("--list", "--bootstrap-server", where, "--command-config", str(settings))
        if kind == "java":
            return self.tools("kafka-topics", *words)
        return pko("topics", *words)

    def close(self) -> None:
        self.tools.close()
        self.ours.close()
        self.apache.close()
        self.zookeeper.close()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    kdc = Kdc(tmp_path_factory.mktemp("kdc")).start()
    jvm = f"-Djava.security.krb5.conf={kdc.conf}"
    try:
        with mock.patch.dict(os.environ, {**kdc.env, "JAVA_TOOL_OPTIONS": jvm}):
            site = Site(tmp_path_factory.mktemp("site"), kdc)
            try:
                yield site
            finally:
                site.close()
    finally:
        kdc.close()


def test_both_clients_get_into_both_brokers(site: Site) -> None:
    good = site.settings("good", jaas("alice", site.keys))
    by_ticket = site.settings("ticket", cached(site.kdc.ticket("alice", site.keys, "alice")))
    for where in site.both:
        for kind in ("java", "pko"):
            for settings in (good, by_ticket):
                said = site.ask(kind, where, settings)
                assert said.code == 0, (kind, where, settings.name, said)


def test_neither_broker_takes_a_client_without_a_right_ticket(site: Site) -> None:
    bad = [
        site.settings("wrong", jaas("alice", site.keys), "kafkaesque"),
        site.settings("none", module({"useTicketCache": "true", "ticketCache": "/nowhere"})),
    ]
    for where in site.both:
        for settings in bad:
            said = site.ask("pko", where, settings)
            assert said.code != 0
            assert "Kerberos" in said.err or "Kerberos" in said.out
            assert site.ask("java", where, settings).code != 0


def test_brokers_of_both_kinds_replicate_to_each_other(site: Site) -> None:
    properties = {
        "bootstrap.servers": site.both[0],
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.kerberos.service.name": "kafka",
        "sasl.jaas.config": jaas("alice", site.keys),
    }
    good = site.settings("good", jaas("alice", site.keys))
    words = ("--create", "--topic", "both", "--partitions", "4", "--replication-factor", "2")
    made = site.tools(
        "kafka-topics", *words, "--bootstrap-server", site.both[0], "--command-config", str(good)
    )
    assert made.code == 0, made
    cluster = Cluster(ClientConfig.of(properties))

    def in_sync() -> bool:
        (topic,) = cluster.metadata(["both"]).topics
        return len(topic.partitions) == 4 and all(
            sorted(p.isr_nodes) == [0, 1] for p in topic.partitions
        )

    try:
        wait_for(in_sync, what="all replicas in sync")
        leaders = {p.leader_id for p in cluster.metadata(["both"]).topics[0].partitions}
    finally:
        cluster.close()
    assert leaders == {0, 1}
