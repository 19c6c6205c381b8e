"""One record after the other with acks=all for some seconds: the longest time between two acks.

python -m scripts.benchmarks.gap_load CLIENT BOOTSTRAP TOPIC seconds=N

CLIENT is ``librdkafka``, or ``asking``: one that asks for the leader every few ms when it has
none. librdkafka does so once a second, and would hide how soon a cluster has another.
"""

from __future__ import annotations

import itertools
import json
import sys
import time
from contextlib import closing

import confluent_kafka as ck

from pykafka_ops.wire.messages.metadata import MetadataRequest, MetadataRequestTopic
from pykafka_ops.wire.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    TopicProduceData,
)
from tests.support.differential.two_brokers import CLOSED, Link
from tests.support.wire import raw

ASK_AGAIN_S = 0.005
ALL = -1


def librdkafka(bootstrap: str, topic: str, seconds: float) -> dict[str, float]:
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

    def delivered(error: object, message: object) -> None:
        if error is None:
            acked.append(time.monotonic())
        else:
            lost.append(error)

    producer.produce(topic, b"first", on_delivery=delivered)
    producer.flush(60)
    print("running", flush=True)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if len(producer) < 20:
            producer.produce(topic, b"x" * 100, on_delivery=delivered)
        producer.poll(0.002)
    assert producer.flush(60) == 0, "records were not delivered"
    assert not lost, lost[0]
    return _longest(acked)


def asking(bootstrap: str, topic: str, seconds: float) -> dict[str, float]:
    """One record under way, on the connection of whoever leads."""
    acked: list[float] = []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for address in bootstrap.split(","):
            try:
                _write_to_leader(address, topic, acked, end)
            except OSError:
                continue
        time.sleep(ASK_AGAIN_S)
    return _longest(acked)


def _write_to_leader(address: str, topic: str, acked: list[float], end: float) -> None:
    """Ask one broker for the leader; write to that one as long as it acknowledges."""
    question = MetadataRequest(topics=[MetadataRequestTopic(name=topic)])
    with closing(Link(address)) as link:
        answer = link.ask(question, 9)
    if answer is CLOSED or answer.topics[0].error_code:
        return
    leader = answer.topics[0].partitions[0].leader_id
    found = [f"{b.host}:{b.port}" for b in answer.brokers if b.node_id == leader]
    if not found:
        return
    data = PartitionProduceData(index=0, records=raw.batch([b"x" * 100]))
    request = ProduceRequest(
        acks=ALL,
        timeout_ms=5000,
        topic_data=[TopicProduceData(name=topic, partition_data=[data])],
    )
    with closing(Link(found[0])) as link:
        while time.monotonic() < end:
            answer = link.ask(request, 9)
            if answer is CLOSED or answer.responses[0].partition_responses[0].error_code:
                return
            acked.append(time.monotonic())
            if len(acked) == 1:
                print("running", flush=True)


def _longest(acked: list[float]) -> dict[str, float]:
    longest = max(later - sooner for sooner, later in itertools.pairwise(acked))
    return {"longest": longest, "count": len(acked)}


if __name__ == "__main__":
    client, servers, name, word = sys.argv[1:]
    load = {"librdkafka": librdkafka, "asking": asking}[client]
    print(json.dumps(load(servers, name, float(word.partition("=")[2]))))
