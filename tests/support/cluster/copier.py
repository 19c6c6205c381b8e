"""A consume-transform-produce loop as a process: ``python -m tests.support.cluster.copier BOOTSTRAP
SOURCE TARGET PARTITIONS``; the file that COPIER_LOGIN names has more settings of clients, as JSON.
Prints a line for each committed transaction and one for each failure; starts anew, from the
committed offsets, after any error but those the client library handles."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import confluent_kafka as ck

PER_TRANSACTION = 25
# Without the last one librdkafka 2.16 forgets the only broker of a cluster and never comes back.
QUICK = {
    "reconnect.backoff.ms": 10,
    "reconnect.backoff.max.ms": 100,
    "retry.backoff.ms": 10,
    "log_level": 0,
    "metadata.recovery.strategy": "none",
}


def live(bootstrap: str, source: str, target: str, partitions: int) -> None:
    """One life: until an error, which the next process begins after."""
    where = {"bootstrap.servers": bootstrap, **QUICK, **login()}
    consumer = ck.Consumer(
        {
            **where,
            "group.id": f"{source}-copier",
            "enable.auto.commit": False,
            "auto.offset.reset": "earliest",
            "isolation.level": "read_committed",
        }
    )
    producer = ck.Producer(
        {**where, "transactional.id": f"{source}-copier", "socket.timeout.ms": 10_000}
    )
    try:
        producer.init_transactions(120)
        wanted = [ck.TopicPartition(source, n) for n in range(partitions)]
        starts = consumer.committed(wanted, 120)
        for start in starts:
            start.offset = max(start.offset, 0)
        consumer.assign(starts)
        while True:
            copy(consumer, producer, source, target)
    except ck.KafkaException as error:
        print(f"failed: {error}", flush=True)
        # Not by ending these clients: librdkafka may wait for ever for a broker that is gone.
        module = ["-m", "tests.support.cluster.copier"]
        os.execv(sys.executable, [sys.executable, *module, *sys.argv[1:]])


def login() -> dict[str, str]:
    """How clients get in, where not everybody does."""
    path = os.environ.get("COPIER_LOGIN")
    found: dict[str, str] = json.loads(Path(path).read_bytes()) if path else {}
    return found


def copy(consumer: ck.Consumer, producer: ck.Producer, source: str, target: str) -> None:
    """One transaction, if there is something to copy."""
    found = [m for m in consumer.consume(PER_TRANSACTION, 0.2) if not m.error()]
    if not found:
        return
    producer.begin_transaction()
    for message in found:
        producer.produce(target, message.value(), partition=message.partition())
    ends = {m.partition(): m.offset() + 1 for m in found}
    offsets = [ck.TopicPartition(source, n, end) for n, end in ends.items()]
    producer.send_offsets_to_transaction(offsets, consumer.consumer_group_metadata(), 120)
    producer.commit_transaction(120)
    print("committed", flush=True)


def main() -> None:
    bootstrap, source, target, partitions = sys.argv[1:]
    live(bootstrap, source, target, int(partitions))


if __name__ == "__main__":
    main()
