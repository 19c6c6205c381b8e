"""Two clusters and the records in them, for tests of the mirror."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import confluent_kafka as ck
from confluent_kafka.admin import AdminClient
from confluent_kafka.admin import NewTopic as CkNewTopic

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.config import ClientConfig, parse_bootstrap
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.offsets import EARLIEST
from pykafka_ops.mirror.copy.copier import Copier, copier_of
from pykafka_ops.mirror.copy.pieces import TargetLimits
from pykafka_ops.mirror.copy.tasks import CopyTask, LoneSeat, RoundResult, SeatLike
from pykafka_ops.mirror.naming import link_id
from pykafka_ops.mirror.settings.model import LinkSettings
from tests.support.waiting import wait_for

GROUP = link_id("a", "b")


def config(bootstrap: str) -> ClientConfig:
    return ClientConfig(parse_bootstrap(bootstrap), {})


def make_topic(
    bootstrap: str, topic: str, partitions: int = 1, settings: Mapping[str, str] | None = None
) -> None:
    admin = AdminClient({"bootstrap.servers": bootstrap})
    new = CkNewTopic(topic, partitions, 1, config=dict(settings or {}))
    for future in admin.create_topics([new]).values():
        future.result(120)
    wait_for(
        lambda: len(admin.list_topics(topic, timeout=60).topics[topic].partitions) == partitions,
        what=f"topic {topic}",
    )


def delete_topic(bootstrap: str, topic: str) -> None:
    admin = AdminClient({"bootstrap.servers": bootstrap})
    for future in admin.delete_topics([topic]).values():
        future.result(120)
    wait_for(lambda: topic not in admin.list_topics(timeout=60).topics, what=f"no topic {topic}")


def topic_id(bootstrap: str, topic: str) -> bytes:
    cluster = Cluster(config(bootstrap))
    try:
        return bytes(cluster.metadata([topic]).topics[0].topic_id)
    finally:
        cluster.close()


def write(
    bootstrap: str, topic: str, values: Sequence[bytes], *, partition: int = 0, **more: object
) -> None:
    producer = ck.Producer({"bootstrap.servers": bootstrap, "linger.ms": 2, **more})
    for value in values:
        while True:
            try:
                producer.produce(topic, value, b"key-" + value[:9], partition=partition)
            except BufferError:
                producer.poll(0.1)
            else:
                break
    assert producer.flush(120) == 0


def write_transaction(
    bootstrap: str, topic: str, values: Sequence[bytes], *, commit: bool, partition: int = 0
) -> None:
    producer = ck.Producer({"bootstrap.servers": bootstrap, "transactional.id": f"w-{topic}"})
    producer.init_transactions(120)
    producer.begin_transaction()
    for value in values:
        producer.produce(topic, value, partition=partition)
    producer.flush(120)
    producer.commit_transaction(120) if commit else producer.abort_transaction(120)


def read(bootstrap: str, topic: str, partition: int = 0) -> list[ck.Message]:
    """Everything that is committed, up to the end."""
    consumer = ck.Consumer(
        {
            "bootstrap.servers": bootstrap,
            "group.id": "reader",
            "isolation.level": "read_committed",
            "enable.partition.eof": True,
            "auto.offset.reset": "earliest",
        }
    )
    consumer.assign([ck.TopicPartition(topic, partition, ck.OFFSET_BEGINNING)])
    found: list[ck.Message] = []
    ended = False

    def end() -> bool:
        nonlocal ended
        for message in consumer.consume(5000, 1.0):
            error = message.error()
            if error is None:
                found.append(message)
            elif error.code() == ck.KafkaError._PARTITION_EOF:
                ended = True
        return ended

    wait_for(end, what=f"the end of {topic}-{partition}")
    consumer.close()
    return found


def values(bootstrap: str, topic: str, partition: int = 0) -> list[bytes]:
    return [bytes(message.value() or b"") for message in read(bootstrap, topic, partition)]


class MirrorPair:
    """Clusters a and b; ``copier`` copies from a to b."""

    def __init__(self, source: str, target: str) -> None:
        self.source, self.target = source, target

    def link(self, **more: object) -> LinkSettings:
        return LinkSettings("a", "b", **more)  # type: ignore[arg-type]

    def copier(self, link: LinkSettings | None = None) -> Copier:
        return copier_of(link or self.link(), config(self.source), config(self.target))

    def tasks(
        self, topic: str, partitions: int = 1, limits: TargetLimits | None = None
    ) -> dict[Partition, CopyTask]:
        identity = topic_id(self.source, topic)
        return {
            (topic, n): CopyTask((f"a.{topic}", n), EARLIEST, identity, limits or TargetLimits())
            for n in range(partitions)
        }


def copy_until(copier: Copier, offsets: Mapping[Partition, int]) -> list[RoundResult]:
    """Rounds until the positions are reached."""
    results: list[RoundResult] = []

    def reached() -> bool:
        results.append(copier.round())
        progress = copier.progress()
        return all(progress[p].position >= offset for p, offset in offsets.items())

    wait_for(reached, what="positions", about=results)
    return results


def lone(slot: int = 0) -> SeatLike:
    return LoneSeat(GROUP, slot=slot)
