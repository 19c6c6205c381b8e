"""Groups that change, topics that come and go, settings that are changed."""

from __future__ import annotations

import random

import confluent_kafka as ck
from confluent_kafka.admin import (
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    NewTopic,
    ResourceType,
)

from tests.support.soak.job import Job
from tests.support.soak.records import PARTITIONS, QUIET, producer, reader

SECONDS = 60.0


def admin(bootstrap: str) -> AdminClient:
    """An administrator."""
    return AdminClient({**QUIET, "bootstrap.servers": bootstrap})


def create(client: AdminClient, topic: str, **configs: object) -> None:
    """Create a topic and wait for it."""
    settings = {name.replace("_", "."): str(value) for name, value in configs.items()}
    new = NewTopic(topic, PARTITIONS, 1, config=settings)
    client.create_topics([new], operation_timeout=SECONDS)[topic].result(SECONDS)


class Members(Job):
    """A member of a group: joins, reads, commits, leaves, again and again."""

    name = "group members"

    def __init__(self, bootstrap: str, topic: str, number: int) -> None:
        super().__init__(bootstrap)
        self.topic = topic
        self.name = f"group member {number}"
        self._chance = random.Random(number)

    def step(self) -> None:
        consumer = ck.Consumer(
            {
                **QUIET,
                "bootstrap.servers": self.bootstrap,
                "group.id": f"soak-{self._chance.randrange(4)}",
                "session.timeout.ms": 10_000,
                "enable.auto.commit": False,
                "auto.offset.reset": "latest",
                "queued.max.messages.kbytes": 1024,
            }
        )
        consumer.subscribe([self.topic])
        try:
            for _ in range(self._chance.randrange(10, 60)):
                if consumer.consume(100, 0.1) and self._chance.random() < 0.2:
                    consumer.commit(asynchronous=True)
                if self.stopping.is_set():
                    break
            self.done += 1
        finally:
            consumer.close()


class Topics(Job):
    """Creates a topic, fills and reads it, deletes it."""

    name = "topics"
    pause = 0.5
    records = 200

    def __init__(self, bootstrap: str) -> None:
        super().__init__(bootstrap)
        self._admin = admin(bootstrap)

    def step(self) -> None:
        topic = f"short-lived-{self.done}"
        create(self._admin, topic, segment_bytes=131_072)
        writer = producer(self.bootstrap)
        for n in range(self.records):
            writer.produce(topic, bytes(500), partition=n % PARTITIONS, on_delivery=self._told)
        if writer.flush(SECONDS):
            self.trouble(f"{topic}: records were not acknowledged")
        taker = reader(self.bootstrap, topic)
        try:
            found: list[object] = []
            if not self.until(lambda: self._took(taker, found), SECONDS):
                self.trouble(f"{topic}: {len(found)} records of {self.records}")
        finally:
            taker.close()
        self._admin.delete_topics([topic], operation_timeout=SECONDS)[topic].result(SECONDS)
        self.done += 1

    def _told(self, error: object, _: object) -> None:
        if error is not None:
            self.trouble(f"a record of a short-lived topic: {error}")

    def _took(self, taker: ck.Consumer, found: list[object]) -> bool:
        found += [message for message in taker.consume(500, 0.1) if message.error() is None]
        return len(found) >= self.records


class Settings(Job):
    """Changes settings of a topic and of the broker, and looks whether they are changed."""

    name = "settings"
    pause = 2.0

    def __init__(self, bootstrap: str, topic: str) -> None:
        super().__init__(bootstrap)
        self._admin = admin(bootstrap)
        self._places = [
            (ResourceType.TOPIC, topic, "segment.bytes", (1 << 20, 1 << 21)),
            (ResourceType.TOPIC, topic, "retention.bytes", (6 << 20, 8 << 20)),
            (ResourceType.BROKER, "0", "log.cleaner.io.buffer.size", (524_288, 1_048_576)),
        ]

    def step(self) -> None:
        for kind, name, setting, values in self._places:
            value = str(values[self.done % 2])
            entry = ConfigEntry(setting, value, incremental_operation=AlterConfigOpType.SET)
            change = ConfigResource(kind, name, incremental_configs=[entry])
            for done in self._admin.incremental_alter_configs([change]).values():
                done.result(SECONDS)
            for found in self._admin.describe_configs([ConfigResource(kind, name)]).values():
                now = found.result(SECONDS)[setting].value
                if now != value:
                    self.trouble(f"{setting} of {name} is {now}, not {value}")
        self.done += 1
