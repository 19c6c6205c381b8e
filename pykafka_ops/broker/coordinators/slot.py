"""A led partition of an internal topic and its shard, for what loads it and what runs it."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Generic, TypeVar

from pykafka_ops.broker.partitions.partition import Partition
from pykafka_ops.broker.state.outcome import Outcome, Shard

S = TypeVar("S", bound=Shard)


@dataclass(slots=True)
class UnappliedBatch:
    """An appended batch that is not applied yet; ``end`` is what the high watermark must reach."""

    end: int
    base: int
    outcome: Outcome
    timed_out: bool = False


class Slot(Generic[S]):
    """A led partition and its shard. ``loading`` until its log was read; ``closed`` at the end."""

    __slots__ = ("closed", "inflight", "loading", "partition", "shard")

    def __init__(self, partition: Partition, shard: S) -> None:
        self.partition = partition
        self.shard = shard
        self.loading = True
        self.closed = False
        self.inflight: deque[UnappliedBatch] = deque()

    @property
    def name(self) -> str:
        """As log lines name it."""
        return f"{self.partition.topic}-{self.partition.index}"
