"""Brokers of both kinds in one cluster that can be broken, over SASL_SSL with access rules."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Final

from pykafka_ops.client.acls import create_acls
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.config import ClientConfig
from pykafka_ops.local.broker import LocalBroker
from pykafka_ops.local.secure import ADMIN, BROKER, LISTENER, MECHANISM, SecureSetup
from pykafka_ops.security.acls.rules import (
    AclBinding,
    AclEntry,
    Operation,
    Permission,
    ResourcePattern,
    ResourceType,
)
from pykafka_ops.testing import KafkaCluster
from tests.support.cluster.faulty_cluster import FaultyCluster
from tests.support.process.apache_local import ApacheLocalBroker
from tests.support.process.logins import jaas_setting, module
from tests.support.waiting import wait_for

CLIENT: Final = "client"
"""The user that all load comes from; it may do what rules say."""
REAUTH_MS: Final = 5000
SETTINGS: Final = {
    "listener.security.protocol.map": f"{LISTENER}:{LISTENER},INTERNAL:{LISTENER}",
    "connections.max.reauth.ms": REAUTH_MS,
}


class MixedSetup(SecureSetup):
    """Brokers log in to each other by ``mechanism``, clients by SCRAM."""

    def __init__(self, directory: Path, mechanism: str) -> None:
        super().__init__(directory)
        self.mechanism = mechanism
        self.users = (ADMIN, BROKER, CLIENT)

    def broker_settings(self) -> dict[str, str]:
        found = super().broker_settings()
        del found["security.inter.broker.protocol"]
        login = {"username": BROKER, "password": self.password(BROKER)}
        known = {f"user_{BROKER}": login["password"]} if self.mechanism == "PLAIN" else {}
        return {
            **found,
            "listener.name.internal.sasl.enabled.mechanisms": self.mechanism,
            "sasl.mechanism.inter.broker.protocol": self.mechanism,
            jaas_setting(MECHANISM, LISTENER.lower()): module(MECHANISM),
            jaas_setting(self.mechanism, "internal"): module(self.mechanism, **login, **known),
        }


class MixedKafka(KafkaCluster):
    """Those whose id is in ``apache`` are Apache Kafka's."""

    def __init__(
        self,
        brokers: int,
        directory: Path,
        settings: Mapping[str, object],
        *,
        mechanism: str,
        apache: Collection[int],
    ) -> None:
        super().__init__(brokers, directory, settings, secure=True)
        self.setup = MixedSetup(self.directory / "secure", mechanism)
        self._cluster.setup = self.setup
        for number in apache:
            self.brokers[number] = _apache(self.brokers[number])


def _apache(instead: LocalBroker) -> ApacheLocalBroker:
    """The same broker of the other kind."""
    made = ApacheLocalBroker(
        instead.directory, instead.settings, broker_id=instead.broker_id, mortal=True
    )
    made.listener, made.properties_file = instead.listener, instead.properties_file
    return made


class SecuredFaultyCluster(FaultyCluster):
    """``mechanism`` is that between brokers. Clients may use the topics made by
    :meth:`create_topic`, and any group and transactional id."""

    def __init__(
        self,
        directory: Path,
        *,
        mechanism: str = MECHANISM,
        apache: Collection[int] = (0,),
        mounts: bool = True,
    ) -> None:
        self._mechanism, self._apache = mechanism, apache
        super().__init__(directory, settings=SETTINGS, mounts=mounts)

    def made(self, directory: Path, count: int, settings: Mapping[str, object]) -> MixedKafka:
        self.mixed = MixedKafka(
            count, directory, settings, mechanism=self._mechanism, apache=self._apache
        )
        return self.mixed

    def steer(self, broker: LocalBroker) -> None:
        if broker.broker_id not in self._apache:
            super().steer(broker)

    def start(self) -> SecuredFaultyCluster:
        self.mixed.setup.make()
        self.login = self.mixed.setup.librdkafka_properties(CLIENT)
        self.admin_login = self.mixed.setup.librdkafka_properties()
        super().start()
        self.allow(ResourceType.GROUP, "*", Operation.READ)
        self.allow(ResourceType.TRANSACTIONAL_ID, "*", Operation.WRITE)
        return self

    def create_topic(
        self, name: str, partitions: int, configs: Mapping[str, object] | None = None
    ) -> str:
        self.allow(ResourceType.TOPIC, name, Operation.READ, Operation.WRITE)
        super().create_topic(name, partitions, configs)
        for broker in self.brokers:
            wait_for(
                lambda server=broker.bootstrap_servers: self.may_use(server, name),
                what=f"the rules for {name} on {broker.what}",
                poll=0.01,
            )
        return name

    def allow(self, kind: ResourceType, name: str, *operations: Operation) -> None:
        """Add rules that let clients do this."""
        self._add(kind, name, operations, Permission.ALLOW)

    def forbid(self, kind: ResourceType, name: str, *operations: Operation) -> None:
        """Add rules that keep clients from this."""
        self._add(kind, name, operations, Permission.DENY)

    def _add(
        self, kind: ResourceType, name: str, operations: Collection[Operation], what: Permission
    ) -> None:
        resource = ResourcePattern(kind, name)
        entries = [AclEntry(f"User:{CLIENT}", "*", each, what) for each in operations]
        cluster = self._asked(self.bootstrap, self.mixed.setup.client_properties())
        try:
            assert not any(create_acls(cluster, [AclBinding(resource, e) for e in entries]))
        finally:
            cluster.close()

    def may_use(self, server: str, topic: str) -> bool:
        """Whether that broker tells clients of the topic."""
        setup = self.mixed.setup
        login = {"username": CLIENT, "password": setup.password(CLIENT)}
        said = {**setup.client_properties(), "sasl.jaas.config": module(MECHANISM, **login)}
        cluster = self._asked(server, said)
        try:
            return not cluster.metadata([topic]).topics[0].error_code
        finally:
            cluster.close()

    @staticmethod
    def _asked(servers: str, properties: Mapping[str, str]) -> Cluster:
        return Cluster(ClientConfig.of({**properties, "bootstrap.servers": servers}))
