"""Clients log in by tokens of OAuth 2.0: signed by a provider, or by nobody where allowed."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import aiokafka.abc
import confluent_kafka as ck
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from kafka.net.sasl.oauth import AbstractTokenProvider

from tests.support.clients.aio import AioClient
from tests.support.clients.base import Client, Message
from tests.support.clients.confluent import ConfluentClient
from tests.support.clients.kafka_python import KafkaPythonClient
from tests.support.process.commands import KafkaTools
from tests.support.process.logins import LoginBroker, jaas_setting, login_settings, module
from tests.support.waiting import wait_for

KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
PREFIX = "listener.name.login.oauthbearer."
LIBRARIES = ("confluent-kafka", "kafka-python", "aiokafka")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LoginBroker]:
    """A broker that takes the tokens that ``KEY`` signs for Kafka."""
    directory = tmp_path_factory.mktemp("oauth")
    key = {**json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(KEY.public_key())), "kid": "k"}
    (directory / "keys.json").write_text(json.dumps({"keys": [key]}))
    settings = login_settings(sasl_enabled_mechanisms="OAUTHBEARER") | {
        f"{PREFIX}sasl.oauthbearer.jwks.endpoint.url": f"file://{directory / 'keys.json'}",
        f"{PREFIX}sasl.oauthbearer.expected.audience": "kafka",
    }
    broker = LoginBroker(directory / "data", settings)
    try:
        yield broker.start()
    finally:
        broker.close()


def token(audience: str = "kafka") -> str:
    now = int(time.time())
    claims = {"sub": "alice", "aud": audience, "iat": now, "exp": now + 600}
    return jwt.encode(claims, KEY, "RS256", {"kid": "k"})


class AioTokens(aiokafka.abc.AbstractTokenProvider):
    def __init__(self, make: Callable[[], str]) -> None:
        self._make = make

    async def token(self) -> str:
        return self._make()


class KafkaPythonTokens(AbstractTokenProvider):
    def __init__(self, make: Callable[[], str]) -> None:
        super().__init__()
        self._make = make

    def token(self) -> str:
        return self._make()


def client(library: str, bootstrap: str, make: Callable[[], str] = token) -> Client:
    if library == "confluent-kafka":
        return ConfluentClient(
            bootstrap,
            **{
                "security.protocol": "SASL_PLAINTEXT",
                "sasl.mechanism": "OAUTHBEARER",
                "oauth_cb": lambda _: (make(), time.time() + 600),
            },
        )
    kinds: dict[str, Any] = {
        "kafka-python": (KafkaPythonClient, KafkaPythonTokens),
        "aiokafka": (AioClient, AioTokens),
    }
    kind, tokens = kinds[library]
    made: Client = kind(
        bootstrap,
        security_protocol="SASL_PLAINTEXT",
        sasl_mechanism="OAUTHBEARER",
        sasl_oauth_token_provider=tokens(make),
    )
    return made


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_token_that_the_provider_signed_lets_in(site: LoginBroker, library: str) -> None:
    made = client(library, site.login_bootstrap)
    made.create_topic(f"oauth-{library}")
    assert made.produce(f"oauth-{library}", [Message(b"v")]) == [0]


def test_a_token_for_somebody_else_does_not(site: LoginBroker) -> None:
    heard: list[str] = []
    made = client("confluent-kafka", site.login_bootstrap, lambda: token("billing"))
    extra: Any = made.extra  # type: ignore[attr-defined]
    told = {"error_cb": lambda error: heard.append(error.str())}
    producer = ck.Producer({"bootstrap.servers": site.login_bootstrap, **extra, **told})

    def fails() -> bool:
        producer.poll(0.1)
        return any("invalid_token" in each for each in heard)

    wait_for(fails, what="an error")
    assert "InvalidAudienceError" in site.log.read_text()


@pytest.mark.java
def test_kafkas_own_tools_log_in_by_unsigned_tokens_where_they_are_allowed(tmp_path: Path) -> None:
    settings = login_settings(sasl_enabled_mechanisms="OAUTHBEARER") | {
        jaas_setting("OAUTHBEARER"): module("OAUTHBEARER", unsecuredValidatorRequiredScope="read")
    }
    broker = LoginBroker(tmp_path / "data", settings)
    tools = KafkaTools()
    try:
        broker.start()
        for scope, code in (("read", 0), ("write", 1)):
            config = tmp_path / "client.properties"
            login = module(
                "OAUTHBEARER",
                unsecuredLoginStringClaim_sub="alice",
                unsecuredLoginStringClaim_scope=scope,
            )
            config.write_text(
                "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=OAUTHBEARER\n"
                f"sasl.jaas.config={login}\n"
            )
            words = ("--list", "--command-config", str(config))
            said = tools("kafka-topics", "--bootstrap-server", broker.login_bootstrap, *words)
            assert said.code == code, said.err
            if code:
                assert '{"status":"insufficient_scope", "scope":"read"}' in said.out + said.err
    finally:
        tools.close()
        broker.close()
