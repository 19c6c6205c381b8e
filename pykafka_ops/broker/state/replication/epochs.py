"""Where each leader epoch of a partition began: the rules of ``LeaderEpochFileCache`` (KIP-101).

Pure: whoever owns the log reads and writes ``leader-epoch-checkpoint``. Every method that
changes something returns whether it did.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable

UNDEFINED = (-1, -1)
"""What :meth:`EpochCache.end_offset_for` answers when it cannot tell."""


_NONE: list[int] = []
"""Thousands of partitions have no epoch yet and share it; nothing is ever added to it."""


class EpochCache:
    """Epochs and their first offsets, both strictly rising."""

    __slots__ = ("_epochs", "_starts")

    def __init__(self, entries: Iterable[tuple[int, int]] = ()) -> None:
        self._epochs = self._starts = _NONE
        for epoch, start in entries:
            self.assign(epoch, start)

    def __bool__(self) -> bool:
        return bool(self._epochs)

    @property
    def latest(self) -> int:
        """The newest epoch with an entry, or -1."""
        return self._epochs[-1] if self._epochs else -1

    @property
    def earliest(self) -> tuple[int, int]:
        """The oldest (epoch, first offset), or ``UNDEFINED``."""
        return (self._epochs[0], self._starts[0]) if self._epochs else UNDEFINED

    def entries(self) -> list[tuple[int, int]]:
        """All (epoch, first offset), oldest first."""
        return list(zip(self._epochs, self._starts, strict=True))

    def assign(self, epoch: int, start_offset: int) -> bool:
        """``epoch`` begins at ``start_offset``; entries that contradict this are dropped.

        Raises ValueError if either is negative.
        """
        if epoch < 0 or start_offset < 0:
            raise ValueError(f"Received invalid partition leader epoch entry {epoch, start_offset}")
        if self._epochs and epoch == self._epochs[-1] and start_offset >= self._starts[-1]:
            return False
        keep = min(bisect_left(self._epochs, epoch), bisect_left(self._starts, start_offset))
        self._cut(keep)
        if not self._epochs:
            self._epochs, self._starts = [], []
        self._epochs.append(epoch)
        self._starts.append(start_offset)
        return True

    def truncate_from_end(self, end_offset: int) -> bool:
        """Drop epochs that begin at or after ``end_offset``; a negative one drops nothing."""
        keep = bisect_left(self._starts, end_offset) if end_offset >= 0 else len(self._starts)
        return self._cut(keep)

    def truncate_from_start(self, start_offset: int) -> bool:
        """Forget what lies before ``start_offset``: the epoch it falls in now begins there."""
        past = bisect_right(self._starts, start_offset)
        if not past or (past == 1 and self._starts[0] == start_offset):
            return False
        del self._epochs[: past - 1], self._starts[: past - 1]
        self._starts[0] = start_offset
        return True

    def clear(self) -> bool:
        """Drop everything."""
        return self._cut(0)

    def _cut(self, keep: int) -> bool:
        if keep >= len(self._epochs):
            return False
        del self._epochs[keep:], self._starts[keep:]
        return True

    def end_offset_for(self, epoch: int, log_end_offset: int) -> tuple[int, int]:
        """(largest known epoch <= ``epoch``, where it ends); ``UNDEFINED`` if it is not known.

        Below the oldest entry the asked epoch comes back with the oldest first offset, so that
        a follower can start there.
        """
        epochs = self._epochs
        if epoch == -1 or not epochs or epoch > epochs[-1]:
            return UNDEFINED
        if epoch == epochs[-1]:
            return epoch, log_end_offset
        higher = bisect_right(epochs, epoch)
        return (epochs[higher - 1] if higher else epoch), self._starts[higher]

    def previous(self, epoch: int) -> int:
        """The largest epoch below ``epoch``, or -1."""
        found = bisect_left(self._epochs, epoch)
        return self._epochs[found - 1] if found else -1
