"""Loads for the rows about mirrors: topics to copy, and how long records take to the target."""

from __future__ import annotations

import json
import sys
import time

import confluent_kafka as ck

PARTITIONS = 12
WAIT_SECONDS = 60.0


def fill(bootstrap: str, topic: str, records: int, size: int) -> dict[str, float]:
    """Records without compression in batches of 16 kB, spread over the partitions."""
    producer = ck.Producer(
        {
            "bootstrap.servers": bootstrap,
            "batch.size": 16_384,
            "linger.ms": 20,
            "acks": "all",
            "queue.buffering.max.messages": 1_000_000,
        }
    )
    value = bytes(range(256)) * (size // 256 + 1)
    for n in range(records):
        while True:
            try:
                producer.produce(topic, value[n % 200 :][:size], partition=n % PARTITIONS)
                break
            except BufferError:
                producer.poll(0.05)
    assert producer.flush(300) == 0
    return {"records": float(records)}


def lag(bootstrap: str, topic: str, seconds: int, rate: int, port: int) -> dict[str, float]:
    """Write so many records a second, and read them at the target: ms from one to the other."""
    reader = ck.Consumer(
        {
            "bootstrap.servers": f"127.0.0.1:{port}",
            "group.id": "-",
            "isolation.level": "read_committed",
            "fetch.wait.max.ms": 5,
            "log_level": 0,
        }
    )
    places = [ck.TopicPartition(f"a.{topic}", n) for n in range(PARTITIONS)]
    for place in places:
        place.offset = reader.get_watermark_offsets(place, timeout=60)[1]
    reader.assign(places)
    producer = ck.Producer({"bootstrap.servers": bootstrap, "linger.ms": 0, "log_level": 0})
    begun = time.monotonic()
    sent, total, took = 0, seconds * rate, []
    while len(took) < total and time.monotonic() - begun < seconds + WAIT_SECONDS:
        while sent < total and sent < (time.monotonic() - begun) * rate:
            producer.produce(topic, b"%.6f" % time.time(), partition=sent % PARTITIONS)
            sent += 1
        producer.poll(0)
        for message in reader.consume(1000, 0.002):
            value = message.value() or b""
            if message.error() is None and len(value) < 30:
                took.append((time.time() - float(value)) * 1000)
    assert len(took) == total, f"{len(took)} of {total} records arrived"
    producer.flush(60)
    reader.close()
    took.sort()
    return {"p50_ms": took[len(took) // 2], "p99_ms": took[len(took) * 99 // 100]}


def main() -> None:
    name, bootstrap, topic, *rest = sys.argv[1:]
    options = {key: int(value) for key, _, value in (word.partition("=") for word in rest)}
    print(json.dumps({"fill": fill, "lag": lag}[name](bootstrap, topic, **options)))


if __name__ == "__main__":
    main()
