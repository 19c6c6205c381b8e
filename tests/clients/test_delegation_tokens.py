"""Kafka's own tool makes a delegation token, Java clients log in with it, until it is ended."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.process.apache import ZooKeeper
from tests.support.process.commands import KafkaTools
from tests.support.process.logins import ApacheLoginBroker, LoginBroker, login_settings, module
from tests.support.waiting import wait_for

pytestmark = pytest.mark.java


@pytest.fixture(scope="module")
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    directory = tmp_path_factory.mktemp("tokens")
    settings = login_settings(delegation_token_secret_key="a secret")
    zookeeper, broker = None, None
    try:
        if request.config.getoption("--target") == "apache":
            zookeeper = ZooKeeper(directory / "zookeeper").start()
            broker = ApacheLoginBroker(directory / "data", zookeeper, settings).start()
        else:
            broker = LoginBroker(directory / "data", settings).start()
        yield broker
    finally:
        for part in (broker, zookeeper):
            if part is not None:
                part.close()


@pytest.fixture(scope="module")
def tools() -> Iterator[KafkaTools]:
    made = KafkaTools()
    yield made
    made.close()


def config(path: Path, mechanism: str, **options: str) -> str:
    path.write_text(
        f"security.protocol=SASL_PLAINTEXT\nsasl.mechanism={mechanism}\n"
        f"sasl.jaas.config={module(mechanism, **options)}\nretries=0\n"
    )
    return str(path)


def test_a_token_is_a_login_until_it_is_ended(site: Any, tools: KafkaTools, tmp_path: Path) -> None:
    alice = config(tmp_path / "alice", "PLAIN", username="alice", password="alice-secret")
    words = ("--bootstrap-server", site.login_bootstrap, "--command-config")

    def asks(*more: str, by: str = alice) -> Any:
        return tools("kafka-delegation-tokens", *words, by, *more)

    made = asks("--create", "--max-life-time-period", "-1", "--renewer-principal", "User:bob")
    assert made.code == 0, made.err
    found = re.search(r"^(\S+)\s+(\S+==)\s+User:alice\s+User:alice\s+\[User:bob\]", made.out, re.M)
    assert found, made.out
    by_token = config(
        tmp_path / "token", "SCRAM-SHA-256", username=found[1], password=found[2], tokenauth="true"
    )

    def lists() -> int:
        return tools("kafka-topics", *words, by_token, "--list").code

    wait_for(lambda: lists() == 0, what="the token to be known")
    described = ("--describe", "--owner-principal", "User:alice")
    refused = asks(*described, by=by_token)
    assert "UnsupportedByAuthenticationException" in refused.out + refused.err
    assert found[1] in asks(*described).out
    renewed = asks("--renew", "--renew-time-period", "-1", "--hmac", found[2])
    assert "Completed renew operation" in renewed.out
    ended = asks("--expire", "--expiry-time-period", "-1", "--hmac", found[2])
    assert "Completed expire operation" in ended.out
    wait_for(lambda: lists() == 1, what="the token to be gone")
    assert found[1] not in asks(*described).out
