"""A compacted topic takes keys, gives the last value back and refuses what has no key."""

from __future__ import annotations

from pykafka_ops.client.produce import produce
from pykafka_ops.client.smoke.names import COMPACTED
from pykafka_ops.client.smoke.site import NothingToDoError, SmokeSite, StepError
from pykafka_ops.client.smoke.steps.consume import first_at
from pykafka_ops.client.smoke.steps.create import make
from pykafka_ops.client.smoke.steps.produce import record
from pykafka_ops.disk.build import build_batch
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.wire.codes import ErrorCode


def compacted(site: SmokeSite) -> str:
    """Write a key to a compacted topic of its own, and a record without one."""
    if site.named:
        raise NothingToDoError(f"{site.wording.topic} {site.named}")
    name = site.name + COMPACTED
    brokers = sorted(site.nodes)[: site.replicas()]
    make(site, name, {0: brokers}, {"cleanup.policy": "compact"})
    partition = (name, 0)
    wanted = record(site, "the last of its key")
    offset = site.every(produce(site.cluster, {partition: build_batch([wanted])}))[partition]
    got = site.until(
        lambda: first_at(site, partition, offset),
        lambda: StepError(site.at(partition), f"no record comes at offset {offset}"),
    )
    if (got.key, got.value) != (wanted.key, wanted.value):
        raise StepError(site.at(partition), f"another record came at offset {offset}")
    keyless = build_batch([record(site, "without a key", None)])
    refused = produce(site.cluster, {partition: keyless})[partition]
    if not isinstance(refused, PkoError):
        raise StepError(site.at(partition), "takes a record without a key")
    if not isinstance(refused, KafkaError) or refused.code != ErrorCode.INVALID_RECORD:
        raise StepError(site.at(partition), site.in_words(refused))
    return "a key is taken, a record without one refused"
