"""The traffic of topics (``BrokerTopicMetrics``), and changes of ISRs."""

from __future__ import annotations

from pykafka_ops.broker.runtime.parts import Parts
from pykafka_ops.broker.state.meters import TopicMeter
from pykafka_ops.broker.state.steps import STEP, Steps
from pykafka_ops.metrics.family import NONE, Book, Family, Labels, MetricKind

_TYPE = "kafka.server:BrokerTopicMetrics"
OF_TOPICS = {
    "messages_in": ("MessagesInPerSec", "Records that were appended"),
    "bytes_in": ("BytesInPerSec", "Bytes of records that were appended"),
    "bytes_out": ("BytesOutPerSec", "Bytes of records that were sent to consumers"),
    "produces": ("TotalProduceRequestsPerSec", "Produce requests, counted for each partition"),
    "fetches": ("TotalFetchRequestsPerSec", "Fetch requests, counted for each partition"),
}
WHERE_THERE_ARE = {
    "bytes_rejected": ("BytesRejectedPerSec", "Bytes of batches that were too large"),
    "failed_produces": ("FailedProduceRequestsPerSec", "Produce requests that failed"),
    "failed_fetches": ("FailedFetchRequestsPerSec", "Fetch requests that failed"),
    "conversions_out": ("FetchMessageConversionsPerSec", "Fetches converted to an old format"),
}
"""Reported for single topics only where they are not 0, as in Kafka."""


def collect(parts: Parts, book: Book) -> Steps[None]:
    """Sums over all topics, without a label, and each topic."""
    meters = parts.replicas.meters
    usual = _families(book, OF_TOPICS)
    rare = _families(book, WHERE_THERE_ARE)
    _add(usual | rare, meters.total(), NONE)
    for number, (topic, meter) in enumerate(meters):
        if not number % STEP:
            yield None
        of = Labels(topic=topic)
        _add(usual, meter, of)
        _add({name: family for name, family in rare.items() if getattr(meter, name)}, meter, of)
    copied = {
        "ReplicationBytesInPerSec": ("Bytes copied from leaders elsewhere", meters.bytes_copied),
        "ReplicationBytesOutPerSec": (
            "Bytes that were sent to followers",
            meters.followers.bytes_out + meters.joining.bytes_out,
        ),
        "ReassignmentBytesInPerSec": (
            "Bytes copied to replicas that a reassignment adds to this broker",
            meters.bytes_moved_here,
        ),
        "ReassignmentBytesOutPerSec": (
            "Bytes that were sent to replicas that a reassignment adds",
            meters.joining.bytes_out,
        ),
    }
    for name, (what, value) in copied.items():
        book.bean(f"{_TYPE}:{name}", what, MetricKind.COUNTER).add(value)
    changes = {
        "IsrShrinksPerSec": ("ISRs that became smaller", meters.isr_shrinks),
        "IsrExpandsPerSec": ("ISRs that became larger", meters.isr_expands),
        "FailedIsrUpdatesPerSec": ("Changes of ISRs that were refused", meters.isr_failures),
    }
    for name, (what, value) in changes.items():
        book.bean(f"kafka.server:ReplicaManager:{name}", what, MetricKind.COUNTER).add(value)


def _families(book: Book, names: dict[str, tuple[str, str]]) -> dict[str, Family]:
    return {
        field: book.bean(f"{_TYPE}:{name}", what, MetricKind.COUNTER)
        for field, (name, what) in names.items()
    }


def _add(families: dict[str, Family], meter: TopicMeter, of: Labels) -> None:
    for name, family in families.items():
        family.add(getattr(meter, name), of)
