"""A record goes to every broker, acknowledged by all replicas in sync."""

from __future__ import annotations

import time

from pykafka_ops.analysis.counted import counted
from pykafka_ops.client import produce as client
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.smoke.site import SmokeSite, StepError
from pykafka_ops.client.topics import TopicDescription, describe_topics
from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.record import Record
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.wire.codes import ErrorCode

FEW = (ErrorCode.NOT_ENOUGH_REPLICAS, ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND)


def produce(site: SmokeSite) -> str:
    """Write a record with acks=all through each leader."""
    if site.named:
        site.places = places_of(_described(site, site.named))
    records = {p: record(site, f"through broker {b}") for b, p in site.places.items()}
    found = client.produce(site.cluster, {p: build_batch([r]) for p, r in records.items()})
    for partition, error in found.items():
        if isinstance(error, KafkaError) and error.code in FEW:
            raise StepError(
                site.at(partition), f"{_in_sync(site, partition)}: {site.in_words(error)}"
            )
    offsets = site.every(found)
    site.written = {p: (offset, records[p]) for p, offset in offsets.items()}
    quiet = sorted(set(site.nodes) - set(site.places))
    if quiet:
        lead = "leads" if len(quiet) == 1 else "lead"
        names = ", ".join(map(str, quiet))
        return f"acks=all through {len(offsets)}; {names} {lead} nothing of {site.topic}"
    return f"acks=all through {counted(list(offsets), 'broker')}"


def record(site: SmokeSite, text: str, key: bytes | None = b"smoke") -> Record:
    """A record that only this round writes."""
    value = f"{site.name} {text}".encode()
    headers = [("pko-smoke", b"1")]
    return Record(0, int(time.time() * 1000), key, value, headers)


def places_of(topic: TopicDescription) -> dict[int, Partition]:
    """A partition that each broker leads."""
    found: dict[int, Partition] = {}
    for p in topic.partitions:
        if p.leader >= 0:
            found.setdefault(p.leader, (topic.name, p.number))
    return found


def _described(site: SmokeSite, name: str) -> TopicDescription:
    found = describe_topics(site.cluster, [name])[name]
    if isinstance(found, PkoError):
        raise StepError(f"topic {name}", site.in_words(found))
    alone = [p.number for p in found.partitions if p.leader < 0]
    if alone:
        raise StepError(f"{name}-{alone[0]}", "has no leader")
    return found


def _in_sync(site: SmokeSite, partition: Partition) -> str:
    """How many of its replicas are in sync."""
    found = describe_topics(site.cluster, [partition[0]])[partition[0]]
    if isinstance(found, PkoError):
        return "too few replicas in sync"
    p = next(p for p in found.partitions if p.number == partition[1])
    return f"{len(p.isr)} of {counted(p.replicas, 'replica')} in sync"
