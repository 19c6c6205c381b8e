"""The data directories of this broker: what clients ask of them, and the moves between them."""

from __future__ import annotations

import logging
from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

from pykafka_ops.broker.partitions.replicas import Replicas
from pykafka_ops.broker.state.image import MetadataImage
from pykafka_ops.broker.state.steps import STEP, Steps
from pykafka_ops.broker.storage.describe import DirDescription, LogDescription
from pykafka_ops.broker.storage.log_manager import LogManager
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode

log = logging.getLogger("kafka.server.ReplicaManager")

NO_LAG = -1
"""An unknown lag (``DescribeLogDirsResponse.INVALID_OFFSET_LAG``)."""

Place = tuple[str, int]


class ReplicaInDir(NamedTuple):
    """A replica and its lag, in offsets."""

    log: LogDescription
    lag: int


@dataclass(slots=True, eq=False)
class LogDirs:
    """What DescribeLogDirs and AlterReplicaLogDirs ask."""

    logs: LogManager
    replicas: Replicas
    image: MetadataImage

    def describe(
        self, wanted: Collection[Place] | None
    ) -> Steps[list[tuple[DirDescription, list[ReplicaInDir]]]]:
        """Every directory, and of the replicas in it those that are ``wanted`` (None: all)."""
        described = yield from self.logs.describe()
        found = []
        for directory in described:
            replicas: list[ReplicaInDir] = []
            found.append((directory, replicas))
            for count, each in enumerate(directory.logs, 1):
                if not count % STEP:
                    yield None
                if wanted is None or (each.topic, each.partition) in wanted:
                    replicas.append(ReplicaInDir(each, self._lag(each)))
        return found

    def _lag(self, found: LogDescription) -> int:
        """How far the high watermark is ahead of the log's end: never, for a replica in use. Of a
        copy in the making: what is still to be copied."""
        if self.replicas.find(found.topic, found.partition) is None:
            return NO_LAG
        if not found.is_future:
            return 0
        lag = self.logs.moves.lag(found.topic, found.partition)
        return NO_LAG if lag is None else lag

    def move(self, topic: str, index: int, path: str) -> int:
        """Begin to move a replica to the directory ``path``; the error code."""
        try:
            hosted = self.replicas.find(topic, index) is not None
            self.logs.moves.start(topic, index, path, hosted=hosted)
        except KafkaError as error:
            log.warning("%s-%d stays in its log directory: %s", topic, index, error)
            here = error.code != ErrorCode.REPLICA_NOT_AVAILABLE
            if here or self.image.partition(topic, index) is not None:
                return error.code
            return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        return ErrorCode.NONE
