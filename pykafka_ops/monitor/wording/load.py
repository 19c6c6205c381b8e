"""How much is written into a cluster, from what a view knows. Pure."""

from __future__ import annotations

from typing import NamedTuple

from pykafka_ops.monitor.cluster.view import ClusterView, WatchedTopic


class ClusterLoad(NamedTuple):
    """Records and bytes a second into all topics of which it is known; None: of none.

    ``bytes`` takes a record for as large as the mean of those the topic has, replicas not counted.
    ``unknown``: topics whose rate nobody knows.
    """

    records: float | None
    bytes: float | None
    unknown: int


def load(view: ClusterView) -> ClusterLoad:
    """Of all topics together."""
    topics = (view.topics or {}).values()
    rates = [t.rate_in for t in topics if t.rate_in is not None]
    sizes = [size for t in topics if (size := bytes_in(t)) is not None]
    return ClusterLoad(
        sum(rates) if rates else None,
        sum(sizes) if sizes and len(sizes) == len(rates) else None,
        len(topics) - len(rates),
    )


def bytes_in(topic: WatchedTopic) -> float | None:
    """Bytes a second into one topic, by its mean record; None where one of the figures is not
    known."""
    if topic.rate_in is None:
        return None
    if not topic.rate_in:
        return 0.0
    size = record_bytes(topic)
    return None if size is None else topic.rate_in * size


def record_bytes(topic: WatchedTopic) -> float | None:
    """Mean bytes of a record on the disk; None where it is not known."""
    replicas = [len(p.replicas) for p in topic.description.partitions]
    known = min((*topic.starts, *topic.ends), default=-1) >= 0
    if topic.bytes is None or not replicas or not known:
        return None
    records = sum(topic.ends) - sum(topic.starts)
    copies = sum(replicas) / len(replicas)
    return topic.bytes / copies / records if records > 0 and copies else None
