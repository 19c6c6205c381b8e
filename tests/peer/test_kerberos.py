"""Kerberos with Apache Kafka: our commands and its tools, our broker and its broker, in one cluster
whose brokers log in to each other by it."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.config import ClientConfig
from pykafka_ops.security import kerberos
from pykafka_ops.security.kerberos_login import login_of
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.frame import decode_response, encode_request
from pykafka_ops.wire.messages.api_versions import ApiVersionsRequest, ApiVersionsResponse
from pykafka_ops.wire.messages.sasl_authenticate import SaslAuthenticateRequest
from pykafka_ops.wire.messages.sasl_handshake import SaslHandshakeRequest
from tests.support.differential.two_brokers import Link
from tests.support.java import java_kit
from tests.support.process.apache import ZooKeeper
from tests.support.process.commands import PATIENT, KafkaTools, Said, pko
from tests.support.process.kdc import REALM, Kdc, cached, faketime, jaas, module
from tests.support.process.kerberos_token import token
from tests.support.process.logins import PROTOCOLS, ApacheLoginBroker, LoginBroker
from tests.support.waiting import PATIENCE, wait_for

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


def test_a_profile_with_a_keytab_gets_into_both_brokers(site: Site) -> None:
    config = site.directory / "config.toml"
    config.write_text(
        "[profiles.krb.settings]\n"
        '"security.protocol" = "SASL_PLAINTEXT"\n"sasl.mechanism" = "GSSAPI"\n'
        '"sasl.kerberos.service.name" = "kafka"\n'
        f'[profiles.krb.login]\nuser = "alice@{REALM}"\nkeytab = "{site.keys}"\n'
    )
    with mock.patch.dict(PATIENT, PKO_CONFIG=str(config)):
        for where in site.both:
            said = pko("topics", "list", "--profile", "krb", "-b", where)
            assert said.code == 0, said


@pytest.fixture(scope="module")
def cache(site: Site) -> Path:
    """Tickets of alice, that of the brokers among them."""
    found = site.kdc.ticket("alice", site.keys, "tokens")
    site.kdc.service_ticket(found, "kafka/localhost")
    return found


def test_clients_that_begin_with_a_token_of_gssapi_get_into_both_brokers(
    site: Site, cache: Path
) -> None:
    """As those of Kafka 0.9 do, without SaslHandshake."""
    login = login_of({"useTicketCache": "true", "ticketCache": str(cache)})
    for where in site.both:
        talk = kerberos.dialogue(login, "kafka", "localhost")
        with Tokens(where) as client:
            said = next(talk)
            for _ in range(2):
                said = talk.send(client.send(said) or b"")
            client.put(said)  # the last one has no answer
            assert client.asks_versions() == 0


def test_both_brokers_say_the_same_of_tokens_that_are_not_right(site: Site, cache: Path) -> None:
    conf = site.kdc.directory / "late.conf"
    conf.write_text(site.kdc.conf.read_text().replace("[realms]", "clockskew = 7200\n[realms]"))
    late = {"LD_PRELOAD": faketime(), "FAKETIME": "-20m", "KRB5_CONFIG": str(conf)}
    good = token(cache, {})
    wrong = {
        "of another clock": token(cache, late),
        "damaged": good[:-20] + bytes(20),
        "cut": good[: len(good) // 2],
        "empty": b"",
        "garbage": b"\xde\xad\xbe\xef" * 100,
        "of another mechanism": b"\0alice\0secret",
    }
    for kind, data in wrong.items():
        found = [with_handshake(where, data) for where in site.both]
        assert found[0] == found[1], kind
        assert found[0][0] == ErrorCode.SASL_AUTHENTICATION_FAILED, kind
        for where in site.both:
            with Tokens(where) as client:
                assert client.send(data) is None, kind
    assert "Clock skew too great" in site.ours.log.read_text()


def with_handshake(where: str, data: bytes) -> tuple[int, str | None]:
    """What a broker answers to a first token: error code and text."""
    link = Link(where)
    try:
        assert not link.ask(SaslHandshakeRequest(mechanism="GSSAPI"), 1).error_code
        answer = link.ask(SaslAuthenticateRequest(auth_bytes=data), 1)
        return answer.error_code, answer.error_message
    finally:
        link.close()


class Tokens:
    """A connection whose frames are tokens from the first on."""

    def __init__(self, where: str) -> None:
        host, _, port = where.rpartition(":")
        self._socket = socket.create_connection((host, int(port)), PATIENCE)

    def __enter__(self) -> Tokens:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def put(self, data: bytes) -> None:
        """Send a frame."""
        self._socket.sendall(len(data).to_bytes(4, "big") + data)

    def send(self, data: bytes) -> bytes | None:
        """The answer's bytes; None where the broker hangs up."""
        try:
            self.put(data)
            head = self._read(4)
            return None if head is None else self._read(int.from_bytes(head, "big"))
        except ConnectionError:
            return None

    def _read(self, size: int) -> bytes | None:
        data = b""
        while len(data) < size:
            more = self._socket.recv(size - len(data))
            if not more:
                return None
            data += more
        return data

    def asks_versions(self) -> int:
        """The error code of ApiVersions, once the client is in."""
        answer = self.send(encode_request(ApiVersionsRequest(), 0, 1, "old")[4:])
        assert answer is not None
        return int(decode_response(ApiVersionsResponse, 0, memoryview(answer))[1].error_code)


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
