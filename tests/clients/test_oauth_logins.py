"""Clients log in by tokens of OAuth 2.0: signed by a provider, or by nobody where allowed."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jwt
import pytest
from confluent_kafka.admin import AdminClient
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.support.clients.confluent import ConfluentClient
from tests.support.process.commands import KafkaTools
from tests.support.process.logins import LoginBroker, jaas_setting, login_settings, module
from tests.support.waiting import wait_for

KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
PREFIX = "listener.name.login.oauthbearer."


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


def test_tokens_are_taken_that_are_for_this_audience(site: LoginBroker) -> None:
    def login(audience: str) -> dict[str, Any]:
        now = int(time.time())
        claims = {"sub": "alice", "aud": audience, "iat": now, "exp": now + 600}
        token = jwt.encode(claims, KEY, "RS256", {"kid": "k"})
        kind = {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "OAUTHBEARER"}
        return {**kind, "oauth_cb": lambda _: (token, now + 600)}

    ConfluentClient(site.login_bootstrap, **login("kafka")).create_topic("for-kafka")
    heard: list[str] = []
    callback = {"error_cb": lambda error: heard.append(error.str())}
    admin = AdminClient({"bootstrap.servers": site.login_bootstrap, **login("billing"), **callback})

    def fails() -> bool:
        admin.poll(0.1)
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
