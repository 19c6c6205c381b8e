"""Where a log ended at some moments, from no more answers than that takes."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence


class AskedEnds:
    """Goes through moments in order. An answer says more than was asked: the first record from a
    moment on is the first from every moment on up to its own time. From later than the newest
    record on there is none, nor from later than where there was none, and the log ended where it
    ends.

    ``end`` is the end of the log now, ``newest`` the time of its newest record (None: not known),
    ``first`` the first moment that is wanted; times in ms. ``pairs`` are moments and offsets.
    """

    __slots__ = ("_end", "_first", "_newest", "_until", "pairs")

    def __init__(self, end: int, newest: int | None, first: int) -> None:
        self._end, self._newest, self._first = end, newest, first
        self._until = first - 1
        self.pairs: list[tuple[int, int]] = []

    def asks(self, moment: int) -> bool:
        """Whether the moment has to be asked for; else it is in ``pairs``, or is not wanted."""
        if moment < self._first:
            return False
        if self._newest is not None and moment > self._newest:
            self.pairs.append((moment, self._end))
        elif moment <= self._until:
            self.pairs.append((moment, self.pairs[-1][1]))
        else:
            return True
        return False

    def told(self, moment: int, offset: int, timestamp: int) -> None:
        """The answer: the first record from the moment on, and its time; below 0: there is none."""
        self.pairs.append((moment, offset if offset >= 0 else self._end))
        if offset >= 0:
            self._until = timestamp
        else:
            self._newest = moment - 1


def first_of(moments: Sequence[int], since: int) -> int:
    """Of moments in order the last that is not after ``since``, or the first of all: from there on
    they enclose every time from ``since`` on as all of them do."""
    return moments[max(0, bisect_right(moments, since) - 1)]
