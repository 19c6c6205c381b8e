"""A ZooKeeper and N brokers in one directory, as processes that can be started again.

DIR/cluster.json       how many brokers, and their settings
DIR/zookeeper/         data, settings, log and process of ZooKeeper
DIR/broker-0/          data, log and process of each broker
DIR/secure/            certificates and users, where it is secure
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.config import ClientConfig
from pykafka_ops.errors import ConnectError, KafkaError, PkoError, UsageError
from pykafka_ops.local import children
from pykafka_ops.local.broker import START_SECONDS, LocalBroker
from pykafka_ops.local.secure import LISTENER, SecureSetup, write_settings
from pykafka_ops.local.zookeeper import ZooKeeper

RECORD, LOCK = "cluster.json", "cluster.lock"
MOST_BROKERS = 64
ALWAYS = {
    "group.initial.rebalance.delay.ms": "0",
    "zookeeper.session.timeout.ms": "6000",
    "controlled.shutdown.retry.backoff.ms": "500",
}
"""Settings for one machine: no waiting for other members, and a dead broker is noticed soon."""


class LocalCluster:
    """``brokers`` brokers (None: as many as the directory has, else 3) on a ZooKeeper.

    ``settings`` go to every broker; those of an existing directory are kept unless given anew.
    ``secure``: with TLS, SCRAM and access rules, now and at every later start. Raises UsageError
    for a number of brokers that cannot be.
    """

    def __init__(
        self,
        directory: Path,
        brokers: int | None = None,
        settings: Mapping[str, object] | None = None,
        *,
        secure: bool = False,
        mortal: bool = False,
        fsync: bool = True,
    ) -> None:
        self.directory = directory.absolute()
        known = children.read_record(self.directory / RECORD) or {}
        had = known.get("brokers") if isinstance(known.get("brokers"), int) else 0
        count = brokers if brokers is not None else had or 3
        if not 1 <= count <= MOST_BROKERS:
            raise UsageError(f"{count} brokers: a cluster here has 1 to {MOST_BROKERS}")
        if had and count < had:
            raise UsageError(
                f"{self.directory} holds a cluster of {had} brokers: start it with -n {had} or "
                "more, or choose another directory"
            )
        kept = known.get("settings") if isinstance(known.get("settings"), dict) else {}
        self.settings = {**(kept or {}), **{k: str(v) for k, v in (settings or {}).items()}}
        self.setup: SecureSetup | None = None
        """Certificates and users of a secure cluster."""
        if had and secure and not known.get("secure"):
            raise UsageError(
                f"{self.directory} holds a cluster without TLS: choose another directory"
            )
        if secure or known.get("secure") is True:
            self.setup = SecureSetup(self.directory / "secure")
        self.mortal = mortal
        self.routes: dict[int, str] = {}
        """By broker id the ``zookeeper.connect`` of its own (a proxy), where it has one."""
        self.zookeeper = ZooKeeper(
            self.directory / "zookeeper",
            {"clientPort": "0", "tickTime": "500", "minSessionTimeout": "1000"},
            mortal=mortal,
            fsync=fsync,
        )
        self.brokers = [self._broker(number, count) for number in range(count)]

    def _broker(self, number: int, count: int) -> LocalBroker:
        copies = min(3, count)
        settings = {
            "default.replication.factor": copies,
            "offsets.topic.replication.factor": copies,
            "transaction.state.log.replication.factor": copies,
            "transaction.state.log.min.isr": min(2, count),
            **ALWAYS,
            **self.settings,
        }
        where = self.directory / f"broker-{number}"
        broker = LocalBroker(where, settings, broker_id=number, mortal=self.mortal)
        if self.setup is not None:
            broker.listener = LISTENER
            broker.properties_file = where / "server.properties"
        return broker

    @property
    def exists(self) -> bool:
        """Whether a cluster was started here before."""
        return (self.directory / RECORD).is_file()

    @property
    def bootstrap_servers(self) -> str:
        """``host:port,host:port`` of every broker."""
        return ",".join(broker.bootstrap_servers for broker in self.brokers)

    def broker(self, broker_id: int) -> LocalBroker:
        """The broker of that id. Raises UsageError where there is none."""
        if not 0 <= broker_id < len(self.brokers):
            raise UsageError(
                f"no broker {broker_id} in {self.directory}: it has 0 to {len(self.brokers) - 1}"
            )
        return self.brokers[broker_id]

    # --- verbs -----------------------------------------------------------------------------------

    def start(self, seconds: float = START_SECONDS) -> None:
        """Start what does not run, and wait until every broker knows all the others.

        Raises PkoError; what it started before that goes on, a later start or stop finds it, also
        where this one is killed.
        """
        with self._alone(seconds):
            self._start(seconds)

    def _start(self, seconds: float) -> None:
        children.write_record(
            self.directory / RECORD,
            {
                "version": 1,
                "brokers": len(self.brokers),
                "settings": self.settings,
                "secure": self.setup is not None,
            },
        )
        if self.setup is not None:
            self.setup.make()
        connect = self.zookeeper.start(seconds)
        if self.setup is not None:
            self._secure(self.setup, connect)
        for broker in self.brokers:
            broker.settings["zookeeper.connect"] = self.routes.get(broker.broker_id, connect)
            if broker.pid is None:
                broker.launch()
        failures: list[PkoError] = []
        for broker in self.brokers:
            try:
                broker.wait_ready(seconds)
            except PkoError as error:
                failures.append(error)
        if failures:
            raise failures[0]
        self.wait_complete(seconds)

    def _secure(self, setup: SecureSetup, connect: str) -> None:
        """Users, and what brokers have to know that nobody else may."""
        setup.add_users(connect)
        for broker in self.brokers:
            if broker.properties_file is not None:
                broker.directory.mkdir(parents=True, exist_ok=True)
                write_settings(broker.properties_file, setup.broker_settings())

    @property
    def client_properties(self) -> dict[str, str]:
        """How clients connect, as in ``--command-config``, without the address."""
        return {} if self.setup is None else self.setup.client_properties()

    def wait_complete(self, seconds: float = START_SECONDS) -> None:
        """Until every broker that runs knows all those that run, and a controller among them.

        Raises PkoError after ``seconds``.
        """
        running = {broker.broker_id: broker for broker in self.brokers if broker.pid is not None}
        deadline = time.monotonic() + seconds
        for number, broker in running.items():
            while not _knows(broker, set(running), self.client_properties):
                if time.monotonic() > deadline:
                    raise PkoError(
                        f"broker {number} does not know all brokers after {seconds:.0f} s; see "
                        f"{broker.log}"
                    )
                time.sleep(0.02)

    def stop(self, seconds: float = 120.0) -> int:
        """Stop the brokers, the first first, then ZooKeeper; how many processes it stopped.

        Brokers go one after the other: the leaders of one move to those that are left. Raises
        PkoError naming what did not stop, after having tried all.
        """
        stopped, failures = 0, []
        with self._alone(seconds):
            for part in self._parts():
                try:
                    stopped += part.stop(seconds) is not None
                except PkoError as error:
                    failures.append(str(error))
        if failures:
            raise PkoError("; ".join(failures))
        return stopped

    def kill(self) -> None:
        """kill -9 of everything, for tests that are over."""
        for part in self._parts():
            part.kill()

    def _alone(self, seconds: float) -> AbstractContextManager[None]:
        """Lets one start or stop of a directory run at a time."""
        what = f"another start or stop of {self.directory}"
        return children.locked(self.directory / LOCK, what, seconds)

    def _parts(self) -> list[LocalBroker | ZooKeeper]:
        return [*self.brokers, self.zookeeper]


def _knows(broker: LocalBroker, everyone: set[int], properties: Mapping[str, str]) -> bool:
    """Whether its metadata has these brokers, and a controller; others may have joined them."""
    properties = {**properties, "bootstrap.servers": broker.bootstrap_servers}
    cluster = Cluster(ClientConfig.of(properties))
    cluster.config.patience = min(2.0, cluster.config.api_timeout)
    try:
        cluster.metadata([])
    except (ConnectError, KafkaError):
        return False
    finally:
        cluster.close()
    return everyone <= set(cluster.nodes) and cluster.controller in cluster.nodes
