"""The clusters of a drill: one broker of ours, Apache Kafka 3.9.1 with ZooKeeper, 4.3.1 without."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient, NewTopic

from tests.support.process.apache import ApacheBroker, ZooKeeper
from tests.support.process.apache_kraft import KraftBroker
from tests.support.process.broker import BrokerProcess
from tests.support.waiting import wait_for

OURS, APACHE_3, APACHE_4 = "ours", "apache3", "apache4"
ALIASES = (OURS, APACHE_3, APACHE_4)
SETTINGS: dict[str, object] = {
    "auto.create.topics.enable": "false",
    "group.initial.rebalance.delay.ms": 0,
    "offsets.topic.num.partitions": 4,
    "transaction.state.log.num.partitions": 4,
    "log.cleaner.backoff.ms": 2000,
    "log.segment.delete.delay.ms": 1000,
}
PARTITIONS = 2
QUIET = {"log_level": 0, "socket.timeout.ms": 30_000}


class DrillSite:
    """A cluster of one broker, by its alias, and its ZooKeeper, which is spared."""

    def __init__(self, alias: str, directory: Path) -> None:
        self.alias = alias
        self._zookeeper: ZooKeeper | None = None
        self.broker: BrokerProcess | ApacheBroker | KraftBroker
        if alias == OURS:
            self.broker = BrokerProcess(directory / "data", SETTINGS)
        elif alias == APACHE_3:
            self._zookeeper = ZooKeeper(directory)
            self.broker = ApacheBroker(directory / "data", self._zookeeper, SETTINGS)
        else:
            self.broker = KraftBroker(directory / "data", SETTINGS)

    @property
    def bootstrap(self) -> str:
        return self.broker.bootstrap

    def start(self) -> DrillSite:
        if self._zookeeper is not None and self._zookeeper.process is None:
            self._zookeeper.start()
        self.broker.start()
        return self

    def kill(self) -> None:
        """kill -9 of the broker."""
        self.broker.kill()

    def close(self) -> None:
        """End everything."""
        self.broker.close()
        if self._zookeeper is not None:
            self._zookeeper.close()


def admin(bootstrap: str) -> AdminClient:
    """An administrator."""
    return AdminClient({**QUIET, "bootstrap.servers": bootstrap})


def topic_names(client: AdminClient) -> Iterable[str] | None:
    """Those that are there; None: nobody answers."""
    with suppress(KafkaException):
        return set(client.list_topics(timeout=10).topics)
    return None


def make(client: AdminClient, topic: str, settings: dict[str, str]) -> None:
    """Make a topic and wait for it, however often its broker is killed meanwhile."""

    def is_there() -> bool:
        names = topic_names(client)
        if names is not None and topic not in names:
            with suppress(KafkaException):
                new = NewTopic(topic, PARTITIONS, 1, config=settings)
                client.create_topics([new], operation_timeout=30)[topic].result(60)
        return topic in (topic_names(client) or ())

    wait_for(is_there, what=f"topic {topic}", poll=0.2)


def drop(client: AdminClient, topic: str) -> None:
    """Delete a topic and wait until it is gone."""

    def is_gone() -> bool:
        names = topic_names(client)
        if names is not None and topic in names:
            with suppress(KafkaException):
                client.delete_topics([topic], operation_timeout=30)[topic].result(60)
        names = topic_names(client)
        return names is not None and topic not in names

    wait_for(is_gone, what=f"{topic} is deleted", poll=0.2)
