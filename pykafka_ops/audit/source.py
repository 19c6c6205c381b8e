"""What is read for a book: partitions, wherever they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol

from pykafka_ops.audit.counting import Taker
from pykafka_ops.errors import PkoError

PartitionKey = tuple[str, int]


class AuditPlace(NamedTuple):
    """A partition as it is now: its topic's id ("" where unknown), first offset, the offset behind
    the last record that counts, that behind the last record at all, when that was looked at (ms),
    whether its log is compacted."""

    topic: str
    partition: int
    topic_id: str
    start: int
    end: int
    log_end: int
    read_ms: int
    compacted: bool = False

    @property
    def key(self) -> PartitionKey:
        return self.topic, self.partition


class PlaceReading(NamedTuple):
    """From where up to where a partition is read, and by whom."""

    place: AuditPlace
    first: int
    stop: int
    taker: Taker


class ReadSoFar(Protocol):
    """How far a partition was read."""

    position: int


Settle = Callable[[ReadSoFar, PlaceReading], None]


class PartitionSource(Protocol):
    """A cluster, or directories."""

    def places(
        self, wanted: Callable[[str], bool]
    ) -> tuple[Sequence[AuditPlace], Mapping[str, PkoError]]:
        """The partitions of the topics wanted, and what could not be looked at, by its name.
        Raises PkoError."""

    def read(
        self, readings: Sequence[PlaceReading], settle: Settle
    ) -> Mapping[PartitionKey, PkoError]:
        """Feed each taker; the partitions that could not be read to their end, and why.

        ``settle`` is called now and then, and at the end of each: what a taker has by then is
        complete up to that position. It is not called for what went wrong since.
        """
