"""A broker, or a cluster of them, that lives as long as a ``with`` block."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.config import ClientConfig
from pykafka_ops.client.topic_changes import NewTopic, create_topics
from pykafka_ops.errors import ConnectError, KafkaError, PkoError
from pykafka_ops.local.broker import LocalBroker
from pykafka_ops.local.cluster import LocalCluster
from pykafka_ops.local.zookeeper import ZooKeeper

S = TypeVar("S", bound="_Servers")

SECONDS = 120.0
"""How long a start, a stop and a new topic may take: test machines are slow at times."""
ALONE = {
    "offsets.topic.replication.factor": 1,
    "transaction.state.log.replication.factor": 1,
    "transaction.state.log.min.isr": 1,
    "group.initial.rebalance.delay.ms": 0,
}
_POLL_SECONDS = 0.02


def _create(
    servers: Sequence[str], topic: NewTopic, seconds: float, properties: Mapping[str, str]
) -> None:
    """Create it and wait up to ``seconds``. Raises KafkaError, ConnectError, PkoError."""
    cluster = Cluster(ClientConfig.of({**properties, "bootstrap.servers": ",".join(servers)}))
    try:
        made = create_topics(cluster, [topic])[topic.name]
    finally:
        cluster.close()
    if isinstance(made, KafkaError):
        raise made
    partitions = len(topic.assignment) or topic.partitions
    configs = [{**properties, "bootstrap.servers": server} for server in servers]
    _wait_known(configs, topic.name, partitions, seconds)


def _wait_known(
    servers: Sequence[Mapping[str, str]], name: str, partitions: int, seconds: float
) -> None:
    """Wait until all ``servers`` (client properties) that answer name a leader of each partition.
    Raises PkoError."""
    deadline = time.monotonic() + seconds
    left = list(servers)
    while left := [server for server in left if not _knows(server, name, partitions)]:
        if time.monotonic() > deadline:
            silent = ", ".join(server["bootstrap.servers"] for server in left)
            raise PkoError(f"{silent}: no leaders of {name} after {seconds:.0f} s")
        time.sleep(_POLL_SECONDS)


def _knows(server: Mapping[str, str], name: str, partitions: int) -> bool:
    cluster = Cluster(ClientConfig.of(server))
    cluster.config.patience = 0.0
    try:
        found = cluster.metadata([name]).topics
    except ConnectError:
        return True  # it is down: nobody will ask it
    finally:
        cluster.close()
    led = [p for t in found if not t.error_code for p in t.partitions if p.leader_id >= 0]
    return len(led) >= max(partitions, 1)


class _Servers:
    """What a broker and a cluster have in common."""

    def __init__(self, directory: Path | str | None) -> None:
        self._own = directory is None
        made = tempfile.mkdtemp(prefix="kafka-") if directory is None else directory
        self.directory = Path(made).absolute()

    @property
    def bootstrap_servers(self) -> str:
        """``host:port,...`` for the clients."""
        raise NotImplementedError

    def _client_properties(self) -> dict[str, str]:
        """How clients get in, without the address."""
        return {}

    def start(self) -> None:
        """Start, and wait until clients are served. Raises PkoError."""
        raise NotImplementedError

    def kill(self) -> None:
        """kill -9 of all that runs."""
        raise NotImplementedError

    def close(self) -> None:
        """End all processes; a directory that was made for them goes too."""
        self.kill()
        if self._own:
            shutil.rmtree(self.directory, ignore_errors=True)

    def __enter__(self: S) -> S:
        try:
            self.start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def create_topic(
        self,
        name: str,
        partitions: int = 1,
        replication_factor: int = -1,
        configs: Mapping[str, object] | None = None,
        *,
        assignment: Mapping[int, list[int]] | None = None,
    ) -> str:
        """Make a topic and wait until every broker knows its leaders; its name.

        ``replication_factor`` -1: the broker's default, which is 3 in a cluster of three.
        ``assignment`` says by partition which brokers hold it instead of the two counts. Raises
        KafkaError as the cluster does.
        """
        counts = (-1, -1) if assignment else (partitions, replication_factor)
        texts = {key: str(value) for key, value in (configs or {}).items()}
        topic = NewTopic(name, *counts, assignment or {}, texts)
        _create(self.bootstrap_servers.split(","), topic, SECONDS, self._client_properties())
        return name


class KafkaBroker(_Servers):
    """One broker that needs nothing but Python; starts in a fifth of a second.

    ``settings`` are those of server.properties. Without ``directory`` it gets a temporary one,
    removed at the end; with one, a later KafkaBroker goes on with its data. Start it in the thread
    that outlives it: on Linux it ends with that thread.
    """

    def __init__(
        self,
        directory: Path | str | None = None,
        settings: Mapping[str, object] | None = None,
        *,
        port: int = 0,
    ) -> None:
        super().__init__(directory)
        self._broker = LocalBroker(
            self.directory, {**ALONE, **(settings or {})}, port=port, mortal=True
        )

    @property
    def bootstrap_servers(self) -> str:
        """``host:port``; the same over restarts."""
        return self._broker.bootstrap_servers

    @property
    def log(self) -> Path:
        """The file it logs to."""
        return self._broker.log

    @property
    def pid(self) -> int | None:
        """Its process id; None while it does not run."""
        return self._broker.pid

    def start(self) -> None:
        """Start it, or start it again, and wait until it serves clients. Raises PkoError."""
        self._broker.start(SECONDS)

    def stop(self) -> None:
        """A clean stop; ``start`` goes on with the same data and port."""
        self._broker.stop(SECONDS)

    def restart(self) -> None:
        """``stop`` and ``start``."""
        self.stop()
        self.start()

    def kill(self) -> None:
        """kill -9: what a crash leaves behind."""
        self._broker.kill()

    def pause(self) -> None:
        """SIGSTOP: it goes silent with its connections open."""
        self._broker.pause()

    def resume(self) -> None:
        """End of :meth:`pause`."""
        self._broker.resume()


class KafkaCluster(_Servers):
    """A ZooKeeper and ``brokers`` brokers; ready in about two seconds.

    Needs Java and PySpark, whose ZooKeeper it runs. ``settings`` go to all brokers. ``brokers``
    (by id from 0) can be stopped, killed, paused and started one by one, as ``zookeeper`` can.
    ``secure``: with TLS, SCRAM and access rules; ``client_config`` says how to get in.
    """

    def __init__(
        self,
        brokers: int | None = None,
        directory: Path | str | None = None,
        settings: Mapping[str, object] | None = None,
        *,
        secure: bool = False,
    ) -> None:
        super().__init__(directory)
        self._cluster = LocalCluster(
            self.directory, brokers, settings, secure=secure, mortal=True, fsync=False
        )

    @property
    def bootstrap_servers(self) -> str:
        """``host:port,...`` of all brokers; the same over restarts."""
        return self._cluster.bootstrap_servers

    @property
    def client_config(self) -> dict[str, str]:
        """Settings of a client that may do everything, under librdkafka's names; once started."""
        found = {"bootstrap.servers": self.bootstrap_servers}
        setup = self._cluster.setup
        return found if setup is None else found | setup.librdkafka_properties()

    @property
    def command_config(self) -> Path | None:
        """The same as a file of Java's properties, without the address; None without TLS."""
        return None if self._cluster.setup is None else self._cluster.setup.client_file

    def _client_properties(self) -> dict[str, str]:
        return self._cluster.client_properties

    @property
    def brokers(self) -> list[LocalBroker]:
        """The brokers: ``start``, ``stop``, ``kill``, ``pause``, ``resume``, ``pid``, ``log``."""
        return self._cluster.brokers

    @property
    def zookeeper_routes(self) -> dict[int, str]:
        """By broker id another ``zookeeper.connect``, as of a proxy that can be cut."""
        return self._cluster.routes

    @property
    def zookeeper(self) -> ZooKeeper:
        """The ZooKeeper: ``connect``, ``start``, ``stop``, ``kill``, ``pause``, ``resume``."""
        return self._cluster.zookeeper

    def start(self) -> None:
        """Start what does not run, and wait until all know each other. Raises PkoError."""
        self._cluster.start(SECONDS)

    def wait_complete(self) -> None:
        """Until all brokers that run know each other. Raises PkoError."""
        self._cluster.wait_complete(SECONDS)

    def stop(self) -> None:
        """A clean stop of all; ``start`` goes on with the same data and ports."""
        self._cluster.stop(SECONDS)

    def kill(self) -> None:
        """kill -9 of all brokers and ZooKeeper."""
        self._cluster.kill()
