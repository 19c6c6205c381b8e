"""Brokers of ours and of Apache Kafka in one cluster log in to each other, again and again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from kazoo.client import KazooClient

from pykafka_ops.broker.metadata.znodes.config import EntityConfig
from pykafka_ops.client.scram import NewCredential, stored
from pykafka_ops.settings.scram import MECHANISMS
from tests.support.clients.base import Message
from tests.support.clients.confluent import ConfluentClient
from tests.support.process.apache import ZooKeeper
from tests.support.process.console import pko
from tests.support.process.logins import (
    ApacheLoginBroker,
    LoginBroker,
    jaas_setting,
    login_settings,
    module,
)
from tests.support.process.token_provider import AUDIENCE, TokenProvider
from tests.support.waiting import wait_for

pytestmark = pytest.mark.java

SECRET = "broker-secret"
UNSIGNED, SIGNED = "OAUTHBEARER, unsigned", "OAUTHBEARER, from a provider"
HANDLERS = "org.apache.kafka.common.security.oauthbearer.OAuthBearer"


def settings(way: str, provider: TokenProvider) -> dict[str, str]:
    """Of brokers that log in to each other as ``broker``; a session lasts 2 s."""
    mechanism = way.partition(",")[0]
    enabled = {"sasl.enabled.mechanisms": mechanism} if mechanism == "OAUTHBEARER" else {}
    found = login_settings(
        inter_broker_listener_name="LOGIN",
        sasl_mechanism_inter_broker_protocol=mechanism,
        connections_max_reauth_ms="2000",
        default_replication_factor="3",
        offsets_topic_replication_factor="3",
    )
    options = {"username": "broker", "password": SECRET}
    if way == "PLAIN":
        options["user_broker"] = SECRET
    elif way == UNSIGNED:
        options = {"unsecuredLoginStringClaim_sub": "broker"}
    elif way == SIGNED:
        options = {"clientId": "broker", "clientSecret": SECRET}
        enabled |= provider_settings(provider)
    return {**found, **enabled, jaas_setting(mechanism): module(mechanism, **options)}


def provider_settings(provider: TokenProvider) -> dict[str, str]:
    """Where tokens come from and who signs them."""
    prefix = "listener.name.login.oauthbearer.sasl."
    return {
        f"{prefix}login.callback.handler.class": f"{HANDLERS}LoginCallbackHandler",
        f"{prefix}server.callback.handler.class": f"{HANDLERS}ValidatorCallbackHandler",
        "sasl.oauthbearer.token.endpoint.url": provider.tokens_url,
        "sasl.oauthbearer.jwks.endpoint.url": provider.keys_url,
        "sasl.oauthbearer.expected.audience": AUDIENCE,
    }


def add_credential(zookeeper: ZooKeeper, mechanism: str) -> None:
    """As ``kafka-configs --zookeeper`` does before the first broker starts."""
    text = stored(NewCredential(MECHANISMS[mechanism], 4096, SECRET)).text()
    client = KazooClient(zookeeper.connect)
    client.start()
    try:
        data = EntityConfig.encode({mechanism: text})
        client.create(EntityConfig.path("users/broker"), data, makepath=True)
    finally:
        client.stop()
        client.close()


@pytest.fixture(params=["PLAIN", "SCRAM-SHA-512", UNSIGNED, SIGNED])
def brokers(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[list[Any]]:
    """Two of ours, one of Apache Kafka."""
    mechanism = request.param
    with ExitStack() as stack:
        provider = TokenProvider({"broker": SECRET})
        stack.callback(provider.close)
        zookeeper = ZooKeeper(tmp_path / "zookeeper").start()
        stack.callback(zookeeper.close)
        if mechanism in MECHANISMS:
            add_credential(zookeeper, mechanism)
        made: list[Any] = []
        common = settings(mechanism, provider)
        for number in range(2):
            own = {"broker.id": number, "zookeeper.connect": zookeeper.connect}
            made.append(LoginBroker(tmp_path / f"broker-{number}", common | own))
        made.append(ApacheLoginBroker(tmp_path / "broker-2", zookeeper, common, broker_id=2))
        for broker in made:
            stack.callback(broker.close)
            broker.start()
        yield made


def test_replicas_stay_in_sync_over_the_ends_of_many_sessions(brokers: list[Any]) -> None:
    client = ConfluentClient(brokers[0].bootstrap)
    wait_for(lambda: len(client.cluster().brokers) == 3, what="three brokers")
    words = ("--partitions", "3", "--replication-factor", "3", "--config", "min.insync.replicas=3")
    said = pko("topics", "create", "t", "-b", brokers[0].bootstrap, *words)
    assert said.returncode == 0, said.stderr
    sent = 0

    def has_sent_for_long() -> bool:
        nonlocal sent
        for index in range(3):
            offsets = client.produce("t", [Message(b"v")], partition=index)
            assert offsets == [sent]
        sent += 1
        return sent >= 50

    wait_for(has_sent_for_long, what="50 records on each broker, 0.2 s apart", poll=0.2)
    assert {len(p.isr) for p in client.describe_topic("t")} == {3}
    for broker in brokers[:2]:
        assert "Failed authentication" not in broker.log.read_text()
        assert SECRET not in broker.log.read_text()
