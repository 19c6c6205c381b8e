"""Two brokers, a link between them, and what copies by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.mirror.groups.sync import GroupSync
from pykafka_ops.mirror.settings.model import LinkSettings
from tests.support.mirror.hand_mirror import HandMirror, cluster_of, make_topics
from tests.support.process.server import ServerProcess
from tests.support.waiting import PATIENCE

LINK = LinkSettings("a", "b")
PART = ("orders", 0)


class Site(NamedTuple):
    """Both clusters, and a mirror from ``a`` to ``b`` of the topic orders, one partition."""

    a: ServerProcess
    b: ServerProcess
    source: Cluster
    target: Cluster
    mirror: HandMirror
    sync: GroupSync


@contextmanager
def two_sites(make_broker: Callable[..., ServerProcess], **settings: Any) -> Iterator[Site]:
    """``settings`` of the link."""
    a, b = make_broker("a").start(), make_broker("b").start()
    source, target = cluster_of(a.bootstrap), cluster_of(b.bootstrap)
    link = replace(LINK, **settings)
    make_topics(source, orders=1)
    make_topics(target, **{"orders" if link.naming == "identity" else "a_orders": 1})
    try:
        yield Site(
            a, b, source, target, HandMirror(source, target, link), GroupSync(source, target, link)
        )
    finally:
        source.close()
        target.close()


def produce_numbers(broker: ServerProcess, first: int, count: int, topic: str = "orders") -> None:
    """Records with their numbers as values, to partition 0."""
    producer = Producer({"bootstrap.servers": broker.bootstrap})
    for n in range(first, first + count):
        producer.produce(topic, str(n), partition=0)
    assert producer.flush(PATIENCE) == 0


def produce_fives(broker: ServerProcess, first: int, count: int) -> None:
    """Each five in a transaction, the second of each three transactions aborted."""
    producer = Producer({"bootstrap.servers": broker.bootstrap, "transactional.id": "t"})
    producer.init_transactions(PATIENCE)
    for start in range(first, first + count, 5):
        producer.begin_transaction()
        for n in range(start, start + 5):
            producer.produce("orders", str(n), partition=0)
        if start // 5 % 3 == 1:
            assert producer.flush(PATIENCE) == 0
            producer.abort_transaction(PATIENCE)
        else:
            producer.commit_transaction(PATIENCE)


def kept_of_fives(first: int, count: int) -> list[int]:
    """The numbers of ``produce_fives`` that were committed."""
    return [n for n in range(first, first + count) if n // 5 % 3 != 1]


def consume_numbers(
    broker: ServerProcess, topic: str, count: int, *, group: str = "g", commit: int | None = None
) -> list[int]:
    """Read ``count`` records on from what the group committed; commit behind the first ``commit``
    of them (None: all)."""
    consumer = Consumer({
        "bootstrap.servers": broker.bootstrap, "group.id": group, "enable.auto.commit": False,
        "auto.offset.reset": "error", "isolation.level": "read_committed",
    })  # fmt: skip
    try:
        (found,) = consumer.committed([TopicPartition(topic, 0)], PATIENCE)
        consumer.assign([found if found.offset >= 0 else TopicPartition(topic, 0, 0)])
        seen: list[Any] = []
        while len(seen) < count:
            message = consumer.poll(PATIENCE)
            assert message is not None, f"{len(seen)} of {count} records"
            if message.error():
                raise KafkaException(message.error())
            seen.append(message)
        done = len(seen) if commit is None else commit
        if done:
            consumer.commit(message=seen[done - 1], asynchronous=False)
        return [int(message.value()) for message in seen]
    finally:
        consumer.close()
