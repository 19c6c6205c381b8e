"""Two tiers filled by a producer of librdkafka: the second as the first, but for planted faults."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import confluent_kafka as ck
from confluent_kafka.admin import AdminClient, NewTopic

COUNT = 1200
"""Records of a partition, one a second; the last is 10 minutes old."""


class Produced(NamedTuple):
    """A record as it was sent."""

    timestamp: int
    key: bytes
    value: bytes | None
    headers: Sequence[tuple[str, bytes]] = (("source", b"test"),)


def sent() -> list[Produced]:
    """The records of the first tier."""
    first = int(time.time() - 600 - COUNT) * 1000
    return [
        Produced(first + n * 1000, b"key-%d" % n, b"value-%d" % n * (1 + n % 9))
        for n in range(COUNT)
    ]


def with_faults(records: Sequence[Produced]) -> list[Produced]:
    """100 lost, 300 doubled, 500 and 501 exchanged, 700 altered, 900 with another header."""
    found = list(records)
    found[900] = found[900]._replace(headers=(("source", b"other"),))
    found[700] = found[700]._replace(value=b"another")
    found[500], found[501] = found[501], found[500]
    found.insert(300, found[300])
    del found[100]
    return found


FAULTS = {
    ("missing", "key-100"),
    ("duplicate", "key-300"),
    ("altered", "key-700"),
    ("altered", "key-900"),
}
"""Beside one of the two that were exchanged."""


def create(bootstrap: str, topic: str, partitions: int = 1, **settings: str) -> None:
    """Make a topic."""
    config = {name.replace("_", "."): value for name, value in settings.items()}
    admin = AdminClient({"bootstrap.servers": bootstrap})
    new = NewTopic(topic, partitions, 1, config=config)
    for made in admin.create_topics([new]).values():
        made.result(60)


def produce(
    bootstrap: str, topic: str, records: Sequence[Produced], partition: int = 0, **more: Any
) -> None:
    """Send records in order; ``more`` are settings of the producer."""
    settings = {key.replace("_", "."): value for key, value in more.items()}
    producer = ck.Producer(
        {"bootstrap.servers": bootstrap, "enable.idempotence": True, "linger.ms": 20, **settings}
    )
    _send(producer, topic, records, partition)
    assert producer.flush(60) == 0


def in_transaction(
    bootstrap: str, topic: str, records: Sequence[Produced], *, commit: bool
) -> None:
    """Send records in a transaction, and end it."""
    producer = ck.Producer(
        {"bootstrap.servers": bootstrap, "transactional.id": f"{topic}-{commit}"}
    )
    producer.init_transactions(60)
    producer.begin_transaction()
    _send(producer, topic, records, 0)
    assert producer.flush(60) == 0
    if commit:
        producer.commit_transaction(60)
    else:
        producer.abort_transaction(60)


def _send(producer: Any, topic: str, records: Sequence[Produced], partition: int) -> None:
    for one in records:
        producer.produce(
            topic, value=one.value, key=one.key, partition=partition, timestamp=one.timestamp,
            headers=list(one.headers),
        )  # fmt: skip
        producer.poll(0)
