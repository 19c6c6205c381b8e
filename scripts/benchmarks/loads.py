"""Load generators; each runs as a process of its own and prints one JSON object.

python -m scripts.benchmarks.loads NAME BOOTSTRAP TOPIC key=value ...
"""

from __future__ import annotations

import json
import os
import random
import struct
import sys
import time
from typing import Any

import confluent_kafka as ck
import confluent_kafka.admin
import google_crc32c

from pykafka_ops.disk.compression import Codec, compress
from scripts.benchmarks.asking import Same, ask_all, connect
from tests.support.wire import raw

BATCH = 1000
STATES = ("created", "paid", "sent", "delivered")
WORDS = ("leave it at the door ", "ring twice ", "call first ")
LOADING = 14
"""COORDINATOR_LOAD_IN_PROGRESS."""
CLIENT = "BENCH_CLIENT"
"""Variable with more settings of librdkafka, as JSON."""


def _more() -> dict[str, str]:
    found: dict[str, str] = json.loads(os.environ.get(CLIENT, "{}"))
    return found


def produce(
    bootstrap: str, topic: str, *, count: int, size: int, partitions: int = 1, acks: int = 1
) -> dict[str, float]:
    """``count`` records of ``size`` bytes, as fast as librdkafka takes them."""
    producer = ck.Producer(
        {
            "bootstrap.servers": bootstrap,
            "acks": str(acks),
            "linger.ms": 5,
            "batch.size": 1_000_000,
            "batch.num.messages": 100_000,
            "queue.buffering.max.messages": 1_000_000,
            "queue.buffering.max.kbytes": 1_000_000,
            **_more(),
        }
    )
    producer.list_topics(topic, timeout=30)
    payload = bytes(range(256)) * (size // 256 + 1)
    batches = [
        [{"value": payload[:size], "partition": p} for _ in range(BATCH)] for p in range(partitions)
    ]
    begin = time.monotonic()
    sent = 0
    while sent < count:
        if len(producer) > 200_000:
            producer.poll(0.001)
            continue
        sent += producer.produce_batch(topic, batches[(sent // BATCH) % partitions])
    left = producer.flush(120)
    seconds = time.monotonic() - begin
    assert left == 0, f"{left} records not delivered"
    return {"seconds": seconds, "count": sent, "bytes": sent * size}


def keyed(bootstrap: str, topic: str, *, count: int, size: int, keys: int) -> dict[str, float]:
    """``count`` records of ``size`` bytes in batches of about 16 KB, with ``keys`` keys by turns
    that follow no order."""
    producer = ck.Producer(
        {
            "bootstrap.servers": bootstrap,
            "acks": "1",
            "linger.ms": 20,
            "batch.size": 16_384,
            "queue.buffering.max.messages": 1_000_000,
            "queue.buffering.max.kbytes": 1_000_000,
        }
    )
    producer.list_topics(topic, timeout=30)
    value = (bytes(range(256)) * (size // 256 + 1))[: size - 11]
    sent = 0
    while sent < count:
        if len(producer) > 200_000:
            producer.poll(0.001)
            continue
        numbers = range(sent, sent + BATCH)
        spread = [b"key-%07d" % (n * 2_654_435_761 % 2**32 % keys) for n in numbers]
        sent += producer.produce_batch(
            topic, [{"value": value, "key": key, "partition": 0} for key in spread]
        )
    left = producer.flush(120)
    assert left == 0, f"{left} records not delivered"
    return {"count": sent, "bytes": sent * size}


def consume(bootstrap: str, topic: str, *, count: int, partitions: int = 1) -> dict[str, float]:
    """Read ``count`` records from the beginning of all partitions.

    By itself librdkafka asks for nothing for a second once it holds as much as it may, which a
    quick broker brings about: the row would tell how often.
    """
    consumer = ck.Consumer(
        {
            "bootstrap.servers": bootstrap,
            "group.id": "bench",
            "enable.auto.commit": False,
            "queued.min.messages": 1_000_000,
            "fetch.queue.backoff.ms": 5,
            "fetch.wait.max.ms": 100,
            **_more(),
        }
    )
    consumer.list_topics(topic, timeout=30)
    begin = time.monotonic()
    consumer.assign([ck.TopicPartition(topic, p, 0) for p in range(partitions)])
    got = size = 0
    while got < count:
        messages = consumer.consume(min(10_000, count - got), 30)
        assert messages, f"only {got} of {count} records"
        got += len(messages)
        size += len(messages[0]) * len(messages)
    seconds = time.monotonic() - begin
    consumer.close()
    return {"seconds": seconds, "count": got, "bytes": size}


def latency(bootstrap: str, topic: str, *, count: int, acks: int = 1) -> dict[str, float]:
    """Send one record, wait for its acknowledgement and for a consumer to have it, repeat."""
    producer = ck.Producer({"bootstrap.servers": bootstrap, "acks": str(acks), "linger.ms": 0})
    consumer = ck.Consumer({"bootstrap.servers": bootstrap, "group.id": "bench"})
    consumer.assign([ck.TopicPartition(topic, 0, ck.OFFSET_END)])
    warm = count // 10
    while consumer.poll(0.5) is None:  # the first poll settles where the end is
        producer.produce(topic, b"first", partition=0)
        producer.flush()
    while consumer.poll(0.5) is not None:
        pass
    times = []
    for i in range(warm + count):
        begin = time.perf_counter()
        producer.produce(topic, b"x" * 100, partition=0)
        producer.flush()
        message = consumer.poll(10)
        taken = time.perf_counter() - begin
        assert message is not None
        assert not message.error()
        if i >= warm:
            times.append(taken * 1000)
    consumer.close()
    times.sort()
    return {"mean": sum(times) / count, "p50": times[count // 2], "p99": times[count * 99 // 100]}


class OneRecord:
    """What one connection sends: the same record again and again; with ``sequence`` as an
    idempotent producer of its own."""

    def __init__(self, topic: str, partition: int, size: int, acks: int, producer: int) -> None:
        value = [b"x" * size]
        batch = raw.batch(value) if producer < 0 else raw.batch(value, producer=(producer, 0, 0))
        self.frame = bytearray(raw.produce(topic, batch, partition=partition, acks=acks))
        self.code_at = raw.produced_at(topic)
        self._batch = len(self.frame) - len(batch)
        self._sequence = -1 if producer < 0 else 0

    def next(self) -> bytearray:
        """The next request."""
        if self._sequence >= 0:
            frame, at = self.frame, self._batch
            struct.pack_into(">i", frame, at + 53, self._sequence)
            struct.pack_into(">I", frame, at + 17, google_crc32c.value(bytes(frame[at + 21 :])))
            self._sequence += 1
        return self.frame


def _producers(bootstrap: str, count: int) -> list[int]:
    """As many new producer ids."""
    ids = []
    with raw.Connection(bootstrap.partition(",")[0]) as connection:
        for _ in range(count):
            code = LOADING  # Apache Kafka's first answer: it asks for a block of ids then
            while code == LOADING:
                answer = connection.ask(raw.request(22, 0, raw.string(None) + bytes(4)))
                _, code, producer, _ = struct.unpack(">ihqh", answer)
            assert not code, f"InitProducerId: error {code}"
            ids.append(producer)
    return ids


def _leaders(bootstrap: str, topic: str, acks: int = 1) -> list[str]:
    """The address of each partition's leader, which by now takes records."""
    admin, end = ck.admin.AdminClient({"bootstrap.servers": bootstrap}), time.monotonic() + 60
    known = admin.list_topics(topic, timeout=60)
    while not (partitions := known.topics[topic].partitions):
        # Of several brokers the one that answers may not have heard of it yet.
        assert time.monotonic() < end, f"nobody knows {topic}"
        time.sleep(0.05)
        known = admin.list_topics(topic, timeout=60)
    at = {n: f"{broker.host}:{broker.port}" for n, broker in known.brokers.items()}
    found = []
    for number, part in sorted(partitions.items()):
        found.append(at[part.leader])
        frame = raw.produce(topic, raw.batch(), partition=number, acks=acks)
        end = time.monotonic() + 60
        with raw.Connection(found[-1]) as connection:
            while code := raw.produced(connection.ask(frame))[0]:
                assert time.monotonic() < end, f"partition {number}: error {code}"
                time.sleep(0.02)
    return found


def small(
    bootstrap: str,
    topic: str,
    *,
    connections: int,
    seconds: int,
    size: int = 100,
    acks: int = 1,
    sequence: int = 0,
) -> dict[str, float]:
    """Many connections, each with one request of one record under way, no waiting for company;
    the partitions by turns."""
    producers = _producers(bootstrap, connections) if sequence else [-1] * connections
    at = _leaders(bootstrap, topic, acks)
    pairs = []
    for i, producer in enumerate(producers):
        partition = i % len(at)
        record = OneRecord(topic, partition, size, acks, producer)
        pairs.append((connect(at[partition]), record))
    return ask_all(pairs, seconds)


def compressed(
    bootstrap: str, topic: str, *, connections: int, seconds: int, codec: int, size: int
) -> dict[str, float]:
    """Batches of ``size`` bytes of records, lines of JSON of 60 to 140 B, compressed once."""
    draw = random.Random(size)
    lines: list[bytes] = []
    while size > 0:
        order = {"order": draw.getrandbits(32), "customer": f"c-{draw.randrange(10_000):05}"}
        more = {"state": draw.choice(STATES), "note": draw.choice(WORDS) * draw.randrange(6)}
        lines.append(json.dumps(order | more).encode())
        size -= len(lines[-1])
    records = b"".join(raw.record(n, line) for n, line in enumerate(lines))
    payload = compress(Codec(codec), records)
    batch = raw.batch(attributes=codec, count=len(lines), payload=payload)
    at = _leaders(bootstrap, topic)
    pairs = []
    for i in range(connections):
        frame = raw.produce(topic, batch, partition=i % len(at))
        pairs.append((connect(at[i % len(at)]), Same(frame, raw.produced_at(topic))))
    found = ask_all(pairs, seconds)
    return found | {"records": found["count"] * len(lines), "ratio": len(records) / len(payload)}


def main(argv: list[str]) -> None:
    name, bootstrap, topic, *rest = argv
    options: dict[str, Any] = {k: int(v) for k, v in (word.split("=") for word in rest)}
    print(json.dumps(globals()[name](bootstrap, topic, **options)))


if __name__ == "__main__":
    main(sys.argv[1:])
