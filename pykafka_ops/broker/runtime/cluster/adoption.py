"""Takes over a data directory that another broker left, Apache Kafka or one of ours.

A fresh embedded store knows no topics, yet the directories may hold logs. They become topics of
this broker, with the ids in their ``partition.metadata``. A store that has been used already
leaves strangers alone: they may be what is left of deleted topics.
"""

from __future__ import annotations

import logging
import os
from collections import Counter
from collections.abc import Iterable

from pykafka_ops.broker.metadata.store import Create, MetadataStore, Op
from pykafka_ops.broker.metadata.znodes.cluster import ClusterId
from pykafka_ops.broker.metadata.znodes.topics import (
    Partitions,
    PartitionState,
    TopicPartitionZNode,
    TopicZNode,
)
from pykafka_ops.broker.state.controller.leadership import LeaderAndIsr, ReplicaAssignment
from pykafka_ops.broker.storage.data_dir import read_meta
from pykafka_ops.broker.storage.files import Files
from pykafka_ops.broker.storage.log.log import Log
from pykafka_ops.broker.storage.log_manager import LogManager

MOST_MISSING = 10_000
"""Partitions of a topic that need not be there; a number far beyond is no partition's."""

log = logging.getLogger("kafka.server.KafkaServer")


def _topic_id(topic: str, logs: dict[int, Log]) -> bytes:
    """The id that most logs have in ``partition.metadata``; those that have another are dropped."""
    ids = {index: found.place.topic_id for index, found in sorted(logs.items())}
    known = Counter(topic_id for topic_id in ids.values() if topic_id is not None)
    if not known:
        return os.urandom(16)
    chosen = known.most_common(1)[0][0]
    for index, topic_id in ids.items():
        if topic_id not in (None, chosen):
            log.warning(
                "ignoring %s: its topic id differs from that of the other partitions",
                logs.pop(index).place.path,
            )
    return chosen


async def is_fresh(store: MetadataStore) -> bool:
    """Whether the tree was never used by a broker."""
    return await store.get(ClusterId.path) is None


def stored_identity(files: Files, directories: Iterable[str]) -> tuple[int | None, str | None]:
    """Broker id and cluster id in the first ``meta.properties`` found.

    Raises StorageError for a file that cannot be understood.
    """
    for directory in directories:
        try:
            meta = read_meta(files, os.path.normpath(directory))
        except OSError:
            continue
        if meta is not None:
            return meta.broker_id, meta.cluster_id
    return None, None


async def adopt(store: MetadataStore, logs: LogManager, broker_id: int) -> list[str]:
    """Create topics for existing logs; return their names. Raises StorageError, StoreError."""
    topics: dict[str, dict[int, Log]] = {}
    for topic, index in logs.partitions():
        found = logs.get(topic, index)
        if found is not None:
            topics.setdefault(topic, {})[index] = found
    taken = []
    for topic, found_logs in topics.items():
        if max(found_logs) > MOST_MISSING + len(found_logs):
            log.warning("ignoring %s-%d: too many partitions are missing", topic, max(found_logs))
            continue
        await store.multi(_operations(topic, found_logs, broker_id))
        log.warning("created topic %s from logs found in log.dirs", topic)
        taken.append(topic)
    return sorted(taken)


def _operations(topic: str, logs: dict[int, Log], broker_id: int) -> list[Op]:
    """The znodes of one topic; leader epochs go on after those in the logs."""
    topic_id = _topic_id(topic, logs)
    assignment = {index: ReplicaAssignment.of([broker_id]) for index in range(max(logs) + 1)}
    operations: list[Op] = [
        Create(TopicZNode.path(topic), TopicZNode.encode(topic_id, assignment)),
        Create(Partitions.path(topic)),
    ]
    for index, found in sorted(logs.items()):
        found.open()
        state = LeaderAndIsr(broker_id, max(0, found.latest_epoch), (broker_id,), 0)
        operations.append(Create(TopicPartitionZNode.path(topic, index)))
        operations.append(Create(PartitionState.path(topic, index), PartitionState.encode(state)))
    return operations
