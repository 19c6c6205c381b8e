"""A broker with two listeners: one for everybody, and ``LOGIN``, which asks for a login."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tests.support.process.apache import ApacheBroker, ZooKeeper
from tests.support.process.broker import BrokerProcess
from tests.support.waiting import free_port

MODULES = {
    "PLAIN": "org.apache.kafka.common.security.plain.PlainLoginModule",
    "SCRAM-SHA-256": "org.apache.kafka.common.security.scram.ScramLoginModule",
    "SCRAM-SHA-512": "org.apache.kafka.common.security.scram.ScramLoginModule",
    "OAUTHBEARER": "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule",
}
PROTOCOLS = "PLAINTEXT:PLAINTEXT,LOGIN:SASL_PLAINTEXT"


def module(mechanism: str, **options: str) -> str:
    """A line of JAAS."""
    said = "".join(f' {key}="{value}"' for key, value in options.items())
    return f"{MODULES[mechanism]} required{said};"


def jaas_setting(mechanism: str, listener: str = "login") -> str:
    """Where the module of a mechanism on a listener stands."""
    return f"listener.name.{listener}.{mechanism.lower()}.sasl.jaas.config"


def login_settings(**more: str) -> dict[str, str]:
    """Of a broker that takes alice's password by PLAIN, and SCRAM; ``more`` with _ for dots."""
    return {
        "listener.security.protocol.map": PROTOCOLS,
        "sasl.enabled.mechanisms": "PLAIN,SCRAM-SHA-256,SCRAM-SHA-512",
        jaas_setting("PLAIN"): module("PLAIN", user_alice="alice-secret"),
        jaas_setting("SCRAM-SHA-256"): module("SCRAM-SHA-256"),
        jaas_setting("SCRAM-SHA-512"): module("SCRAM-SHA-512"),
        **{key.replace("_", "."): value for key, value in more.items()},
    }


class LoginBroker(BrokerProcess):
    """Ours."""

    def __init__(self, data_dir: Path, overrides: Mapping[str, object]) -> None:
        super().__init__(data_dir, overrides)
        self.login_port = free_port()
        self.also = [f"LOGIN://{self.login_bootstrap}"]

    @property
    def login_bootstrap(self) -> str:
        return f"127.0.0.1:{self.login_port}"


class ApacheLoginBroker(ApacheBroker):
    """Apache Kafka's."""

    def __init__(
        self, data_dir: Path, zookeeper: ZooKeeper, overrides: Mapping[str, object], **rest: int
    ) -> None:
        super().__init__(data_dir, zookeeper, overrides, **rest)
        self.login_port = free_port()
        listeners = [f"PLAINTEXT://{self.bootstrap}", f"LOGIN://{self.login_bootstrap}"]
        self.overrides["listeners"] = ",".join(listeners)

    @property
    def login_bootstrap(self) -> str:
        return f"127.0.0.1:{self.login_port}"
