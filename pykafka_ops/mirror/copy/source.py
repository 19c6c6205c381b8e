"""Where a copier gets batches from: the leaders of a cluster, or anything else that fills lanes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.pipe import Pipe
from pykafka_ops.errors import PkoError
from pykafka_ops.mirror.copy.lane import CopyLane


class SourcePipes(Protocol):
    """What is to be waited for on a source's behalf."""

    @property
    def open(self) -> Sequence[Pipe]:
        """Pipes that may get answers."""

    @property
    def opening(self) -> bool:
        """Whether something else comes soon: then nothing is waited for long."""


class CopySource(Protocol):
    """Fills lanes with batches: ``CopyLane.take``, while ``CopyLane.may_read`` and as long as not
    too much is ``CopyLane.buffered``."""

    @property
    def pipes(self) -> SourcePipes:
        """What is to be waited for."""

    def assign(self, lanes: Iterable[CopyLane]) -> None:
        """Fill these from now on, and no others."""

    def pump(self, now: float) -> None:
        """Take what came, ask for more. ``now``: monotonic seconds. Raises PkoError: it is away."""

    def rest(self, now: float) -> float:
        """How long ``pump`` has nothing to do unless something comes, in seconds."""

    def broke(self, pipe: Pipe, why: PkoError) -> None:
        """One of its pipes broke."""

    def starts(self, wanted: Mapping[Partition, int]) -> dict[Partition, int | PkoError]:
        """Where partitions begin that were never copied (an offset, EARLIEST or LATEST each)."""

    def close(self) -> None:
        """Let go of everything."""
