"""One record after the other with acks=all for some seconds: the longest time between two acks.

python -m scripts.benchmarks.gap_load BOOTSTRAP TOPIC seconds=N
"""

from __future__ import annotations

import itertools
import json
import sys
import time

import confluent_kafka as ck


def gaps(bootstrap: str, topic: str, seconds: float) -> dict[str, float]:
    """A record every 2 ms at the most; 20 may be under way."""
    producer = ck.Producer(
        {
            "bootstrap.servers": bootstrap,
            "acks": "all",
            "enable.idempotence": True,
            "linger.ms": 0,
            "retry.backoff.ms": 20,
            "retry.backoff.max.ms": 50,
            "reconnect.backoff.ms": 10,
            "reconnect.backoff.max.ms": 100,
            "topic.metadata.refresh.fast.interval.ms": 25,
            "log_level": 0,
        }
    )
    acked: list[float] = []
    lost: list[object] = []

    def told(error: object, message: object) -> None:
        if error is None:
            acked.append(time.monotonic())
        else:
            lost.append(error)

    producer.produce(topic, b"first", on_delivery=told)
    producer.flush(60)
    print("running", flush=True)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if len(producer) < 20:
            producer.produce(topic, b"x" * 100, on_delivery=told)
        producer.poll(0.002)
    assert producer.flush(60) == 0, "records were not delivered"
    assert not lost, lost[0]
    longest = max(later - sooner for sooner, later in itertools.pairwise(acked))
    return {"longest": longest, "count": len(acked)}


if __name__ == "__main__":
    servers, name, word = sys.argv[1:]
    print(json.dumps(gaps(servers, name, float(word.partition("=")[2]))))
