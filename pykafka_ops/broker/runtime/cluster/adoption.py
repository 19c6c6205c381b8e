"""Takes over a data directory that another broker left, Apache Kafka or one of ours.

A fresh embedded store knows no topics, yet the directories may hold logs. They become topics of
this broker, with the ids in their ``partition.metadata``. A store that has been used already
leaves strangers alone: they may be what is left of deleted topics.
"""

from __future__ import annotations

import logging
import os
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
from pykafka_ops.errors import StorageError

log = logging.getLogger("kafka.server.KafkaServer")


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
    """Make topics of the logs that are there; their names. Raises StorageError, StoreError."""
    topics: dict[str, dict[int, Log]] = {}
    for topic, index in logs.partitions():
        found = logs.get(topic, index)
        if found is not None:
            topics.setdefault(topic, {})[index] = found
    for topic, found_logs in topics.items():
        await store.multi(_operations(topic, found_logs, broker_id))
        log.warning("topic %s was found in log.dirs and is taken over", topic)
    return sorted(topics)


def _operations(topic: str, logs: dict[int, Log], broker_id: int) -> list[Op]:
    """The znodes of one topic; leader epochs go on after those in the logs."""
    ids = set()
    for found in logs.values():
        found.open()
        if found.place.topic_id is not None:
            ids.add(found.place.topic_id)
    if len(ids) > 1:
        raise StorageError(
            f"the partitions of topic {topic} have different ids in partition.metadata: "
            "move the directories that do not belong there away"
        )
    topic_id = ids.pop() if ids else os.urandom(16)
    assignment = {index: ReplicaAssignment.of([broker_id]) for index in range(max(logs) + 1)}
    operations: list[Op] = [
        Create(TopicZNode.path(topic), TopicZNode.encode(topic_id, assignment)),
        Create(Partitions.path(topic)),
    ]
    for index, found in sorted(logs.items()):
        state = LeaderAndIsr(broker_id, max(0, found.latest_epoch), (broker_id,), 0)
        operations.append(Create(TopicPartitionZNode.path(topic, index)))
        operations.append(Create(PartitionState.path(topic, index), PartitionState.encode(state)))
    return operations
