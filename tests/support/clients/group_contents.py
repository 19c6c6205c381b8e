"""Groups of many kinds, and all that a broker knows of them, through confluent-kafka."""

from __future__ import annotations

import uuid
from typing import Any

from confluent_kafka import (
    Consumer,
    ConsumerGroupTopicPartitions,
    KafkaException,
    Producer,
    TopicPartition,
)
from confluent_kafka.admin import AdminClient

from tests.support.waiting import wait_for

SIMPLE, EMPTY, STATIC, CHANGED = "only-offsets", "empty", "with-a-member", "changed"
LONG_SESSION_MS = 1_800_000


def _consumer(bootstrap: str, group: str, **more: Any) -> Consumer:
    return Consumer(
        {
            "bootstrap.servers": bootstrap,
            "group.id": group,
            "enable.auto.commit": False,
            **{key.replace("_", "."): value for key, value in more.items()},
        }
    )


def _joined(bootstrap: str, group: str, topic: str, **more: Any) -> Consumer:
    consumer = _consumer(bootstrap, group, **more)
    consumer.subscribe([topic])

    def assigned() -> bool:
        consumer.poll(0.1)
        return bool(consumer.assignment())

    wait_for(assigned, what=f"an assignment in {group}")
    return consumer


def fill_groups(bootstrap: str, topic: str) -> None:
    """Groups that only store offsets, are empty, or have a static member; and a transaction's
    offsets in each state."""
    only = _consumer(bootstrap, SIMPLE)
    places = [TopicPartition(topic, 0, 7, metadata="mät"), TopicPartition(topic, 1, 9)]
    wait_for(lambda: _commits(only, places), what="a coordinator")
    only.commit(offsets=[TopicPartition(topic, 0, 5)], asynchronous=False)
    only.close()
    left = _joined(bootstrap, EMPTY, topic)
    left.commit(offsets=[TopicPartition(topic, 1, 3)], asynchronous=False)
    left.close()
    member = _joined(
        bootstrap,
        STATIC,
        topic,
        group_instance_id="static",
        session_timeout_ms=LONG_SESSION_MS,
        max_poll_interval_ms=LONG_SESSION_MS,
    )
    member.commit(offsets=[TopicPartition(topic, 0, 2)], asynchronous=False)
    member.close()
    for n, commits in enumerate((True, False, True)):
        producer = Producer(
            {"bootstrap.servers": bootstrap, "transactional.id": f"tx-{uuid.uuid4()}"}
        )
        producer.init_transactions(120)
        producer.begin_transaction()
        source = _consumer(bootstrap, CHANGED)
        offsets = [TopicPartition(topic, 0, 10 + n), TopicPartition(topic, 1, 20 + n)]
        producer.send_offsets_to_transaction(offsets[: n + 1], source.consumer_group_metadata(), 60)
        (producer.commit_transaction if commits else producer.abort_transaction)(60)
        source.close()


def _commits(consumer: Consumer, places: list[TopicPartition]) -> bool:
    try:
        consumer.commit(offsets=places, asynchronous=False)
    except KafkaException:
        return False
    return True


def groups_of(bootstrap: str) -> dict[str, Any]:
    """State, members and offsets of every group."""
    admin = AdminClient({"bootstrap.servers": bootstrap})
    names = wait_for(
        lambda: sorted(g.group_id for g in admin.list_consumer_groups().result(120).valid),
        what="groups",
    )
    found: dict[str, Any] = {}
    for name, future in admin.describe_consumer_groups(names).items():
        group = future.result(120)
        members = [
            (
                m.member_id,
                m.group_instance_id,
                m.client_id,
                m.host,
                str(m.assignment.topic_partitions),
            )
            for m in group.members
        ]
        asked = admin.list_consumer_group_offsets([ConsumerGroupTopicPartitions(name)])
        offsets = {
            (p.topic, p.partition): (p.offset, p.metadata, p.leader_epoch)
            for p in asked[name].result(120).topic_partitions
        }
        found[name] = (group.state.name, group.partition_assignor, members, offsets)
    return found
