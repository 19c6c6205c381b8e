"""What waits to be written to one partition of the target, and what is on its way. Pure.

A partition's batches carry the producer's sequence numbers. What fails and may pass is sent again
with the same numbers, in order, once everything on its way is answered: the leader knows what it
has by them. At most five are on their way, for a leader remembers so many (KIP-98), and one until
the first is acknowledged: a leader that never heard of the producer takes any first number.
"""

from __future__ import annotations

from collections import deque
from typing import Final, NamedTuple

from pykafka_ops.client.leaders import Partition
from pykafka_ops.disk.batch import increment_sequence
from pykafka_ops.errors import PkoError
from pykafka_ops.mirror.copy.pieces import TargetBatch

MOST_FLYING: Final = 5


def _behind(number: int, end: int) -> int:
    """Sorts sequence numbers before ``end``, the oldest first, over their wrap."""
    return -((end - number) & 0x7FFF_FFFF)


class Acked(NamedTuple):
    """A batch that is written, and its first offset at the target (-1: not told)."""

    batch: TargetBatch
    offset: int


class TargetOutlet:
    """One partition of the target. ``failure``: why no more is taken; ``since``: when (monotonic
    seconds) what may pass began, None: nothing is wrong."""

    __slots__ = (
        "_back", "acked", "bytes", "failure", "flying", "held", "proven", "ready", "sequence",
        "since", "target",
    )  # fmt: skip

    def __init__(self, target: Partition) -> None:
        self.target = target
        self.reset()

    def reset(self) -> None:
        """Forget everything: of a producer that has a new id or epoch."""
        self.ready: deque[TargetBatch] = deque()
        self.flying: deque[TargetBatch] = deque()
        self.acked: deque[Acked] = deque()
        self._back: list[TargetBatch] = []
        self.sequence = self.bytes = 0
        self.proven = self.held = False
        self.failure: PkoError | None = None
        self.since: float | None = None

    @property
    def load(self) -> int:
        """Batches that are not acknowledged."""
        return len(self.ready) + len(self.flying) + len(self._back)

    @property
    def last(self) -> TargetBatch | None:
        """The last batch that is not acknowledged."""
        for waiting in (self.ready, self._back, self.flying):
            if waiting:
                return waiting[-1]
        return None

    @property
    def sends(self) -> bool:
        """Whether a batch may be sent now."""
        most = MOST_FLYING if self.proven else 1
        return bool(self.ready) and not self.held and len(self.flying) < most

    def put(self, batch: TargetBatch) -> int:
        """Queue a batch; its sequence number."""
        number = batch.sequence = self.sequence
        self.sequence = increment_sequence(number, batch.count)
        self.ready.append(batch)
        self.bytes += len(batch.data)
        return number

    def next(self) -> TargetBatch:
        """The batch to send now."""
        batch = self.ready.popleft()
        self.flying.append(batch)
        return batch

    def took(self, batch: TargetBatch, offset: int) -> None:
        """The leader has a batch."""
        if self._lands(batch):
            self.proven, self.since = True, None
            self.bytes -= len(batch.data)
            self.acked.append(Acked(batch, offset))
            self._settle()

    def again(self, batch: TargetBatch, now: float) -> None:
        """A batch failed in a way that may pass, or nobody knows whether it was written."""
        if self._lands(batch):
            self.held = True
            self.since = now if self.since is None else self.since
            self._back.append(batch)
            self._settle()

    def fails(self, batch: TargetBatch, why: PkoError) -> None:
        """A batch was refused for good."""
        if self._lands(batch):
            self.failure = self.failure or why
            self._back.append(batch)

    def give_up(self) -> None:
        """Forget what is not acknowledged; the next batch gets the number of the first of them."""
        left = [*self._back, *self.flying, *self.ready]
        if left:
            self.sequence = min((b.sequence for b in left), key=lambda n: _behind(n, self.sequence))
        self.ready.clear()
        self.flying.clear()
        self._back = []
        self.held, self.failure, self.since, self.bytes = False, None, None, 0

    def _lands(self, batch: TargetBatch) -> bool:
        try:
            self.flying.remove(batch)
        except ValueError:  # of a life before ``reset``
            return False
        return True

    def _settle(self) -> None:
        if self.held and not self.flying:
            self.ready.extendleft(reversed(self._back))
            self._back = []
            self.held = False
