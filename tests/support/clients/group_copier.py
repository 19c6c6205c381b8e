"""A member of a group that copies what it reads in transactions, in a process of its own:
``group_copier.py LIBRARY BOOTSTRAP GROUP SOURCE TARGET TRANSACTIONAL_ID STRATEGY``.

Prints what ``group_member.py`` prints, ``R`` lines once their transaction is committed. aiokafka
cannot tell a coordinator which member commits: it finishes a transaction before it gives up a
partition.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from typing import Any

from tests.support.clients.group_member import (
    HEARTBEAT_MS,
    PATIENT_POLL_MS,
    SESSION_MS,
    Talk,
    confluent_protocol,
)

AT_ONCE = 25


def confluent(
    bootstrap: str, group: str, source: str, target: str, identity: str, strategy: str
) -> None:
    import confluent_kafka as ck

    config: dict[str, Any] = {
        "bootstrap.servers": bootstrap,
        "group.id": group,
        "auto.offset.reset": "earliest",
        "enable.auto.commit": False,
        "isolation.level": "read_committed",
        **confluent_protocol(strategy, str(SESSION_MS)),
    }
    consumer = ck.Consumer(config)
    producer = ck.Producer(
        {"bootstrap.servers": bootstrap, "transactional.id": identity, "log_level": 0}
    )

    def copy(found: list[Any]) -> None:
        producer.begin_transaction()
        for m in found:
            producer.produce(target, m.value(), partition=m.partition())
        ends = {m.partition(): m.offset() + 1 for m in found}
        offsets = [ck.TopicPartition(source, p, end) for p, end in ends.items()]
        producer.send_offsets_to_transaction(offsets, consumer.consumer_group_metadata(), 120)
        producer.commit_transaction(120)

    def go_back() -> None:
        producer.abort_transaction(120)
        for place in consumer.committed(consumer.assignment(), 120):
            place.offset = max(place.offset, 0)
            consumer.seek(place)

    producer.init_transactions(120)
    talk = Talk()
    consumer.subscribe([source])
    while not talk.ended.is_set():
        got = [m for m in consumer.consume(AT_ONCE, 0.1) if m.error() is None]
        try:
            if got:
                copy(got)
        except ck.KafkaException as error:
            if error.args[0].fatal():
                talk.fenced()
                break
            go_back()
            continue
        talk.committed((m.partition(), m.offset(), m.value().decode()) for m in got)
        talk.assigned(p.partition for p in consumer.assignment())
    consumer.close()


def kafka_python(bootstrap: str, group: str, source: str, target: str, identity: str) -> None:
    import kafka
    from kafka import errors

    consumer = kafka.KafkaConsumer(
        bootstrap_servers=bootstrap,
        group_id=group,
        auto_offset_reset="earliest",
        enable_auto_commit=False,
        isolation_level="read_committed",
        max_poll_records=AT_ONCE,
        session_timeout_ms=SESSION_MS,
        heartbeat_interval_ms=HEARTBEAT_MS,
    )
    producer = kafka.KafkaProducer(bootstrap_servers=bootstrap, transactional_id=identity)

    def copy(found: list[Any]) -> None:
        producer.begin_transaction()
        for r in found:
            producer.send(target, r.value, partition=r.partition)
        ends = {
            kafka.TopicPartition(source, r.partition): kafka.OffsetAndMetadata(r.offset + 1, "", -1)
            for r in found
        }
        producer.send_offsets_to_transaction(ends, consumer.group_metadata())
        producer.commit_transaction()

    def go_back() -> None:
        producer.abort_transaction()
        for place in consumer.assignment():
            consumer.seek(place, consumer.committed(place) or 0)

    producer.init_transactions()
    talk = Talk()
    consumer.partitions_for_topic(source)  # else it joins twice, the first time for nothing
    consumer.subscribe([source])
    while not talk.ended.is_set():
        got = [r for records in consumer.poll(PATIENT_POLL_MS).values() for r in records]
        try:
            if got:
                copy(got)
        except (errors.ProducerFencedError, errors.InvalidProducerEpochError):
            talk.fenced()
            break
        except errors.KafkaError:
            go_back()
            continue
        talk.committed((r.partition, r.offset, r.value.decode()) for r in got)
        talk.assigned(p.partition for p in consumer.assignment())
    consumer.close()


def aio(bootstrap: str, group: str, source: str, target: str, identity: str) -> None:
    asyncio.run(_aio(bootstrap, group, source, target, identity))


def _finishing_first(busy: asyncio.Lock) -> Any:
    """A listener that gives nothing up while ``busy`` is held."""
    import aiokafka

    class FinishFirst(aiokafka.ConsumerRebalanceListener):  # type: ignore[misc]
        async def on_partitions_revoked(self, revoked: object) -> None:
            async with busy:
                pass

        async def on_partitions_assigned(self, assigned: object) -> None:
            pass

    return FinishFirst()


async def _aio(bootstrap: str, group: str, source: str, target: str, identity: str) -> None:
    import aiokafka
    from aiokafka import errors

    busy = asyncio.Lock()
    consumer = aiokafka.AIOKafkaConsumer(
        bootstrap_servers=bootstrap,
        group_id=group,
        auto_offset_reset="earliest",
        enable_auto_commit=False,
        isolation_level="read_committed",
        session_timeout_ms=SESSION_MS,
        heartbeat_interval_ms=HEARTBEAT_MS,
    )
    producer = aiokafka.AIOKafkaProducer(bootstrap_servers=bootstrap, transactional_id=identity)

    async def copy(found: list[Any]) -> None:
        async with producer.transaction():
            for r in found:
                await producer.send(target, r.value, partition=r.partition)
            ends = {aiokafka.TopicPartition(source, r.partition): r.offset + 1 for r in found}
            await producer.send_offsets_to_transaction(ends, group)

    talk = Talk()
    await producer.start()
    await consumer.start()
    consumer.subscribe([source], listener=_finishing_first(busy))
    while not talk.ended.is_set():
        if not consumer.assignment():
            await asyncio.sleep(0.02)  # getmany would wait for one, however long
            continue
        async with busy:
            more = await consumer.getmany(timeout_ms=100, max_records=AT_ONCE)
            got = [r for records in more.values() for r in records]
            try:
                if got:
                    await copy(got)
            except errors.ProducerFenced:
                talk.fenced()
                break
        talk.committed((r.partition, r.offset, r.value.decode()) for r in got)
        talk.assigned(p.partition for p in consumer.assignment())
        await asyncio.sleep(0)
    await consumer.stop()


if __name__ == "__main__":
    libraries: dict[str, Callable[..., None]] = {
        "confluent-kafka": confluent,
        "kafka-python": kafka_python,
        "aiokafka": aio,
    }
    library, *words, strategy = sys.argv[1:]
    if library == "confluent-kafka":
        words.append(strategy)
    libraries[library](*words)
