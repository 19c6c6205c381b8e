"""Quotas for live tests: set them, and ask so that they count."""

from __future__ import annotations

import itertools
import os
import time
from typing import Any

from pykafka_ops.wire.messages import alter_client_quotas as acq
from pykafka_ops.wire.messages import describe_client_quotas as dcq
from pykafka_ops.wire.messages.create_topics import CreatableTopic, CreateTopicsRequest
from pykafka_ops.wire.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from pykafka_ops.wire.messages.metadata import MetadataRequest, MetadataRequestTopic
from pykafka_ops.wire.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    TopicProduceData,
)
from tests.support.differential.two_brokers import Link
from tests.support.memory.handler_site import batch
from tests.support.waiting import wait_for

_probes = itertools.count()


def once(bootstrap: str, client_id: str, request: Any, version: int) -> Any:
    """The answer over a connection of its own, which no quota has muted yet."""
    link = Link(bootstrap, client_id)
    try:
        return link.ask(request, version)
    finally:
        link.close()


def limit(bootstrap: str, topic: str, client_id: str, **quotas: float) -> None:
    """Set quotas of a client id that count when this returns; ``topic`` is written to for that."""
    _set(bootstrap, client_id, quotas)
    # Brokers take over changes in order: when this one counts, the first one does.
    probe = f"probe-{os.getpid()}-{next(_probes)}"
    _set(bootstrap, probe, {"producer_byte_rate": 1})
    wait_for(
        lambda: once(bootstrap, probe, produce(topic, 1), 9).throttle_time_ms > 0,
        what="the quota to count",
    )


def _set(bootstrap: str, client_id: str, quotas: dict[str, float]) -> None:
    entry = acq.AlterClientQuotasRequestEntryData(
        entity=[dcq.EntityData(entity_type="client-id", entity_name=client_id)],
        ops=[acq.OpData(key=key, value=value, remove=False) for key, value in quotas.items()],
    )
    answer = once(bootstrap, "setter", acq.AlterClientQuotasRequest(entries=[entry]), 1)
    assert [each.error_code for each in answer.entries] == [0]


def create_topic(bootstrap: str, client_id: str, name: str, partitions: int = 1) -> Any:
    """Create a topic; the answer. When its first partition has a leader, if there is no error."""
    topic = CreatableTopic(name=name, num_partitions=partitions, replication_factor=1)
    request = CreateTopicsRequest(topics=[topic], timeout_ms=30_000)
    answer = once(bootstrap, client_id, request, 7)
    if not answer.topics[0].error_code:
        wait_for(lambda: _led(bootstrap, name), what=f"a leader of {name}")
    return answer


def _led(bootstrap: str, name: str) -> bool:
    request = MetadataRequest(
        topics=[MetadataRequestTopic(name=name)], allow_auto_topic_creation=False
    )
    (topic,) = once(bootstrap, "setter", request, 9).topics
    return any(p.partition_index == 0 and not p.error_code for p in topic.partitions)


def produce(topic: str, size: int) -> ProduceRequest:
    """A request for one record of ``size`` bytes, not so old that retention deletes it."""
    now = time.time_ns() // 1_000_000
    data = [PartitionProduceData(index=0, records=batch(b"x" * size, timestamp=now))]
    topics = [TopicProduceData(name=topic, partition_data=data)]
    return ProduceRequest(acks=1, timeout_ms=30_000, topic_data=topics)


def fetch(topic: str, size: int) -> FetchRequest:
    """A request for ``size`` bytes from the start of the log."""
    wanted = [FetchPartition(partition=0, fetch_offset=0, partition_max_bytes=size)]
    topics = [FetchTopic(topic=topic, partitions=wanted)]
    return FetchRequest(
        topics=topics, max_bytes=size, max_wait_ms=0, session_id=0, session_epoch=-1
    )
