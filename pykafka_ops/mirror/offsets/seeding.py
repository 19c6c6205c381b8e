"""Positions and an offset map that are given to a link before it has copied anything."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final, NamedTuple

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.failure_text import in_one_line
from pykafka_ops.client.group_describe import DEAD, EMPTY, GroupDescription, describe_groups
from pykafka_ops.client.group_offsets import Committed, commit_offsets
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.produce import produce
from pykafka_ops.client.topic_changes import NewTopic, create_topics
from pykafka_ops.client.topics import TopicDescription, describe_topics
from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.record import Record
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.mirror.naming import link_id, map_topic
from pykafka_ops.mirror.offsets.records import PARTITIONS, map_records
from pykafka_ops.mirror.offsets.runs import OffsetRun
from pykafka_ops.mirror.settings.model import LinkSettings
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.types import uuid_text

IN_BATCH: Final = 20
"""Records of the map in a batch; each has up to 16 kB."""


class LinkSeed(NamedTuple):
    """Of one partition of the target: the source's offset that is copied next, the id of the
    source's topic, and what is there already."""

    position: int
    topic_id: bytes
    runs: tuple[OffsetRun, ...] = ()


def members_of(target: Cluster, link: LinkSettings) -> int:
    """How many processes mirror the link now. Raises PkoError."""
    group = link_id(link.source, link.target)
    found = describe_groups(target, [group])[group]
    if not isinstance(found, GroupDescription):
        raise found
    return 0 if found.state in (EMPTY, DEAD) else max(1, len(found.members))


def write_seeds(
    target: Cluster, link: LinkSettings, seeds: Mapping[Partition, LinkSeed], now_ms: int
) -> None:
    """Have the link go on there; what was known of these partitions before is forgotten.

    The map is written before the positions: who is interrupted does it again. Raises PkoError, also
    where a process of the link is running.
    """
    partitions = ensure_map(target, link)
    batches: dict[Partition, list[Record]] = {}
    for place, seed in seeds.items():
        where, records = map_records(place, seed.runs, now_ms, life=now_ms, partitions=partitions)
        batches.setdefault((map_topic(link.source), where), []).extend(records)
    for where_to, records in batches.items():
        _produce(target, where_to, records)
    wanted: dict[Partition, Committed] = {
        place: Committed(seed.position, -1, _note(seed.topic_id, now_ms))
        for place, seed in seeds.items()
    }
    group = link_id(link.source, link.target)
    results = commit_offsets(target, group, wanted) if wanted else {}
    if isinstance(results, PkoError):
        raise PkoError(f"positions of {link.name} are not taken: {in_one_line(results)}")
    for (topic, n), error in results.items():
        if error is not None:
            raise PkoError(f"the position of {topic}-{n} is not taken: {in_one_line(error)}")


def _note(topic_id: bytes, life: int) -> str:
    """What a copier notes beside a position: the source's topic, its life in the map."""
    said = {"id": uuid_text(topic_id), "epoch": -1, "life": life}
    return json.dumps(said, separators=(",", ":"))


def ensure_map(target: Cluster, link: LinkSettings) -> int:
    """Make the topic of the map where it is missing; its partitions. Raises PkoError."""
    name = map_topic(link.source)
    known = describe_topics(target, [name]).get(name)
    if isinstance(known, TopicDescription):
        return len(known.partitions)
    factor = link.replication_factor or -1
    wanted = NewTopic(name, PARTITIONS, factor, configs={"cleanup.policy": "compact"})
    made = create_topics(target, [wanted])[name]
    if isinstance(made, KafkaError) and made.code != ErrorCode.TOPIC_ALREADY_EXISTS:
        raise PkoError(f"cannot make {name}: {in_one_line(made)}")
    return PARTITIONS


def _produce(target: Cluster, place: Partition, records: list[Record]) -> None:
    for start in range(0, len(records), IN_BATCH):
        part = [r._replace(offset=n) for n, r in enumerate(records[start : start + IN_BATCH])]
        found = produce(target, {place: build_batch(part)})[place]
        if isinstance(found, PkoError):
            raise PkoError(f"cannot write to {place[0]}: {in_one_line(found)}")
