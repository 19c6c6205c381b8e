"""Whether a waiting Fetch may have become answerable, without reading records to find out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from pykafka_ops.broker.partitions.partition import Partition
from pykafka_ops.broker.partitions.replicas import Replicas
from pykafka_ops.broker.state.fetch_session import CachedPartition
from pykafka_ops.errors import KafkaError

UNKNOWN = -1


class GrowthMark(NamedTuple):
    """How a partition stood at the last read; ``size`` (bytes) is -1 if it tells nothing."""

    partition: Partition
    leader_epoch: int
    start: int
    size: int


class Growth:
    """The logs of a waiting Fetch since it was last read.

    It errs on one side only: it says "maybe" too often, but "no" only if less than ``missing``
    bytes were appended since and nothing else happened to the partitions.
    """

    def __init__(self, replicas: Replicas, wanted: Iterable[CachedPartition], missing: int) -> None:
        self._missing = missing
        self._marks: list[GrowthMark] | None = []
        try:
            for each in wanted:
                partition = replicas.find(each.topic, each.index)
                if partition is not None:
                    self._marks.append(_mark(partition))
        except KafkaError:
            self._marks = None

    def may_suffice(self) -> bool:
        """Whether it is worth reading again."""
        if self._marks is None:
            return True
        grown = 0
        try:
            for mark in self._marks:
                partition = mark.partition
                if mark.size == UNKNOWN or not partition.is_leader:
                    return True
                log = partition.log
                if (
                    partition.leader_epoch != mark.leader_epoch
                    or log.log_start_offset != mark.start
                ):
                    return True
                grown += log.size - mark.size
        except KafkaError:
            return True
        return grown >= self._missing


def _mark(partition: Partition) -> GrowthMark:
    log = partition.log
    # Bytes above what may be read can become readable without the log growing.
    settled = log.last_stable_offset == log.log_end_offset
    size = log.size if settled else UNKNOWN
    return GrowthMark(partition, partition.leader_epoch, log.log_start_offset, size)
