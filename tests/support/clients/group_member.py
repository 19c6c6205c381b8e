"""A consumer in a process of its own: ``group_member.py LIBRARY BOOTSTRAP GROUP TOPIC STRATEGY
INSTANCE SESSION_MS``.

Prints ``A 0,1`` when its assignment changes, ``R partition offset value`` for each record once its
offset is committed, and ``F`` when it ends since another has its name; leaves the group when stdin
ends. ``INSTANCE`` "-" is no static member; with the strategy "consumer" the broker assigns.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Iterable
from typing import Any

CONSUMER = "consumer"
"""In place of a strategy: ``group.protocol=consumer``."""
SESSION_MS = 45_000
"""Nobody waits for its end but where a test says so: who leaves or comes back is quicker."""
HEARTBEAT_MS = 500
PATIENT_POLL_MS = 1000
"""kafka-python 3.0.12 forgets a rebalance whose answer comes after the end of the poll that asked
for it: it never takes its partitions, and sends no heartbeats."""
Record = tuple[int, int, str]


class Talk:
    """What the test reads."""

    def __init__(self) -> None:
        self._assigned: list[int] | None = None
        self.ended = threading.Event()
        threading.Thread(target=self._wait, daemon=True).start()

    def _wait(self) -> None:
        sys.stdin.read()
        self.ended.set()

    def assigned(self, partitions: Iterable[int]) -> None:
        found = sorted(partitions)
        if found != self._assigned:
            self._assigned = found
            print("A", ",".join(map(str, found)), flush=True)

    def committed(self, records: Iterable[Record]) -> None:
        for partition, offset, value in records:
            print("R", partition, offset, value, flush=True)

    def fenced(self) -> None:
        print("F", flush=True)


def confluent_protocol(strategy: str, session: str) -> dict[str, Any]:
    """What librdkafka takes for a strategy of members, or for the broker's."""
    if strategy == CONSUMER:
        return {"group.protocol": CONSUMER}
    return {
        "session.timeout.ms": session,
        "heartbeat.interval.ms": HEARTBEAT_MS,
        "partition.assignment.strategy": strategy,
    }


def confluent(
    bootstrap: str, group: str, topic: str, strategy: str, instance: str, session: str
) -> None:
    from confluent_kafka import Consumer, KafkaError, KafkaException

    config: dict[str, Any] = {
        "log_level": 0,
        "bootstrap.servers": bootstrap,
        "group.id": group,
        "auto.offset.reset": "earliest",
        "enable.auto.commit": False,
        **confluent_protocol(strategy, session),
    }
    if instance != "-":
        config["group.instance.id"] = instance
    consumer, talk = Consumer(config), Talk()
    consumer.subscribe([topic])
    while not talk.ended.is_set():
        found = consumer.consume(500, 0.1)
        if any(m.error() and m.error().code() == KafkaError._FATAL for m in found):
            talk.fenced()
            break
        got = [m for m in found if m.error() is None]
        try:
            if got:
                consumer.commit(asynchronous=False)
        except KafkaException:
            continue  # a rebalance: whoever has the partition reads it again
        talk.committed((m.partition(), m.offset(), m.value().decode()) for m in got)
        talk.assigned(p.partition for p in consumer.assignment())
    consumer.close()


def kafka_python(
    bootstrap: str, group: str, topic: str, strategy: str, instance: str, session: str
) -> None:
    from kafka import KafkaConsumer
    from kafka.coordinator.assignors.cooperative_sticky import CooperativeStickyAssignor
    from kafka.coordinator.assignors.range import RangePartitionAssignor
    from kafka.coordinator.assignors.sticky.sticky_assignor import StickyPartitionAssignor
    from kafka.errors import FencedInstanceIdError, KafkaError

    strategies = {
        "range": RangePartitionAssignor,
        "sticky": StickyPartitionAssignor,
        "cooperative-sticky": CooperativeStickyAssignor,
    }
    consumer = KafkaConsumer(
        bootstrap_servers=bootstrap,
        group_id=group,
        auto_offset_reset="earliest",
        enable_auto_commit=False,
        session_timeout_ms=int(session),
        heartbeat_interval_ms=HEARTBEAT_MS,
        partition_assignment_strategy=[strategies[strategy]],
        group_instance_id=None if instance == "-" else instance,
    )
    talk = Talk()
    consumer.partitions_for_topic(topic)  # else it joins twice, the first time for nothing
    consumer.subscribe([topic])
    while not talk.ended.is_set():
        try:
            got = [r for records in consumer.poll(PATIENT_POLL_MS).values() for r in records]
            if got:
                consumer.commit()
        except FencedInstanceIdError:
            talk.fenced()
            break
        except KafkaError:
            continue
        talk.committed((r.partition, r.offset, r.value.decode()) for r in got)
        talk.assigned(p.partition for p in consumer.assignment())
    consumer.close()


def aio(bootstrap: str, group: str, topic: str, strategy: str, instance: str, session: str) -> None:
    asyncio.run(_aio(bootstrap, group, topic, strategy, instance, session))


async def _aio(
    bootstrap: str, group: str, topic: str, strategy: str, instance: str, session: str
) -> None:
    from aiokafka import AIOKafkaConsumer
    from aiokafka.coordinator.assignors.range import RangePartitionAssignor
    from aiokafka.coordinator.assignors.sticky.sticky_assignor import StickyPartitionAssignor
    from aiokafka.errors import KafkaError

    strategies = {"range": RangePartitionAssignor, "sticky": StickyPartitionAssignor}
    consumer = AIOKafkaConsumer(
        topic,
        bootstrap_servers=bootstrap,
        group_id=group,
        auto_offset_reset="earliest",
        enable_auto_commit=False,
        session_timeout_ms=int(session),
        heartbeat_interval_ms=HEARTBEAT_MS,
        partition_assignment_strategy=[strategies[strategy]],
        group_instance_id=None if instance == "-" else instance,
    )
    talk = Talk()
    await consumer.start()
    while not talk.ended.is_set():
        got = [r for rs in (await consumer.getmany(timeout_ms=100)).values() for r in rs]
        try:
            if got:
                await consumer.commit()
        except KafkaError:
            continue
        talk.committed((r.partition, r.offset, r.value.decode()) for r in got)
        talk.assigned(p.partition for p in consumer.assignment())
    await consumer.stop()


if __name__ == "__main__":
    libraries = {"confluent-kafka": confluent, "kafka-python": kafka_python, "aiokafka": aio}
    libraries[sys.argv[1]](*sys.argv[2:])
